// Finds races of one launch while it runs: accesses to the same bytes by two threads, at least one
// of them a write and not both atomic, volatile or with an order, that neither barriers nor .sync
// operations nor fences with atomics order. Says nothing of accesses that are ordered; where two
// readers of a word were more than it remembers, it may miss a race.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernel/check/block_order.h"
#include "kernel/exec/grid_state.h"

namespace raddle::kernel::check {

enum class RaceKind : std::uint8_t {
  kRace,
  kSameValue,  // two writes of the same value
  kWithinWarp  // right as long as the lanes of a warp move in lockstep
};

// One of the two accesses of a race.
struct RaceSide {
  Record record;
  bool writes = false;
  std::uint32_t value = 0;
};

struct Race {
  RaceKind kind = RaceKind::kRace;
  RaceSide earlier, later;  // of the first time
  bool shared = false;
  std::uint64_t address = 0;  // within shared memory, or of the device
  std::uint32_t bytes = 0;    // that both accessed there: a cell
  std::uint64_t count = 0;
};

// Which instruction an access came from.
struct RaceSite {
  const exec::DecodedFunction* function = nullptr;
  const exec::DecodedInstruction* instruction = nullptr;
};

class RaceDetector {
 public:
  explicit RaceDetector(exec::GridState& grid);

  // One for each resident block, in this order of calls: listen to the block, access, fence …
  struct Block {
    Block(RaceDetector& detector, std::size_t shared_bytes)
        : order(detector.now_, detector.log_), shared(shared_bytes) {}
    BlockOrder order;
    ShadowMemory shared;
  };

  // After the instruction's access to memory.
  void access(Block& block, const exec::DecodedInstruction& instruction,
              const exec::WarpState& warp);
  void fence(Block& block, const exec::DecodedInstruction& instruction, const exec::WarpState& warp,
             exec::LaneMask lanes);

  // By kind and the two instructions, in the order in which they were found.
  std::vector<Race> races() const;
  const RaceSite& site(const RaceSide& side) const { return sites_[side.record.site()]; }

 private:
  // One instruction of a warp, as far as all lanes and words of it have it in common.
  struct Step {
    Block& block;
    const exec::DecodedInstruction& instruction;
    const exec::WarpState& warp;
    bool reads = false;
    bool writes = false;
    bool strong = false;
    // Which memory: of the block or of the device.
    bool shared = false;
    const std::byte* memory = nullptr;
    std::uint64_t bytes_of_memory = 0;
    void look_at(const exec::GridState& grid, bool in_shared);
  };

  template <bool kWrites>
  bool touch(const Step& step, Cell& cell, const Record& mine) const;
  template <bool kWrites>
  void remember(const Step& step, Cell& cell, const Record& mine, std::uint32_t value) const;
  bool note_race(const Step& step, const Cell& cell, const RaceSide& later, Race& found) const;
  template <bool kWrites>
  bool report_lane(const Step& step, ShadowMemory& shadow, const Record& mine, std::uint64_t offset,
                   std::uint32_t bytes);
  void note_read(const Step& step, Cell& cell, const Record& mine) const;
  template <bool kWrites>
  bool lane(const Step& step, const Record& mine, std::uint64_t offset, std::uint32_t bytes);
  template <bool kWrites>
  void lanes(const Step& step, const exec::MemoryAccess& access, exec::LaneMask mask,
             std::uint64_t base);
  void each_space(Step& step, const exec::MemoryAccess& access);
  void copy_async(Step& step, const exec::MemoryAccess& access);
  exec::LaneMask without_repeated_stores(const Step& step, const exec::MemoryAccess& access,
                                         exec::LaneMask mask, std::uint64_t base);
  void order_by_location(const Step& step, const exec::MemoryAccess& access, exec::LaneMask mask,
                         std::uint64_t base);
  void release(const Step& step, std::uint32_t thread, std::uint64_t address);
  bool counts_as_race(const Step& step, const Record& earlier, const Record& later) const;
  void add(Race race);

  exec::GridState& grid_;
  std::uint32_t now_ = 1;
  ReleaseLog log_;
  ShadowMemory global_;
  std::vector<RaceSite> sites_;
  std::map<std::tuple<RaceKind, std::uint32_t, std::uint32_t, bool>, std::size_t> index_;
  std::vector<Race> races_;
};

}  // namespace raddle::kernel::check
