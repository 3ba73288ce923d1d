#include "driver/ptx/fabric_graph.h"

#include <fmt/format.h>

#include "base/error.h"
#include "driver/ptx/ptx_arguments.h"
#include "kernel/analysis/call_inlining.h"
#include "machine/cgra/map/kernel_mapping.h"
#include "report/fabric/fabric_view.h"

namespace raddle::driver::ptx {

using namespace machine::cgra;

std::string fabric_graph(const DrawRequest& request, const kernel::Module& module,
                         const kernel::Function& function) {
  const machine::ParameterTable table =
      machine::load_parameters(request.machine, request.assignments);
  if (table.machine() != "cgra") {
    throw Error(fmt::format("{} does not run dataflow graphs", table.name()), {},
                "mt-cgra and dmt-cgra do");
  }
  const CgraParameters parameters(table);
  const Grid grid(parameters.grid);
  const machine::Dim3 block = parse_dimensions("--block", request.block);
  kernel::DeviceMemory memory(parameters.memory_bytes.count());
  kernel::Program program(memory);
  const std::uint32_t loaded = program.load(module);
  program.link();
  const auto number = static_cast<std::uint32_t>(&function - module.functions.data());
  const MappedKernel mapped =
      map_kernel(kernel::inline_calls(program, {loaded, number}, "a fabric"), module, parameters,
                 grid, {block.x, block.y, block.z});
  const auto pieces = static_cast<std::uint32_t>(mapped.kernel.pieces.size());
  if (request.piece && *request.piece >= pieces) {
    throw Error(fmt::format("unknown piece {}", *request.piece), {},
                fmt::format("pieces are numbered 0 to {}", pieces - 1));
  }
  if (!request.piece && pieces > 1 && request.format == "svg") {
    throw Error(fmt::format("the kernel has {} pieces, and an SVG shows one", pieces), {},
                fmt::format("choose one with --piece 0 to {}", pieces - 1));
  }
  const auto where = [&](std::uint32_t place) { return module.describe_location(place); };
  const auto view = request.placed ? report::FabricView::kPlaced : report::FabricView::kDataflow;
  std::string text;
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    if (request.piece && piece != *request.piece) continue;
    if (!text.empty()) text += "\n";
    text += report::fabric_view(mapped.kernel.pieces[piece].graph.graph, grid,
                                mapped.mappings[piece], view, request.format, where);
  }
  return text;
}

}  // namespace raddle::driver::ptx
