// Runs components of one or several clocks in the order of time. Within a cycle, components of a
// clock tick in the order in which they were added; clocks that tick at the same instant follow
// each other in the order in which they were added. So a run is the same every time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/component.h"

namespace raddle::sim {

// The components of one clock. Made by the engine.
class ClockDomain {
 public:
  explicit ClockDomain(const Clock& clock) : clock_(&clock) {}

  const Clock& clock() const { return *clock_; }
  // The cycle of the last tick.
  Cycle now() const { return Cycle(now_); }

 private:
  friend class Component;
  friend class Engine;

  void add(Component& component);
  void wake(std::size_t place, Cycle at);
  // Ticks all that are due at the earliest cycle; that cycle must not be kNever.
  void tick();
  Cycle earliest() const { return Cycle(earliest_); }
  // When the earliest cycle falls.
  Instant due() const {
    if (timed_cycle_ != earliest_) {
      timed_cycle_ = earliest_;
      timed_ = clock_->time_of(Cycle(earliest_));
    }
    return timed_;
  }

  struct Turn {
    std::uint64_t due = kNever.count();  // the cycle to tick it at
    Component* component = nullptr;
  };

  const Clock* clock_;
  std::vector<Turn> turns_;  // by component
  std::uint64_t earliest_ = kNever.count();
  std::uint64_t now_ = 0;
  std::uint64_t open_ = 0;   // the first cycle that has not begun
  std::size_t ticking_ = 0;  // place of the component that ticks, or how many there are
  // The last answer of due(), kept because dividing wide numbers takes its time.
  mutable std::uint64_t timed_cycle_ = kNever.count();
  mutable Instant timed_ = kEndOfTime;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  ClockDomain& add_clock(const Clock& clock);
  // The component is first ticked when somebody wakes it.
  void add(Component& component, ClockDomain& domain) { domain.add(component); }

  // Ticks everything that is due before the instant. Returns false once all components sleep for
  // good.
  bool run_until(Instant end);
  // When the next component is due; kEndOfTime if all sleep.
  Instant next_event() const;

 private:
  std::vector<std::unique_ptr<ClockDomain>> domains_;
};

}  // namespace raddle::sim
