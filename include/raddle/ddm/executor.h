// Who runs a data-driven program. The library brings worker threads of this machine (the default)
// and, in a library of its own, MPI ranks; a simulator brings a recorder. Options can also be set
// from outside: RADDLE_DDM_WORKERS, RADDLE_DDM_TRACE (a file for the timeline), RADDLE_DDM_REPORT
// (a file for the profile), RADDLE_DDM_DOT (a file for the graph).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "raddle/ddm/error.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

struct Options {
  int workers = 0;  // 0: one for each core that this process may use
  bool pin = true;  // each worker to a core, until another program takes one
  int prefetch_distance =
      2;  // CacheFlow: threads of the firing queue whose declared inputs are fetched ahead; 0: off
  bool reorder = true;   // CacheFlow: ready threads in the order of thread and iteration
  std::stop_token stop;  // cancels the run
  bool profile = false;  // Report::threads and what goes with it; measures every thread that runs
  std::string trace;     // file for a timeline that Perfetto and chrome://tracing open; empty: none
  std::chrono::milliseconds silence{
      30000};  // MPI: a node not heard of for so long (a second at least) is lost
};

// What the instances of a thread took, if Options::profile asked for it.
struct ThreadReport {
  std::string block;
  std::string thread;
  std::uint64_t instances = 0;
  double seconds = 0;  // of all instances
  double longest = 0;  // of one; of instances that ran in one go: their mean
  double on_critical_path = 0;
  double idle = 0;  // of workers that had nothing to run while this ran, shared among what ran
};

// What a run did.
struct Report {
  std::uint64_t threads_fired = 0;
  std::uint64_t contexts = 0;            // code block invocations, the program's own among them
  std::uint64_t most_live_contexts = 0;  // at any one time, added up over workers: an upper bound
  std::uint64_t steals = 0;
  std::uint64_t parks = 0;
  std::uint64_t prefetches = 0;
  std::uint64_t messages = 0;  // to other nodes
  std::uint64_t message_bytes = 0;
  double seconds = 0;
  // If Options::profile asked for it; on several nodes this node's, without a critical path.
  std::vector<ThreadReport> threads;
  double work = 0;           // seconds of all threads
  double critical_path = 0;  // the longest chain of instances, one after another
  double idle = 0;           // of all workers together: running no thread
  double idle_of_all = 0;    // of that, while no worker ran one: the runtime itself, or waiting for
                             // operations outside

  // How many workers could be busy on average, if there were as many as one likes.
  [[nodiscard]] double parallelism() const { return critical_path > 0 ? work / critical_path : 0; }
};
// The profile as a table, the thread that took most first; empty without one.
std::string text(const Report& report);

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs a checked program to its end with the given frame of its first block, which stays the
  // caller's. An exception thrown by a thread is thrown here.
  virtual Report run(const ProgramGraph& program, void* frame, const Options& options) = 0;
  // Nodes that threads can be placed on, and which of them this process is.
  [[nodiscard]] virtual int nodes() const { return 1; }
  [[nodiscard]] virtual int node() const { return 0; }
  // Whether nodes are processes, each with a memory of its own that holds what it has computed or
  // was sent; simulated nodes are not.
  [[nodiscard]] virtual bool distributed() const { return false; }
};

// The executor that Program::run uses. Set by whoever brings another one; null brings back the
// library's own. Returns what was set before.
Executor* set_default_executor(Executor* executor);
Executor& default_executor();

// How many nodes run this program, and which of them this process is.
inline int nodes() { return default_executor().nodes(); }
inline int node() { return default_executor().node(); }
inline bool distributed() { return default_executor().distributed(); }

// Worker threads of this machine, kept (asleep) between runs. Options::workers may differ from run
// to run.
std::unique_ptr<Executor> make_native_executor();

// One thread after another in a fixed order: the yardstick for the others.
std::unique_ptr<Executor> make_sequential_executor();

// Throws GraphError, naming the threads, if the graph can never fire. Program::run does this once.
void check(const ProgramGraph& program);

// The graph in Graphviz' language.
std::string dot(const ProgramGraph& program);

}  // namespace raddle::ddm
