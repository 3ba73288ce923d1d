// What a machine counted, cut into the intervals of --sample. A machine looks at its counts when it
// can, not at every interval's end: what was counted since the last look is spread evenly over that
// time, so that samples always sum to the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/units.h"

namespace raddle::machine {

// What a user asked for where a machine looks at its counts between quanta alone.
constexpr Cycle in_whole_quanta(Cycle cycles, Cycle quantum) {
  return std::max<std::uint64_t>(1, (cycles + quantum - Cycle(1)) / quantum) * quantum;
}

// Sums have add(const Sums&, double share).
template <class Sums>
class SampleIntervals {
 public:
  SampleIntervals(Cycle start, Cycle interval)
      : interval_(interval), looked_(start), next_(start + interval) {}

  Cycle interval() const { return interval_; }
  bool due(Cycle cycle) const { return cycle >= next_; }

  // It was counted since the last look, and it is cycle `cycle` now. Calls sample(sums, cycles) for
  // every interval that has passed.
  template <class Sample>
  void look(Cycle cycle, const Sums& counted, Sample&& sample) {
    if (cycle <= looked_) {
      sums_.add(counted, 1);
      return;
    }
    const double whole = (cycle - looked_).as_double();
    const auto add_until = [&](Cycle end) {
      sums_.add(counted, (end - std::exchange(looked_, end)).as_double() / whole);
    };
    for (; next_ <= cycle; next_ += interval_) {
      add_until(next_);
      sample(std::exchange(sums_, {}), interval_.as_double());
    }
    add_until(cycle);
  }
  // The last sample, of what is left of an interval.
  template <class Sample>
  void finish(Cycle cycle, const Sums& counted, Sample&& sample) {
    look(cycle, counted, sample);
    const Cycle begun = next_ - interval_;
    if (cycle > begun) sample(std::exchange(sums_, {}), (cycle - begun).as_double());
  }

 private:
  Cycle interval_;
  Cycle looked_;  // when counts were looked at last
  Cycle next_;    // where the interval ends
  Sums sums_{};
};

}  // namespace raddle::machine
