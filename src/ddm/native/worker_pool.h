// Worker threads of this machine, started when first needed and asleep between runs.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ddm/native/run.h"
#include "ddm/native/worker.h"
#include "raddle/ddm/executor.h"
#include "raddle/ddm/function_ref.h"

namespace raddle::ddm::native {

class WorkerPool {
 public:
  WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  // Runs a program to its end. With a network, `attend` is called on the calling thread meanwhile:
  // it starts the program's first context through a worker that runs nothing itself, and ends the
  // run.
  using Attend = FunctionRef<void(Run& run, Worker& outside, Context& root)>;
  Report run(const ProgramGraph& program, void* frame, const Options& options, Network* network,
             Attend attend);
  Report run(const ProgramGraph& program, void* frame, const Options& options);
  // Whether the calling thread takes part in a run of this pool: it must not wait for another one.
  [[nodiscard]] bool runs_this_thread() const;
  // The same of any pool.
  [[nodiscard]] static bool any_runs_this_thread();

 private:
  Report run(const ProgramGraph& program, void* frame, const Options& options, Network* network,
             const Attend* attend);
  void grow(std::size_t count);
  void live(std::size_t number);
  void begin_on_workers(Run& run, std::size_t count);
  void wait_for_workers(std::size_t count);

  std::vector<int> cores_;
  std::vector<int> memory_nodes_;  // of these, once they are asked for
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

}  // namespace raddle::ddm::native
