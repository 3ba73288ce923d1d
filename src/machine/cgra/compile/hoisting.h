// Where a kernel is cut into pieces, values that are computed before the cut and needed after it
// go through the live-value cache. Often less has to be kept: the sum of sixteen products instead
// of their factors. Computations from after a cut are moved before it where that leaves fewer
// values.
#pragma once

#include <cstddef>

#include "machine/cgra/compile/segments.h"
#include "machine/cgra/compile/value_facts.h"

namespace raddle::machine::cgra {

// `before` is the segment before the cut, the next one in the list goes on after it, and with it
// what can only be reached through that. Moves `most` instructions at most and returns how many;
// the facts are no longer true then.
std::size_t hoist(SegmentedKernel& kernel, const ValueFacts& facts, SegmentId before,
                  std::size_t most);

}  // namespace raddle::machine::cgra
