// The load/store unit of a multiprocessor: takes memory instructions in order, one access a cycle,
// to shared memory, the L1 data cache, or the constant and texture caches, and hands results back
// when all accesses of an instruction have come.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/exec/warp.h"
#include "machine/simt/access_splitter.h"
#include "machine/simt/core_trace.h"
#include "machine/simt/gpu_parameters.h"
#include "machine/simt/issue_table.h"
#include "machine/simt/memory_request.h"
#include "memory/cache.h"
#include "memory/crossbar_ends.h"
#include "memory/memory_partition.h"
#include "memory/ring.h"
#include "sim/channel.h"
#include "sim/stats.h"

namespace raddle::machine::simt {

// Operators are looked for in the namespace of their operands.
using sim::operator+=;
using sim::operator-;

struct LoadStoreStats {
  std::uint64_t instructions = 0;
  std::uint64_t accesses = 0;
  std::uint64_t shared_passes = 0;
  std::uint64_t shared_conflicts = 0;
  std::uint64_t lent_passes = 0;
  std::uint64_t shared_loads = 0;
  std::uint64_t shared_stores = 0;
  std::uint64_t shared_atomics = 0;
  Bytes shared_bytes_read;
  Bytes shared_bytes_written;
  Cycle busy_cycles;
  Cycle refused_cycles;
  Cycle queue_full_cycles;
  Cycle load_latency_sum;
  std::uint64_t loads = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<LoadStoreStats>>({
      {"instructions", "warp instructions", "memory instructions taken",
       &LoadStoreStats::instructions},
      {"accesses", "accesses", "accesses after coalescing, to caches and memory",
       &LoadStoreStats::accesses},
      {"shared_passes", "cycles", "passes through shared memory", &LoadStoreStats::shared_passes},
      {"shared_conflicts", "cycles", "of these, passes because of bank conflicts",
       &LoadStoreStats::shared_conflicts},
      {"lent_passes", "cycles", "of these, passes through banks that a neighbour lends",
       &LoadStoreStats::lent_passes},
      {"shared_loads", "accesses", "loads from shared memory, counted once for each thread",
       &LoadStoreStats::shared_loads},
      {"shared_stores", "accesses", "stores to shared memory, counted once for each thread",
       &LoadStoreStats::shared_stores},
      {"shared_atomics", "accesses", "atomics on shared memory, counted once for each thread",
       &LoadStoreStats::shared_atomics},
      {"shared_bytes_read", "bytes", "bytes that threads read from shared memory",
       &LoadStoreStats::shared_bytes_read},
      {"shared_bytes_written", "bytes", "bytes that threads wrote to shared memory",
       &LoadStoreStats::shared_bytes_written},
      {"busy_cycles", "cycles", "cycles in which an access or a pass was made",
       &LoadStoreStats::busy_cycles},
      {"refused_cycles", "cycles",
       "cycles in which a cache refused the access (no MSHR or no line)",
       &LoadStoreStats::refused_cycles},
      {"queue_full_cycles", "cycles",
       "cycles in which the access waited for space in the queue of requests",
       &LoadStoreStats::queue_full_cycles},
      {"load_latency_sum", "cycles", "cycles from issue to result, summed over loads",
       &LoadStoreStats::load_latency_sum},
      {"loads", "warp instructions", "loads whose result came", &LoadStoreStats::loads},
  });
};

// What came of memory instructions.
struct MemoryResult {
  const IssueInfo* info = nullptr;
  std::uint32_t warp = 0;
  Cycle at;  // the data are there
  bool from_shared = false;
};

class LoadStoreUnit {
 public:
  using RequestChannel = sim::Channel<memory::CrossbarPacket<memory::Access>>;

  LoadStoreUnit(const GpuParameters& gpu, std::uint32_t core, const memory::SliceMap& map,
                RequestChannel& requests);

  bool accepts() const { return queued_ + reserved_ < queue_.size(); }
  // Its first access waits for memory: no MSHR, no line or no room for the request.
  bool waits_for_memory() const { return blocked_; }
  // Keeps a place for an instruction that comes later.
  void reserve() { ++reserved_; }
  void drop_reservation() { --reserved_; }

  // An instruction that has been executed, with its operands there in cycle `ready`.
  void push(const IssueInfo& info, std::uint32_t warp, const LaneAccess& access, Cycle issued,
            Cycle ready);

  bool has_work(Cycle now) const { return queued_ > 0 && !blocked_ && free_at_ <= now; }
  // One cycle's work; results go to `results`. Stores are counted in `stores` by warp.
  void tick(Cycle now, std::vector<MemoryResult>& results, std::vector<std::uint32_t>& stores_sent);
  // An answer from memory that is neither an instruction line nor a store's acknowledgement.
  void answer(const memory::Access& access, Cycle now, std::vector<MemoryResult>& results);
  // A request that comes from somewhere else in the multiprocessor.
  void send_for(const memory::Access& access) { direct_.push_back(access); }
  bool wants_to_send(Cycle now) const {
    return !direct_.empty() || (!outgoing_.empty() && outgoing_.front().ready <= now);
  }
  // Puts a request onto the network.
  void send(Cycle now);

  Cycle next_work(Cycle now) const;
  bool idle() const { return queued_ == 0 && outgoing_.empty() && direct_.empty(); }
  void flush();
  // Requests that have not left, for whoever comes in this unit's place.
  std::vector<memory::Access> take_unsent();
  // Null: no trace.
  void trace_with(CoreTrace* trace) { trace_ = trace; }

  const LoadStoreStats& stats() const { return stats_; }
  memory::CacheStats l1_stats() const;
  memory::CacheStats lent_l1_stats() const;  // of these, what a neighbour's arrays did
  const memory::CacheStats& constant_stats() const { return constants_.stats(); }
  const memory::CacheStats& texture_stats() const { return textures_.stats(); }

 private:
  // A memory instruction in the unit.
  struct Entry {
    const IssueInfo* info = nullptr;
    std::uint32_t operation = 0;
    std::uint32_t warp = 0;
    Cycle ready;
    std::uint32_t passes = 0;  // through shared memory, still to be made
    std::uint32_t next = 0;    // of the pieces
    MemoryPieces pieces;
  };
  // A memory instruction whose result is not there.
  struct Operation {
    const IssueInfo* info = nullptr;
    std::uint32_t warp = 0;
    std::uint32_t outstanding = 0;
    bool all_sent = false;
    Cycle issued;
    Cycle at;  // the latest of what has come
    bool shared_only = true;
  };
  struct Outgoing {
    memory::Access access;
    Cycle ready;
  };

  std::uint32_t take_operation();
  void count_shared(const IssueInfo& info, std::uint64_t lanes, Bytes bytes);
  // False: could not be made in this cycle.
  bool make_access(Entry& entry, const MemoryPiece& piece, Cycle now,
                   std::vector<std::uint32_t>& stores_sent);
  bool through_cache(memory::Cache& cache, RequestKind kind, Cycle latency, const Entry& entry,
                     const MemoryPiece& piece, Cycle now);
  // The array that has the line: its own, or a neighbour's.
  memory::Cache& l1_of(Address address) { return lent_l1_ && is_lent(address) ? *lent_l1_ : l1_; }
  bool is_lent(Address address) const;
  bool through_l1(const Entry& entry, const MemoryPiece& piece, Cycle now,
                  std::vector<std::uint32_t>& stores_sent);
  bool past_l1(const Entry& entry, const MemoryPiece& piece, Cycle now);
  void queue(memory::Access access, Cycle ready);
  void finish(std::uint32_t operation, std::vector<MemoryResult>& results);
  void finish_if_due(std::uint32_t operation, std::vector<MemoryResult>& results);
  void take_fill(memory::Cache& cache, Address line, Cycle now, std::vector<MemoryResult>& results);
  bool try_send(const memory::Access& access, Cycle now);

  const CoreParameters& parameters_;
  std::uint32_t core_;
  ShortBytes header_bytes_;
  memory::SliceMap map_;
  RequestChannel& requests_;
  AccessSplitter splitter_;
  memory::Cache l1_;
  std::optional<memory::Cache> lent_l1_;  // of a neighbour
  memory::Cache constants_;
  memory::Cache textures_;
  std::vector<Entry> queue_;  // as a ring: an entry is too large to be moved about
  std::uint32_t first_ = 0;
  std::uint32_t queued_ = 0;
  std::uint32_t reserved_ = 0;
  Cycle free_at_;
  bool blocked_ = false;  // refused; nothing changes before an answer comes or a request leaves
  Cycle blocked_since_;
  bool blocked_by_queue_ = false;
  memory::Ring<Outgoing> outgoing_;
  std::vector<memory::Access> direct_;
  bool network_full_ = false;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> free_operations_;
  CoreTrace* trace_ = nullptr;
  LoadStoreStats stats_;
};

}  // namespace raddle::machine::simt
