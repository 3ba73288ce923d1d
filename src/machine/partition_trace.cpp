#include "machine/partition_trace.h"

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

PartitionTrace::PartitionTrace(sim::TraceStream& stream, const memory::MemorySystemSpec& memory,
                               std::uint32_t index)
    : stream_(stream),
      time_{sim::Clock("L2", memory.l2_clock)},
      track_(stream.add_track(fmt::format("memory partition {}", index))),
      reads_(stream, "DRAM read", track_) {
  for (std::uint32_t s = 0; s < memory.slices_per_channel; ++s)
    slices_.push_back(
        stream.add_track(fmt::format("L2 slice {}", index + s * memory.channels), track_));
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

}  // namespace raddle::machine
