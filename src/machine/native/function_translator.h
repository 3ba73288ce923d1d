// A function of a kernel as LLVM IR: one function that runs a warp from one of its entries until
// it has to hand over to the interpreter (kernel/exec/compiled_code.h). It is written twice, for
// warps whose 32 lanes all run and for those of which some do.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/exec/decoded.h"
#include "machine/native/memory_accesses.h"
#include "machine/native/operations.h"
#include "machine/native/registers.h"

namespace raddle::machine::native {

// Registers that lanes which stand together agree on, as far as control flow alone says.
std::vector<bool> uniform_registers(const kernel::exec::DecodedFunction& function);

class FunctionTranslator {
 public:
  FunctionTranslator(const kernel::exec::DecodedFunction& function, std::string name);

  // The definition of the LLVM function.
  std::string translate();
  // Declarations of the intrinsics that it calls; valid after translate().
  const std::set<std::string>& declarations() const { return text_.declarations(); }
  // By pc; after translate().
  const std::vector<bool>& entries() const { return entries_; }
  // Instructions that are translated, and those that the interpreter carries out.
  std::size_t translated() const { return translated_; }
  std::size_t carried_out() const { return carried_out_; }

 private:
  using Decoded = kernel::exec::DecodedInstruction;

  void prologue();
  void variant(bool all_lanes);
  void block(kernel::BlockId id);
  // Up to the next instruction that control may leave at, which is returned.
  void straight_line(std::uint32_t pc);
  void carry_out(const Decoded& d);
  void carry_out_aside(const Decoded& d);
  void call_interpreter(const Decoded& d);
  void write_back(std::uint32_t pc);
  void hand_over(std::uint32_t pc, bool at_instruction);
  void branch(std::uint32_t pc);
  void go_to(kernel::BlockId target, bool polled);
  std::string label_of(std::uint32_t pc) const;
  bool leaves_at(const Decoded& d) const;
  std::uint32_t pc_of(const Decoded& d) const {
    return static_cast<std::uint32_t>(&d - function_.code.data());
  }
  void find_entries();
  void find_needed();

  const kernel::exec::DecodedFunction& function_;
  std::string name_;
  std::vector<bool> uniform_;
  std::vector<bool> entries_;
  std::vector<std::vector<kernel::RegisterId>>
      needed_;  // by pc, where control may leave: before it
  std::vector<std::vector<kernel::RegisterId>> needed_after_;  // by block: at its end
  IrText text_;
  Registers registers_;
  Operations operations_;
  MemoryAccesses memory_;
  bool all_lanes_ = true;
  std::size_t translated_ = 0;
  std::size_t carried_out_ = 0;
};

}  // namespace raddle::machine::native
