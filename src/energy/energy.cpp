#include "energy/energy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace raddle::energy {

namespace {

constexpr double kPicojoulesPerJoule = 1e12;

void charge(std::vector<EnergyPart>& parts, std::string_view name, Picojoule energy) {
  auto place = std::ranges::find(parts, name, &EnergyPart::name);
  if (place == parts.end()) {
    parts.push_back({std::string(name), energy});
  } else {
    place->energy += energy;
  }
}

[[noreturn]] void refuse(const CoefficientSet& set, const Description& what) {
  throw Error(fmt::format("the energy set '{}' has no coefficient for {} ({})", set.name, what.name,
                          what.sentence),
              {}, "choose another set with --set energy=NAME; machines/energy holds them");
}

}  // namespace

std::span<const Description> event_descriptions() {
  // No destructor: programs may still launch kernels while they end.
  static constexpr auto descriptions = std::to_array<Description>({
#define RADDLE_ENERGY_EVENT(name, part, sentence) {#name, part, sentence},
#include "energy/events.def"
  });
  return descriptions;
}

std::span<const Description> static_descriptions() {
  // No destructor: programs may still launch kernels while they end.
  static constexpr auto descriptions = std::to_array<Description>({
#define RADDLE_STATIC_POWER(name, part, sentence) {#name, part, sentence},
#include "energy/events.def"
  });
  return descriptions;
}

bool is_static_part(std::string_view part) {
  return std::ranges::find(static_descriptions(), part, &Description::part) !=
         static_descriptions().end();
}

EventCounts& EventCounts::operator+=(const EventCounts& other) {
  for (std::size_t i = 0; i < kEvents; ++i) events[i] += other.events[i];
  for (std::size_t i = 0; i < kStaticPowers; ++i) powered_seconds[i] += other.powered_seconds[i];
  return *this;
}

EventCounts& EventCounts::operator-=(const EventCounts& other) {
  for (std::size_t i = 0; i < kEvents; ++i) events[i] -= other.events[i];
  for (std::size_t i = 0; i < kStaticPowers; ++i) powered_seconds[i] -= other.powered_seconds[i];
  return *this;
}

std::vector<EnergyPart> energy_by_part(const EventCounts& counts, const CoefficientSet& set) {
  std::vector<EnergyPart> parts;
  for (std::size_t i = 0; i < kEvents; ++i) {
    if (counts.events[i] == 0) continue;
    const Description& what = event_descriptions()[i];
    if (!set.events[i]) refuse(set, what);
    charge(parts, what.part, *set.events[i] * static_cast<double>(counts.events[i]));
  }
  for (std::size_t i = 0; i < kStaticPowers; ++i) {
    if (counts.powered_seconds[i] == 0) continue;
    const Description& what = static_descriptions()[i];
    if (!set.watts[i]) refuse(set, what);
    charge(parts, what.part,
           Picojoule(*set.watts[i] * counts.powered_seconds[i] * kPicojoulesPerJoule));
  }
  return parts;
}

}  // namespace raddle::energy
