// Worker threads of this machine. They are started when first needed and sleep between runs.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>

#include "ddm/native/plan.h"
#include "ddm/native/run.h"
#include "ddm/native/timeline.h"
#include "ddm/native/worker.h"

namespace raddle::ddm {
namespace native {
namespace {

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
      throw Error("'" + std::string(workers) + "' is no number of workers", "RADDLE_DDM_WORKERS",
                  "give a number from 1");
    }
  }
  if (const char* trace = std::getenv("RADDLE_DDM_TRACE");
      trace != nullptr && options.trace.empty()) {
    options.trace = trace;
  }
  return options;
}

void write_dot(const ProgramGraph& program) {
  const char* file = std::getenv("RADDLE_DDM_DOT");
  if (file == nullptr) return;
  std::ofstream out(file);
  if (!(out << dot(program)).flush())
    throw Error("the graph cannot be written", file, "choose another file");
}

class NativeExecutor : public Executor {
 public:
  NativeExecutor() : cores_(usable_cores()) {}
  ~NativeExecutor() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  Report run(const ProgramGraph& program, void* frame, const Options& chosen) override {
    const std::lock_guard one_at_a_time(run_mutex_);
    const Options options = with_environment(chosen);
    write_dot(program);
    const auto count = options.workers > 0 ? static_cast<std::size_t>(options.workers)
                                           : std::max<std::size_t>(1, cores_.size());
    grow(count);
    Run run(program, plan_of(program), options);
    std::optional<Timeline> timeline;
    if (!options.trace.empty()) run.timeline = &timeline.emplace(options.trace, count);
    for (std::size_t i = 0; i < count; ++i) {
      run.workers.push_back(workers_[i].get());
      workers_[i]->begin(run);
    }
    Context root;
    root.plan = run.plan->blocks.front().get();
    root.frame = frame;
    const auto begin = std::chrono::steady_clock::now();
    workers_.front()->queue_start(root);
    const std::stop_callback on_stop(options.stop, [&] {
      run.fail(std::make_exception_ptr(CancelledError("the run was cancelled", "", "")));
    });
    run_on_workers(run, count);
    Report report;
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (std::size_t i = 0; i < count; ++i) workers_[i]->finish(report);
    if (timeline) timeline->write(0);
    if (run.error()) std::rethrow_exception(run.error());
    return report;
  }

 private:
  // Kept until the program is declared anew.
  std::shared_ptr<const ProgramPlan> plan_of(const ProgramGraph& program) {
    std::uint64_t revision = program.blocks.size();
    for (const auto& block : program.blocks) revision += block->revision;
    if (!program.prepared || program.prepared_revision != revision) {
      program.prepared = make_plan(program);
      program.prepared_revision = revision;
    }
    return std::static_pointer_cast<const ProgramPlan>(program.prepared);
  }

  void grow(std::size_t count) {
    while (workers_.size() < count) {
      const auto number = workers_.size();
      workers_.push_back(std::make_unique<Worker>(static_cast<unsigned>(number)));
      threads_.emplace_back([this, number] { live(number); });
    }
  }

  void run_on_workers(Run& run, std::size_t count) {
    std::unique_lock lock(mutex_);
    run_ = &run;
    taking_part_ = count;
    left_ = 0;
    ++generation_;
    changed_.notify_all();
    finished_.wait(lock, [&] { return left_ == count; });
    run_ = nullptr;
  }

  // A worker thread: waits for a run, takes part, waits again.
  void live(std::size_t number) {
    std::uint64_t seen = 0;
    bool pinned = false;
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

  std::vector<int> cores_;
  std::mutex run_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable finished_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  Run* run_ = nullptr;
  std::size_t taking_part_ = 0;
  std::size_t left_ = 0;
  std::uint64_t generation_ = 0;
  bool closing_ = false;
};

}  // namespace
}  // namespace native

std::unique_ptr<Executor> make_native_executor() {
  return std::make_unique<native::NativeExecutor>();
}

}  // namespace raddle::ddm
