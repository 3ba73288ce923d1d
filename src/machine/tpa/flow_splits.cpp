#include "machine/tpa/flow_splits.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace raddle::machine::tpa {

using enum AluOperation;

namespace {

// Registers of a frontend.
constexpr FrontCode::Register kFibers = 0;     // of fibers: one side below, the other above
constexpr FrontCode::Register kFirstSide = 1;  // and the other after it
constexpr FrontCode::Register kGain = 3, kWhole = 4, kPart = 5;
constexpr FrontCode::Register kList = 6;       // address of the threads of this flow
constexpr FrontCode::Register kChildList = 7;  // of one that is split off
constexpr FrontCode::Register kEnd = 8;        // rank at which this flow ends
constexpr FrontCode::Register kLastLine = 9;   // with which it does
constexpr FrontCode::Register kDepth = 10;     // splits that it comes from
constexpr FrontCode::Register kTarget = 11;    // address of its multiprefix
constexpr FrontCode::Register kFirstWaste = 12;
constexpr std::uint32_t kMaxLoops = kLinkRegister - kFirstWaste;
constexpr FrontCode::Register kThickness = kThicknessRegister;

// Fibers of the first side count as -1 each, those of the other as -2^32.
constexpr std::int64_t kCountBits = 32;
constexpr std::int64_t kOneAbove = std::int64_t{1} << kCountBits;
constexpr std::int64_t kWordShift = 3;
constexpr std::int64_t kNumberingLines = 3;

constexpr auto in = FrontCode::in;
constexpr auto number = FrontCode::number;

// Fibers below which a flow's steps take no less time: the results of a line are there when the
// pipeline has been passed.
std::int64_t least_fibers(const TpaParameters& p) {
  return static_cast<std::int64_t>(p.backends_of_frontend() * p.back.depth().count());
}

// Splits one within the other, at which all flows of a launch find room.
std::int64_t most_depth(const TpaParameters& p) { return std::bit_width(p.front.flows + 1) - 2; }

std::int64_t as_number(Word word) { return static_cast<std::int64_t>(word); }

ValueId lies_in(FiberCode& code, std::uint32_t first, std::uint32_t end, ValueId next) {
  if (end == first + 1) return code.alu(kSeq, {next, code.constant(first)});
  return code.alu(kSltU,
                  {code.alu(kSub, {next, code.constant(first)}), code.constant(end - first)});
}

ValueId lies_in(FiberCode& code, const SplitRegion& region) {
  return lies_in(code, region.first(), region.end(), code.in_register(kNextBlock));
}

bool stores_next(const SplitRegion& region) {
  return std::ranges::any_of(region.sides, &SplitSide::is_entered_late);
}

}  // namespace

FlowSplits::FlowSplits(const Context& context, std::vector<SplitRegion> regions)
    : context_(context), front_(context.lines) {
  for (SplitRegion& region : regions) {
    Region& added = regions_.emplace_back();
    added.moved = moved_by(region);
    added.blocks = std::move(region);
  }
}

std::vector<std::uint32_t> FlowSplits::moved_by(const SplitRegion& region) {
  std::vector<std::uint32_t> all;
  std::ranges::set_union(region.stored, region.left, std::back_inserter(all));
  return all;
}

std::uint64_t FlowSplits::words_of(std::span<const SplitRegion> regions) {
  std::uint64_t most = 0;
  for (const SplitRegion& region : regions) most = std::max(most, moved_by(region).size());
  return most + 2;  // the next block, and its place in the list of a flow's threads
}

bool FlowSplits::may_gain(const TpaParameters& parameters, std::uint64_t threads) {
  switch (parameters.split) {
    case KernelSplit::kNever: return false;
    case KernelSplit::kAlways: return true;
    case KernelSplit::kCost: break;
  }
  return as_number(threads) > least_fibers(parameters);
}

bool FlowSplits::asks_cost() const { return context_.parameters.split == KernelSplit::kCost; }

void FlowSplits::choose(const std::vector<std::uint32_t>& block_lines) {
  for (Region& region : regions_) {
    const SplitRegion& blocks = region.blocks;
    Costs& costs = region.costs;
    const auto left = static_cast<std::int64_t>(blocks.left.size()) + !blocks.next;
    costs.parent = kNumberingLines + 1 + static_cast<std::int64_t>(blocks.stored.size()) +
                   stores_next(blocks) + left;
    for (const SplitSide& side : blocks.sides) {
      std::int64_t lines = 0;
      for (std::uint32_t rank = side.first; rank < side.end; ++rank) lines += block_lines[rank];
      costs.sides.push_back(lines);
      costs.blocks += lines;
      costs.moves.push_back(1 + static_cast<std::int64_t>(side.taken.size()) +
                            side.is_entered_late + left);
    }
  }
  std::erase_if(regions_, [this](const Region& region) { return !can_gain(region); });
  std::uint32_t loops = 0;
  for (Region& region : regions_)
    if (region.blocks.is_loop)
      region.waste = static_cast<FrontCode::Register>(kFirstWaste + loops++);
  std::erase_if(regions_, [](const Region& r) { return r.waste >= kFirstWaste + kMaxLoops; });
  for (Region& region : regions_) {
    for (std::size_t side = 0; side < region.blocks.sides.size(); ++side)
      region.begins.push_back(front_.label());
    region.ends = front_.label();
  }
  for (Labels& labels : labels_) {
    for (std::uint32_t rank = 0; rank <= context_.blocks; ++rank) {
      labels.entry.push_back(front_.label());
      labels.start.push_back(front_.label());
    }
  }
}

// Where all but a few fibers are spared all lines, that must be more than the split costs and the
// question, which is a line and the way of its result. A loop may go on for ever.
bool FlowSplits::can_gain(const Region& region) const {
  if (!asks_cost() || region.blocks.is_loop) return true;
  const Costs& costs = region.costs;
  const std::int64_t least = least_fibers(context_.parameters);
  std::int64_t gain = (costs.blocks - costs.parent - 1) * as_number(context_.threads) - least;
  for (std::size_t side = 0; side < costs.sides.size(); ++side)
    gain -= (costs.sides[side] + costs.moves[side]) * least;
  return gain > 0;
}

const FlowSplits::Region* FlowSplits::find(std::uint32_t rank) const {
  const auto found = std::ranges::find_if(
      regions_, [&](const Region& region) { return region.blocks.after == rank; });
  return found == regions_.end() ? nullptr : &*found;
}

const SplitRegion* FlowSplits::region_after(std::uint32_t rank) const {
  const Region* const region = find(rank);
  return region == nullptr ? nullptr : &region->blocks;
}

bool FlowSplits::is_within(std::uint32_t rank) const {
  return std::ranges::any_of(regions_,
                             [&](const Region& region) { return is_within(region.blocks, rank); });
}

ValueId FlowSplits::counted(FiberCode& code, const SplitRegion& region, ValueId next) {
  if (region.is_loop) return code.alu(kSeq, {next, code.constant(region.first())});
  const SplitSide& side = region.sides.front();
  const ValueId is_first = lies_in(code, side.first, side.end, next);
  if (region.sides.size() == 1) return is_first;
  const SplitSide& other = region.sides.back();
  const ValueId is_second = lies_in(code, other.first, other.end, next);
  return code.alu(kSub, {is_first, code.alu(kAnd, {is_second, code.constant(kOneAbove)})});
}

// The word that this flow's multiprefixes add to.
void FlowSplits::set_own_target() {
  front_.set(kTarget, kShl, in(kFlowRegister), number(kWordShift));
  front_.set(kTarget, kAdd, in(kTarget), number(as_number(context_.memory.counts)));
}

void FlowSplits::begin_launch() {
  if (empty()) return;
  front_.set(kList, number(as_number(context_.memory.list)));
  set_own_target();
}

void FlowSplits::begin_block(FlowKind kind, std::uint32_t rank) {
  front_.here(labels(kind).entry[rank]);
  const bool ends_side = std::ranges::any_of(regions_, [&](const Region& region) {
    return std::ranges::any_of(region.blocks.sides,
                               [&](const SplitSide& side) { return side.end == rank; });
  });
  if (kind == FlowKind::kSplitOff && ends_side) {
    front_.set(kPart, kSeq, in(kEnd), number(rank));
    front_.jump_unless_zero(kPart, kLastLine);
  }
  for (const Region& region : regions_)
    if (region.blocks.is_loop && region.blocks.first() == rank) front_.set(region.waste, number(0));
  front_.here(labels(kind).start[rank]);
}

void FlowSplits::end_block(FlowKind kind, std::uint32_t rank) {
  const Region* const region = find(rank);
  const auto loop = std::ranges::find(context_.latch, rank,
                                      &std::pair<const std::uint32_t, std::uint32_t>::second);
  if (region == nullptr && loop == context_.latch.end()) return;
  front_.receive_sum(kFibers, context_.parameters.backends_of_frontend());
  if (region == nullptr) {
    front_.jump_unless_zero(kFibers, labels(kind).start[loop->first]);
    return;
  }
  const SplitRegion& blocks = region->blocks;
  front_.jump_if_zero(kFibers, labels(kind).entry[blocks.end()]);
  const Label masks =
      blocks.is_loop ? labels(kind).start[blocks.first()] : labels(kind).entry[blocks.first()];
  front_.set(kPart, kSlt, in(kDepth), number(most_depth(context_.parameters)));
  front_.jump_if_zero(kPart, masks);
  front_.set(kFirstSide, kSub, number(0), in(kFibers));
  if (blocks.sides.size() == 2) {
    front_.set(kFirstSide + 1, kShr, in(kFirstSide), number(kCountBits));
    front_.set(kFirstSide, kAnd, in(kFirstSide), number(kOneAbove - 1));
  }
  if (blocks.is_loop) {
    decide_in_loop(*region, masks);
  } else if (asks_cost()) {
    decide_once(*region, masks);
  }
  split(kind, *region);
  front_.jump(labels(kind).entry[blocks.end()]);
}

// By masks all fibers go through all lines. By a split they go through those that it takes, and
// those of each side through their own.
void FlowSplits::decide_once(const Region& region, Label masks) {
  const Costs& costs = region.costs;
  const Operand least = number(least_fibers(context_.parameters));
  front_.set(kWhole, kMax, in(kThickness), least);
  front_.set(kGain, kMul, in(kWhole), number(costs.blocks - costs.parent));
  for (std::size_t side = 0; side < costs.sides.size(); ++side) {
    const auto fibers = static_cast<FrontCode::Register>(kFirstSide + side);
    front_.set(kPart, kMax, in(fibers), least);
    front_.set(kPart, kMul, in(kPart), number(costs.sides[side] + costs.moves[side]));
    front_.set(kGain, kSub, in(kGain), in(kPart));
  }
  front_.set(kGain, kSgt, in(kGain), number(0));
  front_.jump_if_zero(kGain, masks);
}

// Each turn adds what masked fibers will cost in the next one.
void FlowSplits::decide_in_loop(const Region& region, Label masks) {
  if (!asks_cost()) {
    front_.set(kGain, kSltU, in(kFirstSide), in(kThickness));
    front_.jump_if_zero(kGain, masks);
    return;
  }
  const Costs& costs = region.costs;
  const Operand least = number(least_fibers(context_.parameters));
  front_.set(kWhole, kMax, in(kThickness), least);
  front_.set(kPart, kMax, in(kFirstSide), least);
  front_.set(kGain, kSub, in(kWhole), in(kPart));
  front_.set(kGain, kMul, in(kGain), number(costs.blocks));
  front_.set(region.waste, kAdd, in(region.waste), in(kGain));
  front_.set(kGain, kMul, in(kWhole), number(costs.parent));
  front_.set(kPart, kMul, in(kPart), number(costs.moves.front()));
  front_.set(kGain, kAdd, in(kGain), in(kPart));
  front_.set(kGain, kSgt, in(region.waste), in(kGain));
  front_.jump_if_zero(kGain, masks);
}

FiberCode FlowSplits::fiber_code(FlowKind kind) const {
  FiberCode code;
  code.set_place(front_.place());
  if (kind == FlowKind::kSplitOff) code.set_thread_register(kThread);
  return code;
}

void FlowSplits::pack(const FiberCode& code) {
  const std::size_t from = context_.lines.size();
  code.pack(context_.first_free, context_.lines, context_.registers);
  for (std::size_t i = from; i < context_.lines.size(); ++i) context_.lines[i].splits = true;
}

std::size_t FlowSplits::place_of(const Region& region, std::uint32_t id) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(region.moved, id) -
                                  region.moved.begin());
}

// Of a thread: words of one register are beside each other.
ValueId FlowSplits::word_of(FiberCode& code, std::size_t moved) const {
  const Word base = context_.memory.values + moved * context_.threads * kWordBytes;
  return code.alu(kAdd, {code.alu(kShl, {code.thread(), code.constant(kWordShift)}),
                         code.constant(as_number(base))});
}

ValueId FlowSplits::next_word_of(FiberCode& code, const Region& region) const {
  return word_of(code, region.moved.size());
}

void FlowSplits::split(FlowKind kind, const Region& region) {
  number_fibers(kind, region);
  store_fibers(kind, region);
  fork(region);
  load_back(kind, region);
}

// One multiprefix numbers both sides: it counts one of them in the upper half of its word.
void FlowSplits::number_fibers(FlowKind kind, const Region& region) {
  FiberCode code = fiber_code(kind);
  const ValueId target =
      code.alu(kAnd, {code.front_register(kTarget), lies_in(code, region.blocks)});
  const ValueId count = code.alu(
      kSub, {code.constant(0), counted(code, region.blocks, code.in_register(kNextBlock))});
  code.assign(kPosition,
              code.memory(MemoryOperation::kBeginPrefix, Operator::kAdd, {count, target}));
  pack(code);
  // Entries of the scratchpad take a line of their own.
  FiberCode order;
  order.set_place(front_.place());
  const ValueId own = order.front_register(kTarget);
  order.memory(MemoryOperation::kOrderPrefix, Operator::kAdd, {own, own});
  pack(order);
}

void FlowSplits::store_fibers(FlowKind kind, const Region& region) {
  FiberCode code = fiber_code(kind);
  const SplitRegion& blocks = region.blocks;
  const ValueId moves = lies_in(code, blocks);
  const ValueId target = code.alu(kAnd, {code.front_register(kTarget), moves});
  const ValueId both = code.memory(MemoryOperation::kEndPrefix, Operator::kAdd,
                                   {code.in_register(kPosition), target});
  ValueId position = both;
  if (blocks.sides.size() == 2) {
    const SplitSide& side = blocks.sides.front();
    const ValueId is_first = lies_in(code, side.first, side.end, code.in_register(kNextBlock));
    const ValueId below = code.alu(kAnd, {both, code.constant(kOneAbove - 1)});
    const ValueId above = code.alu(
        kAdd, {code.alu(kShr, {both, code.constant(kCountBits)}), code.front_register(kFirstSide)});
    position = code.alu(kSel, {is_first, below, above});
  }
  const auto store = [&](ValueId value, ValueId place) {
    code.memory(MemoryOperation::kStore, Operator::kAdd, {value, code.alu(kAnd, {place, moves})});
  };
  store(code.thread(), code.alu(kAdd, {code.alu(kShl, {position, code.constant(kWordShift)}),
                                       code.front_register(kList)}));
  for (const std::uint32_t id : blocks.stored)
    store(code.in_register(id), word_of(code, place_of(region, id)));
  if (stores_next(blocks)) store(code.in_register(kNextBlock), next_word_of(code, region));
  pack(code);
}

void FlowSplits::fork(const Region& region) {
  front_.clear_word(kTarget);
  front_.set(kChildList, in(kList));
  if (region.blocks.sides.size() == 1) {
    front_.fork(region.begins.front(), kFirstSide);
    front_.join();
    return;
  }
  const Label second = front_.label();
  const Label done = front_.label();
  front_.jump_if_zero(kFirstSide, second);
  front_.fork(region.begins.front(), kFirstSide);
  if (region.blocks.in_turn) front_.join();
  front_.here(second);
  front_.jump_if_zero(kFirstSide + 1, done);
  front_.set(kPart, kShl, in(kFirstSide), number(kWordShift));
  front_.set(kChildList, kAdd, in(kList), in(kPart));
  front_.fork(region.begins.back(), kFirstSide + 1);
  front_.here(done);
  front_.join();
}

void FlowSplits::load_back(FlowKind kind, const Region& region) {
  const SplitRegion& blocks = region.blocks;
  if (blocks.end() == context_.blocks) return;  // nothing comes after it
  FiberCode code = fiber_code(kind);
  const ValueId moved = lies_in(code, blocks);
  const auto restore = [&](std::uint32_t target, ValueId value) {
    code.assign(target, code.alu(kSel, {moved, value, code.in_register(target)}));
  };
  const auto load = [&](ValueId place) {
    return code.memory(MemoryOperation::kLoad, Operator::kAdd, {code.alu(kAnd, {place, moved})});
  };
  for (const std::uint32_t id : blocks.left) restore(id, load(word_of(code, place_of(region, id))));
  restore(kNextBlock, blocks.next ? code.constant(*blocks.next) : load(next_word_of(code, region)));
  pack(code);
}

// A fiber of a flow that is split off learns which thread it is, and takes what it needs.
void FlowSplits::begin_side(const Region& region, std::size_t which) {
  const SplitSide& side = region.blocks.sides[which];
  front_.here(region.begins[which]);
  front_.set(kList, in(kChildList));
  front_.set(kDepth, kAdd, in(kDepth), number(1));
  front_.set(kEnd, number(region.blocks.is_loop ? region.blocks.end() : side.end));
  front_.set_line(kLastLine, region.ends);
  set_own_target();
  FiberCode first;
  const ValueId own = first.alu(kShl, {first.fiber_id(), first.constant(kWordShift)});
  first.assign(kThread, first.memory(MemoryOperation::kLoad, Operator::kAdd,
                                     {first.alu(kAdd, {own, first.front_register(kList)})}));
  if (!side.is_entered_late) first.assign(kNextBlock, first.constant(side.first));
  pack(first);
  FiberCode code = fiber_code(FlowKind::kSplitOff);
  const auto load = [&](ValueId place) {
    return code.memory(MemoryOperation::kLoad, Operator::kAdd, {place});
  };
  for (const std::uint32_t id : side.taken)
    code.assign(id, load(word_of(code, place_of(region, id))));
  if (side.is_entered_late) code.assign(kNextBlock, load(next_word_of(code, region)));
  pack(code);
  if (!region.blocks.is_loop) {
    front_.jump(labels(FlowKind::kSplitOff).entry[side.first]);
    return;
  }
  front_.set(region.waste, number(0));
  front_.jump(labels(FlowKind::kSplitOff).start[side.first]);
}

void FlowSplits::end_side(const Region& region) {
  const SplitRegion& blocks = region.blocks;
  front_.here(region.ends);
  FiberCode code = fiber_code(FlowKind::kSplitOff);
  const auto store = [&](std::uint32_t from, ValueId place) {
    code.memory(MemoryOperation::kStore, Operator::kAdd, {code.in_register(from), place});
  };
  for (const std::uint32_t id : blocks.left) store(id, word_of(code, place_of(region, id)));
  if (!blocks.next) store(kNextBlock, next_word_of(code, region));
  pack(code);
  front_.exit();
}

void FlowSplits::finish() {
  for (const Region& region : regions_) {
    for (std::size_t side = 0; side < region.blocks.sides.size(); ++side) begin_side(region, side);
    end_side(region);
  }
  front_.finish();
}

}  // namespace raddle::machine::tpa
