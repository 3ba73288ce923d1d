// Which executor Program::run uses.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "ddm/executor_choice.h"
#include "raddle/ddm/executor.h"

namespace raddle::ddm {
namespace {

std::atomic<Executor*>& chosen() {
  static std::atomic<Executor*> executor{nullptr};
  return executor;
}

std::atomic<std::unique_ptr<Executor> (*)()>& offered() {
  static std::atomic<std::unique_ptr<Executor> (*)()> make{nullptr};
  return make;
}

// mpirun starts any program; one that is not linked for it runs as a whole on every rank.
void warn_of_copies() {
  const char* ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (ranks == nullptr || rank == nullptr || std::atoi(ranks) < 2 || std::atoi(rank) != 0) return;
  std::fprintf(stderr,
               "raddle-ddm: mpirun has started this %s times, but it is not linked for MPI: each "
               "runs the whole program\nhint: raddle c++ --mpi, or link libraddle-ddm-mpi\n",
               ranks);
}

std::unique_ptr<Executor> make_default() {
  if (auto* make = offered().load()) {
    if (auto executor = make()) return executor;
  }
  warn_of_copies();
  return make_native_executor();
}

}  // namespace

bool offer_executor(std::unique_ptr<Executor> (*make)()) {
  offered().store(make);
  return true;
}

Executor* set_default_executor(Executor* executor) { return chosen().exchange(executor); }

Executor& default_executor() {
  if (auto* executor = chosen().load()) return *executor;
  static const std::unique_ptr<Executor> own = make_default();
  return *own;
}

}  // namespace raddle::ddm
