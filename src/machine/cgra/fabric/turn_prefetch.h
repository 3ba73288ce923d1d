// What the loads of a loop will want in its next turn: a reference prediction table (Chen and Baer,
// IEEE Transactions on Computers, 1995) with one entry for each load of a kernel, which watches one
// thread. When that thread's address has moved by the same distance twice, all threads' addresses
// are expected to. The same for groups of 32 threads, which are often on several rows of an array:
// how far the addresses of later rows are from the first thread's.
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

  struct Load {
    const DataflowGraph* graph = nullptr;
    std::uint32_t access = 0;
    std::uint32_t thread = kNobody;  // that is watched, by the place of its live values
    Address last = {};
    Bytes step = {};  // backwards: modulo 2^64
    bool repeats = false;

    // How far on the next turn's address is expected; 0: not known.
    Bytes next_step(std::uint32_t by, Address address) {
      if (thread == kNobody) {
        thread = by;
        last = address;
      } else if (thread == by) {
        repeats = address - last == step && step != Bytes(0);
        step = address - last;
        last = address;
      }
      return repeats ? step : Bytes(0);
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

  Load* load(const DataflowGraph& graph, std::uint32_t access) {
    for (Load& known : loads_) {
      if (known.graph == &graph && known.access == access) return &known;
    }
    loads_.push_back({.graph = &graph, .access = access});
    return &loads_.back();
  }
  void forget() { loads_.clear(); }

 private:
  std::deque<Load> loads_;  // units point to them
};

}  // namespace raddle::machine::cgra
