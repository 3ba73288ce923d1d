#include "machine/simt/gpu_trace.h"

#include <fmt/format.h>

#include "machine/simt/gpu.h"

namespace raddle::machine::simt {

namespace {

constexpr std::size_t kMostPendingBytes = 8u << 20;
constexpr std::uint64_t kLooksBetweenFlushes = 64;

}  // namespace

GpuTrace::GpuTrace(sim::TraceFile& file, const GpuParameters& gpu)
    : file_(file),
      time_{sim::Clock("core", gpu.core_clock)},
      stream_(file.add_stream()),
      kernels_(stream_, "kernels", stream_.add_track(gpu.name)) {
  // Where SMs share, an active one may have twice its warps.
  const std::uint32_t slots = gpu.core.warps * (gpu.sharing.offered ? 2 : 1);
  for (std::uint32_t i = 0; i < gpu.cores; ++i)
    cores_.push_back(std::make_unique<CoreTrace>(file.add_stream(), time_.clock, i, slots));
  for (std::uint32_t i = 0; i < gpu.memory.channels; ++i)
    partitions_.push_back(std::make_unique<PartitionTrace>(file.add_stream(), gpu.memory, i));
}

void GpuTrace::look_at(Gpu& gpu, std::uint64_t cycle) {
  for (std::size_t i = 0; i < cores_.size(); ++i)
    cores_[i]->count_warps(gpu.cores()[i]->resident_warps(), cycle);
  for (std::size_t i = 0; i < partitions_.size(); ++i)
    partitions_[i]->count_waiting(gpu.dram_waiting(i), time_.of(cycle));
  if (++looks_ % kLooksBetweenFlushes == 0 && file_.pending_bytes() > kMostPendingBytes)
    file_.flush();
}

void GpuTrace::kernel_ended(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  kernels_.add(name, time_.of(begin), time_.of(end));
}

void GpuTrace::restart(std::uint64_t cycle) {
  const sim::Instant start = time_.of(cycle + kTraceCyclesBehindStop);
  for (const auto& core : cores_) core->restart(cycle, start);
  for (const auto& partition : partitions_) partition->restart(start);
  time_.start = start;
}

}  // namespace raddle::machine::simt
