#include "report/text/fault_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "base/demangle.h"
#include "base/number_format.h"
#include "base/source_line.h"
#include "report/figure_text.h"
#include "report/text/text_wrap.h"

namespace raddle::report {

namespace {

constexpr std::size_t kMaxFaults = 10;
constexpr std::size_t kMaxDetails = 16;

// Whether it is some thread's; limits and deadlocks concern the launch as a whole.
bool concerns_thread(machine::FaultKind kind) {
  switch (kind) {
    case machine::FaultKind::kDeadlock:
    case machine::FaultKind::kWatchdogCycles:
    case machine::FaultKind::kWatchdogTimeout:
    case machine::FaultKind::kInterrupted: return false;
    default: return true;
  }
}

std::string thread_of(const machine::LaunchResult* launch, const machine::Fault& fault) {
  if (launch == nullptr || !launch->kernel_launch || !concerns_thread(fault.kind))
    return fault.count == 1 ? "" : fmt::format(", {} times", with_thousands(fault.count));
  const std::string often =
      fault.count == 1 ? "" : fmt::format(" {} times, first in", with_thousands(fault.count));
  return fmt::format(",{} block ({},{},{}), thread ({},{},{})", often, fault.block.x, fault.block.y,
                     fault.block.z, fault.thread.x, fault.thread.y, fault.thread.z);
}

}  // namespace

bool is_harmless(machine::FaultKind kind) { return kind == machine::FaultKind::kSameValueRace; }

std::string fault_place(const machine::LaunchResult* launch, const machine::Fault& fault) {
  const std::string line = fault.location.empty() ? "" : "at " + fault.location;
  if (launch == nullptr) return line + thread_of(launch, fault);
  return fmt::format("{}{}in {}{}{}", line, line.empty() ? "" : " ",
                     launch->kernel_launch ? "kernel " : "", fault.kernel,
                     thread_of(launch, fault));
}

void read_source(machine::Fault& fault) {
  const std::size_t colon = fault.location.rfind(':');
  if (colon == std::string::npos || !fault.source.empty()) return;
  SourcePlace place{fault.location.substr(0, colon), 0};
  std::from_chars(fault.location.data() + colon + 1, fault.location.data() + fault.location.size(),
                  place.line);
  fault.source = source_line(place).value_or("");
}

std::string quoted_source(const machine::Fault& fault, std::string_view indent) {
  std::string_view line = fault.source;
  const std::size_t blanks = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(blanks);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty()) return {};
  std::string text = fmt::format("{}{}\n", indent, line);
  if (fault.column > blanks && fault.column - blanks <= line.size())
    text += fmt::format("{}{:>{}}\n", indent, '^', fault.column - blanks);
  return text;
}

std::string fault_error(const machine::LaunchResult* launch, const machine::Fault& fault) {
  std::string text =
      fmt::format("raddle: {}: {}\n", is_harmless(fault.kind) ? "warning" : "error", fault.message);
  const std::string place = fault_place(launch, fault);
  if (!place.empty()) text += fmt::format("  {}\n", place);
  text += quoted_source(fault, "    ");
  for (const std::string& detail : fault.details) text += fmt::format("  {}\n", detail);
  return text;
}

std::string fault_errors(const machine::LaunchResult& launch) {
  std::string text;
  for (std::size_t i = 0; i < launch.faults.size(); ++i) {
    if (i < kMaxErrors || launch.faults[i].ends_launch)
      text += fault_error(&launch, launch.faults[i]);
  }
  return text;
}

std::string fault_sentence(const machine::LaunchResult* launch, const machine::Fault& fault) {
  return fmt::format("{}{}{}{}{}{}", fault.location, fault.location.empty() ? "" : ": ",
                     fault.message, launch == nullptr ? "" : ", in ",
                     launch == nullptr ? "" : function_name(fault.kernel),
                     thread_of(launch, fault));
}

std::vector<FaultGroup> grouped_faults(const experiment::RunResult& result) {
  std::vector<FaultGroup> groups;
  std::map<std::tuple<machine::FaultKind, std::string, std::string>, std::size_t> index;
  const auto add = [&](const machine::LaunchResult* launch, const machine::Fault& fault) {
    const auto [place, is_new] =
        index.try_emplace({fault.kind, fault.location, fault.kernel}, groups.size());
    if (is_new || fault.location.empty() || fault.ends_launch) {
      groups.push_back({launch, fault});
    } else {
      groups[place->second].fault.count += fault.count;
    }
  };
  for (const machine::Fault& fault : result.faults) add(nullptr, fault);
  for (const machine::LaunchResult& launch : result.launches) {
    for (const machine::Fault& fault : launch.faults) add(&launch, fault);
  }
  std::set<machine::FaultKind> kinds;
  std::stable_partition(groups.begin(), groups.end(), [&](const FaultGroup& group) {
    return kinds.insert(group.fault.kind).second;
  });
  return groups;
}

std::string fault_list(const experiment::RunResult& result, const TextStyle& style) {
  if (result.totals.fault_count == 0) return {};
  std::string text = "\n" +
                     style.red(fmt::format("{} {}", with_thousands(result.totals.fault_count),
                                           result.totals.fault_count == 1 ? "fault" : "faults")) +
                     "\n";
  const std::vector<FaultGroup> groups = grouped_faults(result);
  std::uint64_t shown = 0;  // how often what is listed happened
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxFaults); ++i) {
    const auto& [launch, fault] = groups[i];
    shown += fault.count;
    text += "  " + wrap_text(fault_sentence(launch, fault), 4) + "\n";
    for (std::size_t d = 0; d < std::min(fault.details.size(), kMaxDetails); ++d)
      text += "    " + fault.details[d] + "\n";
    if (fault.details.size() > kMaxDetails)
      text += fmt::format("    and {} more\n", fault.details.size() - kMaxDetails);
  }
  if (result.totals.fault_count > shown)
    text += fmt::format("  and {} more\n", with_thousands(result.totals.fault_count - shown));
  return text;
}

}  // namespace raddle::report
