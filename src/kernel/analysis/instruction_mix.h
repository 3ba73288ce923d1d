// What a piece of code consists of: instructions by class and opcode, memory accesses by space.
// Static counts; with the number of times each block ran, the counts of a whole execution.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernel/module.h"

namespace raddle::kernel {

inline constexpr std::size_t kOpcodes = static_cast<std::size_t>(Opcode::kItReceiveLoad) + 1;
inline constexpr std::size_t kSpaces = static_cast<std::size_t>(Space::kParam) + 1;

struct AccessCounts {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
  bool operator==(const AccessCounts&) const = default;
};

struct InstructionMix {
  std::uint64_t total = 0;
  std::array<std::uint64_t, kInstructionClasses> by_class{};
  std::array<std::uint64_t, kOpcodes> by_opcode{};
  std::array<AccessCounts, kSpaces> by_space{};

  std::uint64_t of(InstructionClass instruction_class) const {
    return by_class[static_cast<std::size_t>(instruction_class)];
  }
  std::uint64_t of(Opcode opcode) const { return by_opcode[static_cast<std::size_t>(opcode)]; }
  const AccessCounts& of(Space space) const { return by_space[static_cast<std::size_t>(space)]; }

  void add(const Instruction& instruction, std::uint64_t times = 1);
  void add(const InstructionMix& other, std::uint64_t times = 1);
  bool operator==(const InstructionMix&) const = default;
};

InstructionMix mix_of(const Block& block);
InstructionMix mix_of(const Function& function);
// `block_counts[i]`: how many threads (or warps) ran block i. Guarded instructions count for every
// one of them.
InstructionMix executed_mix(const Function& function, std::span<const std::uint64_t> block_counts);

}  // namespace raddle::kernel
