// A cache as a part of a machine, between a channel pair to the level above and one to the level
// below. In every cycle it takes at most one access a bank from above, in order: what is refused
// waits at the head, and all behind it. A hit taken in cycle t is sent up in cycle t + hit latency;
// a miss is sent down in cycle t, and its answer goes up in the cycle in which its line is taken
// from below; channels add their own latencies. Every access but a write-back is answered exactly
// once, by itself; the level below must answer what it is sent likewise (for stores see
// StoreAnswer).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/cache.h"
#include "memory/ring.h"
#include "sim/channel.h"
#include "sim/component.h"
#include "sim/pipeline.h"

namespace raddle::memory {

// Who answers a store that goes down: the level below, or the cache as it does a hit (the level
// below need not answer then, as a DRAM; if it does, nobody hears it).
enum class StoreAnswer : std::uint8_t { kFromBelow, kHere };

struct CacheComponentParameters {
  CacheParameters cache;
  // Accesses taken, answers sent up and requests sent down in a cycle; at most 64. Bank b holds the
  // bytes from b · bank_bytes on, and so on in turns (0: a line). An access uses all banks that its
  // bytes lie in.
  std::uint32_t banks = 1;
  std::uint32_t bank_bytes = 0;
  std::uint32_t forwards = 64;  // stores and atomics that may await their answer from below
  StoreAnswer store_answer = StoreAnswer::kFromBelow;
  std::uint32_t port = 0;  // the source of all that is sent down

  // Throws Error.
  void check() const;
};

// Why an access waits at the head.
enum class CacheStall : std::uint8_t {
  kBankBusy,       // another access uses the bank in this cycle
  kNoMshr,         // all MSHRs are in use
  kMergeListFull,  // too many accesses wait for the line already
  kSetReserved,    // every line of the set is on its way
  kNoForward,      // too many stores and atomics await their answer from below
  kDownFull,       // requests cannot leave
  kUpFull,         // answers cannot leave
};

struct CacheComponentStats {
  std::uint64_t taken = 0;
  std::uint64_t answered = 0;
  std::uint64_t stalled_bank_busy = 0;
  std::uint64_t stalled_no_mshr = 0;
  std::uint64_t stalled_merge_list_full = 0;
  std::uint64_t stalled_set_reserved = 0;
  std::uint64_t stalled_no_forward = 0;
  std::uint64_t stalled_down_full = 0;
  std::uint64_t stalled_up_full = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<CacheComponentStats>>({
      {"taken", "accesses", "accesses taken from above", &CacheComponentStats::taken},
      {"answered", "accesses", "answers sent up", &CacheComponentStats::answered},
      {"stalled_bank_busy", "cycles", "cycles in which the first access waited for its bank",
       &CacheComponentStats::stalled_bank_busy},
      {"stalled_no_mshr", "cycles", "cycles in which the first access waited for an MSHR",
       &CacheComponentStats::stalled_no_mshr},
      {"stalled_merge_list_full", "cycles",
       "cycles in which the first access waited for room at the MSHR of its line",
       &CacheComponentStats::stalled_merge_list_full},
      {"stalled_set_reserved", "cycles",
       "cycles in which the first access waited for a line that is not on its way",
       &CacheComponentStats::stalled_set_reserved},
      {"stalled_no_forward", "cycles",
       "cycles in which the first access waited for the answer of an earlier store or atomic",
       &CacheComponentStats::stalled_no_forward},
      {"stalled_down_full", "cycles",
       "cycles in which the first access waited because the level below took nothing",
       &CacheComponentStats::stalled_down_full},
      {"stalled_up_full", "cycles",
       "cycles in which the first access waited because the level above took no answers",
       &CacheComponentStats::stalled_up_full},
  });
};

struct CachePorts {
  sim::Channel<Access>& from_above;
  sim::Channel<Access>& to_above;
  sim::Channel<Access>& to_below;
  sim::Channel<Access>& from_below;
};

class CacheComponent : public sim::Component {
 public:
  // Throws Error when the parameters make no cache. The caller connects the channels.
  CacheComponent(std::string name, const CacheComponentParameters& parameters, CachePorts ports);

  Cycle tick(Cycle now) override;

  // Nothing is in it and nothing awaited from below.
  bool idle() const;
  Cache& cache() { return cache_; }
  const Cache& cache() const { return cache_; }
  const CacheComponentStats& stats() const { return stats_; }

 private:
  static constexpr std::size_t kNoPipe = ~std::size_t{0};

  void take_from_below(Cycle now);
  void send_up(Cycle now);
  void take_from_above(Cycle now);
  void send_down(Cycle now);
  // False: it waits at the head, for the reason in stall_.
  bool take(const Access& access, Cycle now);
  void queue_requests(const Outcome& outcome);
  bool stall(CacheStall cause);
  bool awaits_answer(AccessKind forwarded) const;

  sim::Pipeline<Access>* oldest_ready_hit(Cycle now);
  std::size_t accepting_pipe(Cycle now) const;
  std::uint64_t banks_of(const Access& access) const;
  bool request_room() const;
  bool has_work(Cycle now);
  Cycle next_arrival(Cycle now) const;

  CacheComponentParameters parameters_;
  CachePorts ports_;
  Cache cache_;
  std::vector<sim::Pipeline<Access>> hits_;  // as many as can be taken in a cycle
  Ring<Access> answers_;                     // of fills and of the level below
  Ring<Access> requests_;
  std::vector<Access> forwards_;  // by token of the access that went down: as it came from above
  std::vector<std::uint32_t> free_forwards_;

  std::uint64_t busy_banks_ = 0;  // in this cycle
  bool progress_ = false;         // in this cycle
  bool refused_ = false;          // by the cache: no use to ask again before the next fill
  bool stalled_ = false;          // the head waits, for `stall_`, since `stalled_at_`
  CacheStall stall_ = CacheStall::kBankBusy;
  Cycle stalled_at_{};
  CacheComponentStats stats_;
};

}  // namespace raddle::memory
