// Nanoseconds per empty thread of the data-driven runtime, beside oneTBB and OpenMP in the same
// run: a million independent threads, a wavefront of 1000×1000, a chain of a million; and blocked
// Cholesky factorisation of a 2048×2048 matrix. The bars that the runtime is held to are judged at
// the end, on standard error.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

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

// Factorisations by all libraries in turn, each round beginning with another one, so that each has
// its share of a disturbed machine's good and bad moments; made when the first result is asked for.
// They differ by a few percent, as nearly all of the time is OpenBLAS's: hence many rounds, and one
// matrix for all, because it costs as much where its pages lie.
class Factorisations {
 public:
  using Make = Runner (*)(BlockedMatrix& matrix, int workers);
  static constexpr int kRounds = 120, kWorkers = 2;

  explicit Factorisations(std::size_t block) : block_(block) {}
  void add(const std::string& library, Make make) { libraries_.push_back({library, make, {}}); }

  // Seconds of each round, by the clock and of processor time.
  struct Times {
    std::vector<double> wall, cpu;
    bool right = true;
  };
  const Times& of(const std::string& library) {
    if (libraries_.front().times.wall.empty()) measure();
    return std::ranges::find(libraries_, library, &Library::name)->times;
  }

 private:
  struct Library {
    std::string name;
    Make make;
    Times times;
  };

  void measure() {
    BlockedMatrix matrix(2048, block_);
    std::vector<Runner> runs;
    for (const Library& each : libraries_) runs.push_back(each.make(matrix, kWorkers));
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t turn = 0; turn < runs.size(); ++turn) {
        const std::size_t i = (static_cast<std::size_t>(round) + turn) % runs.size();
        Library& library = libraries_[i];
        matrix.fill();
        const double cpu = cpu_seconds();
        library.times.wall.push_back(seconds(runs[i]));
        library.times.cpu.push_back(cpu_seconds() - cpu);
        if (round == 0) library.times.right = matrix.error() <= 1e-8;
      }
    }
  }

  std::size_t block_;
  std::vector<Library> libraries_;
};

void cholesky(benchmark::State& state, const Name& name, Factorisations& all, Verdicts& verdicts) {
  const Factorisations::Times& times = all.of(name.library);
  std::size_t round = 0;
  for (auto _ : state) state.SetIterationTime(times.wall[round++ % times.wall.size()]);
  if (!times.right) state.SkipWithError("the factor is wrong");
  const double best = std::ranges::min(times.wall);
  state.counters["best_ms"] = best * 1e3;
  state.counters["gflops"] = 2048.0 * 2048 * 2048 / 3 / best / 1e9;
  state.SetLabel(std::string("OpenBLAS kernels for ") + raddle::bench::blas_core());
  verdicts.add(name.task, name.library, Factorisations::kWorkers,
               {best * 1e3, std::ranges::min(times.cpu) * 1e3});
}

void add_graph(const Name& name, Runner (*make)(int workers), Verdicts& verdicts) {
  benchmark::RegisterBenchmark(
      name.text().c_str(),
      [name, make, &verdicts](benchmark::State& state) { graph(state, name, make, verdicts); })
      ->Arg(1)
      ->Arg(2)
      ->ArgName("workers")
      ->UseManualTime()
      // Ours take a few milliseconds: enough of them that some have the machine for themselves.
      ->Iterations(name.library == "ddm" ? 41 : 7)
      ->Unit(benchmark::kMillisecond);
}

void add_cholesky(std::size_t block, Verdicts& verdicts) {
  using namespace raddle::bench;
  auto all = std::make_shared<Factorisations>(block);
  all->add("ddm", ddm_library::cholesky);
  all->add("tbb_task_group", task_group::cholesky);
  all->add("tbb_flow_graph", flow_graph::cholesky);
  all->add("openmp_depend", openmp::cholesky);
  for (const char* library : {"ddm", "tbb_task_group", "tbb_flow_graph", "openmp_depend"}) {
    const Name name{"cholesky2048, blocks of " + std::to_string(block), library};
    const std::string text = "cholesky2048/" + name.library + "/block:" + std::to_string(block);
    benchmark::RegisterBenchmark(
        text.c_str(),
        [name, all, &verdicts](benchmark::State& state) { cholesky(state, name, *all, verdicts); })
        ->UseManualTime()
        ->Iterations(Factorisations::kRounds)
        ->Unit(benchmark::kMillisecond);
  }
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
  add_cholesky(64, verdicts);
  add_cholesky(128, verdicts);
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
