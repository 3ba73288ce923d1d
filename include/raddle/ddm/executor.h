// Who runs a data-driven program. The library brings worker threads of this machine (the default)
// and, in a library of its own, MPI ranks; a simulator brings a recorder. Options can also be set
// from outside: RADDLE_DDM_WORKERS, RADDLE_DDM_TRACE (a file for the timeline), RADDLE_DDM_DOT (a
// file for the graph).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "raddle/ddm/error.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

struct Options {
  int workers = 0;  // 0: one for each core that this process may use
  bool pin = true;  // each worker to a core
  int prefetch_distance =
      2;  // CacheFlow: threads of the firing queue whose declared inputs are fetched ahead; 0: off
  bool reorder = true;   // CacheFlow: ready threads in the order of thread and iteration
  std::stop_token stop;  // cancels the run
  std::string trace;     // file for a timeline that Perfetto and chrome://tracing open; empty: none
  std::chrono::milliseconds silence{
      30000};  // MPI: a node not heard of for so long (a second at least) is lost
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
};

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
