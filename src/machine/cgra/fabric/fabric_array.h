// The units of a core while a configuration runs: moves tokens along the edges into token buffers,
// fires units, injects threads and makes their memory accesses, cycle by cycle. Only units for
// which something may have changed are looked at.
//
// A cycle has two halves: first every edge hands its first token over if that has arrived and its
// slot is free, then every unit fires if it can. Nothing depends on the order of units within a
// half, but for banks, for which units have the first choice in turns.
//
// One configuration takes over from another unit by unit: a unit that has done its work for all
// threads of the old one is handed over to the new one, which may be injecting threads already.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "machine/cgra/fabric/data_cache.h"
#include "machine/cgra/fabric/fabric_configuration.h"
#include "machine/cgra/fabric/fabric_deadlock.h"
#include "machine/cgra/fabric/fabric_layout.h"
#include "machine/cgra/fabric/fabric_replica.h"
#include "machine/cgra/fabric/live_value_cache.h"
#include "machine/cgra/fabric/timing_wheel.h"
#include "machine/cgra/fabric/turn_prefetch.h"

namespace raddle::machine::cgra {

// What the load/store units of a core reach.
struct FabricMemories {
  DataCache& data;
  ScratchBanks& scratchpad;
  LiveValueCache& live_values;
  TurnPrefetch& turns;
};

class FabricArray {
 public:
  // Threads are injected from cycle `start` on. `slot`: 0 or 1, another one than that of an array
  // that is there at the same time.
  FabricArray(const Configuration& configuration, const FabricParameters& parameters,
              FabricMemories memories, Cycle start, std::uint32_t slot = 0);

  void tick(Cycle now);
  // The slot of the array that an answer of the data cache is for.
  static std::uint32_t slot_of(std::uint32_t token) { return token >> kSlotShift; }
  // The data cache has answered an access; seen in the next tick.
  void answer(std::uint32_t token);
  // What the data cache refused is tried again in the next tick.
  void retry_refused();
  // The next cycle with something to do; kNever: not before memory answers.
  Cycle next_work(Cycle now) const;
  // No more threads come.
  bool is_closing() const;
  // All threads have left and no more come.
  bool is_drained() const;

  // --- from one configuration to the next
  // Units that another array has work for take no tokens and do not fire before it hands them over.
  void wait_for(FabricArray& before);
  // Gives units that are done with all threads to the next array, for which they work from the next
  // cycle on; and tells it when threads have left. After a tick.
  void hand_over(FabricArray& next);
  // All of them.
  void take_over();

  // Adds what was done before that cycle and has not been added to `counts` yet.
  void settle(Cycle now, FabricCounts& counts);
  // Null: nobody wants to know. Before the first tick.
  void trace_with(FabricCoreTrace* trace);
  // What each unit with tokens waits for; means something when nothing can move.
  std::vector<FabricWait> waits() const;
  // The most threads whose records were kept at a time, in all replicas.
  std::size_t records_kept() const;

 private:
  // The two halves of a cycle, the second in two parts: load/store units come last.
  void deliver_tokens(Cycle now);
  void fire_units(Cycle now);
  void work_units(Cycle now);
  void end_cycle();
  void report_left();
  void ask_feed_again();
  bool is_done(const FabricUnit& unit) const;
  void release(std::uint32_t u, Cycle at);
  void find_places();
  // Of sparse units or of all; from the next cycle on.
  void change_use(std::uint32_t replica, bool only_sparse, UnitUse from, UnitUse to);
  void settle_tokens();

  // In fabric_array_tokens.cpp.
  void deliver(TokenPort& port, FabricUnit& unit);
  void deliver_direct(TokenPort& port, FabricUnit& unit);
  void took_token(TokenPort& port, std::uint64_t read);
  bool drops(const FabricUnit& unit, const TokenPort& port, std::uint32_t sent_by);
  void note_token(FabricUnit& unit, const TokenPort& port, std::uint32_t sequence);
  void note_access(FabricUnit& unit, std::uint32_t sequence);

  // In fabric_array_firing.cpp.
  void inject(FabricUnit& unit, std::uint32_t u, Cycle now);
  void fire(FabricUnit& unit, std::uint32_t u, Cycle now);
  void fire_simple(FabricUnit& unit, std::uint32_t u, Cycle now);
  void fire_elevator(FabricUnit& unit, std::uint32_t u, Cycle now);
  void fire_thread(FabricUnit& unit, std::uint32_t u, std::uint32_t sequence, std::uint64_t others,
                   Cycle now);
  void look_ahead(FabricUnit& unit, std::uint32_t u, std::uint64_t others, Cycle now);
  bool may_fire(FabricUnit& unit, std::uint32_t u, std::uint64_t ready, Cycle now);

  // In fabric_array_memory.cpp; kReceives for a kReceiveLoad.
  template <bool kReceives>
  void work(FabricUnit& unit, std::uint32_t u, Cycle now);
  enum class SendResult : std::uint8_t { kSent, kNoRoom, kNotYet };
  template <bool kReceives>
  SendResult send(FabricUnit& unit, std::uint64_t candidates, Cycle now);
  template <bool kReceives>
  void send_thread(FabricUnit& unit, std::uint32_t sequence, Cycle now);
  // Threads that have an entry and wait for another thread's value.
  static std::uint64_t waiting_receivers(const FabricUnit& unit) {
    return unit.issued & ~unit.loads & ~unit.alone;
  }
  void reserve(FabricUnit& unit, std::uint64_t ready, Cycle now);
  static bool loop_is_free(const FabricUnit& unit, std::uint32_t sequence);
  void begin_access(FabricUnit& unit, std::uint32_t sequence, Cycle now);
  template <bool kReceives>
  bool issue(FabricUnit& unit, std::uint32_t u, std::uint32_t sequence, Cycle now);
  void prefetch(std::uint32_t u, Address address);
  void prefetch_later_threads(const FabricUnit& unit, TurnPrefetch::Load& load,
                              std::uint32_t sequence);
  template <bool kReceives>
  CacheTake access(const FabricUnit& unit, std::uint32_t sequence, std::uint32_t token,
                   Cycle& latency, Cycle now);

  std::uint32_t index_of(const FabricUnit& unit) const {
    return unit.replica * layout_.nodes + unit.node;
  }

  // Threads for which all tokens are there.
  static std::uint64_t complete_threads(const FabricUnit& unit) {
    const TokenPort* const port = unit.port;
    std::uint64_t complete = port->present;
    for (std::uint32_t p = 1; p < unit.ports; ++p) complete &= port[p].present;
    return complete;
  }
  static void take_tokens(const FabricUnit& unit, std::uint64_t bit) {
    TokenPort* port = unit.port;
    for (TokenPort* const end = port + unit.ports; port != end; ++port) port->present &= ~bit;
  }
  static bool has_room(FabricUnit& unit) {
    if (unit.written != unit.limit) return true;
    std::uint64_t limit = ~std::uint64_t{0};
    const TokenEdge* edge = unit.edge;
    for (const TokenEdge* const end = edge + unit.edges; edge != end; ++edge)
      limit = std::min(limit, edge->port->read + edge->capacity);
    unit.limit = limit;
    return unit.written != limit;
  }
  // A result that is on its first links in that cycle.
  void push(FabricUnit& unit, std::uint32_t sequence, Cycle at) {
    unit.ring[unit.written & unit.ring_mask] = make_token(at, sequence);
    ++unit.written;
    const TokenEdge* edge = unit.edge;
    for (const TokenEdge* const end = edge + unit.edges; edge != end; ++edge)
      links_.add(edge->arrival, at + edge->link_cycles);
  }
  // The first token of an edge is at its end.
  static bool has_arrival(const TokenPort& port, Cycle now) {
    const FabricUnit& from = *port.from;
    return port.read != from.written &&
           has_arrived(from.ring[port.read & from.ring_mask], port.link_cycles, now);
  }
  // A slot is free: tokens that wait for one may move in the next cycle.
  void look_again(FabricUnit& unit, Cycle now) {
    if (!unit.is_blocked) return;
    unit.is_blocked = false;
    for (std::uint32_t p = 0; p < unit.edge_ports(); ++p) {
      if (has_arrival(unit.port[p], now)) again_.add(unit.first_port + p);
    }
  }
  static UnitUse why_idle(const FabricUnit& unit) {
    const FabricReplica& home = *unit.home;
    const bool is_done = unit.is_sparse ? home.records.is_empty() : unit.fired == home.seen;
    return is_done ? UnitUse::kNoThread : UnitUse::kOperandMissing;
  }
  void set_use(FabricUnit& unit, std::uint32_t u, UnitUse use, Cycle from) {
    if (unit.use == use) return;
    uses_[u].add(unit.use, from - unit.since);
    if (unit.use == UnitUse::kNoThread) no_thread_.remove(u);
    if (use == UnitUse::kNoThread) no_thread_.add(u);
    unit.use = use;
    unit.since = from;
  }
  std::vector<std::uint32_t>& completions_in(Cycle cycle) {
    return completions_[cycle.count() & completion_mask_];
  }
  void trace_units();
  void describe_waits(const FabricUnit& unit, std::vector<FabricWait>& waits) const;

  static constexpr std::uint32_t kSlotShift = 31;  // in tokens of the data cache
  static constexpr std::uint32_t kNoPlace = ~0u;

  FabricLayout layout_;
  std::uint32_t slot_;
  std::uint32_t token_buffer_;  // slots of a unit for threads that wait for operands
  bool has_sparse_ = false;
  FabricMemories memories_;
  ThreadFeed& feed_;
  FabricNodeCounts* node_counts_;
  std::vector<FabricReplica> replicas_;

  Cycle now_;
  TimingWheel wheel_;
  UnitSet next_;                             // to be looked at in the next cycle
  UnitSet candidates_;                       // that may fire in this cycle
  TimingWheel links_;                        // ports, by when a token arrives there
  UnitSet arrivals_;                         // ports where one does in this cycle
  UnitSet again_;                            // ports with tokens that have waited, to be
                                             // looked at in the next cycle
  UnitSet late_;                             // the same for this cycle
  UnitSet direct_;                           // ports of units simple or kMemory
  UnitSet memory_;                           // load/store units
  UnitSet working_;                          // those that may do so in this cycle
  std::vector<std::uint32_t> memory_units_;  // the same, in their order
  UnitSet refused_;                          // by the data cache
  UnitSet no_thread_;                        // with UnitUse::kNoThread
  std::vector<std::vector<std::uint32_t>> completions_;  // by cycle: unit · 64 + bit
  std::uint32_t completion_mask_;

  const Mapping& mapping_;
  std::vector<std::uint32_t> places_;  // by unit: that of the grid; kNoPlace: a port
  UnitSet absent_;        // units of the grid that another array has still work for, or again
  UnitSet absent_ports_;  // of the former
  bool waits_for_units_ = false;  // absent units are those of an array before it
  bool has_left_ = false;         // some threads, in the last tick

  // By unit, of those that load for other threads: where the last access went, and how far it was
  // from the one before.
  struct Stride {
    Address last;
    std::int64_t stride = 0;
  };
  std::vector<Stride> strides_;
  std::vector<TurnPrefetch::Load*> turns_;  // by unit; null: no load
  std::uint32_t prefetch_;                  // accesses ahead; 0: none

  std::vector<UnitAccount> uses_;       // by unit, since the last settle()
  std::vector<std::uint64_t> settled_;  // by unit: firings until then
  std::uint64_t settled_groups_ = 0;
  SharedValues shared_values_;
  TokenStats tokens_;          // since then
  TokenStats settled_tokens_;  // that could be counted by ports and firings until then
  std::uint64_t dropped_ = 0;
  FabricCoreTrace* trace_ = nullptr;
  // By unit, if traced: firings until the last tick, and what it does after that.
  struct Traced {
    std::uint64_t fired = 0;
    UnitUse behind = UnitUse::kNoThread;
  };
  std::vector<Traced> traced_;
  Cycle traced_until_;               // the cycle after the last tick
  std::uint64_t alone_firings_ = 0;  // of elevators, without data
};

}  // namespace raddle::machine::cgra
