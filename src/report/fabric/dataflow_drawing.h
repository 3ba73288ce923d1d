// A dataflow graph for people: a box for each node, coloured by the class of its unit and labelled
// with its source line, and an edge for each input. Edges between threads are dashed and say how
// many threads later the token arrives; edges that only keep an order are dotted.
#pragma once

#include <string>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/map/mapping.h"

namespace raddle::report {

std::string dataflow_dot(const machine::cgra::DataflowGraph& graph,
                         const machine::cgra::LocationText& location_text = {});

std::string dataflow_svg(const machine::cgra::DataflowGraph& graph,
                         const machine::cgra::LocationText& location_text = {});

}  // namespace raddle::report
