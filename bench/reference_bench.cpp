// How fast the reference machine executes, in thread instructions a second on one host thread. The
// bar: 500 million on each of the three kernels, under 300 MB. Counts must match the table in
// docs/machines/ref.md within 2%; the program fails otherwise.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "lang/cuda/clang_driver.h"
#include "lang/cuda/nvcc_arguments.h"
#include "lang/ptx/reader.h"
#include "machine/machine.h"

namespace {

using namespace raddle;

// Compiles bench/calibration_kernels.cu once, with the command line every program is compiled with.
const std::string& kernels_ptx() {
  static const std::string text = [] {
    const auto output = std::filesystem::temp_directory_path() / "raddle_calibration_kernels.ptx";
    const std::vector<std::string> arguments{
        "-ptx", RADDLE_BENCH_ROOT "/bench/calibration_kernels.cu", "-o", output.string()};
    const cuda::CompileRequest request = cuda::parse_nvcc_arguments(arguments);
    const cuda::CompileOutcome outcome = cuda::compile(request, cuda::find_toolchain());
    if (outcome.status != 0) throw Error(outcome.diagnostics);
    std::ostringstream read;
    read << std::ifstream(output).rdbuf();
    std::filesystem::remove(output);
    return read.str();
  }();
  return text;
}

// A kernel of the table: three float arrays and a size.
struct Calibration {
  const char* name;
  int size;                // vecadd: elements; else the side of a square
  std::uint64_t expected;  // thread instructions on GPGPU-Sim 4.2
};
constexpr Calibration kVecadd{"vecadd", 1 << 20, 22'020'096};
constexpr Calibration kMatmul{"matmul", 256, 68'681'728};
constexpr Calibration kHotspot{"hotspot", 512, 16'252'928};

machine::Launch make_launch(const kernel::Program& program, const Calibration& which,
                            kernel::DeviceMemory& memory) {
  const bool linear = std::strcmp(which.name, "vecadd") == 0;
  const auto side = static_cast<std::uint32_t>(which.size);
  const std::uint64_t elements = linear ? side : std::uint64_t{side} * side;
  machine::Launch launch;
  const kernel::Module& module = program.module(0);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].name.find(which.name) != std::string::npos) launch.kernel = {0, f};
  }
  launch.parameters.resize(28);
  for (std::uint64_t array = 0; array < 3; ++array) {
    const std::uint64_t address = *memory.allocate(elements * sizeof(float));
    auto* values = reinterpret_cast<float*>(memory.view(address));
    for (std::uint64_t i = 0; i < elements; ++i)
      values[i] = static_cast<float>(i * (7 + array) % 13) - 6.0f;
    std::memcpy(launch.parameters.data() + 8 * array, &address, sizeof(address));
  }
  std::memcpy(launch.parameters.data() + 24, &which.size, sizeof(which.size));
  launch.grid = linear ? machine::Dim3{side / 256, 1, 1} : machine::Dim3{side / 16, side / 16, 1};
  launch.block = linear ? machine::Dim3{256, 1, 1} : machine::Dim3{16, 16, 1};
  return launch;
}

void run_kernel(benchmark::State& state, Calibration which) {
  const machine::ParameterTable parameters = machine::load_parameters("ref");
  const auto machine = machine::make_machine(parameters);
  kernel::DeviceMemory memory(1u << 28);
  kernel::Program program(memory);
  program.load(ptx::read_ptx(kernels_ptx(), "calibration_kernels.ptx"));
  const machine::Launch launch = make_launch(program, which, memory);
  std::uint64_t instructions = 0;
  std::uint64_t last = 0;
  for (auto _ : state) {
    const machine::LaunchResult result = machine->launch(program, {}, launch, {});
    last = result.thread_instructions;
    instructions += last;
  }
  const double ratio = static_cast<double>(last) / static_cast<double>(which.expected);
  if (ratio < 0.98 || ratio > 1.02) {
    const std::string message =
        fmt::format("{} thread instructions, the table says {}", last, which.expected);
    state.SkipWithError(message.c_str());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["thread_instructions_per_second"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  state.counters["thread_instructions"] = static_cast<double>(last);
  state.counters["expected_thread_instructions"] = static_cast<double>(which.expected);
  state.counters["peak_memory_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024.0;
}

BENCHMARK_CAPTURE(run_kernel, vecadd, kVecadd)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, matmul, kMatmul)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, hotspot, kHotspot)->Unit(benchmark::kMillisecond);

}  // namespace
