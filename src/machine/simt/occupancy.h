// How many blocks of a kernel fit on a multiprocessor, and what they run out of first.
#pragma once

#include <cstdint>
#include <string_view>

#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

// What one block takes.
struct BlockNeeds {
  std::uint32_t threads = 0;
  std::uint32_t warps = 0;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
};
BlockNeeds block_needs(std::uint64_t threads, std::uint32_t registers_per_thread,
                       std::uint32_t shared_bytes, const CoreParameters& core);

// What the resident blocks of a multiprocessor have taken together.
struct CoreUse {
  std::uint32_t blocks = 0;
  BlockNeeds taken;

  bool has_room(const BlockNeeds& needs, const CoreParameters& core) const;
  void add(const BlockNeeds& needs);
  void remove(const BlockNeeds& needs);
};

struct OccupancyLimit {
  std::uint32_t blocks = 0;
  std::string_view reason;  // "registers", "shared memory", "threads", "warps", "blocks"
};
OccupancyLimit occupancy_limit(const BlockNeeds& needs, const CoreParameters& core);

}  // namespace raddle::machine::simt
