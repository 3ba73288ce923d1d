// METG(50%) of Task Bench's patterns (see bench/task_bench): the data-driven runtime beside OpenMP
// tasks, oneTBB and MPI alone, two workers or two ranks each. task-bench is started for one system
// after the other, several rounds, and the least counts: others may be using the machine. The bars
// that the runtime is held to are judged at the end, on standard error.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> kPatterns = {
    "trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "dom",       "tree",
    "fft",     "nearest", "spread",     "random_nearest",      "all_to_all"};

struct System {
  std::string name;
  std::string command;  // before the options of the graphs
};

class Measurements {
 public:
  Measurements() {
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").replace_filename("task-bench").string();
    const std::string two_ranks =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe "
        "--bind-to none -n 2 ";
    systems_ = {{"ddm", program + " -system ddm -workers 2"},
                {"openmp", program + " -system openmp -workers 2"},
                {"tbb", program + " -system tbb -workers 2"}};
    if (std::system("mpirun --version > /dev/null 2>&1") != 0) return;
    systems_.push_back({"mpi", two_ranks + program + " -system mpi"});
    systems_.push_back({"ddm_on_two_ranks", two_ranks + program + " -system ddm -workers 1"});
  }

  [[nodiscard]] const std::vector<System>& systems() const { return systems_; }

  // Microseconds; 0: it could not be measured.
  double of(const std::string& system, const std::string& pattern) {
    if (best_.empty()) measure();
    return best_[system][pattern];
  }
  [[nodiscard]] bool measured() const { return !best_.empty(); }

 private:
  static constexpr int kRounds = 3;

  void measure() {
    for (int round = 0; round < kRounds; ++round) {
      for (const System& system : systems_) run(system);
    }
  }

  void run(const System& system) {
    std::string command = system.command + " -metg -repeat 15";
    for (const std::string& pattern : kPatterns) {
      if (pattern != kPatterns.front()) command += " -and";
      command += " -steps 10000 -width 4 -type " + pattern;
      if (pattern == "spread") command += " -period 2";
    }
    std::FILE* output = popen((command + " 2> /dev/null").c_str(), "r");
    if (output == nullptr) return;
    char line[256], pattern[64], figure[64];
    while (std::fgets(line, sizeof line, output) != nullptr) {
      if (std::sscanf(line, "METG(50%%) %*s %63s %63s us", pattern, figure) != 2) continue;
      const double value = std::atof(figure[0] == '<' ? figure + 1 : figure);
      double& best = best_[system.name][pattern];
      if (value > 0 && (best == 0 || value < best)) best = value;
    }
    pclose(output);
  }

  std::vector<System> systems_;
  std::map<std::string, std::map<std::string, double>> best_;
};

void judge(Measurements& all, const std::string& own, const std::string& other, double share) {
  for (const std::string& pattern : kPatterns) {
    const double mine = all.of(own, pattern), theirs = all.of(other, pattern);
    if (mine == 0 || theirs == 0) continue;
    char text[160];
    std::snprintf(text, sizeof text, "bar: METG of %s, %s: %.2f us, at most %g of %s's %.2f: %s",
                  pattern.c_str(), own.c_str(), mine, share, other.c_str(), theirs,
                  mine <= share * theirs ? "holds" : "MISSED");
    std::cerr << text << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  Measurements all;
  for (const std::string& pattern : kPatterns) {
    for (const System& system : all.systems()) {
      benchmark::RegisterBenchmark(("metg/" + pattern + "/" + system.name).c_str(),
                                   [&all, system, pattern](benchmark::State& state) {
                                     const double metg = all.of(system.name, pattern);
                                     for (auto _ : state) state.SetIterationTime(metg * 1e-6);
                                     if (metg == 0) state.SkipWithError("not measured");
                                     state.counters["metg_us"] = metg;
                                   })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (!all.measured()) return 0;
  judge(all, "ddm", "mpi", 1);
  judge(all, "ddm", "openmp", 0.1);
  judge(all, "ddm_on_two_ranks", "mpi", 1);
}
