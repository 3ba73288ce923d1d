// A part of a machine that works in clock cycles and sleeps when it has nothing to do. Only parts
// with work are ticked; stretches in which all of them sleep are skipped as a whole.
#pragma once

#include <string>

#include "sim/clock.h"

namespace raddle::sim {

class ClockDomain;

class Component {
 public:
  explicit Component(std::string name) : name_(std::move(name)) {}
  virtual ~Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  const std::string& name() const { return name_; }

  // One cycle's work. Returns the next cycle in which there is something to do, as far as the
  // component can tell by itself; kNever: not before somebody wakes it.
  virtual Cycle tick(Cycle now) = 0;

  // Has the component ticked at that cycle of its own clock, or earlier if it is due earlier. A
  // cycle that has passed means the next one.
  void wake(Cycle at);

  // Its clock, known once it is part of an engine.
  const Clock& clock() const { return *clock_; }

 private:
  friend class ClockDomain;
  std::string name_;
  ClockDomain* domain_ = nullptr;
  const Clock* clock_ = nullptr;
  std::size_t place_ = 0;
};

}  // namespace raddle::sim
