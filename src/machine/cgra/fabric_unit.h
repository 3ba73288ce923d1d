// The units of a configured core as the cycle loop sees them: flat structs without names. A unit
// has a token buffer of S slots; what belongs to the thread of sequence number q is in slot q mod
// S. Load/store units have more slots, for accesses that are under way. For each input there is a
// mask of slots whose token is present. Results go into a ring that
// all receivers read at their own pace; each edge holds as many tokens as its pipeline has stages,
// and one more.
#pragma once

#include <cstdint>

#include "machine/cgra/dataflow_graph.h"
#include "machine/cgra/fabric_counts.h"

namespace raddle::machine::cgra {

// A token: a thread's sequence number and the cycle at which it is on its first link, both modulo
// 2^32.
using FabricToken = std::uint64_t;
constexpr FabricToken make_token(std::uint64_t cycle, std::uint32_t sequence) {
  return cycle << 32 | sequence;
}
constexpr std::uint32_t sequence_of(FabricToken token) { return static_cast<std::uint32_t>(token); }
// For how many cycles the token has been at the end of its links; negative if it is on them.
constexpr std::int32_t cycles_arrived(FabricToken token, std::uint32_t link_cycles,
                                      std::uint64_t now) {
  const auto at = static_cast<std::uint32_t>(token >> 32) + link_cycles;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(now) - at);
}
// Of two sequence numbers that are not far apart.
constexpr bool is_older(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

// The threads that a unit may fire for, or send results of: from the oldest one that it has not
// done so for, as many as it has slots, or less. A thread never overtakes one that is further
// ahead. So the oldest thread that waits in a unit finds none before it in the FIFOs to that unit
// whose slot is taken, and gets on.
class ThreadWindow {
 public:
  std::uint32_t first() const { return first_; }
  // It must lie within the window.
  void note(std::uint32_t sequence, std::uint32_t slot_mask) {
    if (sequence != first_) {
      done_ |= std::uint64_t{1} << (sequence & slot_mask);
      return;
    }
    ++first_;
    for (; done_ != 0; ++first_) {
      const std::uint64_t bit = std::uint64_t{1} << (first_ & slot_mask);
      if ((done_ & bit) == 0) return;
      done_ &= ~bit;
    }
  }
  // The oldest thread of the slot that is still to come.
  std::uint32_t thread_of(std::uint32_t slot, std::uint32_t slot_mask) const {
    const std::uint32_t thread = first_ + ((slot - first_) & slot_mask);
    return (done_ >> slot & 1) != 0 ? thread + slot_mask + 1 : thread;
  }
  // The slots of so many threads from the first on.
  std::uint64_t slots_of(std::uint32_t threads, std::uint32_t slot_mask) const {
    const std::uint64_t low = ~std::uint64_t{0} >> (64 - threads);
    const std::uint64_t all = ~std::uint64_t{0} >> (63 - slot_mask);
    const std::uint32_t start = first_ & slot_mask;
    return start == 0 ? low : (low << start | low >> (slot_mask + 1 - start)) & all;
  }
  // Slots in the order of the window: bit i is that of thread first() + i.
  std::uint64_t from_first(std::uint64_t slots, std::uint32_t slot_mask) const {
    const std::uint32_t start = first_ & slot_mask;
    const std::uint64_t all = ~std::uint64_t{0} >> (63 - slot_mask);
    return start == 0 ? slots : (slots >> start | slots << (slot_mask + 1 - start)) & all;
  }

 private:
  std::uint32_t first_ = 0;
  std::uint64_t done_ = 0;  // by slot: threads behind the first
};

enum class TokenPortRole : std::uint8_t {
  kPlain,
  kDropping,  // the data of an elevator: drops what nobody receives
  kTrigger,   // of an elevator that delivers: tells who has no producer
  kAddress,   // the first input of a load/store unit: tells who makes no access
};

struct FabricUnit;

// An input of a unit, with the end of the edge that leads to it.
struct TokenPort {
  std::uint64_t present = 0;      // by slot
  std::uint64_t read = 0;         // tokens taken from the sender's ring
  FabricUnit* from = nullptr;     // the unit that sends
  std::uint32_t* tags = nullptr;  // by slot: the thread whose token is present, if it must be kept
  std::uint16_t link_cycles = 0;  // from the first link to here
  std::uint16_t hops = 0;
  std::int16_t shift = 0;  // see Input
  TokenPortRole role = TokenPortRole::kPlain;
};
static_assert(sizeof(TokenPort) == 40);

// An edge as its sender sees it.
struct TokenEdge {
  const TokenPort* port = nullptr;  // where it ends
  std::uint32_t unit = 0;           // whose port that is
  std::uint16_t link_cycles = 0;    // from the first link to there
  std::uint16_t capacity = 0;       // tokens
};
static_assert(sizeof(TokenEdge) == 16);

enum class UnitRole : std::uint8_t { kSource, kPlain, kElevator, kMemory };

// What is used together lies together: in one line of the host's cache what every unit that is
// looked at needs, in the next what it needs to fire, in the third what only load/store units and
// elevators have.
struct alignas(64) FabricUnit {
  FabricToken* ring = nullptr;
  TokenPort* port = nullptr;  // the first
  TokenEdge* edge = nullptr;  // the first
  std::uint64_t written = 0;  // tokens put into the ring
  std::uint64_t limit = 0;    // up to which `written` may go before the edges are looked at
  std::uint32_t ring_mask = 0;
  std::uint16_t edges = 0;
  // Does nothing but fire: kPlain, every cycle, for every thread, without a shift.
  bool is_simple = false;
  std::uint16_t ports = 0;      // without the loop, which lies behind them
  std::uint16_t slot_mask = 0;  // slots, a power of two, less one
  std::uint32_t window = 1;     // threads that it may fire for or, kMemory, send results of
  std::uint32_t latency = 1;
  UnitRole role = UnitRole::kPlain;
  UnitUse use = UnitUse::kNoThread;  // since `since`, but for cycles in which it fired
  bool waits_for_room = false;       // to be looked at when a receiver takes a token
  bool is_blocked = false;           // a token waits for its slot

  ThreadWindow fires;  // not of sparse units
  // Cycle; one more for each cycle since then in which it fired, if its interval is 1.
  std::uint64_t since = 0;
  std::uint64_t fired = 0;
  std::uint64_t next_fire = 0;  // cycle; of intervals beyond 1
  std::uint32_t interval = 1;
  std::uint16_t replica = 0, node = 0;
  bool counts_firings = false;     // a firing is a use of the thread's record
  bool is_sparse = false;          // not every thread has a token here
  bool loads_or_receives = false;  // kMemory: a kReceiveLoad; its last port is its own loop
  UnitClass unit_class = UnitClass::kAlu;
  NodeKind kind = NodeKind::kCompute;
  MemoryPort memory = MemoryPort::kNone;
  bool writes = false, atomic = false;
  std::uint8_t bytes = 4;

  // Slots. kElevator: threads without a producer. kMemory: threads that make no access, and of a
  // kReceiveLoad those that do not receive either.
  std::uint64_t alone = 0;
  std::uint64_t loads = 0;      // kReceiveLoad: threads that make an access
  std::uint64_t issued = 0;     // kMemory: the access has been made
  std::uint64_t done = 0;       // kMemory: it has been answered
  ThreadWindow sends;           // kMemory
  std::uint64_t link_free = 0;  // kMemory: the first cycle in which a result can go onto the links
  std::uint32_t number = 0;     // see Node
  std::uint16_t receive = 0;    // see Node
  std::int16_t loop_shift = 0;  // see Node
};
static_assert(sizeof(FabricUnit) == 192);

}  // namespace raddle::machine::cgra
