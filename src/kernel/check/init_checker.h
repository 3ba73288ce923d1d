// Finds reads of memory that nobody has written: global memory since it was allocated, shared
// memory since its block began, local memory since its thread did. An access counts if nobody has
// written any byte of it; what a thread writes, every thread may read, whether or not anything
// orders the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "kernel/exec/grid_state.h"
#include "kernel/written_bytes.h"

namespace raddle::kernel::check {

class InitChecker {
 public:
  // Global memory is looked at where the memory watches writes: the host's count, too.
  explicit InitChecker(exec::GridState& grid) : grid_(grid) {}

  // What a resident block's threads have written.
  class Block {
   public:
    explicit Block(std::size_t shared_bytes) : shared_bytes_(shared_bytes), shared_(shared_bytes) {}
    // Another block, whose memory is fresh.
    void begin();

   private:
    friend class InitChecker;
    // Rows of a warp's lanes, one after the other.
    struct Local {
      std::uint64_t row_bytes = 0;
      std::unique_ptr<WrittenBytes> written;
    };
    std::size_t shared_bytes_;
    WrittenBytes shared_;
    std::vector<Local> local_;  // by warp
  };

  // After the instruction's access to memory.
  void access(Block& block, const exec::DecodedInstruction& instruction,
              const exec::WarpState& warp);
  // Adds what was found to the launch's faults.
  void report();

 private:
  struct Access {
    const exec::DecodedInstruction& instruction;
    const exec::WarpState& warp;
    bool reads = false;
    bool writes = false;
  };

  void lane(Block& block, const Access& access, Space space, std::uint64_t address, int lane);
  void in_bits(WrittenBytes& bits, const Access& access, Space space, std::uint64_t base,
               std::uint64_t address, int lane);
  void global(const Access& access, std::uint64_t address, int lane);
  void found(const Access& access, Space space, std::uint64_t address, int lane);

  exec::GridState& grid_;
  std::map<std::uint32_t, exec::Fault> faults_;  // by instruction: the first, and how often
};

}  // namespace raddle::kernel::check
