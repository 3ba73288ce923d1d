// What one part gives another between quanta, each with the cycle from which on the receiver sees
// it, in the order of these cycles. Added to on one thread between quanta, taken by the receiver's
// within them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "sim/clock.h"

namespace raddle::memory {

template <class T>
class Arrivals {
 public:
  // --- between quanta
  void add(Cycle seen, const T& value) {
    RADDLE_ASSERT(arrivals_.empty() || arrivals_.back().seen <= seen);
    arrivals_.push_back({seen, value});
    ++left_;
  }
  void forget_taken() {
    if (first_ == 0) return;
    if (left_ == 0) {
      arrivals_.clear();
    } else {
      arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(first_));
    }
    first_ = 0;
  }

  // --- the receiver's side
  bool empty() const { return left_ == 0; }
  // When the first is seen; kNever if there is none.
  Cycle next() const { return empty() ? sim::kNever : arrivals_[first_].seen; }
  bool ready(Cycle now) const { return next() <= now; }
  const T& front() const { return arrivals_[first_].value; }
  void drop() {
    ++first_;
    --left_;
  }

 private:
  struct Arrival {
    Cycle seen;
    T value;
  };
  std::vector<Arrival> arrivals_;
  std::size_t first_ = 0;  // those before it have been taken
  std::size_t left_ = 0;   // the others
};

}  // namespace raddle::memory
