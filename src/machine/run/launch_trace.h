// A trace of a machine that launches kernels on cores with a memory::MemorySystem: kernels, what
// each core does (the machine's own Core), L2 slices and DRAM requests. Every engine writes to a
// stream of its own, and streams are flushed between quanta alone, so the file has the same bytes
// whatever the number of host threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/run/partition_trace.h"

namespace raddle::machine {

template <class Core>
class LaunchTrace {
 public:
  // A Core is made of the file, the clock, its number and `core_arguments`.
  template <class... Arguments>
  LaunchTrace(sim::TraceFile& file, const std::string& machine, Hertz core_clock,
              const memory::MemorySystemSpec& memory, std::uint32_t cores,
              const Arguments&... core_arguments)
      : writer_(file, sim::Clock("core", core_clock)),
        kernels_(writer_, "kernels", writer_.add_track(machine)) {
    for (std::uint32_t i = 0; i < cores; ++i)
      cores_.push_back(
          std::make_unique<Core>(file, sim::Clock("core", core_clock), i, core_arguments...));
    for (std::uint32_t i = 0; i < memory.channels; ++i)
      partitions_.push_back(std::make_unique<PartitionTrace>(file, memory, i));
  }
  LaunchTrace(const LaunchTrace&) = delete;
  LaunchTrace& operator=(const LaunchTrace&) = delete;

  const sim::TraceFile* file() const { return writer_.file(); }
  Core& core(std::size_t index) { return *cores_[index]; }
  PartitionTrace& partition(std::size_t index) { return *partitions_[index]; }

  // Between quanta: counters, and what the streams hold goes to the file once it is much.
  void look_at(const memory::MemorySystem& memory, Cycle cycle) {
    for (std::size_t i = 0; i < partitions_.size(); ++i)
      partitions_[i]->count_waiting(memory.dram_waiting(i), writer_.at(cycle));
    if (++looks_ % kLooksBetweenFlushes == 0) writer_.flush_some();
  }
  void kernel_ended(std::string_view name, Cycle begin, Cycle end) {
    kernels_.add(name, begin, end);
  }
  // A launch was stopped in that cycle; the machine begins anew.
  void restart(Cycle cycle) {
    const sim::Instant start = writer_.after_stop(cycle);
    for (const auto& core : cores_) core->restart(cycle, start);
    for (const auto& partition : partitions_) partition->restart(start);
    writer_.restart(start);
  }

 private:
  static constexpr std::uint64_t kLooksBetweenFlushes = 64;

  TraceWriter writer_;
  TraceLanes kernels_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::unique_ptr<PartitionTrace>> partitions_;
  std::uint64_t looks_ = 0;
};

}  // namespace raddle::machine
