// The units of a core while a configuration runs: moves tokens along the edges into token buffers,
// fires units, injects threads and makes their memory accesses, cycle by cycle. Only units for
// which something may have changed are looked at.
//
// A cycle has two halves: first every edge hands its first token over if that has arrived and its
// slot is free, then every unit fires if it can. Nothing depends on the order of units within a
// half, but for banks, for which units have the first choice in turns.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/cgra/data_cache.h"
#include "machine/cgra/fabric_configuration.h"
#include "machine/cgra/fabric_deadlock.h"
#include "machine/cgra/fabric_injector.h"
#include "machine/cgra/fabric_layout.h"
#include "machine/cgra/fabric_records.h"
#include "machine/cgra/live_value_cache.h"
#include "machine/cgra/token_wheel.h"

namespace raddle::machine::cgra {

// What the load/store units of a core reach.
struct FabricMemories {
  DataCache& data;
  ScratchBanks& scratchpad;
  LiveValueCache& live_values;
};

class FabricArray {
 public:
  // Threads are injected from cycle `start` on.
  FabricArray(const Configuration& configuration, const FabricParameters& parameters,
              FabricMemories memories, std::uint64_t start);

  void tick(std::uint64_t now);
  // The data cache has answered an access; seen in the next tick.
  void answer(std::uint32_t token);
  // What the data cache refused is tried again in the next tick.
  void retry_refused();
  // The next cycle with something to do; ~0: not before memory answers.
  std::uint64_t next_work(std::uint64_t now) const;
  // All threads have left and no more come.
  bool is_drained() const;

  // Adds what was done before that cycle and has not been added to `counts` yet.
  void settle(std::uint64_t now, FabricCounts& counts);
  // Null: nobody wants to know. Before the first tick.
  void trace_with(FabricCoreTrace* trace);
  // What each unit with tokens waits for; means something when nothing can move.
  std::vector<FabricWait> waits() const;
  // The most threads whose records were kept at a time, in all replicas.
  std::size_t records_kept() const;

 private:
  struct ReplicaState {
    FabricRecords records;
    FabricInjector injector;
    std::uint64_t seen = 0;  // threads injected before this cycle
    bool is_occupied = false;
  };

  void deliver(std::uint32_t u);
  void deliver_simple(FabricUnit& unit, std::uint32_t u);
  void took_token(TokenPort& port, std::uint64_t read, std::int32_t arrived, std::uint32_t u);
  bool drops(const FabricUnit& unit, const TokenPort& port, std::uint32_t sent_by);
  void note(FabricUnit& unit, const TokenPort& port, std::uint32_t sequence);
  void inject(std::uint32_t u);
  void fire(std::uint32_t u);
  void fire_simple(FabricUnit& unit, std::uint32_t u);
  void look_ahead(FabricUnit& unit, std::uint32_t u, std::uint64_t others);
  void fire_elevator(std::uint32_t u);
  void fire_slot(FabricUnit& unit, std::uint32_t u, std::uint32_t sequence, std::uint64_t others);
  bool may_fire(FabricUnit& unit, std::uint32_t u, std::uint64_t ready);
  bool find_room(FabricUnit& unit);
  void end_cycle();
  void report_left();
  void settle_tokens();
  // Of sparse units or of all; from the next cycle on.
  void change_use(std::uint32_t replica, bool only_sparse, UnitUse from, UnitUse to);

  // In fabric_array_memory.cpp.
  void work(std::uint32_t u);
  enum class SendResult : std::uint8_t { kSent, kNoRoom, kNotYet };
  SendResult send(std::uint32_t u, std::uint64_t candidates);
  // The oldest thread in the slots that lies within the window.
  static std::optional<std::uint32_t> oldest_within(const FabricUnit& unit,
                                                    const ThreadWindow& window,
                                                    std::uint64_t slots);
  // Of a kReceiveLoad: slots of threads that have an entry and wait for another thread's value.
  static std::uint64_t waiting_receivers(const FabricUnit& unit) {
    return unit.issued & ~unit.loads & ~unit.alone;
  }
  void reserve(FabricUnit& unit, std::uint64_t ready);
  bool loop_is_free(const FabricUnit& unit, std::uint32_t sequence) const;
  void send_slot(std::uint32_t u, std::uint32_t sequence);
  bool issue(std::uint32_t u, std::uint32_t sequence);
  CacheTake access(const FabricUnit& unit, std::uint32_t sequence, std::uint32_t token,
                   std::uint32_t& latency);

  // The slots of a load/store unit are for accesses under way; operands wait in a token buffer of
  // its own, as in any other unit.
  bool is_beyond_buffer(const FabricUnit& unit, std::uint32_t sequence) const {
    return unit.role == UnitRole::kMemory &&
           static_cast<std::int32_t>(sequence - unit.fires.first()) >=
               static_cast<std::int32_t>(token_buffer_);
  }
  static std::uint32_t slot_of(const FabricUnit& unit, std::uint32_t sequence) {
    return sequence & unit.slot_mask;
  }
  static std::uint64_t bit_of(const FabricUnit& unit, std::uint32_t sequence) {
    return std::uint64_t{1} << slot_of(unit, sequence);
  }
  std::uint32_t index_of(const FabricUnit& unit) const {
    return unit.replica * layout_.nodes + unit.node;
  }

  // Slots for which all tokens are there.
  static std::uint64_t ready_slots(const FabricUnit& unit) {
    std::uint64_t ready = unit.port->present;
    for (std::uint32_t p = 1; p < unit.ports; ++p) ready &= unit.port[p].present;
    return ready;
  }
  std::uint64_t within_window(const FabricUnit& unit, const ThreadWindow& window,
                              std::uint64_t slots) const {
    if (unit.window > unit.slot_mask) return slots;
    return slots & window.slots_of(unit.window, unit.slot_mask);
  }
  // The oldest thread in the slots, of which there is one at least. If all tokens of a thread are
  // there, so are those of all threads before the window behind it.
  std::uint32_t oldest(const FabricUnit& unit, std::uint64_t slots) const {
    if (unit.is_sparse) return oldest_by_tags(*unit.port, slots);
    const std::uint64_t window = unit.fires.from_first(slots, unit.slot_mask);
    return unit.fires.first() + static_cast<std::uint32_t>(std::countr_zero(window));
  }
  static std::uint32_t oldest_by_tags(const TokenPort& port, std::uint64_t slots);
  void take_tokens(const FabricUnit& unit, std::uint32_t sequence) {
    const std::uint64_t bit = bit_of(unit, sequence);
    for (TokenPort* port = unit.port; port != unit.port + unit.ports; ++port) port->present &= ~bit;
  }
  bool has_room(FabricUnit& unit) { return unit.written != unit.limit || find_room(unit); }
  // A result that is on its first links in that cycle.
  void push(FabricUnit& unit, std::uint32_t sequence, std::uint64_t at) {
    unit.ring[unit.written & unit.ring_mask] = make_token(at, sequence);
    ++unit.written;
    for (const TokenEdge* edge = unit.edge; edge != unit.edge + unit.edges; ++edge)
      wheel_.add(edge->unit, at + edge->link_cycles);
  }
  UnitUse why_idle(const FabricUnit& unit) const {
    const ReplicaState& replica = replicas_[unit.replica];
    const bool is_done = unit.is_sparse ? replica.records.is_empty() : unit.fired == replica.seen;
    return is_done ? UnitUse::kNoThread : UnitUse::kOperandMissing;
  }
  void set_use(FabricUnit& unit, std::uint32_t u, UnitUse use) {
    if (unit.use == use) return;
    uses_[u][static_cast<std::size_t>(unit.use)] += now_ - unit.since;
    if (unit.use == UnitUse::kNoThread) no_thread_.remove(u);
    if (use == UnitUse::kNoThread) no_thread_.add(u);
    unit.use = use;
    unit.since = now_;
  }
  FabricRecords& records_of(const FabricUnit& unit) { return replicas_[unit.replica].records; }
  void trace_units();
  void describe_waits(const FabricUnit& unit, std::vector<FabricWait>& waits) const;

  FabricLayout layout_;
  std::uint32_t token_buffer_;  // slots of a unit for threads that wait for operands
  bool has_sparse_ = false;
  FabricMemories memories_;
  ThreadFeed& feed_;
  FabricNodeCounts* node_counts_;
  std::vector<ReplicaState> replicas_;

  std::uint64_t now_;
  TokenWheel wheel_;
  UnitSet next_;                                         // to be looked at in the next cycle
  UnitSet awake_;                                        // whose edges are looked at in this cycle
  UnitSet candidates_;                                   // that may fire in this cycle
  UnitSet memory_;                                       // load/store units
  std::vector<std::uint32_t> memory_units_;              // the same, in their order
  UnitSet refused_;                                      // by the data cache
  UnitSet no_thread_;                                    // with UnitUse::kNoThread
  std::vector<std::vector<std::uint32_t>> completions_;  // by cycle: unit · 64 + slot
  std::uint64_t completion_mask_;

  std::vector<UnitCycles> uses_;        // by unit, since the last settle()
  std::vector<std::uint64_t> settled_;  // by unit: firings until then
  TokenStats tokens_;                   // since then
  TokenStats settled_tokens_;           // that could be counted by ports and firings until then
  std::uint64_t dropped_ = 0;
  FabricCoreTrace* trace_ = nullptr;
  // By unit, if traced: firings until the last tick, and what it does behind that.
  struct Traced {
    std::uint64_t fired = 0;
    UnitUse behind = UnitUse::kNoThread;
  };
  std::vector<Traced> traced_;
  std::uint64_t traced_until_ = 0;   // the cycle behind the last tick
  std::uint64_t alone_firings_ = 0;  // of elevators, without data
};

}  // namespace raddle::machine::cgra
