// What `raddle graph` shows of a kernel on a dataflow fabric: its graph, or where it lies on the
// grid; as text, DOT or SVG.
#pragma once

#include <string>
#include <string_view>

#include "machine/cgra/map/mapping.h"

namespace raddle::report {

enum class FabricView { kDataflow, kPlaced };

// Throws Error for a format that there is not.
std::string fabric_view(const machine::cgra::DataflowGraph& graph, const machine::cgra::Grid& grid,
                        const machine::cgra::Mapping& mapping, FabricView view,
                        std::string_view format,
                        const machine::cgra::LocationText& location_text = {});

}  // namespace raddle::report
