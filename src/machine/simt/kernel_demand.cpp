#include "machine/simt/kernel_demand.h"

#include <algorithm>
#include <cmath>

#include "kernel/analysis/loops.h"
#include "machine/simt/thread_strides.h"

namespace raddle::machine::simt {

namespace {

// Chosen: iterations of a loop, of which the code says nothing.
constexpr double kTurns = 8;
constexpr double kLineBytes = 128;
constexpr double kLanes = kernel::exec::kLanes;

}  // namespace

KernelDemand::KernelDemand(const kernel::exec::DecodedKernel& kernel, const IssueTable& table) {
  for (std::size_t f = 0; f < kernel.functions.size(); ++f)
    count_function(*kernel.functions[f], table, table.base_of(f));
}

void KernelDemand::count_function(const kernel::exec::DecodedFunction& function,
                                  const IssueTable& table, std::size_t base) {
  const kernel::ControlFlowGraph graph(*function.ir);
  const kernel::LoopForest loops(graph, kernel::DominatorTree(graph));
  const ThreadStrides strides(*function.ir);
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    const double times = std::pow(kTurns, loops.depth(static_cast<kernel::BlockId>(b)));
    for (std::uint32_t i = function.blocks[b].first; i < function.blocks[b].end; ++i) {
      const IssueInfo& info = table[base + i];
      const kernel::Instruction& instruction = *info.instruction->ir;
      warp_.instructions += times;
      const double busy = times * static_cast<double>(info.interval.count());
      if (info.unit == Unit::kSp) warp_.sp_cycles += busy;
      if (info.unit == Unit::kSfu) warp_.sfu_cycles += busy;
      if (info.path == MemoryPath::kShared) warp_.passes += times;
      if (info.path != MemoryPath::kData || instruction.sources.empty()) continue;
      const ThreadStride stride = strides.of(instruction.sources[0]);
      const auto lanes_bytes = static_cast<std::uint32_t>(
          kernel::size_of(instruction.type) *
          std::max<std::size_t>(
              1, info.is_store ? instruction.sources.size() - 1 : instruction.destinations.size()));
      accesses_.push_back({times, stride.kind != ThreadStride::Kind::kKnown, stride.x,
                           stride.by_row, std::max(1U, lanes_bytes)});
    }
  }
}

KernelDemand::OfWarp KernelDemand::of_warp(const Dim3& block) const {
  OfWarp warp = warp_;
  const double lanes = std::min(kLanes, static_cast<double>(block.count()));
  const double row = std::min(lanes, static_cast<double>(block.x));
  for (const Access& access : accesses_) {
    double lines = lanes;
    if (!access.scattered) {
      const double span = std::abs(static_cast<double>(access.stride)) * (row - 1) + access.bytes;
      const double of_row = std::clamp(std::ceil(span / kLineBytes), 1.0, row);
      lines = of_row * (access.by_row ? std::ceil(lanes / row) : 1);
    }
    warp.lines += access.times * std::min(lines, lanes);
  }
  return warp;
}

}  // namespace raddle::machine::simt
