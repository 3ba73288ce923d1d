#include "machine/launch_result.h"

namespace raddle::machine {

namespace {

constexpr std::array<std::string_view, 4> kKindNames{"issued", "overhead", "stall", "idle"};

}  // namespace

std::string_view name_of(CycleKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<CycleKind> cycle_kind_of(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<CycleKind>(i);
  }
  return std::nullopt;
}

std::uint64_t Histogram::total() const {
  std::uint64_t sum = 0;
  for (const HistogramBin& bin : bins) sum += bin.count;
  return sum;
}

Histogram& Histogram::operator+=(const Histogram& other) {
  std::vector<HistogramBin> merged;
  auto a = bins.begin();
  auto b = other.bins.begin();
  while (a != bins.end() || b != other.bins.end()) {
    const bool take_a = b == other.bins.end() || (a != bins.end() && a->value <= b->value);
    const HistogramBin& next = take_a ? *a++ : *b++;
    if (!merged.empty() && merged.back().value == next.value) {
      merged.back().count += next.count;
    } else {
      merged.push_back(next);
    }
  }
  bins = std::move(merged);
  return *this;
}

}  // namespace raddle::machine
