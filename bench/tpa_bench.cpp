// How fast thick control flow processors are simulated. The bar: 30 million fiber instructions a
// second on one host thread, on a matrix product of 128 x 128 by fast multioperations and on a
// prefix sum of a million words. A prefix over 16 million words, with more shared memory, must run
// in memory in proportion to it.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>

#include "base/atomic_file.h"
#include "base/resource_paths.h"
#include "lang/tpa/assembler.h"
#include "machine/tpa/tpa_machine.h"

namespace {

using namespace raddle;

machine::tpa::Program program_of(const std::string& name, const tpa::ParameterValues& values) {
  const std::string file = (resource_paths().benchmarks / "e" / (name + ".tpa")).string();
  return tpa::assemble(read_file(file), file, values);
}

void simulate(benchmark::State& state, const std::string& name, const tpa::ParameterValues& values,
              const std::string& setting) {
  machine::ParameterTable table = machine::load_parameters("tpa");
  if (!setting.empty()) table.set(setting);
  const machine::tpa::TpaMachine machine(table);
  const machine::tpa::Program program = program_of(name, values);
  std::uint64_t fibers = 0;
  std::uint64_t cycles = 0;
  for (auto _ : state) {
    const machine::tpa::TpaRun run = machine.run(program, {});
    if (!run.result.complete) state.SkipWithError("the program did not end");
    fibers += run.result.thread_instructions;
    cycles += run.result.cycles;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["fiber_instructions"] =
      benchmark::Counter(static_cast<double>(fibers), benchmark::Counter::kIsRate);
  state.counters["cycles"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.counters["peak_megabytes"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void matrix_product(benchmark::State& state) { simulate(state, "mmul", {{"L", 7}}, ""); }
BENCHMARK(matrix_product)->Unit(benchmark::kMillisecond);

void prefix_million(benchmark::State& state) {
  simulate(state, "prefix-add-mmp", {{"N", 1 << 20}}, "");
}
BENCHMARK(prefix_million)->Unit(benchmark::kMillisecond);

void prefix_sixteen_million(benchmark::State& state) {
  simulate(state, "prefix-add-mmp", {{"N", 1 << 24}}, "memory.bytes=536870912");
}
BENCHMARK(prefix_sixteen_million)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
