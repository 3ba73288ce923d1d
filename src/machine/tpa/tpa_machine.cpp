#include "machine/tpa/tpa_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/nearest_name.h"
#include "machine/energy_coefficients.h"
#include "machine/tpa/run_figures.h"
#include "machine/tpa/run_sampler.h"

namespace raddle::machine::tpa {

RADDLE_REGISTER_MACHINE("tpa", TpaMachine);

std::vector<Word> FinalMemory::words_of(std::string_view name) const {
  const std::span<const Word> words = view_of(name);
  return {words.begin(), words.end()};
}

std::span<const Word> FinalMemory::view_of(std::string_view name) const {
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
  return {&memory.at(symbol->address), symbol->words};
}

TpaMachine::TpaMachine(const ParameterTable& table)
    : KernelMachine(table),
      parameters_(table),
      coefficients_(load_coefficients(parameters_.energy)) {
  device_.name = "Raddle " + parameters_.name;
  device_.memory_bytes = static_cast<std::int64_t>(parameters_.memory_bytes.count() / 2);
  device_.clock_khz = static_cast<int>(parameters_.clock.count() / 1000);
  device_.multiprocessors = static_cast<int>(parameters_.front.count);
  // A memory module beside each backend takes a word of 64 bits a cycle.
  device_.memory_clock_khz = device_.clock_khz;
  device_.memory_bus_bits = static_cast<int>(parameters_.back.count * 64);
  device_.host_link_bytes_per_second = parameters_.host_link_bytes_per_second;
}

Traits TpaMachine::traits(const ParameterTable& table) {
  std::vector<ProgramForm> forms = {ProgramForm::kThickControlFlow};
  // Loops of kernels end by backend-frontend multioperations.
  if (table.boolean("multioperations.enabled") && table.boolean("multioperations.optimised"))
    forms.push_back(ProgramForm::kKernels);
  return {.forms = std::move(forms),
          .honours = {RunOption::kLines, RunOption::kSample, RunOption::kTrace,
                      RunOption::kMaxCycles, RunOption::kTimeout}};
}

void TpaMachine::check_parameters(const TpaParameters& parameters) {
  load_coefficients(parameters.energy);
}

Peaks TpaMachine::peaks() const {
  Peaks peaks;
  peaks.clock_hz = parameters_.clock.count();
  peaks.thread_instructions_per_cycle = parameters_.back.count;
  peaks.memory_bytes_per_second =
      parameters_.clock.count() * parameters_.back.count * static_cast<double>(kWordBytes);
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
  std::optional<RunTrace> trace;
  if (options.trace != nullptr)
    processor.set_trace(&trace.emplace(*options.trace, parameters_, program));
  std::optional<Sampler> sampler;
  Cycle interval = Processor::kLookInterval;
  if (options.sample_cycles != Cycle(0)) {
    sampler = run_sampler(processor, parameters_.clock, options.sample_cycles);
    interval = std::min(interval, options.sample_cycles);
  }
  const Cycle limit = options.control.cycle_limit();
  const auto end_early = [&](const RunStopped& why) {
    processor.stop(limit);
    result.complete = false;
    result.fault_count = 1;
    result.faults.push_back(why.fault(result.kernel));
    result.faults.back().location = program.where(processor.fault_place());
  };
  try {
    processor.run(
        [&](Cycle cycles, std::uint64_t steps) {
          if (cycles > limit) throw options.control.limit_reached();
          options.control.look({cycles, steps, 0});
          if (sampler) sampler->look(processor.now());
          if (trace) trace->flush_some();
        },
        interval, limit);
  } catch (const RunStopped& stopped) {
    end_early(stopped);
  } catch (const MachineFault& fault) {
    end_early({fault.kind, fault.message});
  }
  if (trace) trace->finish(processor.cycles());
  processor.set_trace(nullptr);
  if (sampler) sampler->finish(result, processor.cycles());
  add_figures(processor, parameters_, coefficients_, program, options.lines, result);
  return run;
}

}  // namespace raddle::machine::tpa
