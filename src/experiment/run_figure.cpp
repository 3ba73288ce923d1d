#include "experiment/run_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/demangle.h"
#include "base/error.h"
#include "base/nearest_name.h"

namespace raddle::experiment {

namespace {

[[noreturn]] void unknown(const char* what, const std::string& name,
                          const std::vector<std::string>& known) {
  const std::string near = suggestion(name, known);
  throw Error(fmt::format("there is no {} '{}'", what, name), {},
              near.empty() ? fmt::format("there are: {}", fmt::join(known, ", ")) : near);
}

std::string next(std::span<const std::string>& path, const char* what) {
  if (path.empty()) throw Error(fmt::format("the path ends where {} is to be named", what));
  std::string part = path.front();
  path = path.subspan(1);
  return part;
}

double plain_figure(const RunTotals& totals, const std::string& name) {
  std::vector<std::string> known{"seconds", "ipc",  "launches",    "energy",   "stall",
                                 "memory",  "stat", "utilisation", "histogram"};
  if (name == "seconds") return totals.seconds;
  if (name == "ipc") return totals.ipc();
  if (name == "launches") return static_cast<double>(totals.launches);
#define RADDLE_COUNT(figure, unit, sentence)                      \
  if (name == #figure) return static_cast<double>(totals.figure); \
  known.emplace_back(#figure);
#include "experiment/figures.def"
  unknown("figure", name, known);
}

double share_figure(const std::vector<machine::Share>& shares, std::span<const std::string> path,
                    const char* what) {
  if (shares.empty()) throw Error(fmt::format("the machine does not model {}", what));
  if (path.empty()) {
    return std::accumulate(shares.begin(), shares.end(), 0.0,
                           [](double sum, const machine::Share& part) { return sum + part.value; });
  }
  std::vector<std::string> known;
  for (const machine::Share& share : shares) {
    if (share.name == path.front()) return share.value;
    known.push_back(share.name);
  }
  unknown(what, path.front(), known);
}

double traffic_figure(const machine::MemoryTraffic& traffic, const std::string& name) {
  std::vector<std::string> known;
#define RADDLE_TRAFFIC(figure, unit, sentence)                     \
  if (name == #figure) return static_cast<double>(traffic.figure); \
  known.emplace_back(#figure);
#include "experiment/figures.def"
  unknown("figure of a memory level", name, known);
}

double memory_figure(const RunTotals& totals, std::span<const std::string> path) {
  const std::string level = next(path, "a memory level");
  std::vector<std::string> known;
  for (const machine::MemoryTraffic& traffic : totals.memory) {
    if (traffic.level == level) return traffic_figure(traffic, next(path, "a figure"));
    known.push_back(traffic.level);
  }
  unknown("memory level", level, known);
}

double stat_figure(const RunTotals& totals, std::span<const std::string> path) {
  const std::string component = next(path, "a part of the machine");
  const std::string name = next(path, "a statistic");
  std::vector<std::string> known;
  for (const sim::StatValue& stat : totals.stats) {
    if (stat.component == component && stat.name == name) return stat.value;
    known.push_back(fmt::format("{}.{}", stat.component, stat.name));
  }
  unknown("statistic", fmt::format("{}.{}", component, name), known);
}

double utilisation_figure(const RunTotals& totals, std::span<const std::string> path) {
  const std::string name = next(path, "a unit");
  std::vector<std::string> known;
  for (const machine::Utilisation& unit : totals.utilisation) {
    if (unit.name == name) return unit.share();
    known.push_back(unit.name);
  }
  unknown("unit", name, known);
}

double within(const machine::Histogram& histogram, const std::string& limit) {
  double most = 0;
  const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), most);
  if (error != std::errc() || end != limit.data() + limit.size())
    throw Error(fmt::format("'{}' is no limit of a histogram", limit));
  double count = 0;
  for (const machine::HistogramBin& bin : histogram.bins) {
    if (bin.value <= most) count += static_cast<double>(bin.count);
  }
  return count;
}

double histogram_figure(const RunTotals& totals, std::span<const std::string> path) {
  const std::string name = next(path, "a histogram");
  std::vector<std::string> known;
  for (const machine::Histogram& histogram : totals.histograms) {
    known.push_back(histogram.name);
    if (histogram.name != name) continue;
    const std::string what = next(path, "total or within");
    if (what == "total") return static_cast<double>(histogram.total());
    if (what == "within") return within(histogram, next(path, "a limit"));
    unknown("figure of a histogram", what, {"total", "within"});
  }
  unknown("histogram", name, known);
}

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  }
  return !text.empty() && pattern.front() == text.front() &&
         matches(pattern.substr(1), text.substr(1));
}

}  // namespace

double run_figure(const RunResult& result, std::span<const std::string> path) {
  const RunTotals& totals = result.totals;
  const std::string first = next(path, "a figure");
  if (first == "energy") return share_figure(totals.energy, path, "energy");
  if (first == "stall") return share_figure(totals.stalls, path, "stall causes");
  if (first == "memory") return memory_figure(totals, path);
  if (first == "stat") return stat_figure(totals, path);
  if (first == "utilisation") return utilisation_figure(totals, path);
  if (first == "histogram") return histogram_figure(totals, path);
  return plain_figure(totals, first);
}

RunResult only_kernels(const RunResult& result, const std::string& pattern) {
  RunResult chosen = result;
  chosen.launches.clear();
  chosen.totals = {};
  std::vector<std::string> known;
  for (const machine::LaunchResult& launch : result.launches) {
    const std::string name = function_name(launch.kernel);
    if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    if (matches(pattern, name)) add_launch(chosen, launch);
  }
  if (chosen.launches.empty()) unknown("kernel", pattern, known);
  return chosen;
}

}  // namespace raddle::experiment
