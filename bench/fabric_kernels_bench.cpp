// How fast `dmt-cgra` simulates whole kernels: what threads compute, the fabric and the memory
// after it. The bar: 20 million firings a second on one host thread for matrixMul and hotspot in
// their forms between threads; the cost of a thread and the memory used do not grow with their
// number.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstring>
#include <ctime>
#include <memory>
#include <string>

#include "bench/compiled_kernels.h"
#include "lang/ptx/reader.h"
#include "machine/kernel_machine.h"

namespace {

using namespace raddle;

constexpr std::uint32_t kTile = 16;  // a block is a square of so many threads

class Kernel {
 public:
  Kernel(const std::string& source, const std::string& name) : program_(memory_) {
    program_.load(ptx::read_ptx(bench::compiled(source), source));
    const kernel::Module& module = program_.module(0);
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
      if (module.functions[f].name.find(name) != std::string::npos) launch_.kernel = {0, f};
    }
    launch_.block = {kTile, kTile, 1};
  }

  // So many floats, as the next parameter.
  void add_array(std::uint64_t elements) {
    const std::uint64_t address = *memory_.allocate(elements * sizeof(float));
    auto* values = reinterpret_cast<float*>(memory_.view(address));
    for (std::uint64_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i % 13) - 6.0f;
    add(address);
  }
  template <typename Value>
  void add(Value value) {
    const std::size_t place = launch_.parameters.size();
    launch_.parameters.resize(place + sizeof(value));
    std::memcpy(launch_.parameters.data() + place, &value, sizeof(value));
  }

  machine::LaunchResult run(machine::KernelMachine& machine, std::uint32_t blocks) {
    launch_.grid = {blocks, blocks, 1};
    return machine.launch(program_, {}, launch_, {});
  }

 private:
  kernel::DeviceMemory memory_{1u << 28};
  kernel::Program program_;
  machine::Launch launch_;
};

// Squares of so many blocks along a side.
std::unique_ptr<Kernel> matrix_product(std::uint32_t blocks) {
  constexpr std::uint32_t kInner = 2 * kTile;
  const std::uint64_t side = std::uint64_t{blocks} * kTile;
  auto kernel = std::make_unique<Kernel>("benchmarks/dmt/matmul.cu", "matmul_between_threads");
  kernel->add_array(side * kInner);
  kernel->add_array(kInner * side);
  kernel->add_array(side * side);
  kernel->add(kInner);
  kernel->add(static_cast<std::uint32_t>(side));
  return kernel;
}

std::unique_ptr<Kernel> hotspot(std::uint32_t blocks) {
  constexpr std::uint32_t kSteps = 2;
  const std::uint64_t side = std::uint64_t{blocks} * (kTile - 2 * kSteps);
  auto kernel = std::make_unique<Kernel>("benchmarks/dmt/hotspot.cu", "hotspot_between_threads");
  for (int array = 0; array < 3; ++array) kernel->add_array(side * side);
  kernel->add(static_cast<std::uint32_t>(side));
  kernel->add(kSteps);
  kernel->add(kSteps);
  return kernel;
}

void simulate(benchmark::State& state, std::unique_ptr<Kernel> (*make)(std::uint32_t)) {
  const auto blocks = static_cast<std::uint32_t>(state.range(0));
  const std::unique_ptr<Kernel> kernel = make(blocks);
  const auto machine = machine::make_kernel_machine(machine::load_parameters("dmt-cgra"));
  kernel->run(*machine, 1);  // maps the kernel to the grid, once
  std::uint64_t firings = 0;
  std::clock_t cpu_time = 0;
  for (auto _ : state) {
    const std::clock_t begun = std::clock();
    firings += kernel->run(*machine, blocks).thread_instructions;
    cpu_time += std::clock() - begun;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double threads = static_cast<double>(blocks) * blocks * kTile * kTile;
  const double seconds = static_cast<double>(cpu_time) / CLOCKS_PER_SEC;
  state.counters["threads"] = threads;
  state.counters["firings_per_cpu_second"] = static_cast<double>(firings) / seconds;
  state.counters["cpu_microseconds_per_thread"] =
      1e6 * seconds / (threads * static_cast<double>(state.iterations()));
  state.counters["peak_memory_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024.0;
}

// 4 Ki, 64 Ki and 1 Mi threads.
BENCHMARK_CAPTURE(simulate, matrixMul, matrix_product)
    ->Arg(4)
    ->Arg(16)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, hotspot, hotspot)
    ->Arg(4)
    ->Arg(16)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond);

}  // namespace
