// What drawings of dataflow graphs write about a node and with which colours.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/map/mapping.h"
#include "report/charts/svg_canvas.h"

namespace raddle::report {

// The operation, or what kind of node it is.
std::string node_title(const machine::cgra::Node& node);
// "saxpy.cu:3", without the folder; empty where it is not known.
std::string node_place(const machine::cgra::Node& node,
                       const machine::cgra::LocationText& location_text);
// "ld.global, load/store, kernels/saxpy.cu:3".
std::string node_tooltip(const machine::cgra::Node& node,
                         const machine::cgra::LocationText& location_text);
std::string shift_text(std::int32_t shift);  // "+1"

// Hands on what it gave to one thread to another one, or to the thread's next turn.
bool loops_to_itself(const machine::cgra::Node& node);

// Classes of units are told apart by the colours of series.
std::size_t series_of(machine::cgra::UnitClass unit);

struct LegendEntry {
  machine::cgra::UnitClass unit = machine::cgra::UnitClass::kAlu;
  std::string text;
};
// Coloured squares with names, in one line or more; `draw_unit_legend` takes the height that
// `unit_legend_height` says.
double unit_legend_height(const std::vector<LegendEntry>& entries, double width);
void draw_unit_legend(SvgCanvas& canvas, const Box& box, const std::vector<LegendEntry>& entries);

}  // namespace raddle::report
