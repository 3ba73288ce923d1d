// What the parts of a fabric count. Every unit spends every cycle in exactly one way; all counts
// can be subtracted: what a launch did is what was counted at its end less that at its start.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/fabric/unit_use.h"
#include "memory/cache_stats.h"
#include "memory/memory_system.h"

namespace raddle::machine::cgra {

// Operators are looked for in the namespace of their operands.
using sim::operator+=;
using sim::operator-;
using sim::operator==;

// By class of units; the last are ports, of which only those are counted that are in use.
using ClassCycles = std::array<UnitAccount, kUnitClasses + 1>;

// By node of a graph, all replicas together.
struct FabricNodeCounts {
  std::vector<std::uint64_t> firings;
  std::vector<UnitAccount> cycles;
  std::uint64_t groups = 0;  // of threads that uniform values were computed for
};

struct TokenStats {
  std::uint64_t threads = 0;
  std::uint64_t configurations = 0;
  std::uint64_t buffer_writes = 0;
  std::uint64_t buffer_reads = 0;
  std::uint64_t dropped = 0;
  std::uint64_t link_hops = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<TokenStats>>({
      {"threads", "threads", "threads injected into a configuration", &TokenStats::threads},
      {"configurations", "configurations", "number of configurations of the units",
       &TokenStats::configurations},
      {"buffer_writes", "tokens", "tokens put into token buffers", &TokenStats::buffer_writes},
      {"buffer_reads", "tokens", "tokens taken from token buffers by firings",
       &TokenStats::buffer_reads},
      {"dropped", "tokens", "tokens for threads that do not exist, dropped by elevators",
       &TokenStats::dropped},
      {"link_hops", "hops", "links traversed by tokens, counted separately for each receiver",
       &TokenStats::link_hops},
  });
};

struct BankStats {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t conflicts = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<BankStats>>({
      {"reads", "accesses", "accesses that read", &BankStats::reads},
      {"writes", "accesses", "accesses that wrote", &BankStats::writes},
      {"bytes", "bytes", "bytes read and written", &BankStats::bytes},
      {"conflicts", "attempts", "attempts that found a bank in use by another unit",
       &BankStats::conflicts},
  });
};

struct PrefetchStats {
  std::uint64_t lines = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<PrefetchStats>>({
      {"lines", "lines", "lines asked for ahead of the threads that load from them",
       &PrefetchStats::lines},
  });
};

struct FabricCounts {
  ClassCycles cycles{};                                   // of units
  std::array<std::uint64_t, kUnitClasses + 1> firings{};  // by class, as cycles
  TokenStats tokens;
  BankStats l1_banks, scratchpad, live_values;
  memory::CacheStats l1;  // without prefetches
  PrefetchStats prefetches;
  std::uint64_t l1_refused = 0;  // attempts that the L1 had no MSHR, line or room for
  memory::MemorySystemCounts memory;

  FabricCounts& operator+=(const FabricCounts& other);  // without what lies below the cores
  FabricCounts& operator-=(const FabricCounts& earlier);
};

}  // namespace raddle::machine::cgra
