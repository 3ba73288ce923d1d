// What a sweep is to run, as SPEC.toml says it: named axes, a template of the cells in which {axis}
// stands for the axis's value, and cells to leave out or to add. Reading checks everything that can
// be checked without running: every message carries file and line, an unknown name gets the nearest
// known one. sweep.h turns this into cells. The format is described in docs/sweeps.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/spec_text.h"

namespace raddle::experiment {

// What a cell is made of, as far as it is said in one place; {axis} is still in it.
struct CellTemplate {
  std::map<std::string, std::vector<SpecText>> fields;  // "program", "arguments" …; most hold one
  std::map<std::string, SpecText> set;                  // parameters of the machine by key

  bool empty() const { return fields.empty() && set.empty(); }
};

struct AxisValue {
  std::string label;     // in tables, in {axis}, in include and exclude
  CellTemplate changes;  // what it puts into the cell
  unsigned line = 0;
};

struct SweepAxis {
  std::string name;
  std::vector<AxisValue> values;
  unsigned line = 0;
};

// [[include]]: a grid of its own; [[exclude]]: what matches it is left out.
struct SweepPart {
  std::vector<std::vector<AxisValue>> values;  // one list an axis; an empty list: all values
  unsigned line = 0;
};

struct SweepSpec {
  std::string file;
  std::string name;
  std::string description;
  std::vector<std::string> figures;  // extra columns, named as in result_figures.h
  CellTemplate cell;
  std::vector<SweepAxis> axes;  // the first changes slowest
  std::vector<SweepPart> include;
  std::vector<SweepPart> exclude;
};

// `file` is for messages, and relative paths in the spec start from its folder. Throws Error.
SweepSpec parse_sweep_spec(std::string_view text, const std::string& file);
SweepSpec read_sweep_spec(const std::string& file);

}  // namespace raddle::experiment
