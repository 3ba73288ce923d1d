// The registers of one stretch of code while it is translated: what each holds, and what of that
// is in the frame yet. A register is read from the frame when it is first needed and written back
// where the stretch ends or the interpreter looks, so that values that live within a stretch never
// touch memory.
#pragma once

#include <string>
#include <vector>

#include "kernel/exec/decoded.h"
#include "machine/native/ir_text.h"

namespace raddle::machine::native {

class Registers {
 public:
  // `uniform` by register: whether lanes that stand together hold the same.
  Registers(IrText& text, const kernel::exec::DecodedFunction& function,
            const std::vector<bool>& uniform)
      : text_(text), function_(function), uniform_(uniform), held_(uniform.size()) {}

  // All lanes of the warp run (else those of %mask); nothing is known of any register.
  void begin(bool all_lanes);
  bool all_lanes() const { return all_lanes_; }

  int bits_of(kernel::RegisterId id) const;
  Value read(kernel::RegisterId id);
  // The whole register, for the lanes that run.
  void write(kernel::RegisterId id, Value value);
  // The frame has what the register holds, from here on.
  void settle(kernel::RegisterId id);
  // Writes it to the frame without noting so: in a side path.
  void spill(kernel::RegisterId id);
  // Somebody else has written it to the frame.
  void forget(kernel::RegisterId id) { held_[id] = {}; }

  // One value a lane, or the value that all lanes of the slot have.
  Value from_slot(std::uint32_t slot, int bits, bool uniform);

 private:
  struct Held {
    Value value;
    bool pending = false;  // not in the frame
  };
  std::string place(std::uint32_t slot) {
    return text_.op("getelementptr i8, ptr %frame, i64 {}", slot);
  }
  void store(std::uint32_t slot, const Value& value);

  IrText& text_;
  const kernel::exec::DecodedFunction& function_;
  const std::vector<bool>& uniform_;
  std::vector<Held> held_;
  bool all_lanes_ = true;
};

}  // namespace raddle::machine::native
