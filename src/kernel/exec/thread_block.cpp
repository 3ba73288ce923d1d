#include "kernel/exec/thread_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace raddle::kernel::exec {
namespace {

// A card gives shared memory to blocks in such units; a block reaches all of its last one.
constexpr std::size_t kSharedUnit = 256;

std::size_t reachable_shared_bytes(const GridState& grid) {
  const std::size_t bytes = grid.device.total_shared_bytes;
  return grid.options.check.memory ? bytes : (bytes + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
}

}  // namespace

ThreadBlock::ThreadBlock(GridState& grid)
    : grid_(grid),
      shared_(reachable_shared_bytes(grid)),
      warps_((grid.launch.block.count() + kLanes - 1) / kLanes),
      channels_(grid.kernel, grid.launch.block) {}

void ThreadBlock::begin(std::uint64_t block_number) {
  const Dim3& grid = grid_.launch.grid;
  index_ = {static_cast<std::uint32_t>(block_number % grid.x),
            static_cast<std::uint32_t>(block_number / grid.x % grid.y),
            static_cast<std::uint32_t>(block_number / grid.x / grid.y)};
  multiprocessor_ = grid_.options.multiprocessor.value_or(
      static_cast<std::uint32_t>(block_number % grid_.device.multiprocessors));
  live_threads_ = static_cast<std::uint32_t>(grid_.launch.block.count());
  barriers_ = {};
  channels_.begin();
  const auto asked_for = static_cast<std::ptrdiff_t>(grid_.device.total_shared_bytes);
  std::fill(shared_.begin() + asked_for, shared_.end(), std::byte{0});
  std::uint32_t left = live_threads_;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    const std::uint32_t threads = std::min<std::uint32_t>(left, kLanes);
    begin_warp(w, threads);
    left -= threads;
  }
}

void ThreadBlock::begin_warp(std::uint32_t index, std::uint32_t threads) {
  WarpState& warp = warps_[index];
  const DecodedFunction& entry = grid_.kernel.entry();
  warp.live = threads == kLanes ? kAllLanes : (LaneMask{1} << threads) - 1;
  warp.current = 0;
  warp.diverged_blocks = 0;
  warp.running = {};
  warp.poll.restart();
  warp.polled_memory = false;
  warp.waits_for_threads = false;
  warp.waits_together = false;
  warp.waits_for_lanes = false;
  warp.released = 0;
  Warp& lanes = warp.lanes;
  lanes.device = &grid_.device;
  lanes.shared = shared_;
  lanes.block_index = index_;
  lanes.warp_index = index;
  lanes.multiprocessor = multiprocessor_;
  lanes.live = warp.live;
  lanes.local_limit = grid_.options.stack_bytes;
  lanes.local_base = 0;
  if (entry.local_bytes > 0 && !lanes.grow_local(entry.local_bytes)) {
    grid_.stop(
        FaultKind::kStackOverflow,
        fmt::format(
            "stack overflow: the kernel needs {} bytes of local memory a thread, the limit is {}",
            entry.local_bytes, grid_.options.stack_bytes),
        warp, entry, entry.code[0], 0);
  }
  if (warp.activations.empty()) {
    warp.activations.emplace_back();
    warp.activations[0].frame = grid_.frames.take(entry);
    fill_specials(entry, lanes, warp.activations[0].frame);
  } else {
    refill_specials(entry, lanes, warp.activations[0].frame);
  }
  Activation& entered = warp.activations[0];
  entered.function = &entry;
  entered.in_use = true;
  entered.splits.clear();
  entered.splits.push_back({.pc = 0, .mask = warp.live});
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
  if (grid_.options.check.barrier) check_convergence(id);
  const Barrier barrier = barriers_[static_cast<std::size_t>(id)];
  if (listener_ != nullptr)
    listener_->complete(id, barrier.expected == 0 || barrier.expected >= live_threads_);
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
  if (d.ir->mode == Mode::kBarrierPopc) {
    auto* out = reinterpret_cast<std::uint32_t*>(place);
    for (LaneMask left = split.mask; left != 0; left &= left - 1)
      out[std::countr_zero(left)] = barrier.count_true;
    return;
  }
  const bool value =
      d.ir->mode == Mode::kBarrierAnd ? barrier.count_false == 0 : barrier.count_true > 0;
  auto* out = reinterpret_cast<LaneMask*>(place);
  *out = (*out & ~split.mask) | (value ? split.mask : 0);
}

// Checked mode: threads that meet at different barrier instructions did not all reach the same one,
// and lanes that left their warp at the barrier and came to none did not reach any. A warp that
// ends without coming is not reported: as on a card, threads that have ended are not waited for,
// and whether they returned early, which is common and right, or passed the barrier by cannot be
// told.
void ThreadBlock::check_convergence(std::int32_t id) {
  const Activation* first = nullptr;
  std::uint32_t first_pc = 0;
  for (const WarpState& warp : warps_) {
    LaneMask waiting = 0, missing = 0;
    const Activation* last = nullptr;
    std::uint32_t last_pc = 0;
    for (const Activation& activation : warp.activations) {
      if (!activation.in_use) continue;
      for (const Split& split : activation.splits) {
        if (split.barrier != id) continue;
        waiting |= split.mask;
        missing |= split.missing;
        last = &activation;
        last_pc = split.barrier_pc;
        if (first == nullptr) {
          first = &activation;
          first_pc = split.barrier_pc;
        }
        if (first->function == activation.function && first_pc == split.barrier_pc) continue;
        const DecodedFunction& other = *first->function;
        report_divergence(
            warp, activation, split.barrier_pc, split.mask,
            fmt::format("threads of the block wait at different barriers, others at {}",
                        other.module->describe_location(other.code[first_pc].ir->location)));
        return;
      }
    }
    if ((missing & ~waiting) == 0) continue;
    report_divergence(warp, *last, last_pc, missing & ~waiting,
                      "this thread did not reach the barrier at which others of its warp wait");
    return;
  }
}

void ThreadBlock::report_divergence(const WarpState& warp, const Activation& activation,
                                    std::uint32_t pc, LaneMask lanes, const std::string& what) {
  grid_.add_fault(grid_.describe(FaultKind::kBarrierDivergence, "barrier divergence: " + what, warp,
                                 *activation.function, activation.function->code[pc],
                                 std::countr_zero(lanes)));
}

void ThreadBlock::describe_warps(std::vector<std::string>& lines, std::size_t most,
                                 std::string_view doing) const {
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    const WarpState& warp = warps_[w];
    if (warp.finished()) continue;
    for (std::size_t a = 0; a < warp.activations.size(); ++a) {
      const Activation& activation = warp.activations[a];
      if (!activation.in_use) continue;
      std::vector<Split> splits = activation.splits;
      if (warp.running.valid && static_cast<std::int32_t>(a) == warp.current)
        splits.push_back({.pc = warp.running.pc, .mask = warp.running.mask});
      for (const Split& split : splits) {
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
            waits ? wait_text(activation, split, static_cast<std::uint32_t>(w)) : doing));
      }
    }
  }
}

std::string ThreadBlock::thread_text(std::uint32_t thread) const {
  const Dim3& block = grid_.launch.block;
  return fmt::format("({},{},{})", thread % block.x, thread / block.x % block.y,
                     thread / block.x / block.y);
}

std::string ThreadBlock::channel_text(const Activation& activation,
                                      const DecodedInstruction& receive) const {
  const auto& names = activation.function->ir->channels;
  const std::uint32_t channel = receive.ir->inter_thread.channel;
  if (receive.ir->opcode == Opcode::kItReceiveLoad)
    return fmt::format("fromThreadOrMem (channel {})", channel);
  return channel < names.size() ? fmt::format("channel \"{}\"", names[channel])
                                : fmt::format("channel {}", channel);
}

std::string ThreadBlock::wait_text(const Activation& activation, const Split& split,
                                   std::uint32_t warp) const {
  if (split.barrier == kWaitsForLanes) {
    return fmt::format(", waiting for lanes {:#010x} of the warp",
                       split.members & warps_[warp].live & ~split.mask);
  }
  if (split.barrier != kWaitsForThread)
    return fmt::format(", waiting at barrier {}", split.barrier);
  const DecodedInstruction& receive = activation.function->code[split.barrier_pc];
  std::uint32_t thread = warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(split.mask));
  for (LaneMask left = split.mask; left != 0 && channels_.producer(receive, thread) == kNoThread;
       left &= left - 1)
    thread = warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(left));
  return fmt::format(", thread {} waiting for thread {} on {}", thread_text(thread),
                     thread_text(channels_.producer(receive, thread)),
                     channel_text(activation, receive));
}

std::vector<ThreadBlock::Receiver> ThreadBlock::receivers() const {
  std::vector<Receiver> found;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    for (const Activation& activation : warps_[w].activations) {
      if (!activation.in_use) continue;
      for (const Split& split : activation.splits) {
        if (split.barrier != kWaitsForThread) continue;
        const DecodedInstruction& receive = activation.function->code[split.barrier_pc];
        for (LaneMask left = split.mask; left != 0; left &= left - 1) {
          const std::uint32_t thread =
              w * kLanes + static_cast<std::uint32_t>(std::countr_zero(left));
          found.push_back({&activation, &receive, thread, channels_.producer(receive, thread)});
        }
      }
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Receiver& a, const Receiver& b) { return a.thread < b.thread; });
  return found;
}

// Names the thread at the end of a chain of waits, whose producer waits for nobody; if all wait in
// a circle, the first.
void ThreadBlock::describe_receive_deadlock(const std::vector<Receiver>& waiting,
                                            Fault& fault) const {
  const auto waits = [&](std::uint32_t thread) {
    return std::binary_search(
        waiting.begin(), waiting.end(), Receiver{nullptr, nullptr, thread, kNoThread},
        [](const Receiver& a, const Receiver& b) { return a.thread < b.thread; });
  };
  const auto root = std::find_if(waiting.begin(), waiting.end(),
                                 [&](const Receiver& r) { return !waits(r.producer); });
  const Receiver& named = root == waiting.end() ? waiting.front() : *root;
  const WarpState& producer = warps_[named.producer / kLanes];
  const bool ended = (producer.live >> named.producer % kLanes & 1) == 0;
  fault.message = fmt::format(
      "deadlock: thread {} waits for thread {} on {}, {}", thread_text(named.thread),
      thread_text(named.producer), channel_text(*named.activation, *named.receive),
      root == waiting.end() ? "which waits as well: threads wait for each other in a cycle"
      : ended               ? "which has ended without passing a value"
                            : "which waits at a barrier");
  const Dim3& block = grid_.launch.block;
  fault.thread = {named.thread % block.x, named.thread / block.x % block.y,
                  named.thread / block.x / block.y};
  fault.location =
      named.activation->function->module->describe_location(named.receive->ir->location);
}

void ThreadBlock::report_deadlock() {
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.message = "deadlock: threads of the block wait at a barrier that the others never reach";
  fault.kernel = grid_.kernel_name;
  fault.block = {index_[0], index_[1], index_[2]};
  describe_warps(fault.details, 64);
  fault.ends_launch = true;
  if (const std::vector<Receiver> waiting = receivers(); !waiting.empty())
    describe_receive_deadlock(waiting, fault);
  for (const WarpState& warp : warps_) {
    for (const Activation& activation : warp.activations) {
      for (const Split& split : activation.splits) {
        if (!activation.in_use || split.barrier == kNotWaiting || !fault.location.empty()) continue;
        fault.location = activation.function->module->describe_location(
            activation.function->code[split.barrier_pc].ir->location);
      }
    }
  }
  grid_.add_fault(std::move(fault));
  throw LaunchStopped{};
}

}  // namespace raddle::kernel::exec
