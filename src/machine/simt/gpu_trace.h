// A trace of a GPU: kernels, multiprocessors (core_trace.h), L2 slices and DRAM requests. Every
// engine writes to a stream of its own, and streams are flushed between quanta alone, so the file
// has the same bytes whatever the number of host threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "machine/partition_trace.h"
#include "machine/simt/core_trace.h"
#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

class Gpu;

class GpuTrace {
 public:
  GpuTrace(sim::TraceFile& file, const GpuParameters& gpu);

  const sim::TraceFile* file() const { return &file_; }
  CoreTrace& core(std::size_t index) { return *cores_[index]; }
  PartitionTrace& partition(std::size_t index) { return *partitions_[index]; }

  // Between quanta: counters, and what the streams hold goes to the file once it is much.
  void look_at(Gpu& gpu, std::uint64_t cycle);
  void kernel_ended(std::string_view name, std::uint64_t begin, std::uint64_t end);
  // A launch was stopped in that cycle; the GPU begins anew.
  void restart(std::uint64_t cycle);

 private:
  sim::TraceFile& file_;
  TraceTime time_;
  sim::TraceStream& stream_;
  TraceLanes kernels_;
  std::vector<std::unique_ptr<CoreTrace>> cores_;
  std::vector<std::unique_ptr<PartitionTrace>> partitions_;
  std::uint64_t looks_ = 0;
};

}  // namespace raddle::machine::simt
