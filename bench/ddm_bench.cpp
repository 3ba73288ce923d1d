// Nanoseconds per empty thread of the data-driven runtime, beside oneTBB and OpenMP in the same
// run: a million independent threads, a wavefront of 1000×1000, a chain of a million; and blocked
// Cholesky factorisation of a 2048×2048 matrix.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>

#include "bench/ddm/contenders.h"

namespace {

using raddle::bench::BlockedMatrix;
using raddle::bench::Runner;
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

void graph(benchmark::State& state, Runner (*make)(int workers)) {
  const Runner run = make(static_cast<int>(state.range(0)));
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
  state.counters["ns_per_thread"] = best * 1e9 / static_cast<double>(raddle::bench::kThreads);
  state.counters["cpu_ns_per_thread"] =
      best_cpu * 1e9 / static_cast<double>(raddle::bench::kThreads);
}

void cholesky(benchmark::State& state, Runner (*make)(BlockedMatrix& matrix, int workers)) {
  BlockedMatrix matrix(2048, static_cast<std::size_t>(state.range(1)));
  const Runner run = make(matrix, static_cast<int>(state.range(0)));
  double best = 1e9;
  for (auto _ : state) {
    matrix.fill();
    const double time = seconds(run);
    state.SetIterationTime(time);
    best = std::min(best, time);
  }
  if (matrix.error() > 1e-8) state.SkipWithError("the factor is wrong");
  state.counters["best_ms"] = best * 1e3;
  state.counters["gflops"] = 2048.0 * 2048 * 2048 / 3 / best / 1e9;
  state.SetLabel(std::string("OpenBLAS kernels for ") + raddle::bench::blas_core());
}

void add_graph(const std::string& name, Runner (*make)(int workers)) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [make](benchmark::State& state) { graph(state, make); })
      ->Arg(1)
      ->Arg(2)
      ->ArgName("workers")
      ->UseManualTime()
      ->Iterations(7)
      ->Unit(benchmark::kMillisecond);
}

void add_cholesky(const std::string& name, Runner (*make)(BlockedMatrix& matrix, int workers)) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [make](benchmark::State& state) { cholesky(state, make); })
      ->Args({2, 64})
      ->Args({2, 128})
      ->ArgNames({"workers", "block"})
      ->UseManualTime()
      ->Iterations(7)
      ->Unit(benchmark::kMillisecond);
}

void add_all() {
  using namespace raddle::bench;
  add_graph("independent/ddm", ddm_library::independent);
  add_graph("independent/tbb_task_group", task_group::independent);
  add_graph("independent/tbb_flow_graph", flow_graph::independent);
  add_graph("independent/openmp_depend", openmp::independent);
  add_graph("wavefront/ddm", ddm_library::wavefront);
  add_graph("wavefront/tbb_task_group", task_group::wavefront);
  add_graph("wavefront/tbb_flow_graph", flow_graph::wavefront);
  add_graph("wavefront/openmp_depend", openmp::wavefront);
  add_graph("chain/ddm", ddm_library::chain);
  add_graph("chain/tbb_task_group", task_group::chain);
  add_graph("chain/tbb_flow_graph", flow_graph::chain);
  add_graph("chain/openmp_depend", openmp::chain);
  add_cholesky("cholesky2048/ddm", ddm_library::cholesky);
  add_cholesky("cholesky2048/tbb_task_group", task_group::cholesky);
  add_cholesky("cholesky2048/tbb_flow_graph", flow_graph::cholesky);
  add_cholesky("cholesky2048/openmp_depend", openmp::cholesky);
}

}  // namespace

int main(int argc, char** argv) {
  raddle::bench::insist_on_right_blas_core(argv);
  add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
