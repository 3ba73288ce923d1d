#include "ddm/native/worker_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "ddm/native/context.h"
#include "ddm/native/network.h"
#include "ddm/native/plan.h"
#include "ddm/native/timeline.h"
#include "ddm/native/topology.h"

namespace raddle::ddm::native {
namespace {

// Looks at all other queues before a worker goes to sleep: some 200 microseconds, as waking it
// takes up to 100; or, where there are more threads than cores and whoever has work may be waiting
// for one, a few.
constexpr int kSpins = 3000;
constexpr int kSpinsOfTooMany = 50;
// With other nodes each look is one at the network, too, which takes several times as long.
constexpr int kSpinsOnNetwork = 600;

// The pool in one of whose runs this thread takes part. Such a thread cannot wait for its pool's
// next run.
thread_local const WorkerPool* in_run_of = nullptr;

struct TakingPart {
  explicit TakingPart(const WorkerPool& pool) { in_run_of = &pool; }
  TakingPart(const TakingPart&) = delete;
  TakingPart& operator=(const TakingPart&) = delete;
  ~TakingPart() { in_run_of = nullptr; }
};

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void set_cores(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// What was asked for from outside the program, where the program itself asks for nothing.
Options with_environment(Options options) {
  if (const char* workers = std::getenv("RADDLE_DDM_WORKERS");
      workers != nullptr && options.workers == 0) {
    options.workers = std::atoi(workers);
    if (options.workers <= 0) {
      throw Error("'" + std::string(workers) + "' is not a number of workers", "RADDLE_DDM_WORKERS",
                  "give a number from 1");
    }
  }
  if (const char* trace = std::getenv("RADDLE_DDM_TRACE");
      trace != nullptr && options.trace.empty()) {
    options.trace = trace;
  }
  if (std::getenv("RADDLE_DDM_REPORT") != nullptr) options.profile = true;
  if (options.workers < 0) {
    throw Error(std::to_string(options.workers) + " is not a number of workers", "Options::workers",
                "give a number from 1, or 0 for one worker on each core");
  }
  return options;
}

// Where the environment asks for it; other nodes than the first append their number.
void write_report(const Report& report, int node) {
  const char* file = std::getenv("RADDLE_DDM_REPORT");
  if (file == nullptr) return;
  std::ofstream out(node == 0 ? std::string(file) : file + ("." + std::to_string(node)));
  if (!(out << text(report)).flush())
    throw Error("the report cannot be written", file, "choose another file for RADDLE_DDM_REPORT");
}

void write_dot(const ProgramGraph& program) {
  const char* file = std::getenv("RADDLE_DDM_DOT");
  if (file == nullptr) return;
  std::ofstream out(file);
  if (!(out << dot(program)).flush())
    throw Error("the graph cannot be written", file, "choose another file");
}

// Runs of all pools that are under way: their workers share the cores.
std::atomic<std::size_t> open_runs{0};

struct OpenRun {
  OpenRun() : others(open_runs.fetch_add(1)) {}
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;
  ~OpenRun() { open_runs.fetch_sub(1); }
  std::size_t others;
};

// Kept until the program is declared anew. Several threads may run the same program.
std::shared_ptr<const ProgramPlan> plan_of(const ProgramGraph& program) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::uint64_t revision = program.blocks.size();
  for (const auto& block : program.blocks) revision += block->revision;
  if (!program.prepared || program.prepared_revision != revision) {
    program.prepared = make_plan(program);
    program.prepared_revision = revision;
  }
  return std::static_pointer_cast<const ProgramPlan>(program.prepared);
}

}  // namespace

WorkerPool::WorkerPool() : cores_(usable_cores()) {}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool WorkerPool::runs_this_thread() const { return in_run_of == this; }

bool WorkerPool::any_runs_this_thread() { return in_run_of != nullptr; }

Report WorkerPool::run(const ProgramGraph& program, void* frame, const Options& options) {
  return run(program, frame, options, nullptr, nullptr);
}

Report WorkerPool::run(const ProgramGraph& program, void* frame, const Options& options,
                       Network* network, Attend attend) {
  return run(program, frame, options, network, &attend);
}

Report WorkerPool::run(const ProgramGraph& program, void* frame, const Options& chosen,
                       Network* network, const Attend* attend) {
  const std::lock_guard one_at_a_time(run_mutex_);
  const Options options = with_environment(chosen);
  if (network == nullptr || network->node() == 0) write_dot(program);
  const auto count = options.workers > 0 ? static_cast<std::size_t>(options.workers)
                                         : std::max<std::size_t>(1, cores_.size());
  grow(count);
  Run run(program, plan_of(program), options);
  run.network = network;
  run.crew = count;
  run.profiled = options.profile && network == nullptr;
  if (run.plan->has_bound) {
    if (memory_nodes_.empty()) memory_nodes_ = memory_nodes_of(cores_);
    for (std::size_t i = 0; i < count; ++i)
      run.memory_nodes.push_back(memory_nodes_.empty() ? 0
                                                       : memory_nodes_[i % memory_nodes_.size()]);
  }
  if (run.plan->has_external) {
    run.operations =
        std::make_shared<Operations>([&run] { run.wake_one(); }, [&run] { return run.stopping(); });
  }
  const OpenRun open;
  const auto nodes = network == nullptr ? 1 : static_cast<std::size_t>(network->nodes_on_cores());
  const bool room = count * nodes * (open.others + 1) <= cores_.size();
  run.spins = !room ? kSpinsOfTooMany : network == nullptr ? kSpins : kSpinsOnNetwork;
  std::optional<Timeline> timeline;
  if (!options.trace.empty() || options.profile)
    run.timeline = &timeline.emplace(options.trace, count);
  for (std::size_t i = 0; i < count; ++i) run.workers.push_back(workers_[i].get());
  std::optional<Worker> outside;
  if (attend != nullptr) run.workers.push_back(&outside.emplace(static_cast<unsigned>(count)));
  for (Worker* worker : run.workers) worker->begin(run);
  Context root;
  root.plan = run.plan->blocks.front().get();
  root.frame = frame;
  const auto begin = std::chrono::steady_clock::now();
  if (attend == nullptr) workers_.front()->queue_start(root);
  {
    const std::stop_callback on_stop(options.stop, [&] {
      run.fail(std::make_exception_ptr(CancelledError("the run was cancelled", "", "")));
    });
    begin_on_workers(run, count);
    if (attend != nullptr) {
      const TakingPart taking_part(*this);
      (*attend)(run, *outside, root);
    }
    wait_for_workers(count);
  }
  if (run.operations) run.operations->close();
  Report report;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (Worker* worker : run.workers) worker->finish(report);
  if (options.profile) {
    add_profile(report, *run.plan, *timeline, run.critical_path);
    write_report(report, network != nullptr ? network->node() : 0);
  }
  if (!options.trace.empty()) timeline->write(network != nullptr ? network->node() : 0);
  if (const auto error = run.error()) std::rethrow_exception(error);
  return report;
}

void WorkerPool::grow(std::size_t count) {
  while (workers_.size() < count) {
    const auto number = workers_.size();
    workers_.push_back(std::make_unique<Worker>(static_cast<unsigned>(number)));
    threads_.emplace_back([this, number] { live(number); });
  }
}

void WorkerPool::begin_on_workers(Run& run, std::size_t count) {
  {
    const std::lock_guard lock(mutex_);
    run_ = &run;
    taking_part_ = count;
    left_ = 0;
    ++generation_;
  }
  changed_.notify_all();  // whoever wakes up finds the mutex free
}

void WorkerPool::wait_for_workers(std::size_t count) {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return left_ == count; });
  run_ = nullptr;
}

// A worker thread: waits for a run, takes part, waits again.
void WorkerPool::live(std::size_t number) {
  std::uint64_t seen = 0;
  bool pinned = false;
  const TakingPart taking_part(*this);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || (generation_ != seen && run_ != nullptr); });
    if (closing_) return;
    seen = generation_;
    if (number >= taking_part_) continue;
    Run& run = *run_;
    const bool pin = run.options.pin && taking_part_ <= cores_.size();
    lock.unlock();
    if (pin != pinned && !cores_.empty()) {
      set_cores(pin ? std::vector<int>{cores_[number]} : cores_);
      pinned = pin;
    }
    workers_[number]->take_part(run);
    lock.lock();
    if (++left_ == taking_part_) finished_.notify_all();
  }
}

}  // namespace raddle::ddm::native
