// Splits of a kernel's flow: where fibers part, a flow of its own goes through each side, as thick
// as there are fibers on it, while the flow that they come from waits until they are back. A
// multiprefix numbers the fibers of a side; what they need goes through memory.
//
// A flow is split where that costs less than masks (`kernels.split`). For a piece that fibers go
// through once that is known when they have been counted. How often a loop will turn is not: its
// flow is split when masked fibers have cost as much as a split does.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/tpa/fiber_code.h"
#include "machine/tpa/front_code.h"
#include "machine/tpa/kernel_lowering.h"
#include "machine/tpa/split_regions.h"

namespace raddle::machine::tpa {

// Registers of fibers that a lowered kernel needs for itself.
inline constexpr std::uint32_t kNextBlock = 0;  // by rank
inline constexpr std::uint32_t kThread = 1;     // of flows that were split off
inline constexpr std::uint32_t kPosition = 2;   // among those that a multiprefix counts

// The code is there twice: for the flow that the launch begins with, whose fibers are the threads,
// and for all that are split off, whose fibers know their thread.
enum class FlowKind : std::uint8_t { kLaunch, kSplitOff };

class FlowSplits {
 public:
  struct Context {
    const TpaParameters& parameters;
    std::uint64_t threads;
    const KernelMemory& memory;
    const std::map<std::uint32_t, std::uint32_t>& latch;
    std::uint32_t blocks;
    std::uint32_t first_free;
    std::vector<Line>& lines;
    std::uint32_t& registers;
  };

  FlowSplits(const Context& context, std::vector<SplitRegion> regions);

  // Words for each thread that the regions need.
  static std::uint64_t words_of(std::span<const SplitRegion> regions);
  // Whether a launch is thick enough for splits to gain anything.
  static bool may_gain(const TpaParameters& parameters, std::uint64_t threads);

  // Leaves out what cannot gain, with the lines of each block by rank.
  void choose(const std::vector<std::uint32_t>& block_lines);
  bool empty() const { return regions_.empty(); }
  const SplitRegion* region_after(std::uint32_t rank) const;
  // Whether flows that are split off come to this block.
  bool is_within(std::uint32_t rank) const;

  FrontCode& front() { return front_; }
  void begin_launch();
  // Before a block's lines, and for rank `blocks` after all of them.
  void begin_block(FlowKind kind, std::uint32_t rank);
  // What the fibers whose next block is `next` are counted by at the end of a region's block.
  static ValueId counted(FiberCode& code, const SplitRegion& region, ValueId next);
  // At the end of a block: a loop goes on, a region is skipped, or the flow splits.
  void end_block(FlowKind kind, std::uint32_t rank);
  // What flows begin and end with that are split off; then all jumps are known.
  void finish();

 private:
  using Label = FrontCode::Label;
  struct Costs {  // lines
    std::int64_t blocks = 0;
    std::int64_t parent = 0;                 // of the flow that is split
    std::vector<std::int64_t> sides, moves;  // of a side's blocks, and of its way in and out
  };
  struct Region {
    SplitRegion blocks;
    Costs costs;
    std::vector<std::uint32_t> moved;  // each has a word
    std::vector<Label> begins;         // by side
    Label ends = 0;
    FrontCode::Register waste = 0;  // of a loop
  };
  struct Labels {
    std::vector<Label> entry, start;  // by rank: with what comes before a block, and without
  };

  static bool is_within(const SplitRegion& region, std::uint32_t rank) {
    return rank >= region.first() && rank < region.end();
  }
  static std::vector<std::uint32_t> moved_by(const SplitRegion& region);
  const Region* find(std::uint32_t rank) const;
  const Labels& labels(FlowKind kind) const { return labels_[static_cast<std::size_t>(kind)]; }
  bool can_gain(const Region& region) const;
  bool asks_cost() const;

  void set_own_target();
  void decide_once(const Region& region, Label masks);
  void decide_in_loop(const Region& region, Label masks);
  void split(FlowKind kind, const Region& region);
  void number_fibers(FlowKind kind, const Region& region);
  void store_fibers(FlowKind kind, const Region& region);
  void fork(const Region& region);
  void load_back(FlowKind kind, const Region& region);
  void begin_side(const Region& region, std::size_t side);
  void end_side(const Region& region);

  FiberCode fiber_code(FlowKind kind) const;
  ValueId word_of(FiberCode& code, std::size_t moved) const;
  ValueId next_word_of(FiberCode& code, const Region& region) const;
  std::size_t place_of(const Region& region, std::uint32_t id) const;
  void pack(const FiberCode& code);

  Context context_;
  FrontCode front_;
  std::vector<Region> regions_;
  std::array<Labels, 2> labels_;
};

}  // namespace raddle::machine::tpa
