#include "machine/cgra/map/kernel_mapping.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "kernel/analysis/channel_checks.h"

namespace raddle::machine::cgra {

namespace {

// Parts of the grid that a piece may use, if wires do not suffice for all of it.
constexpr std::array kShares{100u, 80u, 60u, 40u};

}  // namespace

// A piece may fit the units and still not the wires between them: then pieces are made smaller.
MappedKernel map_kernel(const kernel::Function& function, const kernel::Module& module,
                        const CgraParameters& parameters, const Grid& grid,
                        const std::array<std::uint32_t, 3>& block) {
  if (kernel::uses_channels(function)) {
    kernel::check_channels(module, function);
    kernel::check_windows(module, function, std::uint64_t{block[0]} * block[1] * block[2]);
  }
  CompileOptions options = parameters.compile;
  options.graph.block = block;
  const auto where = [&](std::uint32_t place) { return module.describe_location(place); };
  MappedKernel mapped;
  for (const std::uint32_t share : kShares) {
    for (std::size_t u = 0; u < kUnitClasses; ++u)
      options.units[u] = std::max(1u, parameters.fabric.units[u] * share / 100);
    mapped.kernel = compile_for_fabric(function, module, options);
    mapped.mappings.clear();
    try {
      for (const Piece& piece : mapped.kernel.pieces)
        mapped.mappings.push_back(map_graph(piece.graph.graph, grid, where));
      break;
    } catch (const Error&) {
      if (share == kShares.back()) throw;
    }
  }
  return mapped;
}

}  // namespace raddle::machine::cgra
