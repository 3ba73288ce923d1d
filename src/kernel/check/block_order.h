// The order of accesses that the threads of one block can rely on. Barriers of the whole block and
// of a whole warp are one number each: everything with a smaller stamp came before. What only some
// warps or some lanes did together is kept in matrices that appear when they are needed first.
// Where warps meet in parts, all of a warp counts as having come: nothing is reported that is
// ordered.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/check/release_log.h"
#include "kernel/exec/thread_block.h"

namespace raddle::kernel::check {

class BlockOrder : public exec::BarrierListener {
 public:
  static constexpr std::uint32_t kWarps = 32;
  static constexpr std::uint32_t kThreads = kWarps * exec::kLanes;

  // `now` counts the launch's synchronisations; `log` is its releases.
  BlockOrder(std::uint32_t& now, const ReleaseLog& log) : now_(now), log_(log) {}

  void begin(std::uint32_t block);
  void arrive(std::uint32_t warp, std::int32_t barrier, bool waits) override;
  void complete(std::int32_t barrier, bool everyone) override;
  // Lanes whose member masks say with whom each synchronises.
  void synchronise(std::uint32_t warp, exec::LaneMask lanes, exec::LaneMask live,
                   const exec::LaneMask* members);
  void fence(std::uint32_t warp, exec::LaneMask lanes, bool within_block);

  std::uint32_t block() const { return block_; }
  Record record(std::uint32_t thread, bool strong, std::uint32_t site) const {
    return {now_, block_, Record::pack(thread, strong, site)};
  }
  // Whether an access comes before what the thread does now. `shared`: of shared memory, where
  // other blocks' accesses are to other memory.
  bool ordered(const Record& access, const Record& mine, bool shared) const {
    if (access.block != block_) return shared || after_release(access, mine);
    return ordered_by_barriers(access, mine, shared) ||
           (access.stamp != mine.stamp && after_release(access, mine));
  }
  // The same without fences and atomics.
  bool ordered_by_barriers(const Record& access, const Record& mine, bool shared) const {
    if (access.block != block_) return shared;
    if (access.stamp < floor_ || access.thread() == mine.thread()) return true;
    if (access.stamp == mine.stamp) return false;  // nothing has synchronised since
    return ordered_by_some(access, mine);
  }

  // What the thread's last fence covers, if it has made one.
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  struct Fence {
    Coverage block;
    Coverage device;
    std::uint64_t released = kNowhere;  // the last location it released since
    std::uint32_t released_floor = 0;   // and fenced_floor() then
  };
  // Null where no thread of the block has made one.
  Fence* fence_of(std::uint32_t thread) { return fences_.empty() ? nullptr : &fences_[thread]; }
  // Before the last barrier of the whole block, the last fence for the device by any of its
  // threads: who releases after such a barrier releases for all that fenced before it.
  std::uint32_t fenced_floor() const { return fenced_floor_; }
  void acquire(std::uint32_t warp, std::uint64_t address);
  const Acquired& acquired(std::uint32_t warp) const { return acquired_[warp]; }
  const Acquired& acquired_by_block() const { return acquired_by_block_; }

 private:
  using LaneTimes = std::array<std::array<std::uint32_t, exec::kLanes>, exec::kLanes>;
  using WarpTimes = std::array<std::array<std::uint32_t, kWarps>, kWarps>;

  bool ordered_by_some(const Record& access, const Record& mine) const;
  bool after_release(const Record& access, const Record& mine) const;
  void complete_in_part(std::uint32_t came, std::uint32_t waiting);

  std::uint32_t& now_;
  const ReleaseLog& log_;
  std::uint32_t block_ = 0;
  std::uint32_t floor_ = 0;  // of the last barrier of the whole block
  std::array<std::uint32_t, kWarps> warp_floor_{};
  std::array<std::unique_ptr<LaneTimes>, kWarps> lanes_;
  std::unique_ptr<WarpTimes> warps_;
  std::array<std::uint32_t, kWarps> arrived_{};           // when each last came without waiting
  std::array<std::uint32_t, exec::kBarriers> came_{};     // by barrier: warps
  std::array<std::uint32_t, exec::kBarriers> waiting_{};  // of these
  std::vector<Fence> fences_;                             // by thread
  std::uint32_t last_fence_ = 0;                          // for the device
  std::uint32_t fenced_floor_ = 0;
  std::array<Acquired, kWarps> acquired_;
  Acquired acquired_by_block_;  // before the last barrier
  bool has_acquired_ = false;
};

}  // namespace raddle::kernel::check
