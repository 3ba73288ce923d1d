// Executes the instructions of one warp in program order, with divergence, calls and barriers. As
// fast as it can (run), for machines without timing, or one instruction at a time (step), for those
// that decide when each is issued. What happens on the way is told to an observer, known at compile
// time, so that telling costs nothing where nobody listens.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernel/exec/compiled_code.h"
#include "kernel/exec/grid_state.h"
#include "kernel/exec/thread_block.h"
#include "kernel/exec/warp_function.h"
#include "kernel/exec/warp_sync.h"

namespace raddle::kernel::exec {

// kSpinning: the warp polls memory that does not change; others should have their turn.
enum class Progress : std::uint8_t { kRunning, kBlocked, kSpinning, kFinished };

// An observer may have compiled code of a function (null: none); it hears nothing of what that code
// does but how many warp instructions it took.
template <class Observer>
concept HasCompiledCode =
    requires(Observer& observer, const DecodedFunction& function, std::int64_t instructions) {
      { observer.compiled(function) } -> std::convertible_to<const CompiledCode*>;
      observer.ran_compiled(instructions);
    };

// Hears nothing. Observers have these functions.
struct SilentObserver {
  // From here on instructions are those of this function of the kernel's list; not told to
  // observers that derive from this one.
  void in_function(std::size_t /*index*/) {}
  // A warp begins a basic block with these lanes.
  void begin_block(BlockId /*block*/, std::uint32_t /*instructions*/, LaneMask /*lanes*/) {}
  // Guards kept lanes out of the instruction at pc.
  void skip_lanes(std::uint32_t /*pc*/, LaneMask /*lanes*/) {}
  // An instruction accessed memory as Warp::access says.
  void access(const DecodedInstruction& /*instruction*/, const WarpState& /*warp*/) {}
  void branch(bool /*divergent*/) {}
  void arrive_at_barrier() {}
  // Lanes got values of other threads.
  void receive(const DecodedInstruction& /*instruction*/, LaneMask /*lanes*/) {}
};

// Observers that also hear what orders accesses: fences, and lanes that synchronise with those that
// their member masks name.
template <class Observer>
concept HearsOrder = requires(Observer& observer, const DecodedInstruction& instruction,
                              const WarpState& warp, LaneMask lanes, const LaneMask* members) {
  observer.fence(instruction, warp, lanes);
  observer.synchronise(warp, lanes, members);
};

template <class Observer>
class WarpInterpreter : private WarpSync {
 public:
  WarpInterpreter(GridState& grid, ThreadBlock& block, WarpState& warp, Observer& observer)
      : WarpSync(grid, block, warp), observer_(observer) {}

  // Runs for at most about `budget` warp instructions (it stops between basic blocks) and takes
  // what it used off the budget; stops earlier if all lanes wait or spin.
  Progress run(std::int64_t& budget) {
    budget_ = budget;
    // Where all others had their turn and nothing was tagged, lanes do not wait together any
    // longer.
    patient_ = !warp_.waits_together || block_.channels().tag_count() != warp_.tags_seen;
    if (!patient_) wake_receivers();
    const Progress progress = run_to_budget();
    budget = budget_;
    return progress;
  }

  // After an observer has thrown at the beginning of a block: executes so many of its instructions,
  // fewer than it has, and leaves the warp there.
  void run_part_of_block(std::uint32_t instructions) {
    if (run_block(pc_ + instructions)) join(*here_, pc_, mask_);
  }

  // The instruction that step() would execute, or null if all lanes wait or have ended.
  const DecodedInstruction* next() {
    for (bool found = resume() || pick(); found; found = pick()) {
      const DecodedInstruction& d = function_->code[pc_];
      if (d.handler == Handler::kSync && !gather(d)) {
        warp_.running.valid = false;
        continue;
      }
      save();
      return &d;
    }
    return nullptr;
  }

  // Executes the instruction that the last next() found, for the lanes that `lanes` then says, and
  // returns what comes next.
  const DecodedInstruction* step_and_next(LaneMask& lanes) {
    resume();
    const DecodedInstruction& d = function_->code[pc_];
    if (d.handler == Handler::kSync) gather(d);
    lanes = active_lanes(d, warp_, mask_);
    const DecodedBlock& block = function_->blocks[d.block];
    if (pc_ == block.first) count_block(d.block, block);
    warp_.running.valid = false;
    if (!run_block(pc_ + 1)) return next();
    const DecodedInstruction& following = function_->code[pc_];
    if (function_->blocks[following.block].first == pc_ && must_leave()) {
      join(*here_, pc_, mask_);
      return next();
    }
    save();
    return following.handler == Handler::kSync ? next() : &following;
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
    if (warp_.waits_for_threads && block_.channels().tag_count() != warp_.tags_seen)
      wake_receivers();
    if (warp_.waits_for_lanes) release_gathered(warp_.poll.spins());
    Activation& current = warp_.activations[static_cast<std::size_t>(warp_.current)];
    if (yield_from_spin(current) || pick_first()) return true;
    return warp_.waits_for_lanes && release_first_stuck() && pick_first();
  }

  bool pick_first() {
    Activation& kernel = warp_.activations.front();
    const bool together = kernel.splits.size() == 1 && warp_.activations.size() == 1;
    if (together &&
        kernel.splits.front().barrier == kNotWaiting) {  // as most are, most of the time
      enter(0, 0);
      return true;
    }
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

  // Lanes that wait for other threads try again.
  void wake_receivers() {
    for (Activation& activation : warp_.activations) {
      for (Split& split : activation.splits) {
        if (split.barrier == kWaitsForThread) split.barrier = kNotWaiting;
      }
    }
    warp_.waits_for_threads = false;
    warp_.waits_together = false;
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
    WarpCalls::use_frame();
    if constexpr (!std::is_base_of_v<SilentObserver, Observer>)
      observer_.in_function(grid_.index_of(*function_));
  }

  // --- the loop

  void run_split() {
    for (;;) {
      bool counted = false;
      if constexpr (HasCompiledCode<Observer>) {
        if (run_compiled(counted) && !counted) {
          if (!must_leave()) continue;
          join(*here_, pc_, mask_);
          return;
        }
      }
      const DecodedBlock& block = function_->blocks[function_->code[pc_].block];
      if (pc_ == block.first && !counted) count_block(function_->code[pc_].block, block);
      if (!run_block(block.end)) return;
      if (must_leave()) {
        join(*here_, pc_, mask_);
        return;
      }
    }
  }

  // Goes on with compiled code, if there is some for this place. It stands at the beginning of a
  // block then, or within one that has been counted.
  bool run_compiled(bool& counted) {
    const CompiledCode* const code = observer_.compiled(*function_);
    if (code == nullptr || !code->entries[pc_] || favoured_ || warp_.released != 0) return false;
    if (code->only_together && (warp_.current != 0 || !here_->splits.empty())) return false;
    Warp& lanes = warp_.lanes;
    DeviceMemory& memory = *grid_.device.memory;
    // What was executed counts, also where the launch ends within the code.
    struct State : CompiledState {
      explicit State(WarpInterpreter& owner) : self(owner) { budget = owner.budget_; }
      ~State() {
        self.observer_.ran_compiled(self.budget_ - budget);
        self.budget_ = budget;
      }
      WarpInterpreter& self;
    } state(*this);
    state.frame = here_->frame;
    state.global = memory.view(kGlobalBase);
    state.global_bytes = memory.arena_bytes();
    state.shared = lanes.shared.data();
    state.shared_bytes = lanes.shared.size();
    state.parameters = grid_.device.kernel_parameters.data();
    state.carry_out = [](CompiledState* called, std::uint32_t pc, LaneMask active) {
      if (active == 0) return;
      WarpInterpreter& self = static_cast<State*>(called)->self;
      const DecodedInstruction& d = self.function_->code[pc];
      if (d.handler == Handler::kLaneLoop) {
        d.lanes(d, self.here_->frame, active);
      } else {
        run_warp_function(self.grid_, self.warp_, d, pc, active);
      }
    };
    state.pc = pc_;
    state.mask = mask_;
    state.live = warp_.live;
    state.rank_limit = ~std::uint32_t{0};
    for (const Split& split : here_->splits) {
      if (split.barrier != kNotWaiting) continue;
      state.rank_limit =
          std::min(state.rank_limit, function_->order[function_->code[split.pc].block]);
    }
    code->run(&state);
    pc_ = state.pc;
    counted = state.at_instruction != 0;
    return true;
  }

  void count_block(BlockId id, const DecodedBlock& block) {
    const std::uint32_t length = block.end - block.first;
    budget_ -= length;
    // Lanes that are released stand at a .sync that begins the block, and were told of before.
    const LaneMask lanes = mask_ & ~warp_.released;
    if (lanes != 0) observer_.begin_block(id, length, lanes);
  }

  // At the start of a block: merge with lanes that wait here; leave if others should go first or
  // the time is up.
  bool must_leave() {
    if (budget_ <= 0 || warp_.poll.spins()) return true;
    if (here_->splits.empty() && warp_.current == 0) {
      warp_.diverged_blocks = 0;
      warp_.polled_memory = false;
      return false;
    }
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
    const DecodedInstruction* const code = function_->code.data();
    LaneMask mask = mask_;  // here and not in the object, which every call below could change
    for (std::uint32_t pc = pc_; pc < end; ++pc) {
      const DecodedInstruction& d = code[pc];
      LaneMask active = mask;
      if (d.guarded) {
        const LaneMask guard = *reinterpret_cast<const LaneMask*>(frame + d.guard);
        active &= d.guard_negated ? ~guard : guard;
        observer_.skip_lanes(pc, mask & ~active);
      }
      switch (d.handler) {
        case Handler::kLaneLoop:
          if (active != 0) d.lanes(d, frame, active);
          continue;
        case Handler::kWarp:
          if (active != 0) run_memory(d, pc, active);
          continue;
        case Handler::kNothing:
          if constexpr (HearsOrder<Observer>) {
            if (active != 0 && d.ir->opcode == Opcode::kFence) observer_.fence(d, warp_, active);
          }
          continue;
        case Handler::kBranch:
          pc_ = pc;
          branch(d, active);
          return true;
        default:
          pc_ = pc;
          if (!run_control(d, active)) return false;
          pc = pc_ - 1;  // it stands at what comes next
          mask = mask_;
      }
    }
    pc_ = end;
    return true;
  }

  void run_memory(const DecodedInstruction& d, std::uint32_t pc, LaneMask active) {
    if (run_warp_function(grid_, warp_, d, pc, active)) observer_.access(d, warp_);
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

  // False: nothing of this split goes on from here. Apart from the loop above, which is faster
  // without it.
  [[gnu::noinline]] bool run_control(const DecodedInstruction& d, LaneMask active) {
    switch (d.handler) {
      case Handler::kIndexedBranch: return indexed_branch(d, active);
      case Handler::kBarrier: return barrier(d, active);
      case Handler::kSync: return sync(d);
      case Handler::kInterThread: return inter_thread(d, active);
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
    if (id >= kBarriers) stop_at_unknown_barrier(d, id, first);
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
      here_->splits.push_back(
          {.pc = pc_,
           .mask = active,
           .barrier = static_cast<std::int32_t>(id),
           .barrier_pc = at,
           .missing = grid_.options.check.barrier ? lanes_elsewhere(active) : 0});
      mask_ = rest;
    }
    // With a count, PTX counts whole warps; a warp that arrives with all its threads counts as
    // full.
    const bool whole = active == warp_.live;
    const auto threads =
        static_cast<std::uint32_t>(counted && whole ? kLanes : std::popcount(active));
    if (block_.listener() != nullptr)
      block_.listener()->arrive(warp_.lanes.warp_index, static_cast<std::int32_t>(id), waits);
    block_.arrive(warp_, static_cast<std::int32_t>(id), expected, threads,
                  static_cast<std::uint32_t>(std::popcount(holds)));
    return mask_ != 0;
  }

  bool sync(const DecodedInstruction& d) {
    if (!gather(d)) return false;
    const LaneMask active = active_lanes(d, warp_, mask_);
    warp_.released &= ~active;
    if constexpr (HearsOrder<Observer>) {
      if (active != 0)
        observer_.synchronise(warp_, active,
                              reinterpret_cast<const LaneMask*>(here_->frame + d.members));
    }
    if (active != 0 && d.ir->opcode != Opcode::kWarpSync)
      run_warp_function(grid_, warp_, d, pc_, active);
    ++pc_;
    return true;
  }

  void wait_for_threads(LaneMask lanes) {
    here_->splits.push_back(
        {.pc = pc_, .mask = lanes, .barrier = kWaitsForThread, .barrier_pc = pc_});
    mask_ &= ~lanes;
    // The older of two looks counts: what was tagged between them may be what the first misses.
    if (!warp_.waits_for_threads) warp_.tags_seen = block_.channels().tag_count();
    warp_.waits_for_threads = true;
  }

  // Lanes that must wait stay behind, and if it is for other warps alone, the others stay with them
  // as long as these get on; after a tag, those of the warp that waited go first. So lanes meet
  // again.
  bool inter_thread(const DecodedInstruction& d, LaneMask active) {
    Channels& channels = block_.channels();
    const LaneMask early =
        patient_ ? channels.waiting_for_other_warps(d, warp_.lanes, active) : LaneMask{0};
    if (early != 0) {
      warp_.waits_together |= early != mask_;
      wait_for_threads(mask_);
      return false;
    }
    const std::uint64_t tags_before = channels.tag_count();
    const Channels::Outcome outcome = channels.execute(d, warp_.lanes, active);
    if (!warp_.lanes.faults.empty()) grid_.take_access_faults(warp_, *function_, d);
    if (outcome.accessed_memory) observer_.access(d, warp_);
    if (outcome.received != 0) observer_.receive(d, outcome.received);
    if (outcome.waiting != 0) {
      wait_for_threads(outcome.waiting);
      patient_ = patient_ || mask_ != 0;  // some got on
    }
    ++pc_;
    if (outcome.waiting != 0 || !warp_.waits_for_threads || channels.tag_count() == tags_before)
      return mask_ != 0;
    join(*here_, pc_, mask_);
    return false;
  }

  [[noreturn]] void stop_at_unknown_barrier(const DecodedInstruction& d, std::uint32_t id,
                                            int lane) {
    grid_.stop(FaultKind::kUnsupported,
               fmt::format("barrier {} does not exist; a block has {}", id, kBarriers), warp_,
               *function_, d, lane);
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

  Observer& observer_;
  std::int64_t budget_ = INT64_MAX;
  bool favoured_ = false;
  bool patient_ = false;  // lanes wait for other warps together
};

}  // namespace raddle::kernel::exec
