#include "report/figure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_format.h"

namespace raddle::report {

double quotient(double value, double base) { return base == 0 ? 0 : value / base; }

std::string percent(double share) {
  const bool is_little = share > 0 && share < 0.005;
  return is_little ? "<1%" : fmt::format("{:.0f}%", 100 * share);
}

std::string dimensions(const machine::Dim3& dim) {
  if (dim.z != 1) return fmt::format("{}×{}×{}", dim.x, dim.y, dim.z);
  if (dim.y != 1) return fmt::format("{}×{}", dim.x, dim.y);
  return std::to_string(dim.x);
}

std::string count_text(std::uint64_t value) {
  constexpr std::uint64_t kScaledFrom = 1'000'000;
  return value < kScaledFrom ? with_thousands(value) : si_scaled(static_cast<double>(value));
}

std::string seconds_text(double seconds) { return seconds == 0 ? "0 s" : si_scaled(seconds, "s"); }

std::string picojoules_text(double picojoules) {
  return picojoules == 0 ? "0 J" : si_scaled(picojoules * 1e-12, "J");
}

std::string ipc_text(double ipc, const machine::Peaks& peaks) {
  const double peak = peaks.thread_instructions_per_cycle;
  if (peak <= 0) return fmt::format("{:.1f}", ipc);
  return fmt::format("{:.1f} of {:g} ({})", ipc, peak, percent(ipc / peak));
}

double hit_rate(const machine::MemoryTraffic& traffic) {
  const auto accesses = static_cast<double>(traffic.hits + traffic.misses);
  return accesses == 0 ? -1 : static_cast<double>(traffic.hits) / accesses;
}

std::string changed_parameters(const experiment::RunResult& result) {
  std::string changed;
  for (const machine::Parameter& parameter : result.parameters) {
    if (!parameter.overridden) continue;
    changed += fmt::format("{}{}={}", changed.empty() ? "" : ", ", parameter.key,
                           machine::to_string(parameter.value));
  }
  return changed;
}

bool has_warps(const experiment::RunTotals& totals) {
  return totals.warp_instructions > 0 || totals.thread_instructions == 0;
}

bool is_timed(const experiment::RunResult& result) {
  const experiment::RunTotals& totals = result.totals;
  return !totals.stalls.empty() || totals.cycles != totals.warp_instructions;
}

double sum_of(const std::vector<machine::Stall>& stalls) {
  double sum = 0;
  for (const machine::Stall& stall : stalls) sum += stall.cycles;
  return sum;
}

std::string label_of(const machine::Stall& stall) {
  if (stall.kind == machine::CycleKind::kIssued) return stall.name;
  return fmt::format("{}: {}", name_of(stall.kind), stall.name);
}

std::vector<machine::Share> labelled(const std::vector<machine::Stall>& stalls) {
  std::vector<machine::Share> shares;
  for (const machine::Stall& stall : stalls) shares.push_back({label_of(stall), stall.cycles});
  return shares;
}

double sum_of(const std::vector<machine::Share>& shares) {
  double total = 0;
  for (const machine::Share& share : shares) total += share.value;
  return total;
}

std::string split_text(const machine::L1Split& split) {
  if (split.preferred.empty() || split.preferred == "none") return {};
  return fmt::format("{} of L1 and {} of shared memory (prefers {})", byte_size(split.l1_bytes),
                     byte_size(split.shared_bytes), split.preferred);
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace raddle::report
