// Executes the instructions of one warp in program order, with divergence, calls and barriers. As
// fast as it can (run), for machines without timing, or one instruction at a time (step), for those
// that decide when each is issued. What happens on the way is told to an observer, known at compile
// time, so that telling costs nothing where nobody listens.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/demangle.h"
#include "kernel/exec/grid_state.h"
#include "kernel/exec/thread_block.h"

namespace raddle::kernel::exec {

// kSpinning: the warp polls memory that does not change; others should have their turn.
enum class Progress : std::uint8_t { kRunning, kBlocked, kSpinning, kFinished };

// Hears nothing. Observers have these functions.
struct SilentObserver {
  // From here on instructions are those of this function of the kernel's list.
  void in_function(std::size_t /*index*/) {}
  // A warp begins a basic block with these lanes.
  void begin_block(BlockId /*block*/, std::uint32_t /*instructions*/, LaneMask /*lanes*/) {}
  // Guards kept lanes out of the instruction at pc.
  void skip_lanes(std::uint32_t /*pc*/, LaneMask /*lanes*/) {}
  // An instruction accessed memory as Warp::access says.
  void access(const DecodedInstruction& /*instruction*/, const WarpState& /*warp*/) {}
  void branch(bool /*divergent*/) {}
  void arrive_at_barrier() {}
};

template <class Observer>
class WarpInterpreter {
 public:
  WarpInterpreter(GridState& grid, ThreadBlock& block, WarpState& warp, Observer& observer)
      : grid_(grid), block_(block), warp_(warp), observer_(observer) {}

  // Runs for at most about `budget` warp instructions (it stops between basic blocks) and takes
  // what it used off the budget; stops earlier if all lanes wait or spin.
  Progress run(std::int64_t& budget) {
    budget_ = budget;
    const Progress progress = run_to_budget();
    budget = budget_;
    return progress;
  }

  // The instruction that step() would execute, or null if all lanes wait or have ended.
  const DecodedInstruction* next() {
    if (!resume() && !pick()) return nullptr;
    save();
    return &function_->code[pc_];
  }

  // Executes that instruction. False: there was none.
  bool step() {
    if (!resume() && !pick()) return false;
    const DecodedBlock& block = function_->blocks[function_->code[pc_].block];
    if (pc_ == block.first) count_block(function_->code[pc_].block, block);
    warp_.running.valid = false;
    if (!run_block(pc_ + 1)) return true;
    const bool at_block_start = function_->blocks[function_->code[pc_].block].first == pc_;
    if (at_block_start && must_leave()) {
      join(*here_, pc_, mask_);
    } else {
      save();
    }
    return true;
  }

 private:
  // What a call itself takes of a thread's stack, so that endless recursion ends.
  static constexpr std::uint32_t kCallBytes = 16;
  // Lanes that read memory while others of their warp could go on yield to them after so many basic
  // blocks, even if what they read changes.
  static constexpr std::uint32_t kSpinBlocks = 4096;

  // Goes on with the split that the last step left.
  bool resume() {
    if (!warp_.running.valid) return false;
    here_ = &warp_.activations[static_cast<std::size_t>(warp_.current)];
    pc_ = warp_.running.pc;
    mask_ = warp_.running.mask;
    favoured_ = warp_.running.favoured;
    use_frame();
    return true;
  }
  void save() { warp_.running = {true, favoured_, pc_, mask_}; }

  Progress run_to_budget() {
    bool moved = false;  // what follows a barrier within a basic block is not counted again, so the
                         // budget does not tell
    while (!warp_.finished()) {
      if (!pick()) return moved ? Progress::kRunning : Progress::kBlocked;
      moved = true;
      run_split();
      if (budget_ <= 0) break;
      if (warp_.poll.spins() && !others_can_run()) {
        warp_.poll.restart();
        return Progress::kSpinning;
      }
    }
    return warp_.finished() ? Progress::kFinished : Progress::kRunning;
  }

  // --- choosing what runs

  static void merge_equal(Activation& activation) {
    auto& splits = activation.splits;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      for (std::size_t j = splits.size() - 1; j > i; --j) {
        if (splits[i].pc != splits[j].pc || splits[i].barrier != kNotWaiting ||
            splits[j].barrier != kNotWaiting)
          continue;
        splits[i].mask |= splits[j].mask;
        splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }

  static std::uint64_t position(const Activation& activation, std::uint32_t pc) {
    const DecodedFunction& function = *activation.function;
    return std::uint64_t{function.order[function.code[pc].block]} << 32 | pc;
  }

  // The runnable split of lowest rank, or none.
  static std::size_t first_runnable(const Activation& activation) {
    std::size_t best = activation.splits.size();
    for (std::size_t i = 0; i < activation.splits.size(); ++i) {
      if (activation.splits[i].barrier != kNotWaiting) continue;
      if (best == activation.splits.size() ||
          position(activation, activation.splits[i].pc) <
              position(activation, activation.splits[best].pc)) {
        best = i;
      }
    }
    return best;
  }

  // Takes the split to run next out of its activation into pc_ and mask_.
  bool pick() {
    if (warp_.current < 0) return false;
    Activation& current = warp_.activations[static_cast<std::size_t>(warp_.current)];
    if (yield_from_spin(current)) return true;
    // The deepest calls first: their lanes then rejoin their callers before those go on.
    for (std::size_t a = warp_.activations.size(); a-- > 0;) {
      Activation& other = warp_.activations[a];
      if (!other.in_use) continue;
      if (other.splits.size() > 1) merge_equal(other);
      const std::size_t split = first_runnable(other);
      if (split == other.splits.size()) continue;
      enter(static_cast<std::int32_t>(a), split);
      return true;
    }
    return false;
  }

  // Lanes that poll memory get nowhere if the lanes they wait for are in the same warp and never
  // run: let those go for a while.
  bool yield_from_spin(Activation& current) {
    const bool long_apart = warp_.diverged_blocks >= kSpinBlocks && warp_.polled_memory;
    if (!warp_.poll.spins() && !long_apart) return false;
    warp_.poll.restart();
    warp_.diverged_blocks = 0;
    warp_.polled_memory = false;
    const std::size_t spinning = first_runnable(current);
    for (std::size_t a = warp_.activations.size(); a-- > 0;) {
      Activation& candidate = warp_.activations[a];
      if (!candidate.in_use) continue;
      for (std::size_t s = 0; s < candidate.splits.size(); ++s) {
        if (candidate.splits[s].barrier != kNotWaiting || (&candidate == &current && s == spinning))
          continue;
        enter(static_cast<std::int32_t>(a), s);
        favoured_ = true;
        return true;
      }
    }
    return false;
  }

  // Whether a split beside the one that ranks first is ready.
  bool others_can_run() const {
    std::size_t ready = 0;
    for (const Activation& activation : warp_.activations) {
      if (!activation.in_use) continue;
      for (const Split& split : activation.splits) ready += split.barrier == kNotWaiting ? 1 : 0;
    }
    return ready > 1;
  }

  void enter(std::int32_t activation, std::size_t split) {
    warp_.current = activation;
    here_ = &warp_.activations[static_cast<std::size_t>(activation)];
    pc_ = here_->splits[split].pc;
    mask_ = here_->splits[split].mask;
    here_->splits.erase(here_->splits.begin() + static_cast<std::ptrdiff_t>(split));
    favoured_ = false;
    use_frame();
  }

  void use_frame() {
    function_ = here_->function;
    observer_.in_function(grid_.index_of(*function_));
    Warp& lanes = warp_.lanes;
    lanes.frame = here_->frame;
    lanes.parameters = here_->frame + function_->frame_bytes;
    lanes.parameter_bytes = function_->parameter_bytes;
    lanes.uniform_parameter_bytes = function_->ir->is_entry ? function_->incoming_bytes : 0;
    lanes.local_base = here_->local_base;
  }

  // --- the loop

  void run_split() {
    for (;;) {
      const DecodedBlock& block = function_->blocks[function_->code[pc_].block];
      if (pc_ == block.first) count_block(function_->code[pc_].block, block);
      if (!run_block(block.end)) return;
      if (must_leave()) {
        join(*here_, pc_, mask_);
        return;
      }
    }
  }

  void count_block(BlockId id, const DecodedBlock& block) {
    const std::uint32_t length = block.end - block.first;
    observer_.begin_block(id, length, mask_);
    budget_ -= length;
  }

  // At the start of a block: merge with lanes that wait here; leave if others should go first or
  // the time is up.
  bool must_leave() {
    if (budget_ <= 0 || warp_.poll.spins()) return true;
    if (here_->splits.empty() && warp_.current == 0) return false;
    ++warp_.diverged_blocks;
    if (warp_.diverged_blocks >= kSpinBlocks) {
      if (favoured_) {
        warp_.diverged_blocks = 0;
        return true;
      }
      if (warp_.polled_memory) return true;
    }
    auto& splits = here_->splits;
    for (std::size_t i = splits.size(); i-- > 0;) {
      if (splits[i].pc != pc_ || splits[i].barrier != kNotWaiting) continue;
      mask_ |= splits[i].mask;
      splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (favoured_) return false;
    const std::size_t first = first_runnable(*here_);
    return first < splits.size() && position(*here_, splits[first].pc) < position(*here_, pc_);
  }

  // Executes up to the end of the block. False: no lanes of this split are left to go on with.
  bool run_block(std::uint32_t end) {
    std::byte* const frame = here_->frame;
    while (pc_ < end) {
      const DecodedInstruction& d = function_->code[pc_];
      LaneMask active = mask_;
      if (d.guarded) {
        const LaneMask guard = *reinterpret_cast<const LaneMask*>(frame + d.guard);
        active &= d.guard_negated ? ~guard : guard;
        observer_.skip_lanes(pc_, mask_ & ~active);
      }
      switch (d.handler) {
        case Handler::kLaneLoop:
          if (active != 0) d.lanes(d, frame, active);
          ++pc_;
          continue;
        case Handler::kWarp:
          if (active != 0) run_memory(d, active);
          ++pc_;
          continue;
        case Handler::kNothing: ++pc_; continue;
        case Handler::kBranch: branch(d, active); return true;
        default:
          if (!run_control(d, active)) return false;
      }
    }
    return true;
  }

  void run_memory(const DecodedInstruction& d, LaneMask active) {
    d.warp(d, warp_.lanes, active);
    if (!warp_.lanes.faults.empty()) grid_.take_access_faults(warp_, *function_, d);
    if (!d.touches_memory) return;
    observer_.access(d, warp_);
    if (d.polls) {
      warp_.polled_memory = true;
      warp_.poll.poll(pc_, seen_by(d));
    } else {
      warp_.poll.access(warp_.lanes.access.address[first_lane(warp_.lanes.access.mask)]);
    }
  }

  static std::size_t first_lane(LaneMask mask) {
    return mask == 0 ? 0 : static_cast<std::size_t>(std::countr_zero(mask));
  }

  // A hash over the addresses that lanes polled and what they got.
  std::uint64_t seen_by(const DecodedInstruction& d) const {
    const MemoryAccess& access = warp_.lanes.access;
    const std::size_t bytes = d.destination_count == 0 ? 0 : d.element_bytes;
    std::uint64_t hash = access.mask;
    for (LaneMask left = access.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      std::uint64_t value = 0;
      std::memcpy(&value, here_->frame + d.destination[0] + lane * bytes, bytes);
      hash = (hash ^ access.address[lane] ^ value << 17) * 0x9e3779b97f4a7c15;
    }
    return hash;
  }

  void branch(const DecodedInstruction& d, LaneMask taken) {
    observer_.branch(taken != mask_ && taken != 0);
    const std::uint32_t target = function_->blocks[d.ir->targets[0]].first;
    const std::uint32_t next = pc_ + 1;
    if (taken == mask_) {
      pc_ = target;
      return;
    }
    if (taken == 0) {
      pc_ = next;
      return;
    }
    // Go on with whichever side ranks first; the other waits.
    if (position(*here_, target) < position(*here_, next)) {
      join(*here_, next, mask_ & ~taken);
      pc_ = target;
      mask_ = taken;
    } else {
      join(*here_, target, taken);
      pc_ = next;
      mask_ &= ~taken;
    }
  }

  // False: nothing of this split goes on from here.
  bool run_control(const DecodedInstruction& d, LaneMask active) {
    switch (d.handler) {
      case Handler::kIndexedBranch: return indexed_branch(d, active);
      case Handler::kBarrier: return barrier(d, active);
      case Handler::kReturn:
        if (warp_.current == 0) return end_lanes(active);
        return return_lanes(active);
      case Handler::kExit: return end_lanes(active);
      case Handler::kTrap:
        if (active != 0)
          grid_.stop(FaultKind::kTrap, "the kernel executed a trap", warp_, *function_, d,
                     std::countr_zero(active));
        ++pc_;
        return true;
      default: return call(d, active);
    }
  }

  bool indexed_branch(const DecodedInstruction& d, LaneMask active) {
    const std::uint32_t* index = warp_.lanes.lanes<std::uint32_t>(d.source[0]);
    const LaneMask rest = mask_ & ~active;
    LaneMask left = active;
    int groups = 0;
    while (left != 0) {
      const std::uint32_t value = index[std::countr_zero(left)];
      LaneMask same = 0;
      for (LaneMask others = left; others != 0; others &= others - 1) {
        if (index[std::countr_zero(others)] == value) same |= others & (~others + 1);
      }
      if (value >= d.ir->targets.size()) {
        grid_.stop(FaultKind::kOutOfBounds,
                   fmt::format("indexed branch to entry {} of {}", value, d.ir->targets.size()),
                   warp_, *function_, d, std::countr_zero(left));
      }
      join(*here_, function_->blocks[d.ir->targets[value]].first, same);
      left &= ~same;
      ++groups;
    }
    if (rest != 0) join(*here_, pc_ + 1, rest);
    observer_.branch(groups > 1);
    return false;
  }

  bool barrier(const DecodedInstruction& d, LaneMask active) {
    if (active == 0) {
      ++pc_;
      return true;
    }
    observer_.arrive_at_barrier();
    const int first = std::countr_zero(active);
    const std::uint32_t id =
        d.source_count > 0 ? warp_.lanes.lanes<std::uint32_t>(d.source[0])[first] : 0;
    if (id >= kBarriers) {
      grid_.stop(FaultKind::kUnsupported,
                 fmt::format("barrier {} does not exist; a block has {}", id, kBarriers), warp_,
                 *function_, d, first);
    }
    const bool counted = d.source_count > 1 && d.ir->sources[1].kind != Operand::Kind::kNone;
    const std::uint32_t expected =
        counted ? warp_.lanes.lanes<std::uint32_t>(d.source[1])[first] : 0;
    LaneMask holds = 0;
    if (d.source_count > 2) {
      const LaneMask predicate = *warp_.lanes.lanes<LaneMask>(d.source[2]);
      holds = ((d.negated_sources >> 2 & 1) != 0 ? ~predicate : predicate) & active;
    }
    const LaneMask rest = mask_ & ~active;
    const std::uint32_t at = pc_++;
    const bool waits = d.ir->mode != Mode::kBarrierArrive;
    if (waits) {
      here_->splits.push_back({.pc = pc_,
                               .mask = active,
                               .barrier = static_cast<std::int32_t>(id),
                               .barrier_pc = at,
                               .missing = grid_.options.check ? lanes_elsewhere(active) : 0});
      mask_ = rest;
    }
    // With a count, PTX counts whole warps; a warp that arrives with all its threads counts as
    // full.
    const bool whole = active == warp_.live;
    const auto threads =
        static_cast<std::uint32_t>(counted && whole ? kLanes : std::popcount(active));
    block_.arrive(warp_, static_cast<std::int32_t>(id), expected, threads,
                  static_cast<std::uint32_t>(std::popcount(holds)));
    return mask_ != 0;
  }

  // Live lanes of the warp that are neither here nor about to end.
  LaneMask lanes_elsewhere(LaneMask here) const {
    LaneMask elsewhere = warp_.live & ~here;
    for (const Activation& activation : warp_.activations) {
      if (!activation.in_use) continue;
      for (const Split& split : activation.splits) {
        const Handler handler = activation.function->code[split.pc].handler;
        if (handler == Handler::kReturn || handler == Handler::kExit) elsewhere &= ~split.mask;
      }
    }
    return elsewhere;
  }

  bool end_lanes(LaneMask active) {
    ++pc_;
    mask_ &= ~active;
    block_.end_threads(warp_, active);
    if (mask_ == 0) leave_if_empty();
    return mask_ != 0;
  }

  // --- calls

  void leave_if_empty() {
    while (warp_.current > 0 && here_->splits.empty() && !has_children(warp_.current)) {
      grid_.frames.give_back(*here_->function, here_->frame);
      here_->in_use = false;
      warp_.current = here_->parent;
      here_ = &warp_.activations[static_cast<std::size_t>(warp_.current)];
      while (!warp_.activations.back().in_use) warp_.activations.pop_back();
    }
  }

  bool has_children(std::int32_t activation) const {
    return std::any_of(
        warp_.activations.begin(), warp_.activations.end(),
        [&](const Activation& other) { return other.in_use && other.parent == activation; });
  }

  bool return_lanes(LaneMask active) {
    ++pc_;
    if (active == 0) return true;
    Activation& caller = warp_.activations[static_cast<std::size_t>(here_->parent)];
    const Function& callee = *function_->ir;
    const DecodedInstruction& call = caller.function->code[here_->call_pc];
    for (std::size_t r = 0; r < call.ir->call.returns.size() && r < callee.return_values.size();
         ++r) {
      const Slot& to = caller.function->ir->call_slots[call.ir->call.returns[r]];
      copy_rows(*here_, callee.return_values[r], caller, to, active);
    }
    join(caller, here_->call_pc + 1, active);
    mask_ &= ~active;
    if (mask_ != 0) return true;
    leave_if_empty();
    return false;
  }

  // Moves a slot's bytes between the parameter frames of two activations, for some lanes.
  static void copy_rows(const Activation& from, const Slot& from_slot, Activation& to,
                        const Slot& to_slot, LaneMask lanes) {
    const std::byte* source = from.frame + from.function->frame_bytes + from_slot.offset;
    std::byte* target = to.frame + to.function->frame_bytes + to_slot.offset;
    const std::size_t bytes = std::min(from_slot.size, to_slot.size);
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      std::memcpy(target + lane * to.function->parameter_bytes,
                  source + lane * from.function->parameter_bytes, bytes);
    }
  }

  bool call(const DecodedInstruction& d, LaneMask active) {
    const LaneMask rest = mask_ & ~active;
    if (active == 0) {
      ++pc_;
      return true;
    }
    if (d.ir->sources[0].kind != Operand::Kind::kSymbol) return indirect_call(d, active, rest);
    const CallTarget& target = grid_.kernel.call_targets[d.number];
    if (target.function == nullptr) return system_call(d, target, active);
    if (rest != 0) join(*here_, pc_ + 1, rest);
    begin_call(d, *target.function, active);
    return false;
  }

  bool system_call(const DecodedInstruction& d, const CallTarget& target, LaneMask active) {
    const int lane = std::countr_zero(active);
    if (target.system == SystemFunction::kUnresolved) {
      const std::string& name = function_->module->functions[d.ir->sources[0].index].name;
      grid_.stop(FaultKind::kUnsupported,
                 fmt::format("the function {} is nowhere defined", demangled(name)), warp_,
                 *function_, d, lane);
    }
    if (target.system == SystemFunction::kAssertFail) fail_assertion(d, lane);
    run_system_function(target.system, d, warp_.lanes, *function_->ir, active);
    ++pc_;
    return true;
  }

  [[noreturn]] void fail_assertion(const DecodedInstruction& d, int lane) {
    auto argument = [&](std::size_t index) {
      const Slot& slot = function_->ir->call_slots[d.ir->call.arguments[index]];
      std::uint64_t value = 0;
      const std::byte* place = warp_.lanes.resolve(Space::kParam, slot.offset, slot.size, lane);
      if (place != nullptr)
        std::memcpy(&value, place, std::min<std::size_t>(slot.size, sizeof(value)));
      return value;
    };
    const std::string condition = read_device_string(warp_.lanes, lane, argument(0));
    grid_.stop(FaultKind::kAssertion, fmt::format("assertion `{}` failed", condition), warp_,
               *function_, d, lane);
  }

  bool indirect_call(const DecodedInstruction& d, LaneMask active, LaneMask rest) {
    const std::uint64_t* address = warp_.lanes.lanes<std::uint64_t>(d.source[0]);
    if (rest != 0) join(*here_, pc_ + 1, rest);
    const std::int32_t caller = warp_.current;
    const std::uint32_t at = pc_;
    while (active != 0) {
      const int lane = std::countr_zero(active);
      LaneMask same = 0;
      for (LaneMask others = active; others != 0; others &= others - 1) {
        if (address[std::countr_zero(others)] == address[lane]) same |= others & (~others + 1);
      }
      const FunctionRef* ref = grid_.program.function_at(address[lane]);
      const DecodedFunction* target = ref == nullptr ? nullptr : grid_.kernel.find(*ref);
      if (target == nullptr) {
        grid_.stop(FaultKind::kOutOfBounds,
                   fmt::format("call through a pointer to no function ({:#x})", address[lane]),
                   warp_, *function_, d, lane);
      }
      begin_call(d, *target, same);
      active &= ~same;
      // Back to the caller to start the next group's call.
      warp_.current = caller;
      here_ = &warp_.activations[static_cast<std::size_t>(caller)];
      pc_ = at;
      use_frame();
    }
    return false;
  }

  void begin_call(const DecodedInstruction& d, const DecodedFunction& callee, LaneMask lanes) {
    const std::uint32_t base = here_->local_base + function_->local_bytes + kCallBytes;
    if (!warp_.lanes.grow_local(base + callee.local_bytes)) {
      grid_.stop(
          FaultKind::kStackOverflow,
          fmt::format("stack overflow: a call needs more than the {} bytes of a thread's stack",
                      grid_.options.stack_bytes),
          warp_, *function_, d, std::countr_zero(lanes));
    }
    Activation child;
    child.function = &callee;
    child.frame = grid_.frames.take(callee);
    child.local_base = base;
    child.parent = warp_.current;
    child.call_pc = pc_;
    child.in_use = true;
    for (std::size_t p = 0; p < d.ir->call.arguments.size() && p < callee.ir->parameters.size();
         ++p) {
      copy_rows(*here_, function_->ir->call_slots[d.ir->call.arguments[p]], child,
                callee.ir->parameters[p], lanes);
    }
    child.splits.push_back({.pc = 0, .mask = lanes});
    warp_.activations.push_back(std::move(child));
    warp_.current = static_cast<std::int32_t>(warp_.activations.size()) - 1;
    here_ = &warp_.activations.back();
    warp_.lanes.local_base = base;
    fill_specials(callee, warp_.lanes, here_->frame);
  }

  GridState& grid_;
  ThreadBlock& block_;
  WarpState& warp_;
  Observer& observer_;
  std::int64_t budget_ = INT64_MAX;
  Activation* here_ = nullptr;
  const DecodedFunction* function_ = nullptr;
  std::uint32_t pc_ = 0;
  LaneMask mask_ = 0;
  bool favoured_ = false;
};

}  // namespace raddle::kernel::exec
