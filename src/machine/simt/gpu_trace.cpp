#include "machine/simt/gpu_trace.h"

#include <fmt/format.h>

#include "machine/simt/gpu.h"

namespace raddle::machine::simt {

namespace {

constexpr std::size_t kMostPendingBytes = 8u << 20;
constexpr std::uint64_t kLooksBetweenFlushes = 64;
// Cycles between a launch that was stopped and what comes: longer than an instruction or an access
// that had begun takes.
constexpr std::uint64_t kCyclesBehindStop = 64;

std::string_view text_of(memory::Verdict verdict) {
  switch (verdict) {
    case memory::Verdict::kHit: return "hit";
    case memory::Verdict::kMiss: return "miss";
    case memory::Verdict::kMerged: return "waits for a line on its way";
    default: return "written without the line";
  }
}

}  // namespace

PartitionTrace::PartitionTrace(sim::TraceStream& stream, const GpuParameters& gpu,
                               std::uint32_t index)
    : stream_(stream),
      time_{sim::Clock("L2", gpu.memory.l2_clock)},
      track_(stream.add_track(fmt::format("memory partition {}", index))),
      reads_(stream, "DRAM read", track_) {
  for (std::uint32_t s = 0; s < gpu.memory.slices_per_channel; ++s)
    slices_.push_back(
        stream.add_track(fmt::format("L2 slice {}", index + s * gpu.memory.channels), track_));
  writes_ = stream.add_track("DRAM writes", track_);
  waiting_ = stream.add_counter("DRAM queue", "requests", track_);
}

void PartitionTrace::accessed(std::uint32_t slice, memory::Verdict verdict, Cycle now,
                              std::uint32_t cycles) {
  stream_.slice(slices_[slice], text_of(verdict), time_.of(now.count()),
                time_.of(now.count() + cycles));
}

void PartitionTrace::sent_to_dram(const memory::Access& access, Cycle now) {
  const sim::Instant at = time_.of(now.count());
  if (access.kind == memory::AccessKind::kLoad) {
    reads_.open({access.address, 0}, "DRAM read", at, at);
  } else {
    stream_.instant(writes_, "write", at);  // nobody says when it is done
  }
}

void PartitionTrace::came_from_dram(std::uint64_t line, Cycle now) {
  reads_.close({line, 0}, time_.of(now.count()), "", "way, queue and data");
}

void PartitionTrace::count_waiting(std::size_t requests, sim::Instant at) {
  if (counted_ == requests) return;
  counted_ = requests;
  stream_.count(waiting_, at, static_cast<double>(requests));
}

void PartitionTrace::restart(sim::Instant start) {
  reads_.forget();
  counted_.reset();
  time_.start = start;
}

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
    partitions_.push_back(std::make_unique<PartitionTrace>(file.add_stream(), gpu, i));
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
  const sim::Instant start = time_.of(cycle + kCyclesBehindStop);
  for (const auto& core : cores_) core->restart(cycle, start);
  for (const auto& partition : partitions_) partition->restart(start);
  time_.start = start;
}

}  // namespace raddle::machine::simt
