// What the compiler of a fabric is told: the grid that a configuration can use, and what it reckons
// with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "machine/cgra/compile/graph_builder.h"
#include "machine/cgra/compile/value_facts.h"

namespace raddle::machine::cgra {

struct CompileOptions {
  GraphOptions graph;
  std::array<std::uint32_t, kUnitClasses> units{};  // what a configuration can use of each
  std::uint32_t ports = 8;                          // that threads come in through
  RecomputeLimit recompute;
  bool loops_stay = false;    // on the grid (staying_loops.h)
  bool grow_at_once = false;  // pieces as large as fit, then cut; else while that makes them faster
  // What a configuration takes beside its threads' turns: its own time, and that of an access that
  // misses the L1; and the threads that share it, at most.
  Cycle reconfigure_cycles{34};
  Cycle l2_cycles{280};
  std::uint32_t threads = 4096;
  std::uint64_t live_value_bytes = 65536;  // of all those threads
  // What memories take at once: words of the live-value cache and of shared memory, accesses of a
  // load/store unit that are under way, lines of the L1 that are, and threads that share one.
  std::uint32_t live_banks = 32;
  std::uint32_t shared_banks = 32;
  std::uint32_t accesses = 64;
  std::uint32_t lines = 64;
  std::uint32_t threads_a_line = 32;

  std::uint32_t block_threads() const { return graph.block[0] * graph.block[1] * graph.block[2]; }
  // Copies that can be of use where a block's threads stay together.
  std::uint32_t most_copies(bool whole_blocks) const {
    return whole_blocks ? std::max(1u, threads / block_threads()) : ~0u;
  }
};

}  // namespace raddle::machine::cgra
