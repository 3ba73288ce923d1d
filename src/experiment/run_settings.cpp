#include "experiment/run_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

namespace raddle::experiment {

namespace {

constexpr const char* kMachine = "RADDLE_MACHINE";
constexpr const char* kSet = "RADDLE_SET";
constexpr const char* kJson = "RADDLE_JSON";
constexpr const char* kProgram = "RADDLE_PROGRAM";
constexpr const char* kCheck = "RADDLE_CHECK";
constexpr const char* kLines = "RADDLE_LINES";
constexpr const char* kMaxCycles = "RADDLE_MAX_CYCLES";
constexpr const char* kTimeout = "RADDLE_TIMEOUT";
constexpr const char* kTrace = "RADDLE_TRACE";
constexpr const char* kSample = "RADDLE_SAMPLE";
constexpr const char* kThreads = "RADDLE_THREADS";

// Empty where the variable is not set.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool truth(const char* name) {
  const std::string value = variable(name);
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  throw Error(fmt::format("{} is '{}'", name, value), {}, "set it to 1 or 0");
}

Checks checks() {
  const std::string value = variable(kCheck);
  try {
    return checks_from_text(value);
  } catch (const Error&) {
    throw Error(fmt::format("{} is '{}'", kCheck, value), {},
                "set it to 1, 0 or names of checks, as in memory,race");
  }
}

template <typename Number>
Number number(const char* name, const char* example) {
  const std::string value = variable(name);
  if (value.empty()) return 0;
  Number result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  bool good = error == std::errc() && end == value.data() + value.size();
  if constexpr (std::is_floating_point_v<Number>)
    good = good && std::isfinite(result) && result >= 0;
  if (!good)
    throw Error(fmt::format("{} is '{}', which is not a number", name, value), {},
                fmt::format("for example {}={}", name, example));
  return result;
}

unsigned thread_count() {
  if (variable(kThreads).empty()) return 1;
  const auto count = number<std::uint64_t>(kThreads, "2");
  if (count == 0 || count > kMaxHostThreads) {
    throw Error(fmt::format("{} is '{}'", kThreads, variable(kThreads)), {},
                fmt::format("set it to the number of host threads, from 1 to {}", kMaxHostThreads));
  }
  return static_cast<unsigned>(count);
}

std::vector<std::string> split_assignments(std::string_view text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      parts.back() += text[++i];
    } else if (text[i] == ',') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  std::erase(parts, "");
  for (const std::string& part : parts) {
    if (part.find('=') == std::string::npos)
      throw Error(fmt::format("{} has '{}', which is not an assignment", kSet, part), {},
                  fmt::format("write {}=KEY=VALUE,KEY=VALUE", kSet));
  }
  return parts;
}

std::string join_assignments(const std::vector<std::string>& assignments) {
  std::string text;
  for (const std::string& assignment : assignments) {
    if (!text.empty()) text += ',';
    for (const char c : assignment) text += c == ',' ? std::string("\\,") : std::string(1, c);
  }
  return text;
}

}  // namespace

RunSettings settings_from_environment() {
  RunSettings settings;
  if (std::string machine = variable(kMachine); !machine.empty())
    settings.machine = std::move(machine);
  settings.assignments = split_assignments(variable(kSet));
  settings.json_file = variable(kJson);
  settings.program = variable(kProgram);
  settings.check = checks();
  settings.lines = truth(kLines);
  settings.max_cycles = number<std::uint64_t>(kMaxCycles, "1000000");
  settings.timeout_seconds = number<double>(kTimeout, "60");
  settings.trace_file = variable(kTrace);
  settings.sample_cycles =
      std::min(number<std::uint64_t>(kSample, "1000"), kMaxSampleCycles);  // one sample of it all
  settings.host_threads = thread_count();
  return settings;
}

std::vector<std::string> to_environment(const RunSettings& settings) {
  std::vector<std::string> variables{fmt::format("{}={}", kMachine, settings.machine)};
  const auto add = [&](const char* name, const std::string& value) {
    variables.push_back(fmt::format("{}={}", name, value));
  };
  if (!settings.assignments.empty()) add(kSet, join_assignments(settings.assignments));
  if (!settings.json_file.empty()) add(kJson, settings.json_file);
  if (!settings.program.empty()) add(kProgram, settings.program);
  if (settings.check) add(kCheck, to_text(settings.check));
  if (settings.lines) add(kLines, "1");
  if (settings.max_cycles != 0) add(kMaxCycles, std::to_string(settings.max_cycles));
  if (settings.timeout_seconds != 0) add(kTimeout, fmt::format("{}", settings.timeout_seconds));
  if (!settings.trace_file.empty()) add(kTrace, settings.trace_file);
  if (settings.sample_cycles != 0) add(kSample, std::to_string(settings.sample_cycles));
  if (settings.host_threads != 1) add(kThreads, std::to_string(settings.host_threads));
  return variables;
}

const std::vector<std::string>& setting_variables() {
  static const std::vector<std::string> names = {kMachine, kSet,    kJson,      kProgram,
                                                 kCheck,   kLines,  kMaxCycles, kTimeout,
                                                 kTrace,   kSample, kThreads};
  return names;
}

}  // namespace raddle::experiment
