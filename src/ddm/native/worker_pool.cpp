#include "ddm/native/worker_pool.h"

#include <algorithm>
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

// The workers of a run; kept for the next one.
class WorkerPool::Borrowed {
 public:
  Borrowed(WorkerPool& pool, std::size_t count) : pool_(pool) {
    {
      const std::lock_guard lock(pool_.mutex_);
      if (!pool_.kept_.empty()) {
        workers_ = std::move(pool_.kept_.back());
        pool_.kept_.pop_back();
      }
    }
    while (workers_.size() < count)
      workers_.push_back(std::make_unique<Worker>(static_cast<unsigned>(workers_.size())));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    const std::lock_guard lock(pool_.mutex_);
    pool_.kept_.push_back(std::move(workers_));
  }
  [[nodiscard]] Worker& operator[](std::size_t number) const { return *workers_[number]; }

 private:
  WorkerPool& pool_;
  Workers workers_;
};

int WorkerPool::memory_node_of(std::size_t worker) {
  const std::lock_guard lock(mutex_);
  if (memory_nodes_.empty()) memory_nodes_ = memory_nodes_of(threads_.cores());
  return memory_nodes_.empty() ? 0 : memory_nodes_[worker % memory_nodes_.size()];
}

Report WorkerPool::run(const ProgramGraph& program, void* frame, const Options& options) {
  return run(program, frame, options, nullptr, nullptr);
}

Report WorkerPool::run(const ProgramGraph& program, void* frame, const Options& options,
                       Network* network, Attend attend) {
  return run(program, frame, options, network, &attend);
}

Report WorkerPool::run(const ProgramGraph& program, void* frame, const Options& chosen,
                       Network* network, const Attend* attend) {
  const Options options = with_environment(chosen);
  if (network == nullptr || network->node() == 0) write_dot(program);
  const auto count = options.workers > 0 ? static_cast<std::size_t>(options.workers)
                                         : std::max<std::size_t>(1, threads_.cores().size());
  const Borrowed workers(*this, count);
  Run run(program, plan_of(program), options);
  run.network = network;
  run.crew = count;
  run.profiled = options.profile && network == nullptr;
  if (run.plan->has_bound) {
    for (std::size_t i = 0; i < count; ++i) run.memory_nodes.push_back(memory_node_of(i));
  }
  if (run.plan->has_external) {
    run.operations =
        std::make_shared<Operations>([&run] { run.wake_one(); }, [&run] { return run.stopping(); });
  }
  const auto nodes = network == nullptr ? 1 : static_cast<std::size_t>(network->nodes_on_cores());
  run.crowded = count * nodes > threads_.cores().size();
  std::optional<Timeline> timeline;
  if (!options.trace.empty() || options.profile)
    run.timeline = &timeline.emplace(options.trace, count);
  run.keeps_threads = run.plan->has_bound || network != nullptr || run.timeline != nullptr;
  for (std::size_t i = 0; i < count; ++i) run.workers.push_back(&workers[i]);
  std::optional<Worker> outside;
  if (attend != nullptr) run.workers.push_back(&outside.emplace(static_cast<unsigned>(count)));
  for (Worker* worker : run.workers) worker->begin(run);
  Context root;
  root.plan = run.plan->blocks.front().get();
  root.frame = frame;
  const auto begin = std::chrono::steady_clock::now();
  if (attend == nullptr) workers[0].queue_start(root);
  {
    const std::stop_callback on_stop(options.stop, [&] {
      run.fail(std::make_exception_ptr(CancelledError("the run was cancelled", "", "")));
    });
    Worker* own = threads_.begin(run);
    {
      const TakingPart taking_part(threads_);
      if (attend != nullptr) (*attend)(run, *outside, root);
      if (own != nullptr) own->take_part(run, false);
    }
    threads_.finish(run);
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

}  // namespace raddle::ddm::native
