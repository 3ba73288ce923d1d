// Nanoseconds per empty thread of the data-driven runtime, beside oneTBB and OpenMP in the same
// run: a million independent threads, a wavefront of 1000×1000, a chain of a million; and blocked
// Cholesky factorisation of a 2048×2048 matrix. The bars that the runtime is held to are judged at
// the end, on standard error.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <string>

#include "bench/ddm/contenders.h"
#include "bench/ddm/verdicts.h"

namespace {

using raddle::bench::BlockedMatrix;
using raddle::bench::Runner;
using raddle::bench::Verdicts;
using Clock = std::chrono::steady_clock;

// Processor time of all threads: other programs on the machine do not count.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds(const Runner& run) {
  const auto begin = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Name {
  std::string task, library;
  std::string text() const { return task + "/" + library; }
};

void graph(benchmark::State& state, const Name& name, Runner (*make)(int workers),
           Verdicts& verdicts) {
  const int workers = static_cast<int>(state.range(0));
  const Runner run = make(workers);
  run();  // starts the library's threads
  double best = 1e9;
  double best_cpu = 1e9;
  for (auto _ : state) {
    const double cpu = cpu_seconds();
    const double time = seconds(run);
    best_cpu = std::min(best_cpu, cpu_seconds() - cpu);
    state.SetIterationTime(time);
    best = std::min(best, time);
  }
  // The least, because others may be using the machine.
  const double threads = static_cast<double>(raddle::bench::kThreads);
  state.counters["ns_per_thread"] = best * 1e9 / threads;
  state.counters["cpu_ns_per_thread"] = best_cpu * 1e9 / threads;
  verdicts.add(name.task, name.library, workers, {best * 1e9 / threads, best_cpu * 1e9 / threads});
}

void cholesky(benchmark::State& state, const Name& name,
              Runner (*make)(BlockedMatrix& matrix, int workers), Verdicts& verdicts) {
  const int workers = static_cast<int>(state.range(0));
  BlockedMatrix matrix(2048, static_cast<std::size_t>(state.range(1)));
  const Runner run = make(matrix, workers);
  double best = 1e9;
  double best_cpu = 1e9;
  for (auto _ : state) {
    matrix.fill();
    const double cpu = cpu_seconds();
    const double time = seconds(run);
    best_cpu = std::min(best_cpu, cpu_seconds() - cpu);
    state.SetIterationTime(time);
    best = std::min(best, time);
  }
  if (matrix.error() > 1e-8) state.SkipWithError("the factor is wrong");
  state.counters["best_ms"] = best * 1e3;
  state.counters["gflops"] = 2048.0 * 2048 * 2048 / 3 / best / 1e9;
  state.SetLabel(std::string("OpenBLAS kernels for ") + raddle::bench::blas_core());
  verdicts.add(name.task + ", blocks of " + std::to_string(state.range(1)), name.library, workers,
               {best * 1e3, best_cpu * 1e3});
}

void add_graph(const Name& name, Runner (*make)(int workers), Verdicts& verdicts) {
  benchmark::RegisterBenchmark(
      name.text().c_str(),
      [name, make, &verdicts](benchmark::State& state) { graph(state, name, make, verdicts); })
      ->Arg(1)
      ->Arg(2)
      ->ArgName("workers")
      ->UseManualTime()
      ->Iterations(7)
      ->Unit(benchmark::kMillisecond);
}

void add_cholesky(const Name& name, Runner (*make)(BlockedMatrix& matrix, int workers),
                  Verdicts& verdicts) {
  benchmark::RegisterBenchmark(
      name.text().c_str(),
      [name, make, &verdicts](benchmark::State& state) { cholesky(state, name, make, verdicts); })
      ->Args({2, 64})
      ->Args({2, 128})
      ->ArgNames({"workers", "block"})
      ->UseManualTime()
      ->Iterations(7)
      ->Unit(benchmark::kMillisecond);
}

void add_all(Verdicts& verdicts) {
  using namespace raddle::bench;
  add_graph({"independent", "ddm"}, ddm_library::independent, verdicts);
  add_graph({"independent", "tbb_task_group"}, task_group::independent, verdicts);
  add_graph({"independent", "tbb_flow_graph"}, flow_graph::independent, verdicts);
  add_graph({"independent", "openmp_depend"}, openmp::independent, verdicts);
  add_graph({"wavefront", "ddm"}, ddm_library::wavefront, verdicts);
  add_graph({"wavefront", "tbb_task_group"}, task_group::wavefront, verdicts);
  add_graph({"wavefront", "tbb_flow_graph"}, flow_graph::wavefront, verdicts);
  add_graph({"wavefront", "openmp_depend"}, openmp::wavefront, verdicts);
  add_graph({"chain", "ddm"}, ddm_library::chain, verdicts);
  add_graph({"chain", "tbb_task_group"}, task_group::chain, verdicts);
  add_graph({"chain", "tbb_flow_graph"}, flow_graph::chain, verdicts);
  add_graph({"chain", "openmp_depend"}, openmp::chain, verdicts);
  add_cholesky({"cholesky2048", "ddm"}, ddm_library::cholesky, verdicts);
  add_cholesky({"cholesky2048", "tbb_task_group"}, task_group::cholesky, verdicts);
  add_cholesky({"cholesky2048", "tbb_flow_graph"}, flow_graph::cholesky, verdicts);
  add_cholesky({"cholesky2048", "openmp_depend"}, openmp::cholesky, verdicts);
}

}  // namespace

int main(int argc, char** argv) {
  raddle::bench::insist_on_right_blas_core(argv);
  Verdicts verdicts;
  add_all(verdicts);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  // Standard output belongs to the figures.
  verdicts.print(std::cerr);
  raddle::bench::print_memory_verdict(std::cerr);
}
