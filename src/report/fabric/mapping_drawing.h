// A graph on the grid for people: every unit coloured by its class, those in use with the operation
// and its source line, and every token's way from unit to unit. In the SVG, routes of different
// nets never lie on each other; nets and copies of the graph differ in their tints. The DOT form
// has nodes at the places of their units (for neato -n) and the hops of every edge.
#pragma once

#include <string>

#include "machine/cgra/map/mapping.h"

namespace raddle::report {

std::string mapping_svg(const machine::cgra::DataflowGraph& graph, const machine::cgra::Grid& grid,
                        const machine::cgra::Mapping& mapping,
                        const machine::cgra::LocationText& location_text = {});

std::string mapping_dot(const machine::cgra::DataflowGraph& graph, const machine::cgra::Grid& grid,
                        const machine::cgra::Mapping& mapping,
                        const machine::cgra::LocationText& location_text = {});

}  // namespace raddle::report
