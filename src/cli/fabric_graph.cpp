#include "cli/fabric_graph.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/ptx_arguments.h"
#include "machine/cgra/kernel_mapping.h"
#include "machine/machine.h"
#include "report/fabric_view.h"

namespace raddle::cli {

using namespace machine::cgra;

std::string fabric_graph(const GraphOptions& options, const kernel::Module& module,
                         const kernel::Function& function) {
  machine::ParameterTable table = machine::load_parameters(options.machine);
  for (const std::string& assignment : options.assignments) table.set(assignment);
  if (table.machine() != "cgra") {
    throw Error(fmt::format("{} does not run dataflow graphs", table.name()), {},
                "mt-cgra and dmt-cgra do");
  }
  const CgraParameters parameters(table);
  const Grid grid(parameters.grid);
  const machine::Dim3 block = parse_dimensions("--block", options.block);
  const MappedKernel mapped =
      map_kernel(function, module, parameters, grid, {block.x, block.y, block.z});
  const auto pieces = static_cast<std::uint32_t>(mapped.kernel.pieces.size());
  if (options.piece && *options.piece >= pieces) {
    throw Error(fmt::format("there is no piece {}", *options.piece), {},
                fmt::format("there are pieces 0 to {}", pieces - 1));
  }
  if (!options.piece && pieces > 1 && options.format == "svg") {
    throw Error(fmt::format("the kernel has {} pieces, and an SVG shows one", pieces), {},
                fmt::format("choose one with --piece 0 to {}", pieces - 1));
  }
  const auto where = [&](std::uint32_t place) { return module.describe_location(place); };
  const auto view = options.placed ? report::FabricView::kPlaced : report::FabricView::kDataflow;
  std::string text;
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    if (options.piece && piece != *options.piece) continue;
    if (!text.empty()) text += "\n";
    text += report::fabric_view(mapped.kernel.pieces[piece].graph.graph, grid,
                                mapped.mappings[piece], view, options.format, where);
  }
  return text;
}

}  // namespace raddle::cli
