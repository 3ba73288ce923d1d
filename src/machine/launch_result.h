// What a machine says about one kernel launch. Plain data: figures are named with their units here
// and in the result schema; writers (text, JSON) are elsewhere. Machines leave empty what they do
// not model.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/exec/launch.h"
#include "kernel/instruction.h"
#include "sim/stats.h"

namespace raddle::machine {

using kernel::exec::Dim3;
using kernel::exec::Fault;
using kernel::exec::FaultKind;

// Accesses to one address space or one level of the memory system.
struct MemoryTraffic {
  std::string level;                    // "global", "shared", "L2" …
  std::uint64_t load_instructions = 0;  // warp instructions
  std::uint64_t store_instructions = 0;
  std::uint64_t atomic_instructions = 0;
  std::uint64_t load_accesses = 0;  // per thread
  std::uint64_t store_accesses = 0;
  std::uint64_t atomic_accesses = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t segments = 0;        // 128-byte segments touched, summed over warp instructions
  std::uint64_t bank_conflicts = 0;  // extra passes through shared memory
  std::uint64_t hits = 0;            // of a cache: accesses that found their line
  std::uint64_t misses = 0;
};

// A named share of a whole: a stall cause in cycles, a part of the energy in picojoules.
struct Share {
  std::string name;
  double value = 0;
};

// How much of what a unit could do it did: "DRAM", 840 of 1000 cycles. Adds up over launches.
struct Utilisation {
  std::string name;
  double busy = 0;
  double capacity = 0;

  double share() const { return capacity == 0 ? 0 : busy / capacity; }
};

// How often each value came up. Bins are sorted by value; histograms of one name add up.
struct HistogramBin {
  double value = 0;
  std::uint64_t count = 0;
};
struct Histogram {
  std::string name;      // "linear_distance"
  std::string unit;      // of the values
  std::string sentence;  // what was counted
  std::vector<HistogramBin> bins;

  std::uint64_t total() const;
  Histogram& operator+=(const Histogram& other);
};

struct LineCost {
  std::string location;  // "file.cu:12"
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  double stall_cycles = 0;
  std::vector<Share> stalls = {};  // the waiting cycles by cause, named as in LaunchResult::stalls
};

// A figure over the time of a launch: one value for every LaunchResult::sample_cycles cycles, the
// last for what was left of them. Series with the names of LaunchResult::stalls and the unit
// "ratio" are the shares of the issue slots: reports stack them. Series of one unit share a chart.
struct SampleSeries {
  std::string name;      // "IPC", "DRAM reads", "wait: DRAM"
  std::string unit;      // "thread instructions per cycle"
  std::string sentence;  // what was measured
  std::vector<double> values;
};

// How many warps were there to hide latency with, and what kept them from being more.
struct Occupancy {
  double warps = 0;  // resident on an SM, averaged over SMs and time
  std::uint32_t warps_limit = 0;
  std::uint32_t blocks_per_core = 0;
  std::string limited_by;  // "registers", "shared memory" …; empty: not modelled
};

// How the memory that the L1 and shared memory of a core have in common was divided.
struct L1Split {
  std::uint64_t l1_bytes = 0;
  std::uint64_t shared_bytes = 0;
  std::string preferred;  // by the kernel: "none", "shared", "L1", "equal"; empty: fixed

  bool operator==(const L1Split&) const = default;
};

// The name of the one stall entry that is none: slots in which the unit issued.
inline constexpr std::string_view kIssued = "issued";

struct LaunchResult {
  std::string kernel;  // demangled
  std::string mangled;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint64_t cycles = 0;  // from its start to its end
  double seconds = 0;        // simulated
  // Launches that run together (Machine::launch_together): when this one started, counted from the
  // start of the first, and how many of its cycles count as those of launches that ended before it.
  // What the machine as a whole did (stalls, memory, utilisation, stats, energy) is told once, of
  // the cycles that are left: what happened between two ends belongs to the later one.
  std::uint64_t start_cycle = 0;
  std::uint64_t overlapped_cycles = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t branches = 0;  // warp-level branch instructions
  std::uint64_t barriers = 0;  // warp-level barrier arrivals
  std::array<std::uint64_t, kernel::kInstructionClasses> thread_instructions_by_class{};
  std::array<std::uint64_t, kernel::kInstructionClasses> warp_instructions_by_class{};
  std::vector<MemoryTraffic> memory;
  // What the issuing units' slots were spent on, in cycles; they sum to the units' added_cycles()
  // exactly.
  // "issued" (kIssued) is reserved for slots that issued; every other entry is named "wait: CAUSE",
  // with a short CAUSE that fits "62% of issue slots wait for CAUSE": "wait: DRAM", "wait:
  // barrier". Where CAUSE is also the name of a Utilisation, reports say how busy that unit was.
  // Empty: not modelled.
  std::vector<Share> stalls;
  std::vector<Share> energy;  // picojoules; empty: not modelled
  std::string energy_set;     // which coefficients: "circuit", "card"; empty: not modelled
  std::vector<Utilisation> utilisation;
  std::vector<sim::StatValue> stats;  // what single parts counted
  std::vector<Histogram> histograms;
  Occupancy occupancy;
  L1Split l1_split;
  std::uint64_t sample_cycles = 0;  // figures over time: one value every so many cycles
  std::vector<SampleSeries> samples;
  std::vector<LineCost> lines;    // --lines
  std::vector<Fault> faults;      // the first ones, in order
  std::uint64_t fault_count = 0;  // all of them
  bool complete = true;           // false: stopped before its end

  double ipc() const {
    return cycles == 0 ? 0 : static_cast<double>(thread_instructions) / static_cast<double>(cycles);
  }
  // What the launch adds to the time of all launches; the same as its own time if it ran alone.
  std::uint64_t added_cycles() const { return cycles - overlapped_cycles; }
  double added_seconds() const { return seconds_of(added_cycles()); }
  // When it ended, counted from the start of the first of those that it ran together with.
  double end_seconds() const { return seconds_of(start_cycle + cycles); }
  // So many cycles of the clock that it ran at.
  double seconds_of(std::uint64_t some_cycles) const {
    if (some_cycles == cycles || cycles == 0) return seconds;
    return seconds / static_cast<double>(cycles) * static_cast<double>(some_cycles);
  }
};

}  // namespace raddle::machine
