// How fast recordings are replayed on d2now, by number of nodes: threads of some thousand
// instructions, one touch of a line to 16 instructions, as the applications have it. Chains of
// threads stay on their nodes, or send a value to the next node after each thread.
#include <benchmark/benchmark.h>

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

void replay_recording(benchmark::State& state, Chains kind) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  RecordedProgram program = chains(nodes, kind);
  const rec::Recording& recording = program.on(nodes);
  raddle::machine::ParameterTable table = raddle::machine::load_parameters("d2now");
  table.set("nodes=" + std::to_string(nodes));
  for (auto _ : state) {
    benchmark::DoNotOptimize(replay(table, recording, {}).cycles);
  }
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

}  // namespace
