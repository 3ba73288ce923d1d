#include "kernel/analysis/narrow_addresses.h"

namespace raddle::kernel {
namespace {

// The low half of the result depends on the low halves of the operands alone.
bool keeps_low_half(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kMov:
    case Opcode::kPhi:
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kShl:
    case Opcode::kSelp: return !i.carry_in && !i.carry_out;
    case Opcode::kMul:
    case Opcode::kMad: return i.part == MultiplyPart::kLow;
    default: return false;
  }
}

}  // namespace

std::vector<bool> find_narrow_addresses(const Function& function) {
  std::vector<bool> narrow(function.registers.size());
  for (RegisterId id = 0; id < narrow.size(); ++id)
    narrow[id] = size_of(function.registers[id].type) == 8;
  const auto is_narrow = [&](const Operand& operand) {
    return operand.is_register() && narrow[operand.index];
  };
  // What is not narrow makes its operands wide, until nothing changes.
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Block& block : function.blocks) {
      for (const Instruction& i : block.instructions) {
        const bool addresses = group_of(i.opcode) == OpcodeGroup::kMemory &&
                               (i.space == Space::kShared || i.space == Space::kLocal);
        const bool truncates = i.opcode == Opcode::kCvt && size_of(i.type) <= 4 &&
                               !is_float(i.type) && !is_float(i.source_type);
        const bool passes_on = truncates || (keeps_low_half(i) && i.destinations.size() == 1 &&
                                             is_narrow(i.destinations[0]));
        for (std::size_t s = 0; s < i.sources.size(); ++s) {
          if (!is_narrow(i.sources[s]) || passes_on || (addresses && s == 0)) continue;
          narrow[i.sources[s].index] = false;
          changed = true;
        }
      }
    }
  }
  return narrow;
}

}  // namespace raddle::kernel
