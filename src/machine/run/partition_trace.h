// A memory partition on tracks of a trace: its L2 slices, and what they want from DRAM. The same
// for every machine that has a memory::MemorySystem.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/run/trace_lanes.h"
#include "memory/memory_system.h"
#include "memory/partition_observer.h"

namespace raddle::machine {

class PartitionTrace : public memory::PartitionObserver {
 public:
  PartitionTrace(sim::TraceFile& file, const memory::MemorySystemSpec& memory, std::uint32_t index);
  PartitionTrace(const PartitionTrace&) = delete;
  PartitionTrace& operator=(const PartitionTrace&) = delete;

  void accessed(std::uint32_t slice, memory::Verdict verdict, Cycle now,
                std::uint32_t cycles) override;
  void sent_to_dram(const memory::Access& access, Cycle now) override;
  void came_from_dram(Address line, Cycle now) override;
  void count_waiting(std::size_t requests, sim::Instant at);
  void restart(sim::Instant start);

 private:
  TraceWriter writer_;  // on the L2's clock
  sim::Track track_;
  std::vector<sim::Track> slices_;
  sim::Track writes_, waiting_;
  TraceLanes reads_;
  std::optional<std::size_t> counted_;
};

}  // namespace raddle::machine
