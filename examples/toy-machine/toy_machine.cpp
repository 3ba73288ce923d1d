// The machine of docs/adding-a-machine.md. One block is resident at a time; its warps take turns,
// one instruction a cycle; a warp that loads from global memory waits for its lines.
#include <bit>
#include <deque>
#include <map>

#include "kernel/exec/warp_stepper.h"
#include "machine/access_counters.h"
#include "machine/energy_coefficients.h"
#include "machine/grid_result.h"
#include "machine/instruction_totals.h"
#include "machine/launch_check.h"
#include "machine/run/cycle_account.h"
#include "memory/cache.h"
#include "memory/coalescer.h"
#include "memory/dram.h"
#include "sim/engine.h"

namespace raddle::machine::toy {

using kernel::exec::GridState;
using kernel::exec::Step;
using memory::Access;
using Link = sim::Channel<Access>;

constexpr ShortBytes kLineBytes = memory::CacheParameters{}.line_bytes;

// What the core spends its cycles on.
#define RADDLE_CORE_CAUSES(CAUSE)                                    \
  CAUSE(kIssued, "issued", kIssued, "a warp instruction was issued") \
  CAUSE(kMemory, "memory", kStall, "no warp had all the lines it loads")
RADDLE_CAUSES(CoreCause, kCoreCauses, kMemory, RADDLE_CORE_CAUSES);

// Issues instructions, looks their lines up in its L1, and knows what every cycle went for.
class Core : public sim::Component {
 public:
  Core(GridState& grid, const LaunchOptions& options, const memory::CacheParameters& l1, Link& down,
       Link& up)
      : Component("core"), grid_(grid), options_(options), l1_(l1), down_(down), up_(up) {
    block_.begin(0);
    awaited_.resize(block_.warps().size());
  }

  Cycle tick(Cycle now) override {
    end_ = now + Cycle(1);
    if (++ticks_ % 4096 == 0) options_.control.look({now, block_number_, 0});
    while (up_.ready(now)) take_line(up_.pop(now).address);
    for (; !hits_.empty() && hits_.front().first <= now; hits_.pop_front())
      --awaited_[hits_.front().second];
    if (!accesses_.empty()) look_up(now);
    if (!requests_.empty() && down_.try_send(requests_.front(), now)) requests_.pop_front();
    const bool issued = issue();
    if (issued) account_.add(CoreCause::kIssued);
    if (block_.finished() && ++block_number_ == grid_.launch.grid.count()) return sim::kNever;
    if (block_.finished()) block_.begin(block_number_);
    if (issued || !accesses_.empty() || !requests_.empty()) return now + Cycle(1);
    return hits_.empty() ? sim::kNever : hits_.front().first;  // a line wakes us before
  }

  bool is_done() const { return block_number_ == grid_.launch.grid.count(); }
  // The run ends here, though it has more to do.
  void stop_at(Cycle cycle) { end_ = cycle; }

  void report(LaunchResult& result, bool lines) {
    result.cycles = end_.count();
    account_.add(account_.remainder(), end_ - account_.sum());  // also what it has slept through
    result.stalls = stalls_of(account_);
    result.barriers = barriers_;
    result.memory = traffic_.result();
    InstructionTotals totals(result, lines);
    for (const auto& [instruction, all] : executions_)
      totals.add(*all.function, *instruction, all.warps, all.threads);
    totals.finish();
    append_stats(result.stats, "L1", l1_.stats());
  }
  const energy::EventCounts& events() const { return events_; }

 private:
  struct Executions {
    const kernel::exec::DecodedFunction* function = nullptr;
    std::uint64_t warps = 0, threads = 0;
  };

  bool issue() {
    for (std::size_t turn = 0; turn < awaited_.size() && accesses_.empty(); ++turn) {
      const std::size_t w = (next_warp_ + turn) % awaited_.size();
      kernel::exec::WarpState& warp = block_.warps()[w];
      if (awaited_[w] != 0 || warp.finished()) continue;
      const Step step = execute_step(grid_, block_, warp);
      if (step.instruction == nullptr) continue;  // waits at a barrier
      ++grid_.clock;
      count(step);
      if (step.accessed_memory) access_memory(warp.lanes.access(), step, w);
      next_warp_ = w + 1;
      return true;
    }
    return false;
  }

  void count(const Step& step) {
    Executions& all = executions_[step.instruction];
    all.function = step.function;
    ++all.warps;
    all.threads += std::uint64_t(std::popcount(step.lanes));
    barriers_ += step.instruction->handler == kernel::exec::Handler::kBarrier ? 1 : 0;
    events_.add(energy::Event::instruction_schedule);
  }

  void access_memory(const kernel::exec::MemoryAccess& access, const Step& step, std::size_t warp) {
    traffic_.count(*step.instruction, access);
    if (access.space != kernel::Space::kGlobal) return;  // scratchpads answer at once
    memory::Segment lines[memory::kMaxSegments];
    const std::size_t count =
        memory::coalesce({access.address, access.mask, access.bytes}, kLineBytes, lines);
    using enum memory::AccessKind;
    const auto kind = step.instruction->ir->opcode == kernel::Opcode::kSt ? kStore : kLoad;
    for (std::size_t i = 0; i < count; ++i)
      accesses_.push_back({lines[i].address, kLineBytes, kind, 0, warp});
    awaited_[warp] += count;
  }

  // One a cycle; one that the cache refuses is tried again.
  void look_up(Cycle now) {
    const memory::Outcome outcome = l1_.access(accesses_.front(), now);
    if (outcome.verdict == memory::Verdict::kRefused) return;
    requests_.insert(requests_.end(), outcome.down.begin(), outcome.down.end());
    if (outcome.ready > now) hits_.emplace_back(outcome.ready, accesses_.front().token);
    accesses_.pop_front();
  }

  void take_line(Address address) {
    const memory::Fill fill = l1_.fill(address);
    for (const Access& access : fill.waiting) --awaited_[access.token];
    requests_.insert(requests_.end(), fill.down.begin(), fill.down.end());
  }

  GridState& grid_;
  const LaunchOptions& options_;
  memory::Cache l1_;
  Link &down_, &up_;  // to DRAM and back
  kernel::exec::ThreadBlock block_{grid_};
  std::vector<std::uint64_t> awaited_;                // lines, by warp
  std::deque<Access> accesses_, requests_;            // before the L1, and after it
  std::deque<std::pair<Cycle, std::uint64_t>> hits_;  // when, and of which warp
  std::map<const kernel::exec::DecodedInstruction*, Executions> executions_;
  AccessCounters traffic_{grid_.kernel.memory_instructions};
  energy::EventCounts events_;
  std::uint64_t next_warp_ = 0, block_number_ = 0, barriers_ = 0, ticks_ = 0;
  CycleAccount<kCoreCauses> account_;
  Cycle end_;
};

// Each with its key, unit, meaning and range; the initial value is the default.
struct ToyParameters {
  explicit ToyParameters(const ParameterBinder& p) {
    p.hertz("clock_hz", clock, "of core, cache and DRAM");
    p.integer("memory_bytes", memory_bytes, "bytes", "of device memory", {4096, 1ll << 40});
    p.bytes("l1.bytes", l1.bytes, "of the cache");
    p.integer("l1.ways", l1.ways, "ways", "lines of a set", {1, 64});
    p.cycles("l1.hit_cycles", l1.hit_latency, "of a hit");
    p.text("energy", energy, "coefficient set", "a file of machines/energy");
  }

  Hertz clock{1e9};
  std::int64_t memory_bytes = 1 << 30;
  memory::CacheParameters l1;
  std::string energy = "circuit";
};

class ToyMachine : public KernelMachine {
 public:
  using Parameters = ToyParameters;
  explicit ToyMachine(const ParameterTable& table) : KernelMachine(table), parameters_(table) {
    dram_.mapping.channels = 1;
  }

  static Traits traits(const ParameterTable&) {
    return {.honours = {RunOption::kCheck, RunOption::kLines, RunOption::kMaxCycles,
                        RunOption::kTimeout}};
  }
  Peaks peaks() const override { return {clock_.frequency().count(), kernel::exec::kLanes, 0}; }
  const DeviceDescription& description() const override { return description_; }

  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override {
    program.link();
    const auto kernel = kernel::exec::decode(program, launch.kernel);
    check_launch(*kernel, launch, description_, traits(table()));
    GridState grid(program, textures, *kernel, launch,
                   {.check = options.check, .print = options.print});
    Link to_dram(8), from_dram(8);
    Core core(grid, options, parameters_.l1, to_dram, from_dram);
    memory::DramChannel dram("DRAM", dram_, 0, to_dram, from_dram);
    sim::Engine engine;
    sim::ClockDomain& domain = engine.add_clock(clock_);
    engine.add(core, domain);
    engine.add(dram, domain);
    to_dram.connect(core, dram);
    from_dram.connect(dram, core);

    LaunchResult result = start_launch_result(grid);
    core.wake(Cycle(0));
    const Cycle limit = options.control.cycle_limit();
    try {
      if (engine.run_until(clock_.time_of(limit)) && !core.is_done())
        throw options.control.limit_reached();
    } catch (const kernel::exec::LaunchStopped&) {  // the fault is in the grid
    } catch (const RunStopped& stopped) {
      if (stopped.kind == FaultKind::kWatchdogCycles) core.stop_at(limit);
      grid.add_fault(stopped.fault(grid.kernel_name));
    }
    result.complete = core.is_done();
    core.report(result, options.lines);
    result.seconds = (Cycle(result.cycles) / clock_.frequency()).count();
    append_stats(result.stats, "DRAM", dram.stats());
    charge_energy(core.events(), coefficients_, result);
    take_faults(grid, result);
    return result;
  }

 private:
  ToyParameters parameters_;
  sim::Clock clock_{"core", parameters_.clock};
  energy::CoefficientSet coefficients_ = load_coefficients(parameters_.energy);
  memory::DramSpec dram_;
  DeviceDescription description_{.name = "toy", .memory_bytes = parameters_.memory_bytes};
};

RADDLE_REGISTER_MACHINE("toy", ToyMachine);

}  // namespace raddle::machine::toy
