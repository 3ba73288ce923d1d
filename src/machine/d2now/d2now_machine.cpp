#include "machine/d2now/d2now_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/d2now/simulation.h"

namespace raddle::machine::d2now {

RADDLE_REGISTER_MACHINE("d2now", D2nowMachine);

namespace {

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
  Ticks bus, issue_unit, post_processing_unit, network_unit;
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
  result.stats.push_back({"NIU", "undeclared_inputs", "threads",
                          "that wait for data of another node without an arc from its producer",
                          static_cast<double>(simulation.graph().undeclared_inputs())});
  MemoryTraffic l2;
  l2.level = "L2";
  l2.hits = memory.l2_accesses - memory.l2_misses;
  l2.misses = memory.l2_misses;
  l2.load_accesses = memory.l2_accesses;
  result.memory.push_back(l2);
  const double capacity = cycles_of(end) * static_cast<double>(simulation.nodes().size());
  result.utilisation = {{"bus", cycles_of(bus), capacity},
                        {"TIU", cycles_of(issue_unit), capacity},
                        {"PPU", cycles_of(post_processing_unit), capacity},
                        {"NIU", cycles_of(network_unit), capacity}};
}

std::string race_in(const ThreadGraph& graph) {
  const std::optional<MissingArc>& arc = graph.missing_arc();
  if (!arc) return {};
  return fmt::format(
      "{} on node {} reads {} bytes that {} wrote on node {}, and no arc puts them in order",
      graph.name(arc->consumer), graph.thread(arc->consumer).node, arc->region.bytes,
      graph.name(arc->producer), graph.thread(arc->producer).node);
}

void add_samples(const Simulation& simulation, Ticks end, Cycle interval, double clock_hz,
                 LaunchResult& result) {
  std::vector<const NodeSampler*> nodes;
  for (const auto& node : simulation.nodes()) nodes.push_back(node->sampler());
  result.sample_cycles = interval.count();
  result.samples = series_of(nodes, ticks_of(interval), end, clock_hz);
}

}  // namespace

Traits D2nowMachine::traits(const ParameterTable& /*table*/) {
  return {.forms = {ProgramForm::kDataDriven},
          .honours = {RunOption::kCheck, RunOption::kSample, RunOption::kTrace,
                      RunOption::kMaxCycles, RunOption::kTimeout},
          .finds = checks_from_text("race")};
}

Peaks D2nowMachine::peaks() const { return {.clock_hz = parameters_.clock_hz}; }

LaunchResult D2nowMachine::replay(const ddm::recording::Recording& recording,
                                  const LaunchOptions& options, std::string* race) const {
  Simulation simulation(parameters_, recording);
  if (race != nullptr) *race = race_in(simulation.graph());
  LaunchResult result;
  result.kernel = recording.program;
  result.data_driven.emplace().threads = recording.threads.size();
  const bool samples = options.sample_cycles != Cycle(0);
  if (options.trace != nullptr) simulation.trace_to(*options.trace);
  if (samples) simulation.sample_every(ticks_of(options.sample_cycles));
  const Cycle cycle_limit = options.control.cycle_limit();
  const bool has_limit = cycle_limit < Cycle(kForever / kCycle);
  Cycle end;
  try {
    const auto watch_run = [&](Ticks now, std::uint64_t threads) {
      options.control.look({whole_cycles(now), threads, recording.threads.size()});
      simulation.flush_trace();
    };
    if (!simulation.run(watch_run, has_limit ? ticks_of(cycle_limit) : kForever))
      throw options.control.limit_reached();
    end = whole_cycles(simulation.end());
  } catch (const RunStopped& stopped) {
    result.faults.push_back(stopped.fault(recording.program));
    result.fault_count = 1;
    result.complete = false;
    if (stopped.kind == FaultKind::kWatchdogCycles) {
      end = cycle_limit;
    } else {
      // Nodes take turns: some are ahead of others.
      Ticks reached;
      for (const auto& node : simulation.nodes())
        reached = std::max(reached, node->processor().accounted());
      end = std::min(whole_cycles(reached), cycle_limit);
    }
  }
  result.cycles = end.count();
  result.seconds = (end / Hertz(parameters_.clock_hz)).count();
  for (const auto& node : simulation.nodes())
    result.thread_instructions += node->processor().instructions();
  add_cycles(simulation, ticks_of(end), result);
  add_counts(simulation, ticks_of(end), result);
  if (samples) {
    add_samples(simulation, ticks_of(end), options.sample_cycles, parameters_.clock_hz, result);
  }
  return result;
}

}  // namespace raddle::machine::d2now
