// One instruction in the text form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/module.h"
#include "kernel/text/names.h"

namespace raddle::kernel {

// "data+16": a symbol and what is added to its address.
std::string with_offset(std::string text, std::int64_t offset);

class InstructionPrinter {
 public:
  InstructionPrinter(const ModuleNames& module, const FunctionNames& function)
      : module_(module), function_(function) {}

  std::string print(const Instruction& instruction) const;
  // Without its offset.
  std::string symbol(const Operand& operand) const;

 private:
  static std::string mnemonic(const Instruction& instruction);
  std::string operand(const Operand& operand, Type type) const;
  std::string address(const Operand& base, std::int64_t offset) const;
  std::string sources(const Instruction& instruction) const;
  std::string targets(const Instruction& instruction) const;
  std::string call(const CallInfo& call) const;
  std::string slot_list(const std::vector<std::uint32_t>& slots) const;
  static std::string attributes(const Instruction& instruction);

  const ModuleNames& module_;
  const FunctionNames& function_;
};

}  // namespace raddle::kernel
