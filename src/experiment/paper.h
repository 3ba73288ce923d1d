// A paper that Raddle reproduces: papers/NAME/claims.toml (what it states) and, where something is
// measured, papers/NAME/measurements.toml (which runs the claims' expressions speak of, and the
// figures to draw from them). Plain data; docs/claims.md says what each field means.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiment/spec_text.h"
#include "experiment/sweep.h"

namespace raddle::experiment {

enum class ClaimKind { kValue, kValues, kOrder, kBound, kFormula };

struct Claim {
  std::string id;
  std::string text;
  std::string where;
  std::string unit;
  ClaimKind kind = ClaimKind::kValue;
  std::vector<double> paper;             // numbers, or
  std::vector<std::string> paper_words;  // a ranking, a sentence, a formula
  std::vector<std::string> labels;
  std::optional<double> maximum;
  std::string contradiction;
  std::string note;
  bool input = false;
  bool fitted = false;
  // Expressions, as measure_expression.h describes them.
  SpecText measure;          // the measured number or numbers; empty: nothing measures it
  SpecText measure_maximum;  // what stands against `maximum`
  SpecText holds;            // whether an order, a bound or a sentence holds
  SpecText expected;         // what the paper's formula gives at the sizes that were run
  // Why the measured value differs from the paper's; what is measured stands in it as {EXPRESSION}.
  SpecText why;
};

// One run of a group: a program with its arguments, and what the expressions may know of it.
struct MeasuredRun {
  std::string label;
  std::string program;
  std::vector<std::string> arguments;
  std::string kernel;                         // only these launches; empty: all
  std::map<std::string, double> values;       // GROUP.NAME in expressions: sizes and the like
  std::vector<std::string> assignments = {};  // key=value, after those of the group
};

struct RunGroup {
  std::string name;
  std::string machine;
  std::vector<std::string> assignments;  // key=value
  std::vector<MeasuredRun> runs;
};

enum class FigureKind { kCdf, kBars, kStacked, kLines };

// A figure of the paper, drawn from measured values.
struct PaperFigure {
  std::string id;  // "figure-5"
  std::string title;
  std::string where;  // which figure of the paper it stands for
  FigureKind kind = FigureKind::kBars;
  std::string x_title;
  std::string y_title;
  bool logarithmic = false;  // lines: both axes
  struct Line {
    std::string name;
    SpecText measure;   // bars, stacked bars, lines: an expression with a value a run
    std::string group;  // CDF: the group whose histogram is summed up
    std::string histogram;
    SpecText x = {};  // lines: an expression for the places of the values
  };
  std::vector<Line> lines;
};

struct Paper {
  std::string name;
  std::string title;
  std::string authors;
  std::string venue;
  std::vector<std::string> machines;
  SpecText definitions;  // functions that its expressions share
  std::string claims_file;
  std::string measurements_file;
  std::vector<Claim> claims;
  std::vector<RunGroup> groups;
  std::vector<PaperFigure> figures;

  const RunGroup* find_group(std::string_view group) const;
};

// Names of the folders of papers/ that hold claims, sorted.
std::vector<std::string> paper_names();
// Throws Error with file and line: unknown fields, wrong types, an unknown paper with the nearest.
Paper load_paper(const std::string& name);
Paper paper_from_toml(std::string_view claims, const std::string& claims_file,
                      std::string_view measurements, const std::string& measurements_file);

// These groups as a sweep: a cell for each run, its axes the group and the run's label. Throws
// Error for unknown machines and parameters.
Sweep sweep_of(const Paper& paper, const std::vector<const RunGroup*>& groups);

}  // namespace raddle::experiment
