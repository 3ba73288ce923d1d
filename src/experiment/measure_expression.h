// The small language in which a paper's claims say how they are measured: arithmetic over figures
// of groups of runs, element by element, and functions that sum them up.
//
//   geomean(fermi.seconds / fabric.seconds)
//   100 * sum(all.histogram.linear_distance.within.16) / sum(all.histogram.linear_distance.total)
//   all(bigsm.ipc >= occ.ipc)
//
// A path names a group and one of its figures; parts with other signs than letters, digits and _
// are quoted: group.stall."wait: DRAM". Comparisons give 1 and 0; [a, b] puts
// values in a row; brackets behind a value choose runs by label: group.seconds[scan, lud*].
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::experiment {

// A figure of each run of a group, or a single number (one value, no label).
struct Series {
  std::vector<double> values;
  std::vector<std::string> labels;  // empty for a single number

  bool single() const { return labels.empty(); }
  static Series number(double value) { return {{value}, {}}; }
};

// Finds what a path stands for; throws Error for what there is not.
using FigureLookup = std::function<Series(std::span<const std::string> path)>;

// Throws Error with the place in the expression: "column 7: …".
Series evaluate(std::string_view expression, const FigureLookup& lookup);

// The groups that the expression names: the first parts of its paths, each once.
std::vector<std::string> groups_of(std::string_view expression);

}  // namespace raddle::experiment
