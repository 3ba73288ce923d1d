#include "machine/simt/grid_dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace raddle::machine::simt {

namespace {

constexpr std::uint64_t kQuantaBetweenLooks = 64;
// So long nothing but polling of memory that does not change is a deadlock.
constexpr std::uint64_t kDeadlockCycles = 200'000;
constexpr std::size_t kDescribedWarps = 64;

}  // namespace

void GridDispatcher::run(std::vector<KernelRun*> kernels) {
  kernels_ = std::move(kernels);
  start_ = gpu_.now() + parameters_.launch_cycles;
  next_deadlock_look_ = start_ + kDeadlockCycles;
  for (KernelRun* kernel : kernels_) kernel->start_at(start_);
  give_out_blocks(start_);
  const bool done = gpu_.run(options_.host_threads,
                             [this](std::uint64_t cycle) { return between_quanta(cycle); });
  if (!done) report_barrier_deadlock();
}

bool GridDispatcher::between_quanta(std::uint64_t cycle) {
  if (sampler_ != nullptr && sampler_->due(cycle)) sampler_->take(cycle);
  if (trace_ != nullptr) trace_->look_at(gpu_, cycle);
  for (const auto& core : gpu_.cores()) {
    if (!core->stores().empty()) memory_changed_ |= core->stores().commit();
  }
  for (const auto& core : gpu_.cores()) {
    if (core->has_ordered()) memory_changed_ |= core->execute_ordered(cycle);
  }
  take_finished();
  if (freed_) {
    freed_ = false;
    if (std::all_of(kernels_.begin(), kernels_.end(),
                    [](const KernelRun* kernel) { return kernel->finished(); }))
      return true;
    give_out_blocks(cycle);
  }
  if (++quanta_ % kQuantaBetweenLooks == 0) watch(cycle);
  return false;
}

void GridDispatcher::take_finished() {
  for (const auto& core : gpu_.cores()) {
    for (const FinishedBlock& block : core->finished()) {
      kernels_[block.kernel]->block_finished(block.cycle);
      freed_ = blocks_moved_ = true;
    }
    core->finished().clear();
  }
}

void GridDispatcher::give_out_blocks(std::uint64_t cycle) {
  const auto cores = static_cast<std::uint32_t>(gpu_.cores().size());
  std::uint32_t without_room = 0;
  while (without_room < cores) {
    Multiprocessor& core = *gpu_.cores()[next_core_];
    next_core_ = (next_core_ + 1) % cores;
    without_room = give_one(core, cycle) ? 0 : without_room + 1;
  }
}

bool GridDispatcher::give_one(Multiprocessor& core, std::uint64_t cycle) {
  for (KernelRun* kernel : kernels_) {
    if (!kernel->has_blocks_left() || !core.has_room(kernel->needs())) continue;
    kernel->begin_block(core, cycle);
    blocks_moved_ = true;
    return true;
  }
  return false;
}

KernelRun& GridDispatcher::first_unfinished() {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [](const KernelRun* kernel) { return !kernel->finished(); });
  return found == kernels_.end() ? *kernels_.front() : **found;
}

void GridDispatcher::watch(std::uint64_t cycle) {
  if (options_.progress) {
    LaunchProgress progress{cycle - start_, 0, 0};
    for (const KernelRun* kernel : kernels_) {
      progress.blocks_done += kernel->blocks_done();
      progress.blocks += kernel->blocks();
    }
    options_.progress(progress);
  }
  if (options_.max_cycles != 0 && cycle - start_ > options_.max_cycles)
    give_up(FaultKind::kWatchdogCycles,
            fmt::format("stopped after {} cycles (--max-cycles)", options_.max_cycles));
  if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed))
    give_up(FaultKind::kInterrupted, "interrupted");
  if (options_.deadline != std::chrono::steady_clock::time_point::max() &&
      std::chrono::steady_clock::now() > options_.deadline)
    give_up(FaultKind::kWatchdogTimeout, "stopped by --timeout");
  if (cycle >= next_deadlock_look_) {
    look_for_deadlock();
    next_deadlock_look_ = cycle + kDeadlockCycles;
  }
}

// Threads that poll memory which nobody changes wait for ever: mostly for blocks that find no room.
void GridDispatcher::look_for_deadlock() {
  bool only_polls = true;
  for (const auto& core : gpu_.cores()) only_polls &= core->only_polls();
  const bool changed = std::exchange(memory_changed_, false);
  const bool moved = std::exchange(blocks_moved_, false);
  if (!only_polls || changed || moved) return;
  const KernelRun& kernel = first_unfinished();
  const std::uint64_t waiting = kernel.blocks() - kernel.next_block();
  const std::uint64_t resident = kernel.next_block() - kernel.blocks_done();
  give_up(FaultKind::kDeadlock,
          waiting > 0 ? fmt::format("deadlock: the {} resident blocks poll memory that nobody "
                                    "changes, while {} blocks find no room",
                                    resident, waiting)
                      : fmt::format("deadlock: all {} resident blocks poll memory that nobody "
                                    "changes",
                                    resident));
}

void GridDispatcher::give_up(FaultKind kind, std::string message) {
  kernel::exec::GridState& grid = first_unfinished().grid();
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.kernel = grid.kernel_name;
  fault.ends_launch = true;
  for (const auto& core : gpu_.cores()) core->describe_warps(fault.details, kDescribedWarps);
  grid.add_fault(std::move(fault));
  throw kernel::exec::LaunchStopped{};
}

// Nothing moves any more: threads of a block wait at a barrier that others never reach.
void GridDispatcher::report_barrier_deadlock() {
  for (const auto& core : gpu_.cores()) core->report_deadlock();
  give_up(FaultKind::kDeadlock, "deadlock: no warp can go on");
}

}  // namespace raddle::machine::simt
