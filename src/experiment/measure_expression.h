// The language in which a paper's claims say how they are measured: Lua, without access to files,
// processes or time and with a limit of steps, whose values are figures of groups of runs.
//
//   geomean(fermi.seconds / fabric.seconds)
//   100 * sum(all.histogram.linear_distance.within[16]) / sum(all.histogram.linear_distance.total)
//   (gpu.stall["long scoreboard (memory)"] / gpu.cycles){"scan", "lud*"}
//   argmin({2, 4, 8}, function(n) return mean(group("queue_" .. n).seconds) end)
//
// A path names a group and one of its figures, which has a value for each run. Arithmetic goes
// element by element; a < b holds if it holds for every run; {a, b} puts values in a row.
// docs/claims.md lists the functions.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiment/spec_text.h"

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

class Expressions {
 public:
  Expressions(std::vector<std::string> groups, FigureLookup lookup);
  ~Expressions();
  Expressions(const Expressions&) = delete;
  Expressions& operator=(const Expressions&) = delete;

  // Functions that the expressions share. These and the others throw Error with FILE:LINE.
  void define(const SpecText& functions, const std::string& file);
  // The value of an expression, or of statements that end in `return`; true is 1, false is 0.
  Series evaluate(const SpecText& expression, const std::string& file);
  // The text with every {EXPRESSION:FORMAT} replaced by its value. The format is fmt's (".1f"), or
  // "," for a whole number with its thousands apart; "{{" and "}}" are braces. Lines become one.
  std::string filled_in(const SpecText& text, const std::string& file);

 private:
  struct Interpreter;
  std::unique_ptr<Interpreter> interpreter_;
};

}  // namespace raddle::experiment
