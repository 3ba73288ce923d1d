// How fast the SIMT machine `fermi` simulates. The bar: 40 million thread instructions a second on
// each of the three kernels with one host thread, under 200 MB; two threads should gain a factor of
// 1.6. Cycles must be within 20% of GPGPU-Sim's and thread instructions within 2%; the program
// fails otherwise.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <ctime>
#include <string>

#include "bench/calibration.h"
#include "lang/ptx/reader.h"

namespace {

using namespace raddle;

bool is_near(std::uint64_t measured, std::uint64_t expected, double share) {
  const double ratio = static_cast<double>(measured) / static_cast<double>(expected);
  return ratio >= 1 - share && ratio <= 1 + share;
}

void simulate(benchmark::State& state, bench::Calibration which) {
  const machine::ParameterTable parameters = machine::load_parameters("fermi");
  kernel::DeviceMemory memory(1u << 28);
  kernel::Program program(memory);
  program.load(ptx::read_ptx(bench::kernels_ptx(), "calibration_kernels.ptx"));
  const bench::PreparedLaunch prepared = bench::prepare(program, which, memory);
  machine::LaunchOptions options;
  options.host_threads = static_cast<unsigned>(state.range(0));
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::clock_t cpu_time = 0;
  machine::LaunchResult last;
  for (auto _ : state) {
    // A new GPU each time: what the L2 holds from the last launch would change the cycles.
    state.PauseTiming();
    const auto machine = machine::make_kernel_machine(parameters);
    for (int array = 0; array < 2; ++array)
      machine->host_wrote(Address(prepared.arrays[static_cast<std::size_t>(array)]),
                          Bytes(prepared.array_bytes));
    state.ResumeTiming();
    const std::clock_t begun = std::clock();
    last = machine->launch(program, {}, prepared.launch, options);
    cpu_time += std::clock() - begun;
    instructions += last.thread_instructions;
    cycles += last.cycles;
  }
  if (!is_near(last.thread_instructions, which.thread_instructions, 0.02) ||
      !is_near(last.cycles, which.cycles, 0.20)) {
    const std::string message =
        fmt::format("{} thread instructions in {} cycles, the table says {} in {}",
                    last.thread_instructions, last.cycles, which.thread_instructions, which.cycles);
    state.SkipWithError(message.c_str());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto rate = [](std::uint64_t count) {
    return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
  };
  state.counters["thread_instructions_per_second"] = rate(instructions);
  // What else runs on the host takes less of this one; with one host thread the two are alike.
  state.counters["thread_instructions_per_cpu_second"] =
      static_cast<double>(instructions) * CLOCKS_PER_SEC / static_cast<double>(cpu_time);
  state.counters["cycles_per_second"] = rate(cycles);
  state.counters["cycles"] = static_cast<double>(last.cycles);
  state.counters["expected_cycles"] = static_cast<double>(which.cycles);
  state.counters["peak_memory_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024.0;
}

// Host threads are in the name; real time is what several of them are for.
BENCHMARK_CAPTURE(simulate, vecadd, bench::kVecadd)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(simulate, matmul, bench::kMatmul)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(simulate, hotspot, bench::kHotspot)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
