// Which line of a set goes when a new one comes: least recently used, first in first out, tree
// pseudo-LRU, or seeded random. A use costs one store (LRU), one masked store (tree) or nothing;
// the choice of a victim only ever falls on a way that the caller allows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace raddle::memory {

enum class Replacement : std::uint8_t { kLru, kFifo, kTreePlru, kRandom };

// The state of one policy for all sets of a tag array.
class ReplacementState {
 public:
  static constexpr std::uint32_t kMaxWays = 64;  // ways that may go are bits of a word

  ReplacementState(Replacement policy, std::uint32_t sets, std::uint32_t ways, std::uint64_t seed);

  // The line was hit.
  void used(std::uint32_t set, std::uint32_t way) {
    switch (policy_) {
      case Replacement::kLru: stamp(set, way); return;
      case Replacement::kTreePlru: turn_away(set, way); return;
      case Replacement::kFifo:
      case Replacement::kRandom: return;
    }
  }
  // A new line took the way.
  void placed(std::uint32_t set, std::uint32_t way) {
    if (policy_ == Replacement::kFifo) {
      stamp(set, way);
    } else {
      used(set, way);
    }
  }
  // One of the ways whose bits are set; there must be one.
  std::uint32_t victim(std::uint32_t set, std::uint64_t allowed);

 private:
  // The ways of the tree that lead to a leaf, and where each should point after a use of it.
  struct Path {
    std::uint64_t nodes = 0;
    std::uint64_t away = 0;
  };

  void stamp(std::uint32_t set, std::uint32_t way) {
    state_[std::size_t{set} * ways_ + way] = ++time_;
  }
  void turn_away(std::uint32_t set, std::uint32_t way) {
    state_[set] = (state_[set] & ~paths_[way].nodes) | paths_[way].away;
  }
  std::uint32_t oldest(std::uint32_t set, std::uint64_t allowed) const;
  std::uint32_t leaf(std::uint32_t set, std::uint64_t allowed) const;
  std::uint32_t any(std::uint64_t allowed);

  Replacement policy_;
  std::uint32_t ways_;
  std::uint64_t time_ = 0;
  std::uint64_t random_;
  // LRU, FIFO: by line, when it was used or placed. Tree: by set, bit n says that the next victim
  // lies to the right of node n (node 1 is the root, 2n and 2n + 1 lie below n).
  std::vector<std::uint64_t> state_;
  std::array<Path, kMaxWays> paths_{};
};

}  // namespace raddle::memory
