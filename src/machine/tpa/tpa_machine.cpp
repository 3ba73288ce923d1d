#include "machine/tpa/tpa_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/nearest_name.h"
#include "machine/energy_coefficients.h"
#include "machine/program_machine.h"
#include "machine/tpa/run_figures.h"
#include "machine/tpa/run_sampler.h"

namespace raddle::machine::tpa {

namespace {

const ProgramMachineRegistration kRegistration{
    {"tpa", "programs ending in .e, .tpa and .tpo",
     [](const ParameterTable& table) { const TpaMachine machine(table); }}};

// --max-cycles, --timeout and Ctrl-C, told as for kernels.
void look_at_limits(const LaunchOptions& options, std::uint64_t cycles, std::uint64_t steps) {
  if (options.max_cycles != 0 && cycles > options.max_cycles)
    throw MachineFault{FaultKind::kWatchdogCycles,
                       fmt::format("stopped after {} cycles (--max-cycles)", options.max_cycles)};
  if (options.interrupted != nullptr && *options.interrupted)
    throw MachineFault{FaultKind::kInterrupted, "interrupted"};
  if (std::chrono::steady_clock::now() > options.deadline)
    throw MachineFault{FaultKind::kWatchdogTimeout, "stopped by --timeout"};
  if (options.progress) options.progress({cycles, steps, 0});
}

}  // namespace

std::vector<Word> FinalMemory::words_of(std::string_view name) const {
  const Symbol* symbol = program->find_symbol(name);
  if (symbol == nullptr) symbol = program->find_symbol(fmt::format("_{}_", name));
  if (symbol == nullptr && name.ends_with('_'))
    symbol = program->find_symbol(fmt::format("_{}", name));
  if (symbol == nullptr) {
    std::vector<std::string> known;
    for (const Symbol& other : program->symbols) known.push_back(other.name);
    const std::string near = suggestion(name, known);
    throw Error(fmt::format("the program has no array '{}'", name), {},
                near.empty() ? fmt::format("it has {}", fmt::join(known, ", ")) : near);
  }
  WordMemory& memory = symbol->space == Space::kShared ? processor->shared() : processor->local();
  std::vector<Word> words(symbol->words);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = memory.at(symbol->address + i * kWordBytes);
  return words;
}

TpaMachine::TpaMachine(const ParameterTable& table)
    : parameters_(table), coefficients_(load_coefficients(parameters_.energy)) {}

Peaks TpaMachine::peaks() const {
  Peaks peaks;
  peaks.clock_hz = parameters_.clock_hz;
  peaks.thread_instructions_per_cycle = parameters_.back.count;
  peaks.memory_bytes_per_second =
      parameters_.clock_hz * parameters_.back.count * static_cast<double>(kWordBytes);
  return peaks;
}

TpaRun TpaMachine::run(const Program& program, const LaunchOptions& options) const {
  TpaRun run;
  run.memory.program = &program;
  run.memory.processor = std::make_unique<Processor>(parameters_, program);
  Processor& processor = *run.memory.processor;
  LaunchResult& result = run.result;
  result.kernel = program.files.empty()
                      ? "program"
                      : std::filesystem::path(program.files.front()).filename().string();
  result.mangled = result.kernel;
  std::optional<RunTrace> trace;
  if (options.trace != nullptr)
    processor.set_trace(&trace.emplace(*options.trace, parameters_, program));
  std::optional<RunSampler> sampler;
  std::uint64_t interval = Processor::kLookInterval;
  if (options.sample_cycles != 0) {
    sampler.emplace(processor, options.sample_cycles);
    interval = std::min(interval, options.sample_cycles);
  }
  try {
    processor.run(
        [&](std::uint64_t cycles, std::uint64_t steps) {
          look_at_limits(options, cycles, steps);
          if (sampler) sampler->look();
          if (trace) trace->flush_some();
        },
        interval, options.max_cycles);
  } catch (const MachineFault& fault) {
    processor.stop(options.max_cycles);
    result.complete = false;
    result.fault_count = 1;
    Fault told;
    told.kind = fault.kind;
    told.message = fault.message;
    told.location = program.where(processor.fault_place());
    told.kernel = result.kernel;
    told.ends_launch = true;
    result.faults.push_back(std::move(told));
  }
  if (trace) trace->finish(processor.cycles());
  processor.set_trace(nullptr);
  if (sampler) sampler->finish(result);
  add_figures(processor, parameters_, coefficients_, program, options.lines, result);
  return run;
}

}  // namespace raddle::machine::tpa
