#include "machine/d2now/d2now_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/d2now/simulation.h"

namespace raddle::machine::d2now {

RADDLE_REGISTER_MACHINE("d2now", D2nowMachine);

namespace {

std::uint64_t whole_cycles(Ticks ticks) { return (ticks + kTicksPerCycle - 1) / kTicksPerCycle; }
double to_cycles(Ticks ticks) { return static_cast<double>(ticks) / kTicksPerCycle; }

void add_cycles(Simulation& simulation, Ticks end, LaunchResult& result) {
  NodeAccount whole;
  for (std::size_t i = 0; i < simulation.nodes().size(); ++i) {
    const NodeAccount& account = simulation.end_account(i, end);
    whole += account;
    std::vector<Share>& node = result.data_driven->node_cycles.emplace_back();
    for (const Stall& stall : stalls_of(account))
      node.push_back({stall.name, stall.cycles / kTicksPerCycle});
  }
  result.stalls = stalls_of(whole);
  for (Stall& stall : result.stalls) stall.cycles /= kTicksPerCycle;
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

}  // namespace

Traits D2nowMachine::traits(const ParameterTable& /*table*/) {
  return {.form = ProgramForm::kDataDriven,
          .honours = {RunOption::kSample, RunOption::kTrace, RunOption::kMaxCycles,
                      RunOption::kTimeout}};
}

Peaks D2nowMachine::peaks() const { return {.clock_hz = parameters_.clock_hz}; }

LaunchResult D2nowMachine::replay(const ddm::recording::Recording& recording,
                                  const LaunchOptions& options) const {
  Simulation simulation(parameters_, recording);
  LaunchResult result;
  result.kernel = recording.program;
  result.data_driven.emplace().threads = recording.threads.size();
  if (options.trace != nullptr) simulation.trace_to(*options.trace);
  if (options.sample_cycles != 0) simulation.sample_every(cycles_to_ticks(options.sample_cycles));
  const std::uint64_t cycle_limit = options.control.cycle_limit();
  const bool has_limit = cycle_limit < kForever / kTicksPerCycle;
  try {
    const auto watch_run = [&](Ticks now, std::uint64_t threads) {
      options.control.look({whole_cycles(now), threads, recording.threads.size()});
      simulation.flush_trace();
    };
    if (!simulation.run(watch_run, has_limit ? cycles_to_ticks(cycle_limit) : kForever))
      throw options.control.limit_reached();
    result.cycles = whole_cycles(simulation.end());
  } catch (const RunStopped& stopped) {
    result.faults.push_back(stopped.fault(recording.program));
    result.fault_count = 1;
    result.complete = false;
    if (stopped.kind == FaultKind::kWatchdogCycles) {
      result.cycles = cycle_limit;
    } else {
      // Nodes take turns: some are ahead of others.
      Ticks reached = 0;
      for (const auto& node : simulation.nodes())
        reached = std::max(reached, node->processor().accounted());
      result.cycles = std::min(whole_cycles(reached), cycle_limit);
    }
  }
  result.seconds = static_cast<double>(result.cycles) / parameters_.clock_hz;
  for (const auto& node : simulation.nodes())
    result.thread_instructions += node->processor().instructions();
  const Ticks end = cycles_to_ticks(result.cycles);
  add_cycles(simulation, end, result);
  add_counts(simulation, end, result);
  if (options.sample_cycles != 0) {
    add_samples(simulation, end, options.sample_cycles, parameters_.clock_hz, result);
  }
  return result;
}

}  // namespace raddle::machine::d2now
