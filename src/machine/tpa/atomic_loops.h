// Atomics that the active memory units lack (compare and swap, exchange, xor, floating point, 64
// bits): in each iteration of a loop one fiber for each address loads, computes and stores. The
// loop is a block of its own, so that fibers leave it as they leave any loop.
#pragma once

#include "kernel/module.h"

namespace raddle::machine::tpa {

// Puts each of them into a block that branches to itself while its last destination, a predicate,
// holds: the fibers that are left.
void put_atomics_into_loops(kernel::Function& function);

// Whether an atomic was put into such a block.
inline bool is_in_loop(const kernel::Instruction& atomic) {
  return atomic.destinations.size() == 2;
}

}  // namespace raddle::machine::tpa
