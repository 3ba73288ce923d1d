// What a machine says about one launch: a core that all machines have, and typed extensions for
// what only one family of programs has. Plain data: figures are named with their units here and in
// the result schema; writers (text, JSON) are elsewhere. Machines leave empty what they do not
// model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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
  bool outermost = false;               // where the machine meets its memory
  bool banked = false;                  // bank_conflicts says something, also when it is 0
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

// A named share of a whole: a part of the energy in picojoules.
struct Share {
  std::string name;
  double value = 0;
};

// What a cycle of an issuing unit was good for.
enum class CycleKind : std::uint8_t {
  kIssued,    // the unit issued, or fired
  kOverhead,  // it worked, but not on what the program asked for: divergence, reconfiguration
  kStall,     // it had work that could not go on
  kIdle,      // it had no work
};
std::string_view name_of(CycleKind kind);  // "issued", "overhead", "stall", "idle"
std::optional<CycleKind> cycle_kind_of(std::string_view name);

// Cycles of issuing units by what they were spent on.
struct Stall {
  std::string name;  // "barrier", "long scoreboard (memory)"
  CycleKind kind = CycleKind::kStall;
  double cycles = 0;
  std::string sentence = {};  // what the cause is
};

// How much of what a unit could do it did: "DRAM", 840 of 1000 cycles. Adds up over launches.
struct Utilisation {
  std::string name;
  double busy = 0;
  double capacity = 0;
  std::string cause = {};  // of LaunchResult::stalls: what waits for this unit; empty: none

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
  std::vector<Stall> stalls = {};  // the stall cycles by cause, as in LaunchResult::stalls
};

// A figure over the time of a launch: one value for every LaunchResult::sample_cycles cycles, the
// last for what was left of them. Series of one unit share a chart.
struct SampleSeries {
  std::string name;      // "IPC", "DRAM reads", "barrier"
  std::string unit;      // "thread instructions per cycle"
  std::string sentence;  // what was measured
  std::vector<double> values;
  // Set: it is the share of one of LaunchResult::stalls in all cycles; reports stack these.
  std::optional<CycleKind> kind = {};
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

// --- Extensions -----------------------------------------------------------------------------------
// Each is one object of the document, written and read in experiment/result_json_extensions.cpp.

// How multiprocessors shared their parts in a launch, where the machine chose it by the launch.
struct SharingDecision {
  std::string mode;  // "baseline", "half" …
  std::string reason;
};

// A kernel that was launched over a grid of thread blocks.
struct KernelLaunch {
  std::string mangled;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t registers_per_thread = 0;
  Occupancy occupancy;
  L1Split l1_split;
  std::optional<SharingDecision> sharing = {};
};

// A piece of a kernel, for which a dataflow fabric was configured.
struct FabricPiece {
  std::uint64_t copies = 0;   // of its graph on the grid
  std::uint64_t threads = 0;  // that ran it
  double cycles = 0;          // in which cores were configured for it and had threads of it
};

// A kernel on a dataflow fabric. A bound is a number of cycles that no mapping of the same
// operations to the units goes below.
struct FabricLaunch {
  std::vector<FabricPiece> pieces;
  std::vector<Share> bounds;  // by class of units, and by recurrences
  double bound_cycles = 0;    // the largest
};

// All executions of one technique of thick control flow in one line of a program, and beside what
// they took what the paper's formula says.
struct TechniqueCost {
  std::string technique;  // "MMP"
  std::string location;   // "prefix.e:9"; empty: not known
  std::string formula;    // what formula_cycles adds up, in words
  std::uint64_t executions = 0;
  std::uint64_t fibers = 0;  // T, the largest number in one execution
  std::uint64_t targets =
      0;  // M, the largest number on one backend in one execution; 0: not counted
  std::uint64_t cycles = 0;  // from the first fiber until memory is as it will be
  std::uint64_t formula_cycles = 0;
};

// A fragment program over its domain of texels, which a machine takes in batches of threads.
struct FragmentProgram {
  std::uint64_t batches = 0;  // of the domain
  Dim3 batch;                 // threads of one
  std::uint32_t registers_per_thread = 0;
  double resident_batches = 0;  // averaged over time
  std::uint32_t contexts = 0;   // batches that can be resident at once
  std::string limited_by;       // what kept more from being resident
};

// Threads that start when their inputs are there, on nodes that each have an account of their
// cycles.
struct DataDrivenRun {
  std::uint64_t threads = 0;
  // By node: what its cycles were spent on; the parts of every node sum to LaunchResult::cycles.
  std::vector<std::vector<Share>> node_cycles;
};

struct LaunchResult {
  std::string kernel;        // what was launched, as people call it: a kernel's demangled name
  std::uint64_t cycles = 0;  // from its start to its end
  double seconds = 0;        // simulated
  // Launches that run together (KernelMachine::launch_together): when this one started, counted
  // from the start of the first, and how many of its cycles count as those of launches that ended
  // before it. What the machine as a whole did (stalls, memory, utilisation, stats, energy) is told
  // once, of the cycles that are left: what happened between two ends belongs to the later one.
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
  // What the issuing units' cycles were spent on, as a CycleAccount says; they sum to the units'
  // added_cycles() exactly. Empty: not modelled.
  std::vector<Stall> stalls;
  std::vector<Share> energy;           // picojoules; empty: not modelled
  std::vector<Share> energy_by_class;  // the same by class of instruction; empty: not told apart
  std::string energy_set;              // which coefficients: "circuit", "card"; empty: not modelled
  std::vector<Utilisation> utilisation;
  std::vector<sim::StatValue> stats;  // what single parts counted
  std::vector<Histogram> histograms;
  std::uint64_t sample_cycles = 0;  // figures over time: one value every so many cycles
  std::vector<SampleSeries> samples;
  std::vector<LineCost> lines;    // --lines
  std::vector<Fault> faults;      // the first ones, in order
  std::uint64_t fault_count = 0;  // all of them
  bool complete = true;           // false: stopped before its end

  std::optional<KernelLaunch> kernel_launch;
  std::optional<FabricLaunch> fabric;
  std::vector<TechniqueCost> techniques;
  std::optional<FragmentProgram> fragment_program;
  std::optional<DataDrivenRun> data_driven;

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
