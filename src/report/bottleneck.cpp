#include "report/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "report/figure_text.h"

namespace raddle::report {

namespace {

using machine::Share;
using machine::Utilisation;

constexpr double kMostlyIssued = 0.8;
constexpr double kDominant = 0.4;      // of the slots: one cause is the bottleneck
constexpr double kBusy = 0.6;          // a unit that is worth naming though nobody waits for it
constexpr double kLatencyBound = 0.5;  // a unit that is waited for and less busy than this
constexpr std::size_t kNamedCauses = 3;

struct Slots {
  double issued = 0;
  std::vector<Share> causes;  // shares of all slots, the largest first
};

std::optional<Slots> slots_of(const std::vector<Share>& stalls) {
  double total = 0;
  for (const Share& share : stalls) total += share.value;
  if (total <= 0) return std::nullopt;
  Slots slots;
  for (const Share& share : stalls) {
    if (share.name == machine::kIssued) {
      slots.issued += share.value / total;
    } else if (share.value > 0) {
      slots.causes.push_back({std::string(stall_cause(share.name)), share.value / total});
    }
  }
  std::stable_sort(slots.causes.begin(), slots.causes.end(),
                   [](const Share& a, const Share& b) { return a.value > b.value; });
  return slots;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::string at_peak(const Utilisation& unit) {
  const bool several = unit.name.ends_with("units");
  return fmt::format("{} {} at {} of {} peak", unit.name, several ? "are" : "is",
                     percent(unit.share()), several ? "their" : "its");
}

// What the units say about a cause: how busy the one of that name was, else the busiest of all.
std::string about_units(const std::vector<Utilisation>& units, std::string_view cause) {
  const Utilisation* busiest = nullptr;
  for (const Utilisation& unit : units) {
    if (same_name(unit.name, cause)) {
      const bool is_idle = unit.share() < kLatencyBound;
      return "; " + at_peak(unit) + (is_idle ? ": latency, not bandwidth" : "");
    }
    if (busiest == nullptr || unit.share() > busiest->share()) busiest = &unit;
  }
  return busiest != nullptr && busiest->share() >= kBusy ? "; " + at_peak(*busiest) : "";
}

std::string balanced(const Slots& slots) {
  std::string text =
      fmt::format("no single bottleneck: {} of issue slots issue", percent(slots.issued));
  for (std::size_t i = 0; i < std::min(slots.causes.size(), kNamedCauses); ++i) {
    text += fmt::format(", {} {} {}", percent(slots.causes[i].value), i == 0 ? "wait for" : "for",
                        slots.causes[i].name);
  }
  return text;
}

// Units of a fabric wait each for something else, and many have no part in a configuration.
std::string of_units(const Slots& slots, const std::vector<Utilisation>& units) {
  std::string text = fmt::format("units fire in {} of their cycles", percent(slots.issued));
  for (std::size_t i = 0; i < std::min(slots.causes.size(), kNamedCauses); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? ";" : ",", percent(slots.causes[i].value),
                        slots.causes[i].name);
  }
  return text + about_units(units, "");
}

// How far any other mapping of the same operations to the units could get.
std::string about_bound(const experiment::RunTotals& totals) {
  for (const sim::StatValue& stat : totals.stats) {
    if (stat.component != "bound" || stat.name != "cycles" || totals.cycles == 0) continue;
    return fmt::format("; with any mapping its operations take {} of these cycles or more",
                       percent(stat.value / static_cast<double>(totals.cycles)));
  }
  return {};
}

}  // namespace

std::string_view stall_cause(std::string_view stall_name) {
  constexpr std::string_view kBeginning = "wait: ";
  if (stall_name.starts_with(kBeginning)) stall_name.remove_prefix(kBeginning.size());
  return stall_name;
}

std::string main_cause(const std::vector<Share>& stalls) {
  const Share* largest = nullptr;
  for (const Share& stall : stalls) {
    if (stall.name == machine::kIssued || stall.value <= 0) continue;
    if (largest == nullptr || stall.value > largest->value) largest = &stall;
  }
  if (largest == nullptr) return kAbsent;
  return fmt::format("{} {}", stall_cause(largest->name), percent(largest->value / sum_of(stalls)));
}

std::string bottleneck_sentence(const experiment::RunResult& result) {
  const experiment::RunTotals& totals = result.totals;
  if (totals.launches == 0) return {};
  const std::optional<Slots> slots = slots_of(totals.stalls);
  if (!slots) {
    return totals.cycles == totals.warp_instructions
               ? fmt::format("{} models no timing: cycles are warp instructions", result.machine)
               : fmt::format("{} does not say what its cycles were spent on", result.machine);
  }
  if (!has_warps(totals)) return of_units(*slots, totals.utilisation) + about_bound(totals);
  if (slots->issued >= kMostlyIssued)
    return fmt::format("issues in {} of its slots; bound by issue", percent(slots->issued));
  if (!slots->causes.empty() && slots->causes[0].value >= kDominant) {
    const Share& cause = slots->causes[0];
    return fmt::format("{} of issue slots wait for {}{}", percent(cause.value), cause.name,
                       about_units(totals.utilisation, cause.name));
  }
  return balanced(*slots);
}

}  // namespace raddle::report
