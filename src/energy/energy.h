// Energy as events times coefficients. A machine counts what happens (events.def) and for how long
// its parts are powered; a coefficient set says what each costs. Sets are never mixed: a set that
// lacks something a machine did says so instead of charging nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace raddle::energy {

enum class Event : std::uint8_t {
#define RADDLE_ENERGY_EVENT(name, part, sentence) name,
#include "energy/events.def"
};
enum class StaticPower : std::uint8_t {
#define RADDLE_STATIC_POWER(name, part, sentence) name,
#include "energy/events.def"
};

// One line of events.def.
struct Description {
  std::string_view name;
  std::string_view part;
  std::string_view sentence;
};
// In the order of the enumerations.
std::span<const Description> event_descriptions();
std::span<const Description> static_descriptions();
// Whether a part of events.def is charged for time, not for events.
bool is_static_part(std::string_view part);

inline constexpr std::size_t kEvents = 0
#define RADDLE_ENERGY_EVENT(name, part, sentence) +1
#include "energy/events.def"
    ;
inline constexpr std::size_t kStaticPowers = 0
#define RADDLE_STATIC_POWER(name, part, sentence) +1
#include "energy/events.def"
    ;

// What happened. Plain counts that add and subtract.
struct EventCounts {
  std::array<std::uint64_t, kEvents> events{};
  std::array<double, kStaticPowers> powered_seconds{};  // summed over the units of the kind

  void add(Event event, std::uint64_t count = 1) {
    events[static_cast<std::size_t>(event)] += count;
  }
  void add(StaticPower power, Seconds seconds) {
    powered_seconds[static_cast<std::size_t>(power)] += seconds.count();
  }
  EventCounts& operator+=(const EventCounts& other);
  EventCounts& operator-=(const EventCounts& other);
  bool operator==(const EventCounts&) const = default;
};

// What each event costs; nothing where the set does not say.
struct CoefficientSet {
  std::string name;  // "circuit", "card"
  std::array<std::optional<Picojoule>, kEvents> events{};
  std::array<std::optional<double>, kStaticPowers> watts{};
};

struct EnergyPart {
  std::string name;  // as events.def groups them
  Picojoule energy;
};

// The parts that used energy, in the order of events.def. Throws Error that names the set and the
// first event it has no coefficient for.
std::vector<EnergyPart> energy_by_part(const EventCounts& counts, const CoefficientSet& set);

}  // namespace raddle::energy
