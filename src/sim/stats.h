// Statistics as plain structs of counts, cycles and bytes that can be added and subtracted, with a
// table beside each that gives every field its name, unit and sentence. The hot path increments a
// member; names are looked at only when a result is written.
//
//   struct CacheStats {
//     std::uint64_t hits = 0;
//     static constexpr auto kFields = std::to_array<sim::StatField<CacheStats>>({
//         {"hits", "accesses", "accesses that found their line", &CacheStats::hits}});
//   };
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.h"

namespace raddle::sim {

template <class Stats>
struct StatField {
  std::string_view name;
  std::string_view unit;
  std::string_view sentence;
  std::variant<std::uint64_t Stats::*, Cycle Stats::*, Bytes Stats::*> member;
};

template <class Stats>
concept DescribedStats = requires { Stats::kFields; };

// One number of a result: whose, what, how much.
struct StatValue {
  std::string component;  // "L2", "dram.0"
  std::string name;
  std::string unit;
  std::string sentence;
  double value = 0;
};

template <DescribedStats Stats>
Stats& operator+=(Stats& a, const Stats& b) {
  for (const auto& field : Stats::kFields)
    std::visit([&](auto member) { a.*member += b.*member; }, field.member);
  return a;
}

template <DescribedStats Stats>
Stats operator-(Stats a, const Stats& b) {
  for (const auto& field : Stats::kFields)
    std::visit([&](auto member) { a.*member -= b.*member; }, field.member);
  return a;
}

template <DescribedStats Stats>
bool operator==(const Stats& a, const Stats& b) {
  return std::ranges::all_of(Stats::kFields, [&](const auto& field) {
    return std::visit([&](auto member) { return a.*member == b.*member; }, field.member);
  });
}

template <DescribedStats Stats>
void append_stats(std::vector<StatValue>& out, std::string_view component, const Stats& stats) {
  const auto number = [](auto count) {
    if constexpr (requires { count.as_double(); })
      return count.as_double();
    else
      return static_cast<double>(count);
  };
  for (const auto& field : Stats::kFields) {
    out.push_back({std::string(component), std::string(field.name), std::string(field.unit),
                   std::string(field.sentence),
                   std::visit([&](auto member) { return number(stats.*member); }, field.member)});
  }
}

}  // namespace raddle::sim
