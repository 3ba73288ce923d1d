// One memory partition of a GPU: a DRAM channel below one or several slices of the L2 cache, each
// with its own port to the network. An access that a slice sees waits for its turn, in order, one a
// cycle or, where the L2 has sectors, one sector a cycle; hits are answered after the hit latency,
// misses when their line has come from DRAM.
// Every access but a write-back is answered exactly once. Atomics are carried out in the slice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/cache.h"
#include "memory/crossbar_ends.h"
#include "memory/partition_observer.h"
#include "memory/ring.h"
#include "sim/channel.h"
#include "sim/component.h"
#include "sim/stats.h"

namespace raddle::memory {

// Addresses go to slices in turns of this many bytes; slice s lies at channel s mod channels.
struct SliceMap {
  std::uint32_t channels = 6;
  std::uint32_t slices = 12;
  ShortBytes chunk_bytes{256};

  std::uint32_t slice_of(Address address) const {
    return static_cast<std::uint32_t>(address / chunk_bytes % slices);
  }
  std::uint32_t channel_of_slice(std::uint32_t slice) const { return slice % channels; }
};

struct MemoryPartitionSpec {
  CacheParameters slice;             // one slice's share of the L2
  std::uint32_t reply_entries = 64;  // answers of a slice that wait for the network
  std::uint32_t down_entries = 64;   // requests of all slices that wait for DRAM
  ShortBytes header_bytes{8};        // of an answer, before its data
  // That a slice serves in a cycle and answers with a packet of its own; 0: whole accesses.
  ShortBytes sector_bytes{0};
};

struct MemoryPartitionStats {
  std::uint64_t taken = 0;
  Cycle busy_cycles;
  std::uint64_t stalled_mshr = 0;
  std::uint64_t stalled_dram = 0;
  std::uint64_t stalled_reply = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<MemoryPartitionStats>>({
      {"taken", "accesses", "accesses that slices took from the network",
       &MemoryPartitionStats::taken},
      {"busy_cycles", "cycles", "cycles in which a slice worked on an access, summed over slices",
       &MemoryPartitionStats::busy_cycles},
      {"stalled_mshr", "attempts",
       "attempts refused for lack of an MSHR, of space in it or of a line in the set",
       &MemoryPartitionStats::stalled_mshr},
      {"stalled_dram", "attempts", "attempts refused because the DRAM queue was full",
       &MemoryPartitionStats::stalled_dram},
      {"stalled_reply", "attempts", "attempts refused because the reply network was full",
       &MemoryPartitionStats::stalled_reply},
  });
};

// The number of passes that an access keeps its slice busy for stands in the top bits of its token
// (0 means one): lanes of an atomic that go to one address follow each other.
inline constexpr std::uint32_t kPassShift = 56;
constexpr std::uint64_t with_passes(std::uint64_t token, std::uint32_t passes) {
  return token | std::uint64_t{passes} << kPassShift;
}

class MemoryPartition : public sim::Component {
 public:
  struct SlicePorts {
    sim::Channel<Access>* requests;
    sim::Channel<CrossbarPacket<Access>>* replies;
  };

  MemoryPartition(std::string name, const MemoryPartitionSpec& spec, const SliceMap& map,
                  const std::vector<SlicePorts>& slices, sim::Channel<Access>& to_dram,
                  sim::Channel<Access>& from_dram);

  Cycle tick(Cycle now) override;

  // Has the slice hold the line, without taking time: the host has copied it there.
  void preload(std::uint32_t slice, Address address) { slices_[slice].cache.preload(address); }

  // Null: nobody wants to know.
  void observe_with(PartitionObserver* observer) { observer_ = observer; }

  // All slices together.
  CacheStats cache_stats() const;
  const MemoryPartitionStats& stats() const { return stats_; }

 private:
  struct Reply {
    Access access;
    Cycle ready{};
  };
  struct Slice {
    Slice(const CacheParameters& parameters, std::uint32_t reply_entries, SlicePorts ports_in)
        : cache(parameters), ports(ports_in), replies(reply_entries) {}
    Cache cache;
    SlicePorts ports;
    Ring<Reply> replies;              // in the order in which they leave
    std::uint32_t reply_packets = 0;  // of all of them
    Cycle free_at{};
    bool blocked = false;  // its first access was refused and nothing has changed since
  };

  void take_fills(Cycle now);
  void send_replies(Slice& slice, Cycle now);
  void take_access(Slice& slice, Cycle now);
  void send_down(Cycle now);
  void answer(Slice& slice, const Access& access, Cycle ready);
  std::uint32_t most_packets() const;
  std::uint32_t sectors_of(const Access& access) const;
  std::uint32_t passes_of(const Access& access, const Outcome& outcome) const;

  MemoryPartitionSpec spec_;
  SliceMap map_;
  std::vector<Slice> slices_;
  sim::Channel<Access>& to_dram_;
  sim::Channel<Access>& from_dram_;
  Ring<Access> down_;
  PartitionObserver* observer_ = nullptr;
  MemoryPartitionStats stats_;
};

}  // namespace raddle::memory
