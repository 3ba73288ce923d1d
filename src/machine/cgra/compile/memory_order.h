// Which memory operations of a thread must follow each other. On a fabric everything runs as soon
// as its operands are there; two operations that may touch the same place, one of them to change
// it, keep the order of the program by a token from the first to the second.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/module.h"

namespace raddle::machine::cgra {

// For each instruction of straight-line code: earlier ones whose completion it must wait for.
// Only memory operations and fences have any.
std::vector<std::vector<std::uint32_t>> find_memory_order(
    const std::vector<kernel::Instruction>& code);

// Whether accesses of a thread's next turn of a loop of this code may overtake those of the turn
// before: nothing is written that another instruction reads or writes.
bool turns_may_overlap(const std::vector<kernel::Instruction>& code);

}  // namespace raddle::machine::cgra
