// How fast recordings are replayed on d2now, by number of nodes: threads of some thousand
// instructions, one touch of a line to 16 instructions, as the applications have it. Chains of
// threads stay on their nodes, or send a value to the next node after each thread. Standard error
// says at the end whether 100 million instructions a second are replayed, and what nodes cost.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>

#include "tests/machine/d2now/recorded_program.h"

namespace {

using namespace raddle::machine::d2now;
using testing::RecordedProgram;
using testing::Step;
namespace rec = raddle::ddm::recording;

constexpr std::uint32_t kThreads = 2048;
constexpr std::uint32_t kTouches = 256, kInstructionsPerTouch = 16;

enum class Chains : std::uint8_t { kStay, kSend };

RecordedProgram chains(std::uint32_t nodes, Chains kind) {
  RecordedProgram program;
  std::vector<Step> steps(kTouches);
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    const std::uint32_t number = program.thread(i % nodes, 0);
    for (std::uint32_t k = 0; k < kTouches; ++k) {
      const bool stores = k % 4 == 0;
      steps[k] = {kInstructionsPerTouch, stores ? rec::Touch::kStore : rec::Touch::kLoad,
                  (i * 37 + k * 3) % 16384};
    }
    program.stream(number, steps);
    program.recording.threads[number].instructions = kTouches * kInstructionsPerTouch;
    if (i < 64) continue;
    const std::uint32_t before = kind == Chains::kStay ? number - 64 : number - 63;
    program.consumers(before, {number});
    if (kind == Chains::kSend) program.flows(number, {{before, 0, {before * 8u, 8}}});
  }
  return program;
}

// Processor time: other programs on the machine do not count.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The least seconds for the same instructions, by number of nodes.
std::map<std::uint32_t, double> least_seconds[2];
double instructions_replayed = 0;

void replay_recording(benchmark::State& state, Chains kind) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  RecordedProgram program = chains(nodes, kind);
  const rec::Recording& recording = program.on(nodes);
  raddle::machine::ParameterTable table = raddle::machine::load_parameters("d2now");
  table.set("nodes=" + std::to_string(nodes));
  double least = 1e9;
  for (auto _ : state) {
    const double begin = cpu_seconds();
    benchmark::DoNotOptimize(D2nowMachine(table).replay(recording, {}).cycles);
    least = std::min(least, cpu_seconds() - begin);
  }
  least_seconds[static_cast<std::size_t>(kind)][nodes] = least;
  instructions_replayed = static_cast<double>(recording.instructions());
  state.counters["instructions_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(recording.instructions()),
      benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(replay_recording, staying, Chains::kStay)
    ->RangeMultiplier(2)
    ->Range(1, 64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_recording, sending, Chains::kSend)
    ->RangeMultiplier(2)
    ->Range(1, 64)
    ->Unit(benchmark::kMillisecond);

void print_bars(const char* what, const std::map<std::uint32_t, double>& seconds) {
  if (seconds.empty()) return;
  const auto slowest =
      std::ranges::max_element(seconds, {}, [](const auto& e) { return e.second; });
  const double rate = instructions_replayed / slowest->second / 1e6;
  std::fprintf(
      stderr,
      "bar: chains that %s, %u nodes: %.0f million instructions a second, at least 100: %s\n", what,
      slowest->first, rate, rate >= 100 ? "holds" : "MISSED");
  const auto one = seconds.find(1), many = seconds.find(32);
  if (one == seconds.end() || many == seconds.end()) return;
  const double growth = many->second / one->second;
  std::fprintf(stderr,
               "bar: chains that %s: 32 nodes take %.1f times as long as one for the same "
               "instructions, at most 2.5: %s\n",
               what, growth, growth <= 2.5 ? "holds" : "MISSED");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  print_bars("stay", least_seconds[0]);
  print_bars("send", least_seconds[1]);
}
