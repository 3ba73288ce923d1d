#include "machine/d2now/d2now_machine.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

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

struct NamedCause {
  Cause cause;
  std::string_view stall;  // in LaunchResult::stalls
  std::string_view name;   // of a node's statistics
  std::string_view sentence;
};

constexpr auto kCauseNames = std::to_array<NamedCause>({
    {Cause::kExecution, kIssued, "execution", "threads' own instructions"},
    {Cause::kCache, "wait: cache miss", "cache_miss", "waiting for the L2 or memory"},
    {Cause::kOverhead, "wait: thread sequencing", "overhead",
     "reading the firing queue, writing the acknowledgement queue, handing over values"},
    {Cause::kTsu, "wait: TSU", "tsu_wait", "the TSU had not yet issued a thread that was enabled"},
    {Cause::kNetwork, "wait: network", "network_wait",
     "what the next thread needed was on its way"},
    {Cause::kWork, "wait: other threads", "work_wait",
     "what the next thread needed had not been computed, or nothing was left to do"},
});
static_assert(kCauseNames.size() == kCauses);

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

double to_cycles(Ticks ticks) { return static_cast<double>(ticks) / kTicksPerCycle; }

void add_cycles(const Simulation& simulation, Ticks end, LaunchResult& result) {
  CycleAccount whole;
  for (std::size_t i = 0; i < simulation.nodes().size(); ++i) {
    const CycleAccount account = simulation.nodes()[i]->processor().account(end);
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
  double bus_ticks = 0;
  for (const auto& node : simulation.nodes()) {
    memory += node->memory().counts();
    issue += node->issue().counts();
    post_processing += node->post_processing().counts();
    network += node->network().counts();
    bus_ticks += static_cast<double>(node->memory().bus_busy_ticks());
  }
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
  result.utilisation.push_back({"bus", bus_ticks / kTicksPerCycle,
                                to_cycles(end) * static_cast<double>(simulation.nodes().size())});
}

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
  try {
    simulation.run([&](Ticks now, std::uint64_t threads) {
      watch(options, {now / kTicksPerCycle, threads, recording.threads.size()});
    });
  } catch (Stopped& stopped) {
    stopped.fault.kernel = recording.program;
    result.faults.push_back(std::move(stopped.fault));
    result.complete = false;
    return result;
  }
  result.cycles = (simulation.end() + kTicksPerCycle - 1) / kTicksPerCycle;
  result.seconds = static_cast<double>(result.cycles) / checked.clock_hz;
  result.thread_instructions = recording.instructions();
  const Ticks end = cycles_to_ticks(result.cycles);
  add_cycles(simulation, end, result);
  add_counts(simulation, end, result);
  return result;
}

}  // namespace raddle::machine::d2now
