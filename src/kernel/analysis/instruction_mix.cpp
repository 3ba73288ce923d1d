#include "kernel/analysis/instruction_mix.h"

#include "base/error.h"

namespace raddle::kernel {

void InstructionMix::add(const Instruction& instruction, std::uint64_t times) {
  const InstructionClass instruction_class = class_of(instruction);
  total += times;
  by_class[static_cast<std::size_t>(instruction_class)] += times;
  by_opcode[static_cast<std::size_t>(instruction.opcode)] += times;
  AccessCounts& accesses = by_space[static_cast<std::size_t>(instruction.space)];
  switch (instruction_class) {
    case InstructionClass::kLoad: accesses.loads += times; break;
    case InstructionClass::kStore: accesses.stores += times; break;
    case InstructionClass::kAtomic: accesses.atomics += times; break;
    default: break;
  }
}

void InstructionMix::add(const InstructionMix& other, std::uint64_t times) {
  total += other.total * times;
  for (std::size_t i = 0; i < by_class.size(); ++i) by_class[i] += other.by_class[i] * times;
  for (std::size_t i = 0; i < by_opcode.size(); ++i) by_opcode[i] += other.by_opcode[i] * times;
  for (std::size_t i = 0; i < by_space.size(); ++i) {
    by_space[i].loads += other.by_space[i].loads * times;
    by_space[i].stores += other.by_space[i].stores * times;
    by_space[i].atomics += other.by_space[i].atomics * times;
  }
}

InstructionMix mix_of(const Block& block) {
  InstructionMix mix;
  for (const Instruction& instruction : block.instructions) mix.add(instruction);
  return mix;
}

InstructionMix mix_of(const Function& function) {
  InstructionMix mix;
  for (const Block& block : function.blocks) mix.add(mix_of(block));
  return mix;
}

InstructionMix executed_mix(const Function& function, std::span<const std::uint64_t> block_counts) {
  RADDLE_ASSERT(block_counts.size() == function.blocks.size());
  InstructionMix mix;
  for (std::size_t i = 0; i < block_counts.size(); ++i)
    mix.add(mix_of(function.blocks[i]), block_counts[i]);
  return mix;
}

}  // namespace raddle::kernel
