// What loads will want next: a reference prediction table (Chen and Baer, IEEE Transactions on
// Computers, 1995) with one entry for each load of a kernel. In a loop it watches one thread: when
// its address has moved by the same distance twice, all threads' addresses are expected to, in
// their next turn. Elsewhere it watches threads that come so many threads after each other. The
// same for groups of 32 threads, which are often on several rows of an array: how far the addresses
// of later rows are from the first thread's.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>

#include "base/address.h"
#include "machine/cgra/compile/dataflow_graph.h"

namespace raddle::machine::cgra {

class TurnPrefetch {
 public:
  static constexpr std::uint32_t kNobody = 0xffffffffu;

  struct Expected {
    std::uint32_t distance = 0;  // in threads: so many later is soon enough
    bool comes_again = false;    // threads may come to the load more than once
    std::uint32_t turns = 1;     // then: so many turns ahead is soon enough
  };
  struct Thread {
    std::uint32_t slot = 0;      // of its live values
    std::uint32_t position = 0;  // among all threads that came to the load's piece, in order
  };
  // How far an address moves each time. Known when it has moved so twice in a row, and then until
  // it has moved by another distance twice: one jump, at the end of a row of blocks or to the next
  // block, does not count.
  struct Stride {
    Address last = {};
    Bytes seen = {};  // backwards: modulo 2^64
    Bytes known = {};

    void move_to(Address address) {
      if (address - last == seen) known = seen;
      seen = address - last;
      last = address;
    }
  };

  struct Load {
    const DataflowGraph* graph = nullptr;
    std::uint32_t access = 0;
    Expected expected = {};
    std::uint32_t thread = kNobody;  // that is watched, by the place of its live values
    Stride turn = {};
    bool watches = false;
    std::uint32_t watched = 0;  // position
    Stride later = {};

    // How far on that is what will be wanted after this: in a loop in a later turn of the thread,
    // else by a thread that comes later. 0: not known.
    Bytes step(Thread by, Address address) {
      if (expected.comes_again) {
        next_turn(by.slot, address);
        return turn.known * expected.turns;
      }
      next_thread(by.position, address);
      return later.known;
    }

    void next_turn(std::uint32_t by, Address address) {
      if (thread == by) {
        turn.move_to(address);
      } else if (thread == kNobody) {
        thread = by;
        turn.last = address;
      }
    }

    // A thread that is watched for may not load. Copies are not in step.
    void next_thread(std::uint32_t by, Address address) {
      const std::uint32_t ahead = by - watched;
      const bool is_past = ahead > 2 * expected.distance && ahead < 1u << 31;
      if (watches && ahead != expected.distance && !is_past) return;
      if (watches && !is_past) {
        later.move_to(address);
      } else {
        later.last = address;
      }
      watches = true;
      watched = by;
    }

    // For the first thread of a group: how far on later threads' rows are expected.
    std::span<const Bytes> row_steps(std::uint32_t by, Address address) {
      const std::uint32_t lane = by % kGroup;
      if (lane % kRow != 0) return {};
      if (lane == 0) {
        if (group == kNobody || group == by) {
          group = by;
          first = address;
          rows_repeat = true;
        }
        return rows_known ? std::span<const Bytes>(rows) : std::span<const Bytes>();
      }
      if (group != by - lane) return {};
      const std::uint32_t row = lane / kRow - 1;
      rows_repeat = rows_repeat && rows[row] == address - first;
      rows[row] = address - first;
      if (row + 1 < rows.size()) return {};
      rows_known = rows_repeat;
      group = kNobody;
      return {};
    }

    static constexpr std::uint32_t kGroup = 32;
    static constexpr std::uint32_t kRow = 8;  // threads of the shortest row
    std::uint32_t group = kNobody;            // that is watched, by its first thread
    Address first = {};                       // of that thread
    std::array<Bytes, kGroup / kRow - 1> rows = {};
    bool rows_repeat = false;  // so far, in the group that is watched
    bool rows_known = false;
  };

  Load* load(const DataflowGraph& graph, std::uint32_t access, const Expected& expected) {
    for (Load& known : loads_) {
      if (known.graph == &graph && known.access == access) return &known;
    }
    loads_.push_back({.graph = &graph, .access = access, .expected = expected});
    return &loads_.back();
  }
  void forget() { loads_.clear(); }

 private:
  std::deque<Load> loads_;  // units point to them
};

}  // namespace raddle::machine::cgra
