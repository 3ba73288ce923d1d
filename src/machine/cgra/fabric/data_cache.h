// The L1 of a fabric core, in banks: global, local, constant and texture memory, for single
// threads' accesses. Loads are answered by a hit or with their line, out of order; a store is done
// when the L1 has taken it; atomics go past it to the L2. Requests leave one a cycle, and one
// answer a cycle is taken.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "machine/cgra/fabric/fabric_counts.h"
#include "machine/cgra/fabric/scratch_banks.h"
#include "memory/cache.h"
#include "memory/memory_system.h"
#include "memory/ring.h"

namespace raddle::machine::cgra {

class FabricCoreTrace;

enum class CacheTake : std::uint8_t {
  kHit,       // a load: its value is there after the hit latency
  kTaken,     // a store
  kAnswered,  // later, by answers()
  kBankBusy,  // not taken: try again in the next cycle
  kRefused,   // not taken: try again when has_changed()
};

class DataCache {
 public:
  DataCache(const FabricParameters& parameters, std::uint32_t core, const memory::SliceMap& map,
            memory::MemorySystem::RequestChannel& requests,
            memory::MemorySystem::ReplyChannel& replies);

  CacheTake access(Address address, ShortBytes bytes, memory::AccessKind kind, std::uint32_t token,
                   Cycle now);
  // Asks for the line of an address that a thread is expected to load from, if that is not there,
  // as soon as a quarter of the MSHRs is free. Nobody waits for it. Not heeded while too many other
  // lines are to be asked for.
  void prefetch(Address address);
  // Takes an answer from the network, if there is one. Returns the tokens of what it answers; valid
  // until the next call.
  const std::vector<std::uint32_t>& answers(Cycle now);
  // Puts a request onto the network.
  void send(Cycle now);
  // Since it was last asked: a line came or a request left, so that what was refused may be taken.
  bool has_changed() {
    const bool changed = changed_;
    changed_ = false;
    return changed;
  }
  // When there is something to send or to take by itself; kNever if the network has to wake the
  // core.
  Cycle next_work() const;
  // Something is on its way.
  bool is_waiting() const {
    return cache_.mshrs().size() > 0 || atomics_ > 0 || !outgoing_.empty() || !flushed_.empty();
  }
  // Throws all lines out; those that were written go to the L2, one a cycle.
  void flush();

  // Null: nobody wants to know.
  void trace_with(FabricCoreTrace* trace) { trace_ = trace; }

  Cycle hit_latency() const { return hit_latency_; }
  // Without prefetches.
  memory::CacheStats stats() const;
  const PrefetchStats& prefetches() const { return prefetches_; }
  const BankStats& bank_stats() const { return banks_.stats(); }
  std::uint64_t refused() const { return refused_; }
  ShortBytes line_bytes() const { return cache_.parameters().line_bytes; }

 private:
  struct Outgoing {
    memory::Access access;
    Cycle ready;
  };

  void queue(memory::Access access, Cycle ready);
  bool may_prefetch() const;
  bool is_absent(Address address) const;
  // False: its bank or set does not take the request in this cycle.
  bool try_prefetch(Address line, Cycle now);
  void prefetch_wanted(Cycle now);
  bool try_send(const memory::Access& access, Cycle now);

  std::uint32_t core_;
  Cycle hit_latency_;
  ShortBytes header_bytes_;
  memory::SliceMap map_;
  memory::MemorySystem::RequestChannel& requests_;
  memory::MemorySystem::ReplyChannel& replies_;
  ScratchBanks banks_;
  memory::Cache cache_;
  memory::Ring<Outgoing> outgoing_;
  std::deque<Address> wanted_;  // lines to be asked for, as many as MSHRs at most
  PrefetchStats prefetches_;
  std::vector<memory::Access> flushed_;  // write-backs, the last one first
  std::vector<std::uint32_t> answers_;
  std::uint64_t atomics_ = 0;  // on their way
  std::uint64_t refused_ = 0;
  bool changed_ = false;
  bool network_full_ = false;
  FabricCoreTrace* trace_ = nullptr;
};

}  // namespace raddle::machine::cgra
