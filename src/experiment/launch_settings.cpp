#include "experiment/launch_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace raddle::experiment {

machine::LaunchOptions launch_options(const RunSettings& settings) {
  machine::LaunchOptions options;
  options.check = settings.check;
  options.lines = settings.lines;
  options.sample_cycles = Cycle(settings.sample_cycles);
  options.host_threads = settings.host_threads;
  return options;
}

std::unique_ptr<sim::TraceFile> open_trace(const RunSettings& settings,
                                           const machine::Traits& machine) {
  if (settings.trace_file.empty() || !machine.honours.contains(machine::RunOption::kTrace))
    return nullptr;
  // The program may be in another folder when it ends.
  return std::make_unique<sim::TraceFile>(std::filesystem::absolute(settings.trace_file).string());
}

std::string ignored_settings(const RunSettings& settings, const machine::Traits& machine) {
  using machine::RunOption;
  struct Given {
    RunOption option;
    bool is_given;
    const char* reason;
    const char* flag;
  };
  const bool has_checks = std::ranges::any_of(
      std::array{RunOption::kMemoryCheck, RunOption::kBarrierCheck, RunOption::kRaceCheck},
      [&](RunOption check) { return machine.honours.contains(check); });
  // Without a choice, --check is for what checks there are.
  const bool chosen = settings.check != Checks(true);
  const bool names_check = has_checks && chosen;
  const Checks& check = settings.check;
  const std::array<Given, 10> all = {{
      {RunOption::kMemoryCheck, check && !has_checks, "has no checks", "--check"},
      {RunOption::kMemoryCheck, check.memory && names_check, "does not check accesses to memory",
       "--check=memory"},
      {RunOption::kBarrierCheck, check.barrier && names_check, "does not check barriers",
       "--check=barrier"},
      {RunOption::kRaceCheck, check.race && names_check, "does not look for races", "--check=race"},
      {RunOption::kHostThreads, settings.host_threads != 1,
       machine.simulated ? "simulates on one host thread" : "simulates nothing", "-j"},
      {RunOption::kMaxCycles, settings.max_cycles != 0, "does not count cycles", "--max-cycles"},
      {RunOption::kTimeout, settings.timeout_seconds != 0, "cannot be stopped", "--timeout"},
      {RunOption::kLines, settings.lines, "does not count by source line", "--lines"},
      {RunOption::kTrace, !settings.trace_file.empty(), "does not write traces", "--trace"},
      {RunOption::kSample, settings.sample_cycles != 0, "does not sample", "--sample"},
  }};
  std::string text;
  for (const Given& given : all) {
    if (given.is_given && !machine.honours.contains(given.option))
      text += fmt::format("raddle: note: {} {}; {} has no effect\n", settings.machine, given.reason,
                          given.flag);
  }
  return text;
}

}  // namespace raddle::experiment
