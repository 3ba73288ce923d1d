// What a machine counted, cut into the intervals of --sample. A machine looks at its counts when it
// can, not at every interval's end: what was counted since the last look is spread evenly over that
// time, so that samples always sum to the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace raddle::machine {

// What a user asked for where a machine looks at its counts between quanta alone.
constexpr std::uint64_t in_whole_quanta(std::uint64_t cycles, std::uint64_t quantum) {
  return std::max<std::uint64_t>(1, (cycles + quantum - 1) / quantum) * quantum;
}

// Sums have add(const Sums&, double share).
template <class Sums>
class SampleIntervals {
 public:
  SampleIntervals(std::uint64_t start, std::uint64_t interval)
      : interval_(interval), looked_(start), next_(start + interval) {}

  std::uint64_t interval() const { return interval_; }
  bool due(std::uint64_t cycle) const { return cycle >= next_; }

  // It was counted since the last look, and it is cycle `cycle` now. Calls sample(sums, cycles) for
  // every interval that has passed.
  template <class Sample>
  void look(std::uint64_t cycle, const Sums& counted, Sample&& sample) {
    if (cycle <= looked_) {
      sums_.add(counted, 1);
      return;
    }
    const auto whole = static_cast<double>(cycle - looked_);
    const auto add_until = [&](std::uint64_t end) {
      sums_.add(counted, static_cast<double>(end - std::exchange(looked_, end)) / whole);
    };
    for (; next_ <= cycle; next_ += interval_) {
      add_until(next_);
      sample(std::exchange(sums_, {}), static_cast<double>(interval_));
    }
    add_until(cycle);
  }
  // The last sample, of what is left of an interval.
  template <class Sample>
  void finish(std::uint64_t cycle, const Sums& counted, Sample&& sample) {
    look(cycle, counted, sample);
    const std::uint64_t begun = next_ - interval_;
    if (cycle > begun) sample(std::exchange(sums_, {}), static_cast<double>(cycle - begun));
  }

 private:
  std::uint64_t interval_;
  std::uint64_t looked_;  // when counts were looked at last
  std::uint64_t next_;    // where the interval ends
  Sums sums_{};
};

}  // namespace raddle::machine
