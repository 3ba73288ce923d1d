// How much faster the native machine is than the reference machine on the calibration kernels, on
// one host thread. Both run in turns within one measurement, so that the ratio holds on a busy
// host, too. The bar: five times. Arrays must be the same bit for bit afterwards; the program fails
// otherwise.
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstring>
#include <memory>

#include "bench/calibration.h"
#include "lang/ptx/reader.h"

namespace {

using namespace raddle;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A machine with the kernel's arrays in a memory of its own.
struct Side {
  Side(const char* name, const std::vector<std::string>& settings,
       const bench::Calibration& which) {
    machine::ParameterTable table = machine::load_parameters(name, settings);
    machine = machine::make_kernel_machine(table);
    program.load(ptx::read_ptx(bench::kernels_ptx(), "calibration_kernels.ptx"));
    prepared = bench::prepare(program, which, memory);
    run();  // compiles; and puts pages into memory
  }
  double run() {
    const double begin = processor_seconds();
    machine->launch(program, {}, prepared.launch, {});
    return processor_seconds() - begin;
  }

  kernel::DeviceMemory memory{1u << 28};
  kernel::Program program{memory};
  std::unique_ptr<machine::KernelMachine> machine;
  bench::PreparedLaunch prepared;
};

void compare(benchmark::State& state, bench::Calibration which) {
  Side ref("ref", {}, which);
  Side native("native", {"compile_after_warp_instructions=0"}, which);
  double ref_seconds = 0;
  double native_seconds = 0;
  for (auto _ : state) {
    ref_seconds += ref.run();
    const double seconds = native.run();
    native_seconds += seconds;
    state.SetIterationTime(seconds);
  }
  for (std::size_t array = 0; array < 3; ++array) {
    if (std::memcmp(ref.memory.view(ref.prepared.arrays[array]),
                    native.memory.view(native.prepared.arrays[array]),
                    ref.prepared.array_bytes) != 0)
      state.SkipWithError("the machines computed different arrays");
  }
  state.counters["times_ref"] = ref_seconds / native_seconds;
  state.counters["thread_instructions_per_second"] =
      static_cast<double>(which.thread_instructions * state.iterations()) / native_seconds;
}

BENCHMARK_CAPTURE(compare, vecadd, bench::kVecadd)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare, matmul, bench::kMatmul)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare, hotspot, bench::kHotspot)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
