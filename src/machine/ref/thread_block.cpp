#include "machine/ref/thread_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/ref/interpreter.h"

namespace raddle::machine::ref {

using kernel::exec::DecodedFunction;
using kernel::exec::DecodedInstruction;
using kernel::exec::kAllLanes;
using kernel::exec::kLanes;
using kernel::exec::LaneMask;

namespace {

// A warp's turn within its block's slice, so that warps that wait for each other through memory
// make progress.
constexpr std::int64_t kWarpTurn = 4096;

}  // namespace

ThreadBlock::ThreadBlock(Execution& execution)
    : execution_(execution),
      shared_(execution.kernel.static_shared_bytes + execution.launch.dynamic_shared_bytes),
      warps_((execution.launch.block.count() + kLanes - 1) / kLanes) {}

void ThreadBlock::begin(std::uint64_t block_number) {
  const Dim3& grid = execution_.launch.grid;
  index_ = {static_cast<std::uint32_t>(block_number % grid.x),
            static_cast<std::uint32_t>(block_number / grid.x % grid.y),
            static_cast<std::uint32_t>(block_number / grid.x / grid.y)};
  multiprocessor_ = static_cast<std::uint32_t>(block_number % execution_.device.multiprocessors);
  live_threads_ = static_cast<std::uint32_t>(execution_.launch.block.count());
  barriers_ = {};
  if (execution_.communication) writers_.assign((shared_.size() + 3) / 4, 0);
  next_warp_ = 0;
  std::uint32_t left = live_threads_;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    const std::uint32_t threads = std::min<std::uint32_t>(left, kLanes);
    begin_warp(w, threads);
    left -= threads;
  }
}

void ThreadBlock::begin_warp(std::uint32_t index, std::uint32_t threads) {
  WarpState& warp = warps_[index];
  const DecodedFunction& entry = execution_.kernel.entry();
  warp.live = threads == kLanes ? kAllLanes : (LaneMask{1} << threads) - 1;
  warp.current = 0;
  warp.diverged_blocks = 0;
  warp.polled_memory = false;
  kernel::exec::Warp& lanes = warp.lanes;
  lanes.device = &execution_.device;
  lanes.shared = shared_;
  lanes.block_index = index_;
  lanes.warp_index = index;
  lanes.multiprocessor = multiprocessor_;
  lanes.live = warp.live;
  lanes.local_limit = execution_.stack_bytes;
  lanes.local_base = 0;
  if (entry.local_bytes > 0 && !lanes.grow_local(entry.local_bytes)) {
    execution_.stop(
        FaultKind::kStackOverflow,
        fmt::format(
            "stack overflow: the kernel needs {} bytes of local memory a thread, the limit is {}",
            entry.local_bytes, execution_.stack_bytes),
        warp, entry, entry.code[0], 0);
  }
  if (warp.activations.empty()) {
    warp.activations.emplace_back();
    warp.activations[0].frame = execution_.frames.take(entry);
  }
  Activation& kernel = warp.activations[0];
  kernel.function = &entry;
  kernel.in_use = true;
  kernel.splits.clear();
  kernel.splits.push_back({0, warp.live, kNotWaiting, 0});
  kernel::exec::fill_specials(entry, lanes, kernel.frame);
}

bool ThreadBlock::run(std::int64_t slice) {
  std::size_t blocked = 0;
  while (live_threads_ > 0) {
    WarpState& warp = warps_[next_warp_];
    if (!warp.finished()) {
      std::int64_t turn = std::min(slice, kWarpTurn);
      const std::int64_t before = turn;
      const Progress progress = run_warp(execution_, *this, warp, turn);
      slice -= before - turn;
      blocked = progress == Progress::kBlocked ? blocked + 1 : 0;
    } else {
      ++blocked;
    }
    next_warp_ = (next_warp_ + 1) % warps_.size();
    if (live_threads_ > 0 && blocked > warps_.size()) report_deadlock();
    if (slice <= 0) return live_threads_ == 0;
  }
  return true;
}

void ThreadBlock::arrive(WarpState&, std::int32_t id, std::uint32_t expected, std::uint32_t threads,
                         std::uint32_t true_threads) {
  Barrier& barrier = barriers_[static_cast<std::size_t>(id)];
  barrier.waiting = true;
  barrier.arrived += threads;
  barrier.count_true += true_threads;
  barrier.count_false += threads - std::min(threads, true_threads);
  if (expected != 0) barrier.expected = expected;
  complete_if_due(id);
}

void ThreadBlock::note_access(const WarpState& warp, const DecodedInstruction& instruction) {
  execution_.communication->note(instruction, warp, writers_);
}

void ThreadBlock::end_threads(WarpState& warp, LaneMask lanes) {
  if (lanes == 0) return;
  warp.live &= ~lanes;
  live_threads_ -= static_cast<std::uint32_t>(std::popcount(lanes));
  for (std::int32_t id = 0; id < kBarriers; ++id) {
    if (barriers_[static_cast<std::size_t>(id)].waiting) complete_if_due(id);
  }
}

void ThreadBlock::complete_if_due(std::int32_t id) {
  const Barrier& barrier = barriers_[static_cast<std::size_t>(id)];
  const std::uint32_t needed = barrier.expected != 0 ? barrier.expected : live_threads_;
  if (barrier.arrived >= needed) release(id);
}

void ThreadBlock::release(std::int32_t id) {
  if (execution_.options.check) check_convergence(id);
  const Barrier barrier = barriers_[static_cast<std::size_t>(id)];
  barriers_[static_cast<std::size_t>(id)] = {};
  for (WarpState& warp : warps_) {
    for (Activation& activation : warp.activations) {
      if (!activation.in_use) continue;
      for (Split& split : activation.splits) {
        if (split.barrier != id) continue;
        split.barrier = kNotWaiting;
        write_reduction(activation, split, barrier);
      }
    }
  }
}

void ThreadBlock::write_reduction(const Activation& activation, const Split& split,
                                  const Barrier& barrier) const {
  const DecodedInstruction& d = activation.function->code[split.barrier_pc];
  if (d.destination_count == 0) return;
  std::byte* place = activation.frame + d.destination[0];
  if (d.ir->mode == kernel::Mode::kBarrierPopc) {
    auto* out = reinterpret_cast<std::uint32_t*>(place);
    for (LaneMask left = split.mask; left != 0; left &= left - 1)
      out[std::countr_zero(left)] = barrier.count_true;
    return;
  }
  const bool value =
      d.ir->mode == kernel::Mode::kBarrierAnd ? barrier.count_false == 0 : barrier.count_true > 0;
  auto* out = reinterpret_cast<LaneMask*>(place);
  *out = (*out & ~split.mask) | (value ? split.mask : 0);
}

// Checked mode: threads that meet at different barrier instructions did not all reach the same one.
void ThreadBlock::check_convergence(std::int32_t id) {
  const DecodedFunction* function = nullptr;
  std::uint32_t pc = 0;
  for (const WarpState& warp : warps_) {
    for (const Activation& activation : warp.activations) {
      if (!activation.in_use) continue;
      for (const Split& split : activation.splits) {
        if (split.barrier != id) continue;
        if (function == nullptr) {
          function = activation.function;
          pc = split.barrier_pc;
        }
        if (function == activation.function && pc == split.barrier_pc) continue;
        const std::string other =
            function->module->describe_location(function->code[pc].ir->location);
        execution_.add_fault(execution_.describe(
            FaultKind::kBarrierDivergence,
            fmt::format(
                "barrier divergence: threads of the block wait at different barriers, others at {}",
                other),
            warp, *activation.function, activation.function->code[split.barrier_pc],
            std::countr_zero(split.mask)));
        return;
      }
    }
  }
}

void ThreadBlock::describe_warps(std::vector<std::string>& lines, std::size_t most) const {
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    const WarpState& warp = warps_[w];
    if (warp.finished()) continue;
    for (const Activation& activation : warp.activations) {
      if (!activation.in_use) continue;
      for (const Split& split : activation.splits) {
        if (lines.size() >= most) return;
        const bool waits = split.barrier != kNotWaiting;
        const std::uint32_t pc = waits ? split.barrier_pc : split.pc;
        const auto& code = activation.function->code;
        std::string where = activation.function->module->describe_location(
            code[std::min<std::size_t>(pc, code.size() - 1)].ir->location);
        if (where.empty()) where = activation.function->ir->name;
        lines.push_back(fmt::format(
            "block ({},{},{}) warp {}: {} of {} live threads at {}{}", index_[0], index_[1],
            index_[2], w, std::popcount(split.mask), std::popcount(warp.live), where,
            waits ? fmt::format(", waiting at barrier {}", split.barrier) : ""));
      }
    }
  }
}

void ThreadBlock::report_deadlock() {
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.message = "deadlock: threads of the block wait at a barrier that the others never reach";
  fault.kernel = execution_.kernel_name;
  fault.block = {index_[0], index_[1], index_[2]};
  describe_warps(fault.details, 64);
  fault.ends_launch = true;
  for (const WarpState& warp : warps_) {
    for (const Activation& activation : warp.activations) {
      for (const Split& split : activation.splits) {
        if (!activation.in_use || split.barrier == kNotWaiting || !fault.location.empty()) continue;
        fault.location = activation.function->module->describe_location(
            activation.function->code[split.barrier_pc].ir->location);
      }
    }
  }
  execution_.add_fault(std::move(fault));
  throw LaunchStopped{};
}

}  // namespace raddle::machine::ref
