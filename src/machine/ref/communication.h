// Which threads talk to each other through shared memory or directly, and over what distance: for
// every word that a thread reads and another thread of its block wrote last, and for every value
// that it receives from another, how far apart the two are, along the linear thread number and as a
// Euclidean distance in the block. Kept only when asked for (parameter track_communication).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "kernel/exec/warp_state.h"
#include "machine/launch_result.h"

namespace raddle::machine::ref {

// One launch's counts; every block keeps its own last writers.
class Communication {
 public:
  // The last writer of each four-byte word of a block's shared memory, as thread number plus one.
  using Writers = std::vector<std::uint32_t>;

  explicit Communication(Dim3 block) : block_(block) {}

  void note(const kernel::exec::DecodedInstruction& instruction,
            const kernel::exec::WarpState& warp, Writers& writers);
  void note_receive(const kernel::exec::DecodedInstruction& instruction,
                    kernel::exec::LaneMask lanes);
  // Values read at run time (linear_distance, euclidean_distance) and pairs of instruction and
  // offset in the source (static_linear_distance, static_euclidean_distance).
  std::vector<Histogram> histograms() const;

 private:
  // From reader to writer.
  struct Offset {
    std::int32_t x, y, z;
    auto operator<=>(const Offset&) const = default;
  };
  void read(const kernel::exec::DecodedInstruction& instruction, std::uint32_t reader,
            std::uint32_t writer);
  Histogram linear(const char* name, const char* sentence,
                   const std::map<Offset, std::uint64_t>& counts) const;
  static Histogram euclidean(const char* name, const char* sentence,
                             const std::map<Offset, std::uint64_t>& counts);

  Dim3 block_;
  std::map<Offset, std::uint64_t> values_;
  std::set<std::pair<const kernel::exec::DecodedInstruction*, Offset>> sources_;
};

}  // namespace raddle::machine::ref
