// The machine of docs/adding-a-machine.md. One block is resident at a time; its warps take turns,
// one instruction a cycle; a warp that loads from global memory waits for its lines.
#include <deque>
#include <memory>
#include <utility>

#include "kernel/exec/warp_stepper.h"
#include "machine/energy_coefficients.h"
#include "machine/grid_result.h"
#include "machine/launch_check.h"
#include "machine/launch_watch.h"
#include "machine/step_counters.h"
#include "memory/cache_component.h"
#include "memory/coalescer.h"
#include "memory/dram.h"
#include "sim/engine.h"

namespace raddle::machine::toy {

using kernel::exec::GridState;
using kernel::exec::Step;
using kernel::exec::ThreadBlock;
using memory::Access;
using sim::kNever;
using Link = sim::Channel<Access>;

constexpr std::uint32_t kLineBytes = 128;

// Issues instructions, sends their accesses to the cache, and knows what every cycle went for.
class Core : public sim::Component {
 public:
  Core(GridState& grid, const LaunchOptions& options, Link& down, Link& up)
      : Component("core"), grid_(grid), options_(options), down_(down), up_(up) {
    block_.begin(0);
    awaited_.resize(block_.warps().size());
  }

  Cycle tick(Cycle now) override {
    if (last_tick_ != kNever) waited_ += (now - last_tick_).count() - 1;  // slept in between
    last_tick_ = now;
    watch_.look(now.count(), block_number_);
    while (up_.ready(now)) --awaited_[up_.pop(now).token];
    if (!outgoing_.empty() && down_.try_send(outgoing_.front(), now)) outgoing_.pop_front();
    const bool issued = issue();
    ++(issued ? issued_ : waited_);
    if (block_.finished()) {
      if (++block_number_ == grid_.launch.grid.count()) return kNever;
      block_.begin(block_number_);
    }
    return issued || !outgoing_.empty() ? now + Cycle(1) : kNever;  // else a line wakes us
  }

  void report(LaunchResult& result, bool lines) const {
    result.cycles = issued_ + waited_;
    result.stalls = {{"issued", double(issued_)}, {"wait: memory", double(waited_)}};
    counters_.add_to(result, lines);
  }
  const energy::EventCounts& events() const { return events_; }

 private:
  bool issue() {
    for (std::size_t turn = 0; turn < awaited_.size() && outgoing_.empty(); ++turn) {
      const std::size_t w = (next_warp_ + turn) % awaited_.size();
      kernel::exec::WarpState& warp = block_.warps()[w];
      if (awaited_[w] != 0 || warp.finished()) continue;
      const Step step = execute_step(grid_, block_, warp);
      if (step.instruction == nullptr) continue;  // waits at a barrier
      ++grid_.clock;
      counters_.count(step, warp);
      events_.add(energy::Event::instruction_schedule);
      if (step.accessed_memory) send(warp.lanes.access(), step, w);
      next_warp_ = w + 1;
      return true;
    }
    return false;
  }

  void send(const kernel::exec::MemoryAccess& access, const Step& step, std::size_t warp) {
    if (access.space != kernel::Space::kGlobal) return;  // scratchpads answer at once
    memory::Segment lines[memory::kMaxSegments];
    const std::size_t count =
        memory::coalesce({access.address, access.mask, access.bytes}, kLineBytes, lines);
    const bool stores = step.instruction->ir->opcode == kernel::Opcode::kSt;
    const auto kind = stores ? memory::AccessKind::kStore : memory::AccessKind::kLoad;
    for (std::size_t i = 0; i < count; ++i) {
      outgoing_.push_back({lines[i].address, kLineBytes, kind, 0, warp});
      ++awaited_[warp];
    }
  }

  GridState& grid_;
  const LaunchOptions& options_;
  Link &down_, &up_;  // to the cache and back
  ThreadBlock block_{grid_};
  LaunchWatch watch_{grid_, options_, {}, 4096};  // nothing to add; host clocks not every cycle
  StepCounters counters_{grid_.kernel};
  energy::EventCounts events_;
  std::vector<std::uint32_t> awaited_;  // lines, by warp
  std::deque<Access> outgoing_;
  std::size_t next_warp_ = 0;
  std::uint64_t block_number_ = 0, issued_ = 0, waited_ = 0;
  Cycle last_tick_ = kNever;
};

class ToyMachine : public Machine {
 public:
  explicit ToyMachine(const ParameterTable& p)
      : clock_("core", Hertz(p.number("clock_hz"))),
        coefficients_(load_coefficients(p.text("energy"))) {
    l1_.cache.bytes = Bytes(std::uint64_t(p.integer("l1.bytes")));
    l1_.cache.ways = std::uint32_t(p.integer("l1.ways"));
    l1_.cache.hit_latency = Cycle(std::uint64_t(p.integer("l1.hit_cycles")));
    l1_.cache.line_bytes = kLineBytes;
    dram_.mapping.channels = 1;
    description_.memory_bytes = p.integer("memory_bytes");
    description_.peaks = {clock_.frequency().count(), kernel::exec::kLanes, 0};
  }

  const DeviceDescription& description() const override { return description_; }

  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override {
    program.link();
    const auto kernel = kernel::exec::decode(program, launch.kernel);
    check_launch(*kernel, launch, description_);
    GridState grid(program, textures, *kernel, launch,
                   {.check = options.check, .print = options.print});
    Link to_cache(4), from_cache(4), to_dram(8), from_dram(8);
    Core core(grid, options, to_cache, from_cache);
    memory::CacheComponent cache("L1", l1_, {to_cache, from_cache, to_dram, from_dram});
    memory::DramChannel dram("DRAM", dram_, 0, to_dram, from_dram);
    sim::Engine engine;
    sim::ClockDomain& domain = engine.add_clock(clock_);
    engine.add(core, domain);
    engine.add(cache, domain);
    engine.add(dram, domain);
    to_cache.connect(core, cache);
    from_cache.connect(cache, core);
    to_dram.connect(cache, dram);
    from_dram.connect(dram, cache);

    LaunchResult result = start_launch_result(grid);
    core.wake(Cycle(0));
    try {
      engine.run_until(sim::kEndOfTime);
    } catch (const kernel::exec::LaunchStopped&) {
      result.complete = false;
    }
    core.report(result, options.lines);
    result.seconds = (Cycle(result.cycles) / clock_.frequency()).count();
    append_stats(result.stats, "L1", cache.cache().stats());
    append_stats(result.stats, "DRAM", dram.stats());
    charge_energy(core.events(), coefficients_, result);
    take_faults(grid, result);
    return result;
  }

 private:
  sim::Clock clock_;
  energy::CoefficientSet coefficients_;
  memory::CacheComponentParameters l1_;
  memory::DramSpec dram_;
  DeviceDescription description_{.name = "toy", .peaks = {}, .lines = true};
};

RADDLE_REGISTER_MACHINE("toy", ToyMachine);

}  // namespace raddle::machine::toy
