// Fetch and decode: in each cycle the next instructions of one warp whose buffer is empty are read
// from the instruction cache; they can be issued two cycles later. A line that is not there comes
// from the L2.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/simt/gpu_parameters.h"
#include "machine/simt/lent_warp_table.h"
#include "machine/simt/warp_table.h"
#include "memory/cache.h"
#include "memory/ring.h"

namespace raddle::machine::simt {

// Warps is the table that the multiprocessor keeps its warps in.
template <class Warps>
class InstructionFetchFor {
 public:
  using Slots = typename Warps::Slots;

  InstructionFetchFor(const CoreParameters& parameters, Warps& warps);

  // The warp has used up its buffer, or goes on elsewhere.
  void want(std::uint32_t warp) { wanting_ |= bit_of<Slots>(warp); }
  void forget(std::uint32_t warp) { wanting_ &= ~bit_of<Slots>(warp); }

  bool wants_to_fetch() const { return (wanting_ & ~refused_) != 0; }
  // Reads for one warp. What has to come from memory is appended to `misses`.
  void fetch(Cycle now, std::vector<memory::Access>& misses);
  // Warps that got instructions until now.
  Slots take_decoded(Cycle now) {
    if (decoding_.empty() || decoding_.front().ready > now) return 0;
    return take_ready(now);
  }
  void line_has_come(Address line);
  // When there is something to do; kNever: when a line comes or a warp wants something.
  Cycle next_work(Cycle now) const;
  void flush() { cache_.flush(); }

  const memory::CacheStats& stats() const { return cache_.stats(); }

 private:
  void miss(std::uint32_t warp, Address address, Cycle now, std::vector<memory::Access>& misses);
  Slots take_ready(Cycle now);

  struct Decoding {
    std::uint32_t warp = 0;
    Cycle ready;
  };

  const CoreParameters& parameters_;
  Warps& warps_;
  memory::Cache cache_;
  Slots wanting_ = 0;  // have no instructions and nothing is on its way
  Slots refused_ = 0;  // could not even ask for their line
  memory::Ring<Decoding> decoding_;
  std::uint32_t last_ = 0;
};

using InstructionFetch = InstructionFetchFor<WarpTable>;

}  // namespace raddle::machine::simt
