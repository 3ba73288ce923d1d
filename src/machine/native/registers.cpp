#include "machine/native/registers.h"

#include <algorithm>

#include "kernel/exec/frame_layout.h"

namespace raddle::machine::native {

void Registers::begin(bool all_lanes) {
  all_lanes_ = all_lanes;
  std::ranges::fill(held_, Held{});
}

int Registers::bits_of(kernel::RegisterId id) const {
  const int bytes = kernel::exec::register_bytes(function_.ir->registers[id].type);
  return bytes == 0 ? 1 : bytes * 8;
}

Value Registers::from_slot(std::uint32_t slot, int bits, bool uniform) {
  const std::string address = place(slot);
  if (bits == 1) {
    const std::string word = text_.op("load i32, ptr {}, align 4, !alias.scope !1", address);
    if (!uniform) return {text_.op("bitcast i32 {} to <32 x i1>", word), 1, false};
    const std::string some = text_.op("and i32 {}, %mask", word);
    return {text_.op("icmp ne i32 {}, 0", some), 1, true};
  }
  if (!uniform) {
    const std::string type = IrText::integer(bits, false);
    return {text_.op("load {}, ptr {}, align 64, !alias.scope !1", type, address), bits, false};
  }
  std::string of_first = address;
  if (!all_lanes_) of_first = text_.op("getelementptr i{}, ptr {}, i32 %first", bits, address);
  return {text_.op("load i{}, ptr {}, align {}, !alias.scope !1", bits, of_first, bits / 8), bits,
          true};
}

Value Registers::read(kernel::RegisterId id) {
  Held& held = held_[id];
  if (!held.value.known())
    held.value = from_slot(function_.register_slots[id], bits_of(id), uniform_[id]);
  return held.value;
}

void Registers::write(kernel::RegisterId id, Value value) {
  held_[id].value = std::move(value);
  held_[id].pending = true;
}

void Registers::store(std::uint32_t slot, const Value& value) {
  const std::string address = place(slot);
  const Value lanes = text_.spread(value);
  if (value.bits == 1) {
    std::string word = text_.op("bitcast <32 x i1> {} to i32", lanes.text);
    if (!all_lanes_) {
      const std::string old = text_.op("load i32, ptr {}, align 4, !alias.scope !1", address);
      const std::string kept = text_.op("and i32 {}, %others", old);
      const std::string ours = text_.op("and i32 {}, %mask", word);
      word = text_.op("or i32 {}, {}", kept, ours);
    }
    text_.line("store i32 {}, ptr {}, align 4, !alias.scope !1", word, address);
    return;
  }
  const std::string type = IrText::integer(value.bits, false);
  if (all_lanes_) {
    text_.line("store {} {}, ptr {}, align 64, !alias.scope !1", type, lanes.text, address);
  } else {
    text_.call("void", fmt::format("masked.store.v32i{}.p0", value.bits),
               type + ", ptr, i32, <32 x i1>",
               fmt::format("{} {}, ptr {}, i32 64, <32 x i1> %lanes", type, lanes.text, address));
  }
}

void Registers::spill(kernel::RegisterId id) {
  if (held_[id].pending) store(function_.register_slots[id], held_[id].value);
}

void Registers::settle(kernel::RegisterId id) {
  spill(id);
  held_[id].pending = false;
}

}  // namespace raddle::machine::native
