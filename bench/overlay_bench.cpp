// How fast the overlay simulates. The bar: 10 million issued thread instructions a second with one
// host thread, and a filter of five taps over a picture of 1920x1080 in under 10 seconds.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "base/atomic_file.h"
#include "base/resource_paths.h"
#include "lang/ctm/assembler.h"
#include "machine/overlay/host_driver.h"

namespace {

using namespace raddle;
using namespace raddle::machine::overlay;

Shader bundled(const std::string& name) {
  const std::string path = (resource_paths().benchmarks / "cg" / (name + ".ctm")).string();
  return ctm::assemble(read_file(path), path);
}

std::vector<Float4> random_texels(std::size_t count) {
  std::mt19937 random(1);
  std::vector<Float4> texels(count);
  for (Float4& texel : texels) {
    for (float& channel : texel) channel = static_cast<float>(random() >> 8) * 0x1p-24F;
  }
  return texels;
}

void report(benchmark::State& state, std::uint64_t instructions, std::uint64_t cycles) {
  const auto rate = [](std::uint64_t count) {
    return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
  };
  state.counters["thread_instructions_per_second"] = rate(instructions);
  state.counters["cycles_per_second"] = rate(cycles);
}

// With as many batch contexts as given, on the 16-bit link.
void matmatmult(benchmark::State& state) {
  machine::ParameterTable table = machine::load_parameters("overlay");
  table.set("link.width_bits=16");
  table.set("batch.contexts=" + std::to_string(state.range(0)));
  const OverlayMachine overlay(table);
  HostDriver driver(overlay, bundled("matmatmult"));
  driver.input("A", 128, 48, random_texels(std::size_t{128} * 48));
  driver.input("B", 48, 128, random_texels(std::size_t{48} * 128));
  for (const char* output : {"o0", "o1", "o2", "o3"}) driver.output(output, 48, 48);
  driver.loop("i0", {0, 32, 0, 1});
  std::uint64_t instructions = 0, cycles = 0;
  for (auto _ : state) {
    const machine::LaunchResult result = driver.start();
    instructions += result.thread_instructions;
    cycles += result.cycles;
  }
  report(state, instructions, cycles);
}
BENCHMARK(matmatmult)->Arg(1)->Arg(32)->Unit(benchmark::kMillisecond);

void filter_1920x1080(benchmark::State& state) {
  const OverlayMachine overlay(machine::load_parameters("overlay"));
  HostDriver driver(overlay, bundled("blur5"));
  driver.input("image", 1920, 1080, random_texels(std::size_t{1920} * 1080));
  driver.output("filtered", 1920, 1080);
  std::uint64_t instructions = 0, cycles = 0;
  for (auto _ : state) {
    const machine::LaunchResult result = driver.start();
    instructions += result.thread_instructions;
    cycles += result.cycles;
  }
  report(state, instructions, cycles);
}
BENCHMARK(filter_1920x1080)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
