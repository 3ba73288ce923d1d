#include "experiment/launch_settings.h"

#include <fmt/format.h>

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
  std::string text;
  if (settings.check && !machine.honours.contains(RunOption::kCheck))
    text +=
        fmt::format("raddle: note: {} has no checks; --check has no effect\n", settings.machine);
  if (settings.host_threads != 1 && !machine.honours.contains(RunOption::kHostThreads))
    text += fmt::format("raddle: note: {} {}; -j has no effect\n", settings.machine,
                        machine.simulated ? "simulates on one host thread" : "simulates nothing");
  if (settings.max_cycles != 0 && !machine.honours.contains(RunOption::kMaxCycles))
    text += fmt::format("raddle: note: {} does not count cycles; --max-cycles has no effect\n",
                        settings.machine);
  if (settings.lines && !machine.honours.contains(RunOption::kLines))
    text += fmt::format("raddle: note: {} does not count by source line; --lines has no effect\n",
                        settings.machine);
  if (!settings.trace_file.empty() && !machine.honours.contains(RunOption::kTrace))
    text += fmt::format("raddle: note: {} does not write traces; --trace has no effect\n",
                        settings.machine);
  if (settings.sample_cycles != 0 && !machine.honours.contains(RunOption::kSample))
    text +=
        fmt::format("raddle: note: {} does not sample; --sample has no effect\n", settings.machine);
  return text;
}

}  // namespace raddle::experiment
