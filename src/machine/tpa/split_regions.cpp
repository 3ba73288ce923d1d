#include "machine/tpa/split_regions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/bit_set.h"
#include "kernel/analysis/uniformity.h"
#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::BlockId;
using kernel::Instruction;
using kernel::Opcode;
using kernel::RegisterId;

namespace {

// Threads that look at each other's words in more than one step.
bool works_together(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kAtom:
    case Opcode::kBar:
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kActiveMask:
    case Opcode::kMatch:
    case Opcode::kRedux: return true;
    default: return false;
  }
}

class Search {
 public:
  explicit Search(const RankedBlocks& blocks)
      : b_(blocks), uniformity_(blocks.function, blocks.graph, blocks.liveness) {}

  std::vector<SplitRegion> run() {
    std::vector<SplitRegion> regions;
    for (std::uint32_t rank = 0; rank < count(); ++rank) {
      auto region = region_after(rank);
      if (!region) continue;
      complete(*region);
      regions.push_back(std::move(*region));
    }
    std::erase_if(regions, [&](const SplitRegion& inner) {
      return std::ranges::any_of(regions, [&](const SplitRegion& outer) {
        return std::ranges::any_of(outer.sides, [&](const SplitSide& side) {
          return inner.after >= side.first && inner.after < side.end && inner.end() > side.end;
        });
      });
    });
    return regions;
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(b_.order.size()); }

  // Ranks of where control may go; count() where threads end.
  std::set<std::uint32_t> targets(std::uint32_t rank) const {
    std::set<std::uint32_t> all;
    const BlockId block = b_.order[rank];
    for (const BlockId next : b_.graph.successors(block)) all.insert(b_.rank[next]);
    if (b_.graph.exit(block) != kernel::BlockExit::kNone || all.empty()) all.insert(count());
    return all;
  }
  // Where a piece leads to.
  std::set<std::uint32_t> exits(std::uint32_t first, std::uint32_t end) const {
    std::set<std::uint32_t> all;
    for (std::uint32_t rank = first; rank < end; ++rank)
      for (const std::uint32_t target : targets(rank))
        if (target < first || target >= end) all.insert(target);
    return all;
  }

  // Loops lie within a piece, around it, or beside it.
  bool cuts_no_loop(std::uint32_t first, std::uint32_t end) const {
    const auto within = [&](std::uint32_t rank) { return rank >= first && rank < end; };
    return std::ranges::all_of(b_.latch, [&](const auto& loop) {
      return !within(loop.second) ? !within(loop.first) : within(loop.first);
    });
  }

  // Whether a thread may turn in the loop while another does not.
  bool turns_apart(std::uint32_t first, std::uint32_t end) const {
    if (uniformity_.of_block(b_.order[first]) != kernel::Uniformity::kGrid) return true;
    for (std::uint32_t rank = first; rank < end; ++rank) {
      const std::set<std::uint32_t> ways = targets(rank);
      const bool leaves = *ways.begin() < first || *ways.rbegin() >= end;
      if (leaves && uniformity_.of_branch(b_.order[rank]) != kernel::Uniformity::kGrid) return true;
    }
    return false;
  }

  std::optional<SplitRegion> region_after(std::uint32_t rank) const {
    SplitRegion region;
    region.after = rank;
    for (const auto& [header, latch] : b_.latch) {
      if (latch != rank) continue;
      if (!turns_apart(header, rank + 1)) return std::nullopt;
      region.is_loop = true;
      region.sides = {{.first = header, .end = rank + 1, .taken = {}}};
      return region;
    }
    const std::set<std::uint32_t> ways = targets(rank);
    if (ways.size() != 2 || *ways.begin() != rank + 1 ||
        uniformity_.of_branch(b_.order[rank]) == kernel::Uniformity::kGrid)
      return std::nullopt;
    const std::uint32_t first = rank + 1;
    const std::uint32_t other = *ways.rbegin();
    if (!cuts_no_loop(first, other)) return std::nullopt;
    const std::uint32_t end = last_reached(first, other) + 1;
    region.sides = {{.first = first, .end = end, .taken = {}}};
    // If all who took the first way meet after the other one, that is a side as well.
    const std::set<std::uint32_t> out = exits(first, end);
    if (end == other && out.size() == 1 && *out.begin() > other &&
        cuts_no_loop(other, *out.begin()))
      region.sides.push_back({.first = other, .end = *out.begin(), .taken = {}});
    return region;
  }

  // The highest rank that fibers come to from `first` before they come to `end`.
  std::uint32_t last_reached(std::uint32_t first, std::uint32_t end) const {
    std::set<std::uint32_t> reached{first};
    for (auto rank = reached.begin(); rank != reached.end(); ++rank)
      for (const std::uint32_t target : targets(*rank))
        if (target > *rank && target < end) reached.insert(target);
    return *reached.rbegin();
  }

  using Registers = std::set<std::uint32_t>;  // of fibers

  void add(Registers& registers, RegisterId id) const {
    if (b_.fixed[id] != kNoRegister) registers.insert(b_.fixed[id]);
  }
  void add(Registers& registers, const BitSet& live) const {
    live.for_each([&](RegisterId id) { add(registers, id); });
  }
  static std::vector<std::uint32_t> in_both(const Registers& a, const Registers& b) {
    std::vector<std::uint32_t> both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return both;
  }

  void complete(SplitRegion& region) const {
    Registers written;
    Registers live_after;
    for (std::uint32_t rank = region.first(); rank < region.end(); ++rank) {
      for (const Instruction& i : b_.function.blocks[b_.order[rank]].instructions) {
        kernel::for_each_def(i, [&](RegisterId id) { add(written, id); });
        region.in_turn |= works_together(i);
      }
    }
    const std::set<std::uint32_t> out = exits(region.first(), region.end());
    if (out.size() == 1) region.next = *out.begin();
    for (const std::uint32_t target : out)
      if (target < count()) add(live_after, b_.liveness.live_in(b_.order[target]));
    region.left = in_both(written, live_after);
    Registers stored;
    for (SplitSide& side : region.sides) {
      find_taken(side, region.left);
      stored.insert(side.taken.begin(), side.taken.end());
    }
    region.stored.assign(stored.begin(), stored.end());
  }

  // What is read on the side or brought back from it, and has a value where fibers enter.
  void find_taken(SplitSide& side, const std::vector<std::uint32_t>& left) const {
    Registers wanted(left.begin(), left.end());
    Registers live;
    add(live, b_.liveness.live_in(b_.order[side.first]));
    for (std::uint32_t rank = side.first; rank < side.end; ++rank) {
      const BlockId block = b_.order[rank];
      for (const Instruction& i : b_.function.blocks[block].instructions)
        kernel::for_each_use(i, [&](RegisterId id) { add(wanted, id); });
      for (const BlockId from : b_.graph.predecessors(block)) {
        if (!b_.graph.reachable(from)) continue;
        if (b_.rank[from] >= side.first && b_.rank[from] < side.end) continue;
        side.is_entered_late |= rank != side.first;
        add(live, b_.liveness.live_in(block));
      }
    }
    side.taken = in_both(live, wanted);
  }

  const RankedBlocks& b_;
  kernel::UniformityAnalysis uniformity_;
};

}  // namespace

std::vector<SplitRegion> find_split_regions(const RankedBlocks& blocks) {
  return Search(blocks).run();
}

}  // namespace raddle::machine::tpa
