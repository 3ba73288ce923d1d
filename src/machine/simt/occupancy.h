// How many blocks of a kernel fit on a multiprocessor, and what they run out of first.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "machine/launch_result.h"
#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

// What one block takes.
struct BlockNeeds {
  std::uint32_t threads = 0;
  std::uint32_t warps = 0;
  std::uint32_t registers = 0;
  ShortBytes shared_bytes;
};
BlockNeeds block_needs(std::uint64_t threads, std::uint32_t registers_per_thread,
                       ShortBytes shared_bytes, const CoreParameters& core);

// What a resident block has taken, and where.
struct BlockPlace {
  BlockNeeds needs;
  std::uint32_t lent_warps = 0;  // whose contexts and registers a neighbour lends
  ShortBytes shared_base;        // in shared memory; told apart only where some of it is lent

  std::uint32_t local_warps() const { return needs.warps - lent_warps; }
};

// What the resident blocks of a multiprocessor have taken together.
class CoreUse {
 public:
  bool has_room(const BlockNeeds& needs, const CoreParameters& core) const;
  // There must be room.
  BlockPlace add(const BlockNeeds& needs, const CoreParameters& core);
  void remove(const BlockPlace& place);

 private:
  // Warps of the block that go to lent contexts; nothing if they have no room.
  std::optional<std::uint32_t> lent_warps(const BlockNeeds& needs,
                                          const CoreParameters& core) const;
  // The lowest gap in shared memory.
  std::optional<ShortBytes> shared_gap(const BlockNeeds& needs, const CoreParameters& core) const;

  std::uint32_t blocks_ = 0;
  BlockNeeds taken_;  // of its own; threads and shared memory of all
  std::uint32_t lent_warps_ = 0, lent_registers_ = 0;
  std::vector<BlockPlace> places_;  // only where shared memory is lent
};

struct OccupancyLimit {
  std::uint32_t blocks = 0;
  std::string_view reason;  // "registers", "shared memory", "threads", "warps", "blocks"
};
OccupancyLimit occupancy_limit(const BlockNeeds& needs, const CoreParameters& core);
// The same as results and the CUDA runtime have it; what is measured is left 0.
Occupancy occupancy_of(const BlockNeeds& needs, const CoreParameters& core);

}  // namespace raddle::machine::simt
