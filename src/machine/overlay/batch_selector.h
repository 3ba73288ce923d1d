// The batch issue logic of Figure 9: ready flags are rotated so that the batch that was selected
// last comes last, and a priority encoder takes the first that is ready.
#pragma once

#include <bit>
#include <cstdint>

namespace raddle::machine::overlay {

// Bit n: batch context n.
using BatchMask = std::uint64_t;

constexpr BatchMask bit_of(unsigned batch) { return BatchMask{1} << batch; }

class BatchSelector {
 public:
  static constexpr int kNone = -1;

  explicit BatchSelector(unsigned batches) : last_(batches - 1) {}

  int select(BatchMask ready) {
    if (ready == 0) return kNone;
    const BatchMask later = last_ == 63 ? 0 : ready >> (last_ + 1) << (last_ + 1);
    last_ = static_cast<unsigned>(std::countr_zero(later != 0 ? later : ready));
    return static_cast<int>(last_);
  }

 private:
  unsigned last_;
};

}  // namespace raddle::machine::overlay
