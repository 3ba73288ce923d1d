// What the cores of a dataflow fabric are built from, as far as their timing needs it.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

#include "base/units.h"
#include "machine/cgra/compile/dataflow_graph.h"
#include "memory/cache_parameters.h"
#include "memory/memory_system.h"

namespace raddle::machine::cgra {

// A memory in banks, each of which takes one access a cycle. Words lie in the banks in turns.
struct BankParameters {
  std::uint32_t banks = 32;  // a power of two, at most 64
  ShortBytes bank_bytes{4};  // a power of two
  Cycle latency{1};          // from the access to its value
};

struct FabricParameters {
  std::uint32_t cores = 1;
  Hertz core_clock{1.4e9};
  std::array<std::uint32_t, kUnitClasses> units{32, 32, 12, 32, 16, 16};  // of a core, by class
  std::uint32_t token_buffer = 16;  // threads that can wait in a unit: a power of two, at most 64
  // Accesses of a load/store unit in flight: a power of two, at most 64; no less than the
  // token buffer.
  std::uint32_t load_store_entries = 1;
  std::uint32_t injector_groups = 1;  // groups of threads that an injector takes turns with
  Cycle hop_cycles{1};                // for a token over a link
  Cycle reconfigure_cycles{34};
  std::uint32_t scalar_units = 1;  // of an injector; 0: what all threads share takes no time
  bool overlap = false;  // a configuration takes units over while the last one's threads leave
  std::uint32_t prefetch = 0;  // accesses ahead, of units that load for other threads; 0: none

  // Its hit latency is that of a load, and what a request for a line needs until it leaves.
  memory::CacheParameters l1;
  std::uint32_t l1_banks = 32;  // as BankParameters
  ShortBytes l1_bank_bytes{4};
  std::uint32_t l1_miss_queue = 64;  // requests and write-backs that wait for the network
  BankParameters scratchpad;         // shared memory
  BankParameters live_values;        // the live-value cache
  Bytes live_value_bytes{65536};

  ShortBytes header_bytes{8};  // of every packet to the L2
  memory::MemorySystemSpec memory;

  // Throws Error for what no fabric can have.
  void check() const;

  // Of all cores.
  std::uint64_t all_units() const {
    return std::accumulate(units.begin(), units.end(), std::uint64_t{0}) * cores;
  }
};

}  // namespace raddle::machine::cgra
