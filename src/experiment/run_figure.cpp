#include "experiment/run_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/demangle.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/wildcard.h"
#include "experiment/result_figures.h"

namespace raddle::experiment {

namespace {

[[noreturn]] void unknown(const char* what, const std::string& name,
                          const std::vector<std::string>& known) {
  throw Error(fmt::format("unknown {} '{}'", what, name), {}, suggestion(name, known));
}

// histogram.NAME.within.LIMIT: how many values are no greater.
double within(const machine::Histogram& histogram, const std::string& limit) {
  double most = 0;
  const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), most);
  if (error != std::errc() || end != limit.data() + limit.size())
    throw Error(fmt::format("'{}' is not a limit of a histogram", limit));
  double count = 0;
  for (const machine::HistogramBin& bin : histogram.bins) {
    if (bin.value <= most) count += static_cast<double>(bin.count);
  }
  return count;
}

double histogram_within(const RunResult& result, const std::string& name,
                        const std::string& limit) {
  std::vector<std::string> known;
  for (const machine::Histogram& histogram : result.totals.histograms) {
    if (histogram.name == name) return within(histogram, limit);
    known.push_back(histogram.name);
  }
  unknown("histogram", name, known);
}

}  // namespace

double run_figure(const RunResult& result, std::span<const std::string> path) {
  if (path.empty()) throw Error("the path ends before it names a figure");
  if (path.size() == 4 && path[0] == "histogram" && path[2] == "within")
    return histogram_within(result, path[1], path[3]);
  const std::string name = fmt::format("{}", fmt::join(path, "."));
  std::vector<std::string> known;
  for (const Figure& figure : figures_of(result)) {
    if (figure.name == name) return figure.value;
    known.push_back(figure.name);
  }
  if (path[0] == "energy" && result.totals.energy.empty())
    throw Error("the machine does not model energy");
  if (path[0] == "stall" && result.totals.stalls.empty())
    throw Error("the machine does not model stall causes");
  unknown("figure", name, known);
}

RunResult only_kernels(const RunResult& result, const std::string& pattern) {
  RunResult chosen = result;
  chosen.launches.clear();
  chosen.totals = {};
  std::vector<std::string> known;
  for (const machine::LaunchResult& launch : result.launches) {
    const std::string name = function_name(launch.kernel);
    if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    if (matches_wildcard(pattern, name)) add_launch(chosen, launch);
  }
  if (chosen.launches.empty()) unknown("kernel", pattern, known);
  return chosen;
}

}  // namespace raddle::experiment
