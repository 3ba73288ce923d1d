// A scratchpad in banks, such as the shared memory of a multiprocessor. Words lie in the banks in
// turns; each bank gives one word a pass, and lanes that want the same word share it. An access
// occupies the scratchpad for one cycle a pass and its data are there `latency` cycles after the
// last pass has begun.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "memory/lane_addresses.h"
#include "memory/stat_operators.h"

namespace raddle::memory {

// What happens to lanes that each want more than one word.
enum class WideAccess : std::uint8_t {
  // As many lanes at a time as the banks can serve at best: half warps for 64 bits and quarter
  // warps for 128 on 32 banks of 4 bytes. The CUDA C Programming Guide describes Fermi so (compute
  // capability 2.x), except that most of its 128-bit accesses take one pass more.
  kInTurns,
  // All lanes at once, each bank giving one word a pass until nobody wants one: lanes far apart may
  // share a word or fill each other's gaps.
  kTogether,
};

struct BankShape {
  std::uint32_t banks = 32;  // 1 to 64
  ShortBytes bank_bytes{4};  // a power of two
  WideAccess wide = WideAccess::kInTurns;
  // Equal parts of the lanes that take their turns side by side, so that they can share words: 2
  // for a warp that is two of half as many lanes.
  std::uint32_t parts = 1;

  // Throws Error.
  void check() const;
};

struct BankPasses {
  std::uint32_t passes = 0;
  std::uint32_t fewest = 0;  // had the same words been spread evenly over the banks
  std::uint32_t conflicts() const { return passes - fewest; }
};

// The passes that the lanes' access takes. A lane wants at most 16 words.
BankPasses count_passes(const BankShape& shape, const LaneAddresses& lanes);

struct ScratchpadParameters {
  BankShape shape;
  Cycle latency{1};
};

struct ScratchpadStats {
  std::uint64_t accesses = 0;
  std::uint64_t lanes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t passes = 0;
  std::uint64_t conflicts = 0;
  static constexpr auto kFields = std::to_array<sim::StatField<ScratchpadStats>>(
      {{"accesses", "accesses", "accesses of a group of lanes", &ScratchpadStats::accesses},
       {"lanes", "accesses", "accesses of single lanes", &ScratchpadStats::lanes},
       {"bytes", "bytes", "bytes that lanes read or wrote", &ScratchpadStats::bytes},
       {"passes", "cycles", "passes through the banks, one a cycle", &ScratchpadStats::passes},
       {"conflicts", "cycles", "passes beyond the fewest possible, because of bank conflicts",
        &ScratchpadStats::conflicts}});
};

class Scratchpad {
 public:
  // Throws Error.
  explicit Scratchpad(const ScratchpadParameters& parameters);

  bool accepts(Cycle now) const { return now >= next_accept_; }
  // When the next access can go in.
  Cycle next_accept() const { return next_accept_; }
  // Returns when the data are there. An access without lanes takes one pass, too.
  Cycle access(const LaneAddresses& lanes, Cycle now);

  const ScratchpadStats& stats() const { return stats_; }

 private:
  ScratchpadParameters parameters_;
  Cycle next_accept_{};
  ScratchpadStats stats_;
};

}  // namespace raddle::memory
