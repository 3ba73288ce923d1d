// A dataflow graph, and a graph on the grid, as tables for the terminal.
#pragma once

#include <string>

#include "machine/cgra/map/mapping.h"

namespace raddle::report {

std::string dataflow_text(const machine::cgra::DataflowGraph& graph,
                          const machine::cgra::LocationText& location_text = {});

std::string mapping_text(const machine::cgra::DataflowGraph& graph, const machine::cgra::Grid& grid,
                         const machine::cgra::Mapping& mapping,
                         const machine::cgra::LocationText& location_text = {});

}  // namespace raddle::report
