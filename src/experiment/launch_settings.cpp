#include "experiment/launch_settings.h"

#include <fmt/format.h>

#include <filesystem>

namespace raddle::experiment {

machine::LaunchOptions launch_options(const RunSettings& settings) {
  machine::LaunchOptions options;
  options.check = settings.check;
  options.lines = settings.lines;
  options.max_cycles = settings.max_cycles;
  options.sample_cycles = settings.sample_cycles;
  options.host_threads = settings.host_threads;
  return options;
}

std::unique_ptr<sim::TraceFile> open_trace(const RunSettings& settings,
                                           const machine::DeviceDescription& device) {
  if (settings.trace_file.empty() || !device.traces) return nullptr;
  // The program may be in another folder when it ends.
  return std::make_unique<sim::TraceFile>(std::filesystem::absolute(settings.trace_file).string());
}

std::string unheeded_settings(const RunSettings& settings,
                              const machine::DeviceDescription& device) {
  std::string text;
  if (settings.lines && !device.lines)
    text += fmt::format("raddle: note: {} counts nothing by source line; --lines has no effect\n",
                        settings.machine);
  if (!settings.trace_file.empty() && !device.traces)
    text +=
        fmt::format("raddle: note: {} makes no traces; --trace has no effect\n", settings.machine);
  if (settings.sample_cycles != 0 && !device.samples)
    text += fmt::format("raddle: note: {} takes no samples; --sample has no effect\n",
                        settings.machine);
  return text;
}

}  // namespace raddle::experiment
