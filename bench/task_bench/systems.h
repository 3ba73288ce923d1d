// The systems that run the task graphs, all on the same tasks and lists of dependences. What can be
// prepared once is not timed, as in the original.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/task_bench/task.h"
#include "bench/task_bench/task_graph.h"

namespace raddle::bench::task_bench {

class System {
 public:
  virtual ~System() = default;
  // Runs all graphs once; the seconds that it took, the same number on all ranks. Iterations of the
  // kernels may change between runs.
  virtual double run() = 0;
  // Cores that it uses, on all ranks.
  [[nodiscard]] virtual int cores() const = 0;
};

// A graph with what its tasks need; each system adds its own.
struct Prepared {
  explicit Prepared(const TaskGraph& declared)
      : graph(&declared), dependences(declared), outputs(declared) {}

  const TaskGraph* graph;
  Dependences dependences;
  Outputs outputs;
};

// Runs a task whose inputs and output lie in `outputs`.
void run_in_place(Prepared& prepared, long step, long point, std::byte* scratch);

using Graphs = std::span<const TaskGraph>;
std::unique_ptr<System> make_ddm(Graphs graphs, int workers);
std::unique_ptr<System> make_openmp(Graphs graphs, int workers);
std::unique_ptr<System> make_tbb(Graphs graphs, int workers);
std::unique_ptr<System> make_mpi(Graphs graphs);

// Ranks that mpirun has started, and which of them this one is.
int ranks();
int rank();
// The first rank's number, told to all.
double agree(double value);
// Once, before the process ends.
void leave_mpi();

}  // namespace raddle::bench::task_bench
