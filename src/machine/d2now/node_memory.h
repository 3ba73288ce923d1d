// The processor's side of a node: L1 caches, the L2, the bus that it shares with the TSU, and
// memory. Tags are real; data is not moved. The processor's demands go first on the bus and wait
// for one transaction at most; what the TSU prefetches and the network brings waits for its turn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/d2now/d2now_parameters.h"
#include "machine/d2now/line_history.h"
#include "machine/d2now/recent_references.h"
#include "memory/tag_array.h"
#include "sim/stats.h"

namespace raddle::machine::d2now {

using Line = std::uint32_t;  // address / kLineBytes

struct MemoryCounts {
  std::uint64_t l2_accesses = 0, l2_misses = 0;
  std::uint64_t l2_late = 0, l2_first = 0, l2_sent = 0, l2_replaced = 0, l2_code_misses = 0;
  std::uint64_t prefetched_lines = 0, snooped_lines = 0;
  std::uint64_t invalidated_lines = 0, written_back_lines = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<MemoryCounts>>({
      {"l2_accesses", "accesses", "lines that the processor requested from the L2",
       &MemoryCounts::l2_accesses},
      {"l2_misses", "accesses", "of these, lines that were not present", &MemoryCounts::l2_misses},
      {"l2_late", "accesses", "of the misses, lines that a prefetch was already bringing",
       &MemoryCounts::l2_late},
      {"l2_first", "accesses", "of the misses, lines that were never in this L2 before",
       &MemoryCounts::l2_first},
      {"l2_sent", "accesses", "of the misses, lines with data that another node has sent since",
       &MemoryCounts::l2_sent},
      {"l2_replaced", "accesses", "of the misses, lines that had been evicted",
       &MemoryCounts::l2_replaced},
      {"l2_code_misses", "accesses", "of the misses, lines of instructions",
       &MemoryCounts::l2_code_misses},
      {"prefetched_lines", "lines", "lines that CacheFlow brought into the L2",
       &MemoryCounts::prefetched_lines},
      {"snooped_lines", "lines", "lines that CacheFlow requested and found in the L2",
       &MemoryCounts::snooped_lines},
      {"invalidated_lines", "lines", "lines dropped because other nodes' data replaced them",
       &MemoryCounts::invalidated_lines},
      {"written_back_lines", "lines", "dirty lines written back to memory",
       &MemoryCounts::written_back_lines},
  });
};

// One bus. Transactions of low priority form a backlog that demands overtake, in their own order.
class Bus {
 public:
  // When a demand of the processor gets the bus.
  Ticks demand(Ticks now, Ticks duration);
  // When so many transactions after all others have ended.
  Ticks background(Ticks now, Ticks duration, std::uint64_t count = 1);
  Ticks busy_ticks() const { return busy_ticks_; }

 private:
  Ticks busy_until_;
  Ticks demands_until_;
  Ticks longest_;  // transaction in the backlog
  Ticks busy_ticks_;
};

struct Prefetch {
  Ticks ready;  // when the line is there
  bool fetched = false;
  std::optional<Line> evicted;
};

class NodeMemory {
 public:
  explicit NodeMemory(const MemoryParameters& parameters);

  // The processor touches a line; when it can go on. It may have asked for it before, when it
  // looked ahead while it waited for another one.
  Ticks access(ddm::recording::Touch touch, Line line, Ticks now, Ticks asked);
  Ticks access(ddm::recording::Touch touch, Line line, Ticks now) {
    return access(touch, line, now, now);
  }
  // The TSU looks for a line and brings it into the L2 if it is not there.
  Prefetch prefetch(Line line, Ticks now);
  // Data of another node is written to memory: `bytes` from `address` on. When that is done.
  Ticks write_from_network(Address address, Bytes bytes, bool single_values, ShortBytes value_bytes,
                           Ticks now);
  // The NIU reads a block from memory. When that is done.
  Ticks read_for_network(Bytes bytes, Ticks now);

  // A thread begins, on caches that keep only what the last `kept_references` references of the
  // node brought and what `is_reserved` says of a line; each touch stands for so many references.
  template <class IsReserved>
  void thread_begins(double references_per_touch, IsReserved is_reserved) {
    if (parameters_.kept_references != 0)
      recent_.forget(references_per_touch, [&](Line line) {
        if (!is_reserved(line)) drop(line);
      });
  }

  const MemoryCounts& counts() const { return counts_; }
  Ticks bus_busy_ticks() const { return bus_.busy_ticks(); }
  std::uint32_t l2_set(Line line) const { return l2_.set_of(address_of(line)); }
  std::uint32_t l2_ways() const { return l2_.shape().ways; }
  std::uint32_t l2_sets() const { return l2_.shape().sets; }

 private:
  static Address address_of(Line line) {
    return Address(std::uint64_t{line} * ddm::recording::kLineBytes);
  }
  Ticks access_l2(Line line, ddm::recording::Touch touch, Ticks now, Ticks asked);
  void count_miss(Line line, ddm::recording::Touch touch);
  Ticks wait_for_fill_buffer(Ticks now, Ticks done);
  // Takes a place of the L2 for the line; what had to go.
  std::optional<Line> place_in_l2(Line line, Ticks now, Ticks ready);
  void write_back_from_l1(Address address, Ticks now);
  bool drop(Line line);
  void invalidate(Line line);

  MemoryParameters parameters_;
  memory::TagArray l1_data_, l1_code_, l2_;
  std::vector<Ticks> l2_ready_;      // by line of the L2: when it has come
  std::vector<Ticks> fill_buffers_;  // when each is free
  Bus bus_;
  LineHistory history_;
  RecentReferences recent_;
  MemoryCounts counts_;
};

}  // namespace raddle::machine::d2now
