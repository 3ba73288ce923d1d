#include "report/fault_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_format.h"
#include "report/figure_text.h"
#include "report/text_wrap.h"

namespace raddle::report {

namespace {

constexpr std::size_t kMaxFaults = 5;
constexpr std::size_t kMaxDetails = 16;

}  // namespace

std::string fault_sentence(const machine::Fault& fault) {
  return fmt::format("{}{}{}, in {}, block ({},{},{}), thread ({},{},{})", fault.location,
                     fault.location.empty() ? "" : ": ", fault.message,
                     short_kernel_name(fault.kernel), fault.block.x, fault.block.y, fault.block.z,
                     fault.thread.x, fault.thread.y, fault.thread.z);
}

std::string fault_list(const experiment::RunResult& result, const TextStyle& style) {
  if (result.totals.fault_count == 0) return {};
  std::string text = "\n" +
                     style.red(fmt::format("{} {}", with_thousands(result.totals.fault_count),
                                           result.totals.fault_count == 1 ? "fault" : "faults")) +
                     "\n";
  std::uint64_t shown = 0;
  for (const machine::LaunchResult& launch : result.launches) {
    for (const machine::Fault& fault : launch.faults) {
      if (shown == kMaxFaults) break;
      ++shown;
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
