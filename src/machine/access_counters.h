// Counts what memory instructions touch: accesses and bytes by address space, 128-byte segments of
// global memory, bank conflicts of shared memory. Most instructions repeat the pattern of their
// last execution at another address, so the answer for irregular patterns is remembered for each
// instruction.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/exec/warp.h"
#include "machine/launch_result.h"

namespace raddle::machine {

class AccessCounters {
 public:
  explicit AccessCounters(std::uint32_t memory_instructions) : memos_(memory_instructions) {}

  // Called after each memory or texture instruction with what it left in Warp::access.
  void count(const kernel::exec::DecodedInstruction& instruction,
             const kernel::exec::MemoryAccess& access);
  std::vector<MemoryTraffic> result() const;

 private:
  struct Level {
    std::uint64_t instructions[3]{};  // load, store, atomic
    std::uint64_t accesses[3]{};
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t segments = 0;
    std::uint64_t bank_conflicts = 0;
  };
  // The last irregular pattern of an instruction and what it came to.
  struct Memo {
    kernel::exec::LaneMask mask = 0;
    std::uint32_t phase = ~0u;  // position of the first lane's address within a segment or bank row
    std::uint32_t answer = 0;
    alignas(64) std::array<std::uint64_t, kernel::exec::kLanes> delta{};
  };
  template <class Compute>
  std::uint32_t remembered(std::uint32_t number, const kernel::exec::MemoryAccess& access,
                           Compute compute);

  std::array<Level, 7> levels_{};  // by Space; textures in the place of kNone
  std::vector<Memo> memos_;
};

// Distinct 128-byte segments that the active lanes touch.
std::uint32_t count_segments(const kernel::exec::MemoryAccess& access);
// Passes through 32 banks of four bytes beyond the fewest possible for the access size; lanes that
// read the same word share a pass. Accesses of 8 and 16 bytes go by half and quarter warps.
std::uint32_t count_bank_conflicts(const kernel::exec::MemoryAccess& access);

}  // namespace raddle::machine
