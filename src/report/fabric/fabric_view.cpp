#include "report/fabric/fabric_view.h"

#include <fmt/format.h>

#include "base/error.h"
#include "report/fabric/dataflow_drawing.h"
#include "report/fabric/fabric_text.h"
#include "report/fabric/mapping_drawing.h"

namespace raddle::report {

using namespace machine::cgra;

std::string fabric_view(const DataflowGraph& graph, const Grid& grid, const Mapping& mapping,
                        FabricView view, std::string_view format,
                        const LocationText& location_text) {
  if (format != "text" && format != "dot" && format != "svg")
    throw Error(fmt::format("unknown format '{}'", format), {},
                "the formats are text, dot and svg");
  if (view == FabricView::kDataflow) {
    if (format == "dot") return dataflow_dot(graph, location_text);
    if (format == "svg") return dataflow_svg(graph, location_text);
    return dataflow_text(graph, location_text);
  }
  if (format == "dot") return mapping_dot(graph, grid, mapping, location_text);
  if (format == "svg") return mapping_svg(graph, grid, mapping, location_text);
  return mapping_text(graph, grid, mapping, location_text);
}

}  // namespace raddle::report
