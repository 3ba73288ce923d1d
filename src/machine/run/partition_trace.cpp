#include "machine/run/partition_trace.h"

#include <fmt/format.h>

namespace raddle::machine {

namespace {

std::string_view text_of(memory::Verdict verdict) {
  switch (verdict) {
    case memory::Verdict::kHit: return "hit";
    case memory::Verdict::kMiss: return "miss";
    case memory::Verdict::kMerged: return "waits for a line on its way";
    default: return "written without the line";
  }
}

}  // namespace

PartitionTrace::PartitionTrace(sim::TraceFile& file, const memory::MemorySystemSpec& memory,
                               std::uint32_t index)
    : writer_(file, sim::Clock("L2", memory.l2_clock)),
      track_(writer_.add_track(fmt::format("memory partition {}", index))),
      reads_(writer_, "DRAM read", track_) {
  for (std::uint32_t s = 0; s < memory.slices_per_channel; ++s)
    slices_.push_back(
        writer_.add_track(fmt::format("L2 slice {}", index + s * memory.channels), track_));
  writes_ = writer_.add_track("DRAM writes", track_);
  waiting_ = writer_.add_counter("DRAM queue", "requests", track_);
}

void PartitionTrace::accessed(std::uint32_t slice, memory::Verdict verdict, Cycle now,
                              std::uint32_t cycles) {
  writer_.slice(slices_[slice], text_of(verdict), now, now + Cycle(cycles));
}

void PartitionTrace::sent_to_dram(const memory::Access& access, Cycle now) {
  if (access.kind == memory::AccessKind::kLoad) {
    reads_.open({access.address.value(), 0}, "DRAM read", now, now);
  } else {
    writer_.instant(writes_, "write", now);  // nobody says when it is done
  }
}

void PartitionTrace::came_from_dram(Address line, Cycle now) {
  reads_.close({line.value(), 0}, now, "", "way, queue and data");
}

void PartitionTrace::count_waiting(std::size_t requests, sim::Instant at) {
  if (counted_ == requests) return;
  counted_ = requests;
  writer_.stream().count(waiting_, at, static_cast<double>(requests));
}

void PartitionTrace::restart(sim::Instant start) {
  reads_.forget();
  counted_.reset();
  writer_.restart(start);
}

}  // namespace raddle::machine
