// A kernel in SSA form, cut into segments: stretches of its basic blocks within which threads need
// not wait for each other. A barrier, and an operation between the lanes of a warp, begin a segment
// of their own. Pieces of a kernel (piece_former.h) are made of segments.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/module.h"
#include "machine/cgra/compile/turn_counters.h"

namespace raddle::machine::cgra {

using SegmentId = std::uint32_t;
// Where control can go instead of into a segment.
inline constexpr SegmentId kThreadEnds = 0xffffffffu;
inline constexpr SegmentId kThreadTraps = 0xfffffffeu;
inline constexpr SegmentId kToRest = 0xfffffffdu;  // of a piece that was split (load_split.h)

// What threads wait for before they run a segment; its first instruction says the details.
enum class Entry : std::uint8_t { kFree, kBarrier, kWarp };

// One way out of a segment.
struct SegmentEdge {
  SegmentId to = kThreadEnds;
  kernel::Guard condition;       // not present: always
  std::uint32_t phi_source = 0;  // which source of the phis of `to` comes this way
  std::uint32_t location = 0;    // of what sends threads there
};

struct Segment {
  kernel::BlockId block = 0;
  std::uint32_t first = 0;  // of the block's instructions; phis and what ends the block excluded
  std::uint32_t end = 0;
  Entry entry = Entry::kFree;
  bool starts_block = false;       // its phis belong to this segment
  bool starts_piece = false;       // is not added to the piece before it
  std::vector<SegmentEdge> edges;  // the conditions of a segment exclude each other
  std::vector<SegmentId> predecessors;
};

struct SegmentedKernel {
  std::vector<bool> shared;       // by register: has several writers (slot_sharing.h)
  std::vector<bool> uniform;      // by register: computed beside the grid (uniform_values.h)
  TurnCounters turns;             // of loops, among them
  kernel::Function function;      // SSA; indexed branches have a predicate for each target
  std::vector<Segment> segments;  // [0] is where threads start; in an order in which control flows,
                                  // but for loops

  std::uint64_t version = 0;  // changes with the code, but not where segments are cut

  // Cuts a segment in two before instruction `at` of its block.
  void split(SegmentId segment, std::uint32_t at);
};

// `most_phis`: as share_slots() wants it. Calls are the device library's alone (call_inlining.h).
// Throws Error for tags of a channel that cannot be made one.
SegmentedKernel cut_into_segments(const kernel::Function& function, const kernel::Module& module,
                                  std::size_t most_phis);

}  // namespace raddle::machine::cgra
