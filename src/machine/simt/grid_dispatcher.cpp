#include "machine/simt/grid_dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace raddle::machine::simt {

namespace {

constexpr std::uint64_t kQuantaBetweenLooks = 64;
// So long nothing but polling of memory that does not change is a deadlock.
constexpr Cycle kDeadlockCycles{200'000};
constexpr std::size_t kDescribedWarps = 64;

}  // namespace

void GridDispatcher::run(KernelFeed& feed) {
  feed_ = &feed;
  start_ = gpu_.now();
  next_deadlock_look_ = start_ + kDeadlockCycles;
  begin_and_end_kernels(start_);
  give_out_blocks(next_begin(start_));
  CycleLimit limit;
  if (control_.has_cycle_limit())
    limit = {[this] { return next_limit(); }, [this] { stop_at_limit(); }};
  const bool done =
      gpu_.run(host_threads_, [this](Cycle cycle) { return between_quanta(cycle); }, limit);
  if (!done) report_barrier_deadlock();
}

bool GridDispatcher::between_quanta(Cycle cycle) {
  if (trace_ != nullptr) trace_->look_at(gpu_, cycle);
  for (const auto& core : gpu_.cores()) {
    if (!core->stores().empty()) memory_changed_ |= core->stores().commit();
  }
  for (const auto& core : gpu_.cores()) {
    if (core->has_ordered()) memory_changed_ |= core->execute_ordered(cycle);
  }
  take_finished();
  if (freed_ || cycle >= next_start_) {
    freed_ = false;
    begin_and_end_kernels(cycle);
    if (kernels_.empty()) return true;
    give_out_blocks(next_begin(cycle));
  }
  // After the ends of kernels, whose samples end where they do.
  if (sampler_ != nullptr) sampler_->look(cycle);
  if (++quanta_ % kQuantaBetweenLooks == 0) watch(cycle);
  return false;
}

void GridDispatcher::take_finished() {
  for (const auto& core : gpu_.cores()) {
    for (const FinishedBlock& block : core->finished()) {
      const auto kernel = std::find_if(
          kernels_.begin(), kernels_.end(),
          [&](const KernelRun* in_flight) { return in_flight->number() == block.kernel; });
      (*kernel)->block_finished(block.cycle);
      freed_ = blocks_moved_ = true;
    }
    core->finished().clear();
  }
}

void GridDispatcher::begin_and_end_kernels(Cycle cycle) {
  const auto ended =
      std::stable_partition(kernels_.begin(), kernels_.end(),
                            [](const KernelRun* kernel) { return !kernel->finished(); });
  for (auto kernel = ended; kernel != kernels_.end(); ++kernel)
    ended_blocks_ += (*kernel)->blocks();
  if (ended != kernels_.end()) {
    feed_->end_kernels({ended, kernels_.end()}, cycle);
    kernels_.erase(ended, kernels_.end());
  }
  feed_->begin_kernels(cycle, kernels_);
  next_start_ = sim::kNever;
  for (const KernelRun* kernel : kernels_) {
    if (kernel->start() > cycle) next_start_ = std::min(next_start_, kernel->start());
  }
}

// Nothing would wake an empty GPU in time for a kernel that is still being launched.
Cycle GridDispatcher::next_begin(Cycle cycle) const {
  const bool may_wait = next_start_ != sim::kNever &&
                        std::all_of(gpu_.cores().begin(), gpu_.cores().end(),
                                    [](const auto& core) { return core->idle(); }) &&
                        std::all_of(kernels_.begin(), kernels_.end(),
                                    [&](const auto* kernel) { return kernel->start() > cycle; });
  return may_wait ? next_start_ : cycle;
}

void GridDispatcher::give_out_blocks(Cycle cycle) {
  const auto cores = static_cast<std::uint32_t>(gpu_.cores().size());
  for (std::uint32_t without_room = 0; without_room < cores;) {
    const std::uint32_t next = (gpu_.last_given() + 1 + without_room) % cores;
    if (give_one(*gpu_.cores()[next], cycle)) {
      gpu_.set_last_given(next);
      without_room = 0;
    } else {
      ++without_room;
    }
  }
}

bool GridDispatcher::give_one(Multiprocessor& core, Cycle cycle) {
  for (KernelRun* kernel : kernels_) {
    if (kernel->start() > cycle || !kernel->has_blocks_left() ||
        !core.has_room(kernel->needs(core.parameters().core.warp_lanes)))
      continue;
    kernel->begin_block(core, cycle);
    blocks_moved_ = true;
    return true;
  }
  return false;
}

void GridDispatcher::watch(Cycle cycle) {
  LaunchProgress progress{cycle - start_, ended_blocks_, ended_blocks_};
  for (const KernelRun* kernel : kernels_) {
    progress.blocks_done += kernel->blocks_done();
    progress.blocks += kernel->blocks();
  }
  try {
    control_.look(progress);
  } catch (const RunStopped& stopped) {
    give_up(*kernels_.front(), stopped.kind, stopped.message);
  }
  if (cycle >= next_deadlock_look_) {
    look_for_deadlock();
    next_deadlock_look_ = cycle + kDeadlockCycles;
  }
}

Cycle GridDispatcher::next_limit() const {
  Cycle limit = RunControl::kUnlimited;
  for (const KernelRun* kernel : kernels_)
    limit = std::min(limit, control_.cycle_limit(kernel->begun()));
  return limit;
}

// A kernel whose last blocks have ended by now stays within its limit, though nobody was told yet.
void GridDispatcher::stop_at_limit() {
  const Cycle limit = next_limit();
  for (KernelRun* kernel : kernels_) {
    if (control_.cycle_limit(kernel->begun()) != limit) continue;
    std::uint64_t done = kernel->blocks_done();
    for (const auto& core : gpu_.cores()) {
      done += static_cast<std::uint64_t>(
          std::ranges::count(core->finished(), kernel->number(), &FinishedBlock::kernel));
    }
    if (done == kernel->blocks()) continue;
    const RunStopped stopped = control_.limit_reached();
    give_up(*kernel, stopped.kind, stopped.message);
  }
}

// Threads that poll memory which nobody changes wait for ever: mostly for blocks that find no room.
void GridDispatcher::look_for_deadlock() {
  bool only_polls = true;
  for (const auto& core : gpu_.cores()) only_polls &= core->only_polls();
  const bool changed = std::exchange(memory_changed_, false);
  const bool moved = std::exchange(blocks_moved_, false);
  if (!only_polls || changed || moved) return;
  KernelRun& kernel = *kernels_.front();
  const std::uint64_t waiting = kernel.blocks() - kernel.next_block();
  const std::uint64_t resident = kernel.next_block() - kernel.blocks_done();
  give_up(kernel, FaultKind::kDeadlock,
          waiting > 0
              ? fmt::format("deadlock: the {} resident blocks poll memory that no thread changes, "
                            "while {} blocks wait to become resident",
                            resident, waiting)
              : fmt::format("deadlock: all {} resident blocks poll memory that no thread changes",
                            resident),
          ", polling memory");
}

void GridDispatcher::give_up(KernelRun& kernel, FaultKind kind, std::string message,
                             std::string_view doing) {
  kernel::exec::GridState& grid = kernel.grid();
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.kernel = grid.kernel_name;
  fault.ends_launch = true;
  for (const auto& core : gpu_.cores()) core->describe_warps(fault.details, kDescribedWarps);
  for (std::string& line : fault.details) {
    if (line.find("waiting at barrier") == std::string::npos) line += doing;
  }
  grid.add_fault(std::move(fault));
  throw kernel::exec::LaunchStopped{};
}

// Nothing moves any more: threads of a block wait at a barrier that others never reach.
void GridDispatcher::report_barrier_deadlock() {
  for (const auto& core : gpu_.cores()) core->report_deadlock();
  give_up(*kernels_.front(), FaultKind::kDeadlock, "deadlock: no warp can make progress");
}

}  // namespace raddle::machine::simt
