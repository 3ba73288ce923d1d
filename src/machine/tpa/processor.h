// A thick control flow processor that executes one program: frontends, backends, the networks
// between them and to shared memory, going from cycle to cycle. Execution runs ahead of time as far
// as the synchronous memory semantics allows: an instruction's fibers are executed when their
// backend is about to issue them, and never before all fibers of the step before.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "machine/tpa/backend.h"
#include "machine/tpa/fiber_executor.h"
#include "machine/tpa/frontend.h"
#include "machine/tpa/program.h"
#include "machine/tpa/reference_network.h"
#include "machine/tpa/step.h"
#include "machine/tpa/technique_log.h"

namespace raddle::machine::tpa {

// A frontend in time.
struct FrontClock {
  Cycle time;  // when it has done what it was told so far
  FrontAccount cycles;
  FrontCause cause{};       // of the last cycle
  std::deque<Cycle> taken;  // when the backends took its last instructions
  std::uint64_t sent = 0;
  std::uint64_t taken_count = 0;
};

// One step as it was in time, for those who look closer.
struct StepRecord {
  Cycle start;  // first backend begins
  Cycle end;    // last backend has issued its synchronisation
  std::uint64_t fibers = 0;
  Place place;
};

class Processor {
  static constexpr Cycle kTogether{8};
  static constexpr std::uint64_t kItemsTogether = kTogether.count();  // one a cycle

 public:
  static constexpr Cycle kLookInterval{1 << 12};
  static constexpr Cycle kUnlimited{std::numeric_limits<std::uint64_t>::max() >> 1};
  // Called every now and then; throws to end the run.
  using Look = std::function<void(Cycle cycles, std::uint64_t steps)>;

  Processor(const TpaParameters& parameters, const Program& program);

  // To the end; `look` is called every `interval` cycles, or somewhat later, and as soon as the run
  // has taken more than `limit`. Throws MachineFault.
  void run(const Look& look, Cycle interval = kLookInterval, Cycle limit = kUnlimited);
  // Tells the trace what happens from now on; null: nobody.
  void set_trace(RunTrace* trace);

  WordMemory& shared() { return shared_; }
  WordMemory& local() { return local_; }

  Cycle cycles() const { return end_; }
  Cycle now() const { return now_; }
  std::uint64_t flows_alive() const;
  std::uint64_t steps() const { return steps_; }
  std::uint64_t most_flows() const { return most_flows_; }
  const std::vector<Backend>& backends() const { return backends_; }
  const std::vector<FrontClock>& clocks() const { return clocks_; }
  const std::vector<Frontend>& frontends() const { return frontends_; }
  const ReferenceNetwork& network() const { return network_; }
  const FiberExecutor& executor() const { return executor_; }
  std::vector<StepRecord>& records() { return records_; }
  const std::vector<std::uint64_t>& fibers_by_line() const { return line_fibers_; }
  const std::vector<std::uint64_t>& idle_by_line() const { return line_idle_; }
  const std::vector<std::uint64_t>& runs_by_line() const { return line_runs_; }
  std::vector<TechniqueUse> techniques() const { return techniques_.uses(); }
  std::uint64_t register_words() const { return most_register_words_; }
  // What was executed when a fault was thrown.
  Place fault_place() const;
  // Fiber instructions that the backends issued, those of fibers that are masked or move from flow
  // to flow included.
  std::uint64_t fibers() const { return executor_.stats().fibers - not_issued_; }
  // Brings the accounts of a run that was stopped to an end, at `limit` cycles at the latest.
  void stop(Cycle limit);

 private:
  // processor_steps.cpp: what is executed.
  bool make_step();  // false: it cannot be made yet
  void run_flows(Step& step);
  void start_flow(Flow* parent, std::uint32_t line, Word thickness,
                  const std::array<Word, kFrontRegisters>& registers);
  void end_flow(std::unique_ptr<Flow> flow, Step& step);
  void retire(Step& step);
  void prepare(Step& step);
  void order_stream(const Work& work, std::uint32_t backend, std::uint64_t most);
  void execute_all(Step& step, std::size_t work, Backend& backend);
  void finish_step(Step& step);
  void finish_work(Work& work);
  std::uint64_t most_entries(const Work& work);
  std::uint64_t order_waves(const Work& work) const;
  std::size_t line_of(const Work& work) const {
    return static_cast<std::size_t>(work.line - lines_.data());
  }

  // processor_issue.cpp: one backend, one cycle.
  void tick(Backend& backend);
  bool enter_step(Backend& backend);
  void leave_step(Backend& backend, Step& step);
  bool start_work(Backend& backend, Step& step);
  void issue(Backend& backend, Step& step);
  bool issue_item(Backend& backend, Work& work);
  void note_writes(Backend& backend, const Work& work, std::uint64_t count);
  Cycle earliest(const Backend& backend, const Work& work) const;
  void wait(Backend& backend, BackendCause why, Cycle cycles);
  void move(Backend& backend, BackendCause why);
  void deliver_returns(Backend& backend);
  Cycle threads_idle(Word fibers) const;
  Step* step_of(std::uint64_t number);
  void execute_more(Backend& backend, Step& step, Work& work, std::uint64_t left);
  void note_idle(Backend& backend, const Work& work, std::uint64_t fibers, std::uint64_t masked);

  // processor_together.cpp: all backends, many cycles.
  bool can_run_together() const;
  void run_together(Cycle until);
  void begin_issue(Backend& backend);
  void issue_some(Backend& backend, bool slowly);
  void end_issue(Backend& backend);
  void issue_slowly(Backend& backend, SlotIssue& issue);

  // processor.cpp: time.
  bool advance_one(std::uint32_t frontend);
  bool advance_frontends();
  void served(std::uint32_t backend, std::uint32_t slot, Cycle time);
  void answer_prefixes();
  void tick_network();
  void skip_idle_time(Cycle until);
  bool over() const;
  void forget_done_steps();

  // processor_accounts.cpp: what cycles were spent on.
  void close_accounts(Cycle limit = kUnlimited);
  void front_spent(std::uint32_t frontend, FrontCause why, Cycle cycles);
  void take_back_not_issued();
  std::uint64_t not_issued(const Step& step, std::size_t work, const Backend& backend) const;

  const TpaParameters& parameters_;
  std::vector<DecodedLine> lines_;
  WordMemory shared_;
  WordMemory local_;
  StoreLog log_;
  MemoryStage memory_stage_;
  FiberExecutor executor_;
  ReferenceNetwork network_;
  std::vector<Backend> backends_;
  std::vector<Frontend> frontends_;
  std::vector<FrontClock> clocks_;
  std::vector<std::vector<std::unique_ptr<Flow>>> flows_;  // by frontend: its TCF buffer
  std::vector<std::vector<std::uint32_t>> free_ids_;

  std::deque<std::unique_ptr<Step>> pending_;  // steps that some backend is not through with
  struct RetiredFlow {
    std::uint64_t steps = 0;  // that were made when it ended
    std::unique_ptr<Flow> flow;
  };
  std::deque<RetiredFlow> retired_;
  std::uint64_t made_ = 0;  // steps so far
  bool program_over_ = false;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Cycle> arrivals_;  // return channel
  std::map<std::uint64_t, std::pair<Step*, std::size_t>> unsent_;      // works, by number
  std::uint64_t next_work_ = 0;
  std::uint64_t total_waves_ = 0;
  std::uint64_t waves_done_ = 0;
  // Of waves on their way: when all modules have them, and what the busiest one served before.
  struct WaveOnItsWay {
    Cycle time;
    std::uint64_t most_served;
  };
  std::deque<WaveOnItsWay> waves_;
  // Fast multiprefixes in the order in which they set out.
  struct ServedPrefix {
    Cycle time;
    std::uint32_t backend, index;
  };
  std::vector<ServedPrefix> served_prefixes_;
  Cycle last_back_;           // the last reply
  bool fast_prefix_ = false;  // in flight

  Cycle now_;
  Cycle limit_ = kUnlimited;
  Cycle end_;
  std::uint64_t steps_ = 0;
  std::uint64_t most_flows_ = 0;
  std::uint64_t most_register_words_ = 0;
  const Work* executing_ = nullptr;
  Place fork_place_;  // of the flow that is being started
  std::uint32_t running_frontend_ = ~std::uint32_t{0};
  std::vector<StepRecord> records_;
  std::vector<std::uint64_t> line_fibers_, line_idle_, line_runs_;
  std::uint64_t not_issued_ = 0;  // fibers that were executed ahead of a stop
  Look look_;
  TechniqueLog techniques_;
  RunTrace* trace_ = nullptr;
};

}  // namespace raddle::machine::tpa
