#include "experiment/run_result.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/version.h"
#include "experiment/figure_guard.h"

namespace raddle::experiment {

namespace {

void add_traffic(std::vector<machine::MemoryTraffic>& totals,
                 const machine::MemoryTraffic& traffic) {
  const auto same_level = [&](const machine::MemoryTraffic& other) {
    return other.level == traffic.level;
  };
  auto place = std::find_if(totals.begin(), totals.end(), same_level);
  if (place == totals.end()) {
    totals.push_back(traffic);
    return;
  }
#define RADDLE_TRAFFIC(name, unit, sentence) place->name += traffic.name;
#include "experiment/figures.def"
}

// The entry of `totals` that stands for the same thing, made empty-handed if there is none.
template <class Entry, class Same>
Entry& entry_for(std::vector<Entry>& totals, const Entry& added, Same same, Entry fresh) {
  auto place = std::find_if(totals.begin(), totals.end(),
                            [&](const Entry& old) { return same(old, added); });
  if (place != totals.end()) return *place;
  totals.push_back(std::move(fresh));
  return totals.back();
}

void add_shares(std::vector<machine::Share>& totals, const std::vector<machine::Share>& shares) {
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
  for (const machine::Share& share : shares)
    entry_for(totals, share, same, {share.name, 0}).value += share.value;
}

void add_stalls(std::vector<machine::Stall>& totals, const std::vector<machine::Stall>& stalls) {
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
  for (const machine::Stall& stall : stalls) {
    machine::Stall fresh = stall;
    fresh.cycles = 0;
    entry_for(totals, stall, same, std::move(fresh)).cycles += stall.cycles;
  }
}

void add_utilisation(std::vector<machine::Utilisation>& totals,
                     const std::vector<machine::Utilisation>& units) {
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
  for (const machine::Utilisation& unit : units) {
    machine::Utilisation& total = entry_for(totals, unit, same, {unit.name, 0, 0, unit.cause});
    total.busy += unit.busy;
    total.capacity += unit.capacity;
  }
}

void add_stats(std::vector<sim::StatValue>& totals, const std::vector<sim::StatValue>& stats) {
  const auto same = [](const auto& a, const auto& b) {
    return a.component == b.component && a.name == b.name;
  };
  for (const sim::StatValue& stat : stats) {
    sim::StatValue fresh = stat;
    fresh.value = 0;
    entry_for(totals, stat, same, std::move(fresh)).value += stat.value;
  }
}

void add_histograms(std::vector<machine::Histogram>& totals,
                    const std::vector<machine::Histogram>& histograms) {
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
  for (const machine::Histogram& histogram : histograms) {
    machine::Histogram fresh{histogram.name, histogram.unit, histogram.sentence, {}};
    entry_for(totals, histogram, same, std::move(fresh)) += histogram;
  }
}

// What a machine appended to one by one has room for twice as much.
void give_back_room(machine::LaunchResult& launch) {
  launch.memory.shrink_to_fit();
  launch.stalls.shrink_to_fit();
  launch.energy.shrink_to_fit();
  launch.energy_by_class.shrink_to_fit();
  launch.utilisation.shrink_to_fit();
  launch.stats.shrink_to_fit();
}

}  // namespace

void add_to_totals(RunTotals& totals, const machine::LaunchResult& launch) {
  ++totals.launches;
  totals.seconds += launch.added_seconds();
#define RADDLE_COUNT(name, unit, sentence) totals.name += launch.name;
#include "experiment/figures.def"
  totals.cycles -= launch.overlapped_cycles;
  for (std::size_t i = 0; i < launch.thread_instructions_by_class.size(); ++i) {
    totals.thread_instructions_by_class[i] += launch.thread_instructions_by_class[i];
    totals.warp_instructions_by_class[i] += launch.warp_instructions_by_class[i];
  }
  for (const machine::MemoryTraffic& traffic : launch.memory) add_traffic(totals.memory, traffic);
  add_stalls(totals.stalls, launch.stalls);
  add_shares(totals.energy, launch.energy);
  add_shares(totals.energy_by_class, launch.energy_by_class);
  totals.energy_set = launch.energy_set;
  add_utilisation(totals.utilisation, launch.utilisation);
  add_stats(totals.stats, launch.stats);
  add_histograms(totals.histograms, launch.histograms);
  if (launch.fabric) totals.bound_cycles += launch.fabric->bound_cycles;
}

RunResult start_result(std::string program, std::vector<std::string> arguments, std::string machine,
                       const machine::ParameterTable& parameters, const machine::Peaks& peaks) {
  RunResult result;
  result.program = std::move(program);
  result.arguments = std::move(arguments);
  result.machine = std::move(machine);
  result.implementation = parameters.machine();
  result.parameters_hash = parameters.hash();
  result.parameters = parameters.all();
  result.peaks = peaks;
  result.raddle_version = kVersion;
  return result;
}

void add_launch(RunResult& result, machine::LaunchResult launch) {
  const std::string wrong = drop_impossible_figures(launch);
  if (!wrong.empty()) {
    result.partial = true;
    if (result.partial_reason.empty()) result.partial_reason = wrong;
  }
  add_to_totals(result.totals, launch);
  if (result.launches.size() >= kMaxListedLaunches) return;
  give_back_room(launch);
  result.launches.push_back(std::move(launch));
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace raddle::experiment
