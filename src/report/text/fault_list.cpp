#include "report/text/fault_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/demangle.h"
#include "base/number_format.h"
#include "report/figure_text.h"
#include "report/text/text_wrap.h"

namespace raddle::report {

namespace {

constexpr std::size_t kMaxFaults = 5;
constexpr std::size_t kMaxDetails = 16;

}  // namespace

bool concerns_thread(machine::FaultKind kind) {
  switch (kind) {
    case machine::FaultKind::kDeadlock:
    case machine::FaultKind::kWatchdogCycles:
    case machine::FaultKind::kWatchdogTimeout:
    case machine::FaultKind::kInterrupted: return false;
    default: return true;
  }
}

std::string fault_sentence(const machine::Fault& fault) {
  std::string text =
      fmt::format("{}{}{}, in {}", fault.location, fault.location.empty() ? "" : ": ",
                  fault.message, function_name(fault.kernel));
  if (!concerns_thread(fault.kind)) return text;
  if (fault.count > 1)
    text += fmt::format(", {} times, first in", with_thousands(fault.count));
  else
    text += ",";
  return text + fmt::format(" block ({},{},{}), thread ({},{},{})", fault.block.x, fault.block.y,
                            fault.block.z, fault.thread.x, fault.thread.y, fault.thread.z);
}

std::string fault_list(const experiment::RunResult& result, const TextStyle& style) {
  if (result.totals.fault_count == 0) return {};
  std::string text = "\n" +
                     style.red(fmt::format("{} {}", with_thousands(result.totals.fault_count),
                                           result.totals.fault_count == 1 ? "fault" : "faults")) +
                     "\n";
  std::uint64_t shown = 0;  // how often what is listed happened
  std::size_t listed = 0;
  for (const machine::LaunchResult& launch : result.launches) {
    for (const machine::Fault& fault : launch.faults) {
      if (listed == kMaxFaults) break;
      shown += fault.count;
      ++listed;
      text += "  " + wrap_text(fault_sentence(fault), 4) + "\n";
      for (std::size_t i = 0; i < std::min(fault.details.size(), kMaxDetails); ++i)
        text += "    " + fault.details[i] + "\n";
      if (fault.details.size() > kMaxDetails)
        text += fmt::format("    and {} more\n", fault.details.size() - kMaxDetails);
    }
  }
  if (result.totals.fault_count > shown)
    text += fmt::format("  and {} more\n", with_thousands(result.totals.fault_count - shown));
  return text;
}

}  // namespace raddle::report
