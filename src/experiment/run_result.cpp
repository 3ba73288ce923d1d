#include "experiment/run_result.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/version.h"

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

void add_shares(std::vector<machine::Share>& totals, const std::vector<machine::Share>& shares) {
  for (const machine::Share& share : shares) {
    const auto same_name = [&](const machine::Share& other) { return other.name == share.name; };
    auto place = std::find_if(totals.begin(), totals.end(), same_name);
    if (place == totals.end()) {
      totals.push_back(share);
    } else {
      place->value += share.value;
    }
  }
}

void add_to_totals(RunTotals& totals, const machine::LaunchResult& launch) {
  ++totals.launches;
  totals.seconds += launch.seconds;
#define RADDLE_COUNT(name, unit, sentence) totals.name += launch.name;
#include "experiment/figures.def"
  for (std::size_t i = 0; i < launch.thread_instructions_by_class.size(); ++i) {
    totals.thread_instructions_by_class[i] += launch.thread_instructions_by_class[i];
    totals.warp_instructions_by_class[i] += launch.warp_instructions_by_class[i];
  }
  for (const machine::MemoryTraffic& traffic : launch.memory) add_traffic(totals.memory, traffic);
  add_shares(totals.stalls, launch.stalls);
  add_shares(totals.energy, launch.energy);
}

}  // namespace

RunResult start_result(std::string program, std::vector<std::string> arguments, std::string machine,
                       const machine::ParameterTable& parameters) {
  RunResult result;
  result.program = std::move(program);
  result.arguments = std::move(arguments);
  result.machine = std::move(machine);
  result.implementation = parameters.machine();
  result.parameters_hash = parameters.hash();
  result.parameters = parameters.all();
  result.raddle_version = kVersion;
  return result;
}

void add_launch(RunResult& result, machine::LaunchResult launch) {
  add_to_totals(result.totals, launch);
  if (result.launches.size() < kMaxListedLaunches) result.launches.push_back(std::move(launch));
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace raddle::experiment
