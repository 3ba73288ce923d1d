// The units of a configured core as the cycle loop sees them: flat structs without names. A unit
// has a token buffer of S slots; what belongs to the thread of sequence number q is in slot q mod
// S. Load/store units have more slots, for accesses that are under way. For each input there is a
// mask of threads whose token is present: whatever S is, that of thread q is bit q mod 64, so that
// a mask says by itself which threads it speaks of. Results go into a ring that all receivers read
// at their own pace; each edge holds as many tokens as its pipeline has stages, and one more.
#pragma once

#include <bit>
#include <cstdint>

#include "base/units.h"
#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/fabric/fabric_counts.h"
#include "machine/cgra/fabric/timing_wheel.h"

namespace raddle::machine::cgra {

// A latency in the structs below, which are packed; widens to Cycle.
using PackedCycle = Quantity<CycleUnit, std::uint16_t>;

// A token: a thread's sequence number and the cycle at which it is on its first link, both modulo
// 2^32.
using FabricToken = std::uint64_t;
constexpr FabricToken make_token(Cycle cycle, std::uint32_t sequence) {
  return cycle.count() << 32 | sequence;
}
constexpr std::uint32_t sequence_of(FabricToken token) { return static_cast<std::uint32_t>(token); }
// Of two numbers modulo 2^32 that are not far apart.
constexpr bool is_older(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}
// Whether the token is at the end of links that take it so long.
constexpr bool has_arrived(FabricToken token, Cycle link_cycles, Cycle now) {
  return !is_older(static_cast<std::uint32_t>((now - link_cycles).count()),
                   static_cast<std::uint32_t>(token >> 32));
}

// Masks of threads, for as many as a unit can have slots.
inline constexpr std::uint32_t kThreadBits = 64;
constexpr std::uint64_t bit_of(std::uint32_t sequence) {
  return std::uint64_t{1} << sequence % kThreadBits;
}
// The same mask with thread `first` in bit 0, and the other way round.
constexpr std::uint64_t from_thread(std::uint64_t threads, std::uint32_t first) {
  return std::rotr(threads, static_cast<int>(first % kThreadBits));
}
constexpr std::uint64_t at_thread(std::uint64_t threads, std::uint32_t first) {
  return std::rotl(threads, static_cast<int>(first % kThreadBits));
}

// The threads that a unit may fire for, or send results of: from the oldest one that it has not
// done so for, as many as it has slots, or less. A thread never overtakes one that is further
// ahead. So the oldest thread that waits in a unit finds none before it in the FIFOs to that unit
// whose slot is taken, and gets on.
class ThreadWindow {
 public:
  std::uint32_t first() const { return first_; }
  // Threads after the first that it has been done for.
  std::uint64_t done() const { return done_; }
  // It must lie within the window.
  void note(std::uint32_t sequence) {
    if (sequence != first_) {
      done_ |= bit_of(sequence);
      return;
    }
    ++first_;
    if (done_ == 0) return;
    const int run = std::countr_one(from_thread(done_, first_));
    done_ &= ~at_thread((std::uint64_t{1} << run) - 1, first_);
    first_ += static_cast<std::uint32_t>(run);
  }
  // The oldest of the threads, of which there is one at least; none lies before the window.
  std::uint32_t oldest(std::uint64_t threads) const {
    return first_ + static_cast<std::uint32_t>(std::countr_zero(from_thread(threads, first_)));
  }
  // The thread that a bit stands for, if that is still to come.
  std::uint32_t thread_of(std::uint32_t bit) const {
    const std::uint32_t thread = first_ + (bit - first_) % kThreadBits;
    return (done_ >> bit & 1) != 0 ? thread + kThreadBits : thread;
  }

 private:
  std::uint32_t first_ = 0;
  std::uint64_t done_ = 0;
};

enum class TokenPortRole : std::uint8_t {
  kPlain,
  kDropping,  // the data of an elevator, or of a loop's next turn: drops what nobody receives
  kTrigger,   // of an elevator that delivers: tells who has no producer
  kAddress,   // the first input of a load/store unit: tells who makes no access
};

struct FabricUnit;
struct FabricReplica;

// An input of a unit, with the end of the edge that leads to it.
struct TokenPort {
  std::uint64_t present = 0;   // threads
  std::uint64_t read = 0;      // tokens taken from the sender's ring
  FabricUnit* from = nullptr;  // the unit that sends
  std::uint32_t unit = 0;      // whose port it is
  PackedCycle link_cycles;     // from the first link to here
  std::uint16_t hops = 0;
  std::int16_t shift = 0;  // see Input
  TokenPortRole role = TokenPortRole::kPlain;
};
static_assert(sizeof(TokenPort) == 40);

// An edge as its sender sees it.
struct TokenEdge {
  const TokenPort* port = nullptr;  // where it ends
  WheelPlace arrival;               // of that port
  PackedCycle link_cycles;          // from the first link to there
  std::uint16_t capacity = 0;       // tokens
};
static_assert(sizeof(TokenEdge) == 32);

enum class UnitRole : std::uint8_t { kSource, kPlain, kElevator, kMemory };

// What is used together lies together: in one line of the host's cache what every unit that is
// looked at needs, in the next what it needs to fire, after them what only load/store units and
// elevators have.
struct alignas(64) FabricUnit {
  FabricToken* ring = nullptr;
  TokenPort* port = nullptr;    // the first
  TokenEdge* edge = nullptr;    // the first
  std::uint64_t written = 0;    // tokens put into the ring
  std::uint64_t limit = 0;      // up to which `written` may go before the edges are looked at
  std::uint64_t same_slot = 1;  // threads that have the same slot as thread 0
  std::uint32_t ring_mask = 0;
  std::uint16_t edges = 0;
  std::uint16_t ports = 0;  // without the loop, which comes after them
  PackedCycle latency{1};
  // Does nothing but fire and send: kPlain, every cycle, for every thread, without a shift.
  bool is_simple = false;
  UnitRole role = UnitRole::kPlain;
  UnitUse use = UnitUse::kNoThread;  // since `since`, but for cycles in which it fired
  bool waits_for_room = false;       // to be looked at when a receiver takes a token
  bool is_blocked = false;           // a token has arrived and waits for its slot

  FabricReplica* home = nullptr;
  ThreadWindow fires;  // not of sparse units
  // One cycle more for each since then in which it fired, if its interval is 1.
  Cycle since;
  std::uint64_t fired = 0;
  Cycle next_fire;  // of intervals beyond 1
  PackedCycle interval{1};
  std::uint16_t replica = 0, node = 0;
  std::uint8_t window = 1;      // threads that it may fire for or, kMemory, send results of
  bool counts_firings = false;  // a firing is a use of the thread's record
  bool is_sparse = false;       // not every thread has a token here
  // kMemory: a kReceiveLoad, or a kLiveIn of a loop that stays; its last port is its loop, to which
  // it sends itself or, with has_loop_edge, an edge leads.
  bool loads_or_receives = false;
  bool has_loop_edge = false;
  UnitClass unit_class = UnitClass::kAlu;
  NodeKind kind = NodeKind::kCompute;
  MemoryPort memory = MemoryPort::kNone;
  bool writes = false, atomic = false;
  std::uint8_t bytes = 4;

  // Threads. kElevator: those without a producer. kMemory: those that make no access, and of a
  // kReceiveLoad those that do not receive either.
  std::uint64_t alone = 0;
  std::uint64_t loads = 0;     // kReceiveLoad: threads that make an access
  std::uint64_t consumed = 0;  // kReceiveLoad: threads whose value another one receives
  std::uint64_t issued = 0;    // kMemory: the access has been made
  std::uint64_t done = 0;      // kMemory: it has been answered
  ThreadWindow sends;          // kMemory
  Cycle link_free;             // kMemory: the first cycle in which a result can go onto the links
  std::uint32_t* tags = nullptr;  // of sparse units, by bit: the thread whose token is present
  std::uint32_t first_port = 0;   // the place of `port` among those of all units
  std::uint32_t reach = 0;        // threads from fires.first() on whose tokens it may have
  std::uint32_t number = 0;       // see Node
  union {
    std::uint16_t receive = 0;  // see Node; not of a kLiveOut
    std::uint16_t guard_row;    // kLiveOut: guard_access + 1; 0: all threads write
  };
  std::int16_t loop_shift = 0;  // see Node

  std::uint32_t edge_ports() const { return ports + (has_loop_edge ? 1u : 0u); }
};
static_assert(sizeof(FabricUnit) == 256);

}  // namespace raddle::machine::cgra
