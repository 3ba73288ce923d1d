#include "experiment/launch_settings.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>

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

bool names_checks(const Checks& checks) {
  return checks && checks != Checks(true) && checks != checks_from_text("all");
}

std::string ignored_settings(const RunSettings& settings, const machine::Traits& machine) {
  using machine::RunOption;
  struct Given {
    RunOption option;
    bool is_given;
    const char* reason;
    const char* flag;
  };
  const std::array<Given, 7> all = {{
      {RunOption::kCheck, settings.check, "has no checks", "--check"},
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
  // What was asked for by name; where everything is looked for, the machine finds what it can.
  if (!names_checks(settings.check) || !machine.honours.contains(RunOption::kCheck)) return text;
  const bool runs_kernels = machine.takes(machine::ProgramForm::kKernels);
  struct Named {
    const char* name;
    bool Checks::* field;
    bool by_the_runtime = false;  // of CUDA: whatever the machine, it finds them
  };
  for (const Named& check :
       {Named{"memory", &Checks::memory}, Named{"barrier", &Checks::barrier},
        Named{"race", &Checks::race}, Named{"init", &Checks::init},
        Named{"api", &Checks::api, true}, Named{"leak", &Checks::leak, true}}) {
    const bool found = machine.finds.*check.field || (runs_kernels && check.by_the_runtime);
    if (settings.check.*check.field && !found)
      text += fmt::format("raddle: note: {} does not look for this{}; --check={} has no effect{}\n",
                          settings.machine, runs_kernels ? " in kernels" : "", check.name,
                          runs_kernels ? " there" : "");
  }
  return text;
}

}  // namespace raddle::experiment
