// How fast the reference machine executes, in thread instructions a second on one host thread. The
// bar: 500 million on each of the three kernels, under 300 MB. Counts must match the table in
// docs/machines/ref.md within 2%; the program fails otherwise.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <string>

#include "bench/calibration.h"
#include "lang/ptx/reader.h"

namespace {

using namespace raddle;

void run_kernel(benchmark::State& state, bench::Calibration which) {
  const auto machine = machine::make_kernel_machine(machine::load_parameters("ref"));
  kernel::DeviceMemory memory(1u << 28);
  kernel::Program program(memory);
  program.load(ptx::read_ptx(bench::kernels_ptx(), "calibration_kernels.ptx"));
  const bench::PreparedLaunch prepared = bench::prepare(program, which, memory);
  std::uint64_t instructions = 0;
  std::uint64_t last = 0;
  for (auto _ : state) {
    const machine::LaunchResult result = machine->launch(program, {}, prepared.launch, {});
    last = result.thread_instructions;
    instructions += last;
  }
  const double ratio = static_cast<double>(last) / static_cast<double>(which.thread_instructions);
  if (ratio < 0.98 || ratio > 1.02) {
    const std::string message =
        fmt::format("{} thread instructions, the table says {}", last, which.thread_instructions);
    state.SkipWithError(message.c_str());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["thread_instructions_per_second"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  state.counters["thread_instructions"] = static_cast<double>(last);
  state.counters["expected_thread_instructions"] = static_cast<double>(which.thread_instructions);
  state.counters["peak_memory_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024.0;
}

BENCHMARK_CAPTURE(run_kernel, vecadd, bench::kVecadd)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, matmul, bench::kMatmul)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, hotspot, bench::kHotspot)->Unit(benchmark::kMillisecond);

}  // namespace
