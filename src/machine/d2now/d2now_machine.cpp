#include "machine/d2now/d2now_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "machine/d2now/cause_names.h"
#include "machine/d2now/simulation.h"
#include "machine/program_machine.h"

namespace raddle::machine::d2now {
namespace {

const ProgramMachineRegistration kRegistration({"d2now", "programs ending in .ddm.cpp",
                                                [](const ParameterTable& table) {
                                                  (void)D2nowParameters(table);
                                                }});

// Programs run on this host have no parameters that this tool could change.
const ProgramMachineRegistration kHostRegistration({"ddm", "programs ending in .ddm.cpp",
                                                    [](const ParameterTable&) {}});

// Thrown where the user wants a run to end early.
struct Stopped {
  Fault fault;
};

[[noreturn]] void stop(FaultKind kind, std::string message) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.ends_launch = true;
  throw Stopped{std::move(fault)};
}

void watch(const LaunchOptions& options, const LaunchProgress& progress) {
  if (options.progress) options.progress(progress);
  if (options.max_cycles != 0 && progress.cycles > options.max_cycles) {
    stop(FaultKind::kWatchdogCycles,
         fmt::format("stopped after {} cycles (--max-cycles)", options.max_cycles));
  }
  if (options.interrupted != nullptr && options.interrupted->load(std::memory_order_relaxed)) {
    stop(FaultKind::kInterrupted, "interrupted");
  }
  const bool has_deadline = options.deadline != std::chrono::steady_clock::time_point::max();
  if (has_deadline && std::chrono::steady_clock::now() > options.deadline) {
    stop(FaultKind::kWatchdogTimeout, "stopped by --timeout");
  }
}

std::uint64_t whole_cycles(Ticks ticks) { return (ticks + kTicksPerCycle - 1) / kTicksPerCycle; }
double to_cycles(Ticks ticks) { return static_cast<double>(ticks) / kTicksPerCycle; }

void add_cycles(Simulation& simulation, Ticks end, LaunchResult& result) {
  CycleAccount whole;
  for (std::size_t i = 0; i < simulation.nodes().size(); ++i) {
    const CycleAccount account = simulation.end_account(i, end);
    for (const NamedCause& entry : kCauseNames) {
      whole.add(entry.cause, account[entry.cause]);
      result.stats.push_back({fmt::format("node.{}", i), std::string(entry.name), "cycles",
                              std::string(entry.sentence), to_cycles(account[entry.cause])});
    }
  }
  for (const NamedCause& entry : kCauseNames) {
    result.stalls.push_back({std::string(entry.stall), to_cycles(whole[entry.cause])});
  }
}

// Counts of all nodes together.
void add_counts(const Simulation& simulation, Ticks end, LaunchResult& result) {
  using sim::operator+=;
  MemoryCounts memory;
  IssueCounts issue;
  PostProcessingCounts post_processing;
  NetworkCounts network;
  std::uint64_t references = 0;
  Ticks bus = 0, issue_unit = 0, post_processing_unit = 0, network_unit = 0;
  for (const auto& node : simulation.nodes()) {
    references += node->processor().references();
    memory += node->memory().counts();
    issue += node->issue().counts();
    post_processing += node->post_processing().counts();
    network += node->network().counts();
    bus += node->memory().bus_busy_ticks();
    issue_unit += node->issue().busy_ticks();
    post_processing_unit += node->post_processing().busy_ticks();
    network_unit += node->network().busy_ticks();
  }
  result.stats.push_back({"L1", "references", "accesses", "loads and stores of threads",
                          static_cast<double>(references)});
  sim::append_stats(result.stats, "L2", memory);
  sim::append_stats(result.stats, "TIU", issue);
  sim::append_stats(result.stats, "PPU", post_processing);
  sim::append_stats(result.stats, "NIU", network);
  MemoryTraffic l2;
  l2.level = "L2";
  l2.hits = memory.l2_accesses - memory.l2_misses;
  l2.misses = memory.l2_misses;
  l2.load_accesses = memory.l2_accesses;
  result.memory.push_back(l2);
  const double capacity = to_cycles(end) * static_cast<double>(simulation.nodes().size());
  result.utilisation = {{"bus", to_cycles(bus), capacity},
                        {"TIU", to_cycles(issue_unit), capacity},
                        {"PPU", to_cycles(post_processing_unit), capacity},
                        {"NIU", to_cycles(network_unit), capacity}};
}

void add_samples(const Simulation& simulation, Ticks end, std::uint64_t interval, double clock_hz,
                 LaunchResult& result) {
  std::vector<const NodeSampler*> nodes;
  for (const auto& node : simulation.nodes()) nodes.push_back(node->sampler());
  result.sample_cycles = interval;
  result.samples = series_of(nodes, cycles_to_ticks(interval), end, clock_hz);
}

constexpr std::size_t kMostPendingBytes = std::size_t{8} << 20;  // of a trace

}  // namespace

LaunchResult replay(const ParameterTable& parameters, const ddm::recording::Recording& recording,
                    const LaunchOptions& options) {
  const D2nowParameters checked(parameters);
  Simulation simulation(checked, recording);
  LaunchResult result;
  result.kernel = recording.program;
  result.mangled = recording.program;
  result.grid = {checked.nodes, 1, 1};
  result.block = {1, 1, 1};
  if (options.trace != nullptr) simulation.trace_to(*options.trace);
  if (options.sample_cycles != 0) simulation.sample_every(cycles_to_ticks(options.sample_cycles));
  try {
    const auto watch_run = [&](Ticks now, std::uint64_t threads) {
      watch(options, {whole_cycles(now), threads, recording.threads.size()});
      if (options.trace != nullptr && options.trace->pending_bytes() > kMostPendingBytes) {
        options.trace->flush();
      }
    };
    const bool has_limit =
        options.max_cycles != 0 && options.max_cycles < kForever / kTicksPerCycle;
    simulation.run(watch_run, has_limit ? cycles_to_ticks(options.max_cycles) : kForever);
    result.cycles = whole_cycles(simulation.end());
  } catch (Stopped& stopped) {
    stopped.fault.kernel = recording.program;
    result.faults.push_back(std::move(stopped.fault));
    result.complete = false;
    // Nodes take turns: some are ahead of others.
    Ticks reached = 0;
    for (const auto& node : simulation.nodes())
      reached = std::max(reached, node->processor().accounted());
    result.cycles = whole_cycles(reached);
  }
  result.seconds = static_cast<double>(result.cycles) / checked.clock_hz;
  for (const auto& node : simulation.nodes())
    result.thread_instructions += node->processor().instructions();
  const Ticks end = cycles_to_ticks(result.cycles);
  add_cycles(simulation, end, result);
  add_counts(simulation, end, result);
  if (options.sample_cycles != 0) {
    add_samples(simulation, end, options.sample_cycles, checked.clock_hz, result);
  }
  return result;
}

}  // namespace raddle::machine::d2now
