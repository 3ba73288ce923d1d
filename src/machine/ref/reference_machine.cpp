#include "machine/ref/reference_machine.h"

#include <algorithm>
#include <deque>

#include "kernel/analysis/register_allocation.h"
#include "machine/grid_result.h"
#include "machine/instruction_totals.h"
#include "machine/launch_check.h"
#include "machine/launch_watch.h"
#include "machine/ref/block_runner.h"

namespace raddle::machine::ref {

using kernel::exec::GridState;

RADDLE_REGISTER_MACHINE("ref", ReferenceMachine);

namespace {

constexpr std::size_t kDescribedWarps = 64;

// Parameters beyond these are slips of the pen.
constexpr double kSlowestClock = 1e3;  // what CUDA tells is in kHz
constexpr double kFastestClock = 1e12;
constexpr std::int64_t kSmallestMemory = 4096;
constexpr std::int64_t kLargestMemory = std::int64_t{1} << 40;
constexpr int kLargestOnChip = 1 << 28;  // bytes or registers
constexpr int kMostUnits = 1 << 16;
constexpr std::int64_t kLargestSlice = 1'000'000'000;

// The blocks of a launch: which are resident, which come next, and when to give up.
class Grid {
 public:
  Grid(GridState& state, Counts& counts, const LaunchOptions& options, std::uint64_t resident_limit,
       std::int64_t slice)
      : state_(state),
        counts_(counts),
        watch_(state, options, [this](std::vector<std::string>& lines) { describe(lines); }),
        limit_(resident_limit),
        slice_(slice) {}

  void run() {
    const std::uint64_t total = state_.launch.grid.count();
    while (next_ < total || !resident_.empty()) {
      for (std::size_t left = resident_.size(); left > 0; --left) {
        std::unique_ptr<BlockRunner> block = std::move(resident_.front());
        resident_.pop_front();
        run_slice(std::move(block));
      }
      // A block that ends within its first slice makes room for the next at once; memory grows only
      // if blocks last.
      while (next_ < total && resident_.size() < limit_) {
        std::unique_ptr<BlockRunner> block = take();
        block->begin(next_++);
        run_slice(std::move(block));
      }
    }
  }

 private:
  void describe(std::vector<std::string>& lines) const {
    for (const auto& block : resident_) block->block().describe_warps(lines, kDescribedWarps);
  }

  std::unique_ptr<BlockRunner> take() {
    if (idle_.empty()) return std::make_unique<BlockRunner>(state_, counts_);
    std::unique_ptr<BlockRunner> block = std::move(idle_.back());
    idle_.pop_back();
    return block;
  }

  void run_slice(std::unique_ptr<BlockRunner> block) {
    BlockRunner& running = *block;
    resident_.push_back(std::move(block));
    const bool finished = running.run(slice_);
    if (finished) {
      idle_.push_back(std::move(resident_.back()));
      resident_.pop_back();
    }
    watch_.look(state_.clock, next_ - resident_.size());
  }

  GridState& state_;
  Counts& counts_;
  LaunchWatch watch_;
  std::uint64_t limit_;
  std::int64_t slice_;
  std::uint64_t next_ = 0;
  std::deque<std::unique_ptr<BlockRunner>> resident_;
  std::vector<std::unique_ptr<BlockRunner>> idle_;
};

// Class and line figures follow from how often each block ran.
void count_instructions(const kernel::exec::DecodedKernel& kernel, const Counts& counts,
                        LaunchResult& result, bool lines) {
  InstructionTotals totals(result, lines);
  for (std::size_t f = 0; f < counts.functions.size(); ++f) {
    const kernel::exec::DecodedFunction& function = *kernel.functions[f];
    const FunctionCounters& counters = counts.functions[f];
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
      const kernel::exec::DecodedInstruction& d = function.code[pc];
      totals.add(function, d, counters.block_warps[d.block],
                 counters.block_threads[d.block] - counters.skipped_threads[pc]);
    }
  }
  totals.finish();
}

// The most that the kernel or a function it may call needs.
std::uint32_t registers_per_thread(const kernel::exec::DecodedKernel& kernel) {
  std::uint32_t most = 0;
  for (const auto& function : kernel.functions) {
    most = std::max(most, kernel::allocate_registers(*function->ir).registers_per_thread);
  }
  return most;
}

}  // namespace

ReferenceMachine::ReferenceMachine(const ParameterTable& p)
    : clock_hz_(p.number_in("clock_hz", kSlowestClock, kFastestClock)),
      slice_(p.integer_in("slice_warp_instructions", 1, kLargestSlice)),
      track_communication_(p.boolean("track_communication")),
      stack_bytes_(
          static_cast<std::uint32_t>(p.integer_in("stack_bytes_per_thread", 0, kLargestOnChip))) {
  // What fits an int, as CUDA tells these.
  const auto count = [&p](std::string_view key, int least, int most) {
    return static_cast<int>(p.integer_in(key, least, most));
  };
  DeviceDescription& device = description_;
  device.name = "Raddle reference machine";
  device.passes_values_between_threads = true;
  device.lines = true;
  device.memory_bytes = p.integer_in("memory_bytes", kSmallestMemory, kLargestMemory);
  device.constant_bytes = p.integer_in("constant_bytes", 0, kLargestOnChip);
  device.warp_size = count("warp_size", kernel::exec::kLanes, kernel::exec::kLanes);
  device.multiprocessors = count("multiprocessors", 1, kMostUnits);
  device.peaks.clock_hz = clock_hz_;
  device.peaks.thread_instructions_per_cycle = kernel::exec::kLanes;  // one warp a cycle
  device.clock_khz = static_cast<int>(clock_hz_ / 1000);
  device.max_threads_per_block = count("max_threads_per_block", 1, device.max_block[0]);
  device.max_threads_per_multiprocessor =
      count("max_threads_per_multiprocessor", kernel::exec::kLanes, kMostUnits);
  device.max_blocks_per_multiprocessor = count("max_blocks_per_multiprocessor", 1, kMostUnits);
  device.registers_per_block = count("registers_per_block", 1, kLargestOnChip);
  device.registers_per_multiprocessor = count("registers_per_multiprocessor", 1, kLargestOnChip);
  device.shared_bytes_per_block = count("shared_bytes_per_block", 0, kLargestOnChip);
  device.shared_bytes_per_multiprocessor =
      count("shared_bytes_per_multiprocessor", 0, kLargestOnChip);
}

const kernel::exec::DecodedKernel& ReferenceMachine::decoded(const kernel::Program& program,
                                                             kernel::FunctionRef kernel) {
  const std::pair version(program.identity(), program.module_count());
  if (version != decoded_version_) {
    decoded_.clear();
    registers_.clear();
  }
  decoded_version_ = version;
  auto& entry = decoded_[{kernel.module, kernel.function}];
  if (!entry) {
    entry = kernel::exec::decode(program, kernel);
    registers_[entry.get()] = registers_per_thread(*entry);
  }
  return *entry;
}

LaunchResult ReferenceMachine::launch(kernel::Program& program,
                                      const kernel::TextureTable& textures, const Launch& launch,
                                      const LaunchOptions& options) {
  program.link();
  const kernel::exec::DecodedKernel& kernel = decoded(program, launch.kernel);
  check_launch(kernel, launch, description_);
  GridState state(program, textures, kernel, launch,
                  {.check = options.check,
                   .stack_bytes = stack_bytes_,
                   .multiprocessors = static_cast<std::uint32_t>(description_.multiprocessors),
                   .print = options.print});
  Counts counts(kernel);
  if (track_communication_) counts.communication.emplace(launch.block);

  LaunchResult result = start_launch_result(state);
  result.registers_per_thread = registers_[&kernel];

  const auto per_multiprocessor = std::max<std::int64_t>(
      1, std::min<std::int64_t>(description_.max_blocks_per_multiprocessor,
                                description_.max_threads_per_multiprocessor /
                                    static_cast<std::int64_t>(launch.block.count())));
  const auto limit = static_cast<std::uint64_t>(per_multiprocessor * description_.multiprocessors);
  try {
    Grid(state, counts, options, limit, slice_).run();
  } catch (const kernel::exec::LaunchStopped&) {
    result.complete = false;
  }

  count_instructions(kernel, counts, result, options.lines);
  result.cycles = result.warp_instructions;
  result.seconds = static_cast<double>(result.cycles) / clock_hz_;
  result.branches = counts.branches;
  result.divergent_branches = counts.divergent_branches;
  result.barriers = counts.barrier_arrivals;
  result.memory = counts.accesses.result();
  if (counts.communication) result.histograms = counts.communication->histograms();
  take_faults(state, result);
  return result;
}

}  // namespace raddle::machine::ref
