// Runs programs on workers of this machine. Runs may be under way at the same time, and threads of
// one may start others: all take their threads from one pool.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ddm/native/run.h"
#include "ddm/native/thread_pool.h"
#include "ddm/native/worker.h"
#include "raddle/ddm/executor.h"
#include "raddle/ddm/function_ref.h"

namespace raddle::ddm::native {

class WorkerPool {
 public:
  // Runs a program to its end. With a network, `attend` is called on the calling thread meanwhile:
  // it starts the program's first context through a worker that runs nothing itself, and ends the
  // run.
  using Attend = FunctionRef<void(Run& run, Worker& outside, Context& root)>;
  Report run(const ProgramGraph& program, void* frame, const Options& options, Network* network,
             Attend attend);
  Report run(const ProgramGraph& program, void* frame, const Options& options);
  // Whether the calling thread takes part in a run of this pool.
  [[nodiscard]] bool runs_this_thread() const { return TakingPart::in_run_of(threads_); }

 private:
  using Workers = std::vector<std::unique_ptr<Worker>>;
  class Borrowed;

  Report run(const ProgramGraph& program, void* frame, const Options& options, Network* network,
             const Attend* attend);
  [[nodiscard]] int memory_node_of(std::size_t worker);

  ThreadPool threads_;
  std::mutex mutex_;
  std::vector<Workers> kept_;      // of runs that have ended, with their queues
  std::vector<int> memory_nodes_;  // of the cores, once they are asked for
};

}  // namespace raddle::ddm::native
