// Nodes and edges of dataflow graphs in the DOT language.
#pragma once

#include <string>
#include <string_view>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/map/mapping.h"

namespace raddle::report {

// "digraph NAME {" and how nodes and edges look.
std::string dot_head(std::string_view name);
// `more` is put after the other attributes: ", pos=\"1,2!\"".
std::string dot_node(std::string_view id, const machine::cgra::Node& node,
                     const machine::cgra::LocationText& location_text, std::string_view more = {});
// `backwards`: the edge shall not decide which node is above the other.
std::string dot_edge(std::string_view from, std::string_view to, const machine::cgra::Input& input,
                     bool backwards, std::string_view label = {});

}  // namespace raddle::report
