// What the loads of a loop will want in its next turn: a reference prediction table (Chen and Baer,
// IEEE Transactions on Computers, 1995) with one entry for each load of a kernel, which watches one
// thread. When that thread's address has moved by the same distance twice, all threads' addresses
// are expected to.
#pragma once

#include <cstdint>
#include <deque>

#include "base/address.h"
#include "machine/cgra/compile/dataflow_graph.h"

namespace raddle::machine::cgra {

class TurnPrefetch {
 public:
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
  static constexpr std::uint32_t kNobody = 0xffffffffu;

  std::deque<Load> loads_;  // units point to them
};

}  // namespace raddle::machine::cgra
