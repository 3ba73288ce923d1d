#include "report/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "report/figure_text.h"

namespace raddle::report {

namespace {

using machine::CycleKind;
using machine::Stall;
using machine::Utilisation;

constexpr double kMostlyIssued = 0.8;
constexpr double kDominant = 0.4;      // of the slots: one cause is the bottleneck
constexpr double kBusy = 0.6;          // a unit that is worth naming though nobody waits for it
constexpr double kLatencyBound = 0.5;  // a unit that is waited for and less busy than this
constexpr std::size_t kNamedCauses = 3;
// Of the L2 for an access, on average. A line takes its sectors, four; lanes of an atomic that want
// one address follow each other.
constexpr double kContendedPasses = 8;

struct Slots {
  double issued = 0;
  std::vector<Stall> causes;  // their cycles as shares of all slots, the largest first
};

std::optional<Slots> slots_of(const std::vector<Stall>& stalls) {
  const double total = sum_of(stalls);
  if (total <= 0) return std::nullopt;
  Slots slots;
  for (const Stall& stall : stalls) {
    if (stall.kind == CycleKind::kIssued) {
      slots.issued += stall.cycles / total;
    } else if (stall.cycles > 0) {
      slots.causes.push_back({stall.name, stall.kind, stall.cycles / total});
    }
  }
  std::stable_sort(slots.causes.begin(), slots.causes.end(),
                   [](const Stall& a, const Stall& b) { return a.cycles > b.cycles; });
  return slots;
}

// "stall on barrier", "are idle (drained)", "go to divergence".
std::string spent_on(const Stall& cause) {
  switch (cause.kind) {
    case CycleKind::kStall: return "stall on " + cause.name;
    case CycleKind::kIdle: return fmt::format("are idle ({})", cause.name);
    default: return "go to " + cause.name;
  }
}

std::string at_peak(const Utilisation& unit) {
  const bool several = unit.name.ends_with("units") || unit.name.ends_with("backends");
  return fmt::format("{} {} at {} of {} peak", unit.name, several ? "are" : "is",
                     percent(unit.share()), several ? "their" : "its");
}

// What the units say about a cause: how busy the one that it waits for was, else the busiest of
// all.
std::string about_units(const std::vector<Utilisation>& units, std::string_view cause) {
  const Utilisation* busiest = nullptr;
  for (const Utilisation& unit : units) {
    if (!cause.empty() && unit.cause == cause) {
      const bool is_idle = unit.share() < kLatencyBound;
      return "; " + at_peak(unit) + (is_idle ? ": latency, not bandwidth" : "");
    }
    if (busiest == nullptr || unit.share() > busiest->share()) busiest = &unit;
  }
  return busiest != nullptr && busiest->share() >= kBusy ? "; " + at_peak(*busiest) : "";
}

// Atomics of a warp that go to one address keep a slice of the L2 busy lane after lane, and whoever
// waits for it seems to wait for memory. Empty where that is not so.
std::string about_atomics(const experiment::RunTotals& totals) {
  double accesses = 0;
  double atomics = 0;
  double passes = 0;
  for (const machine::MemoryTraffic& traffic : totals.memory) {
    if (traffic.level != "L2") continue;
    atomics = static_cast<double>(traffic.atomic_accesses);
    accesses = atomics + static_cast<double>(traffic.load_accesses + traffic.store_accesses);
  }
  for (const sim::StatValue& stat : totals.stats) {
    if (stat.component == "memory partitions" && stat.name == "busy_cycles") passes = stat.value;
  }
  if (atomics == 0 || passes < kContendedPasses * accesses) return {};
  return fmt::format(
      "; contended atomics: {:.0f} passes of the L2 for each access, as lanes of a warp "
      "want one address; add up within the warp or block first",
      passes / accesses);
}

std::string balanced(const Slots& slots) {
  std::string text =
      fmt::format("no single bottleneck: {} of issue slots issue", percent(slots.issued));
  for (std::size_t i = 0; i < std::min(slots.causes.size(), kNamedCauses); ++i) {
    text += fmt::format(", {} {}", percent(slots.causes[i].cycles), spent_on(slots.causes[i]));
  }
  return text;
}

// Units of a fabric wait each for something else, and many have no part in a configuration.
std::string of_units(const Slots& slots, const std::vector<Utilisation>& units) {
  std::string text = fmt::format("units fire in {} of their cycles", percent(slots.issued));
  for (std::size_t i = 0; i < std::min(slots.causes.size(), kNamedCauses); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? ";" : ",", percent(slots.causes[i].cycles),
                        slots.causes[i].name);
  }
  return text + about_units(units, "");
}

// How far any other mapping of the same operations to the units could get.
std::string about_bound(const experiment::RunTotals& totals) {
  if (totals.bound_cycles <= 0 || totals.cycles == 0) return {};
  return fmt::format("; lower bound for any mapping: {} of these cycles",
                     percent(totals.bound_cycles / static_cast<double>(totals.cycles)));
}

}  // namespace

std::string main_cause(const std::vector<Stall>& stalls) {
  const Stall* largest = nullptr;
  for (const Stall& stall : stalls) {
    if (stall.kind == CycleKind::kIssued || stall.cycles <= 0) continue;
    if (largest == nullptr || stall.cycles > largest->cycles) largest = &stall;
  }
  if (largest == nullptr) return kAbsent;
  return fmt::format("{} {}", largest->name, percent(largest->cycles / sum_of(stalls)));
}

std::string bottleneck_sentence(const experiment::RunResult& result) {
  const experiment::RunTotals& totals = result.totals;
  if (totals.launches == 0) return {};
  const std::optional<Slots> slots = slots_of(totals.stalls);
  if (!slots) {
    return totals.cycles == totals.warp_instructions
               ? fmt::format("{} has no timing model: cycles are warp instructions", result.machine)
               : fmt::format("{} does not say what its cycles were spent on", result.machine);
  }
  if (!has_warps(totals)) return of_units(*slots, totals.utilisation) + about_bound(totals);
  if (slots->issued >= kMostlyIssued)
    return fmt::format("issues in {} of its slots; issue-bound", percent(slots->issued));
  if (!slots->causes.empty() && slots->causes[0].cycles >= kDominant) {
    const Stall& cause = slots->causes[0];
    const std::string atomics = about_atomics(totals);
    return fmt::format("{} of issue slots {}{}", percent(cause.cycles), spent_on(cause),
                       atomics.empty() ? about_units(totals.utilisation, cause.name) : atomics);
  }
  return balanced(*slots) + about_atomics(totals);
}

}  // namespace raddle::report
