// Values on their way between the threads of a block. A channel keeps, for every time that threads
// tag a value on it, what each thread tagged; a receive that comes for the n-th time takes what its
// producer tagged the n-th time. What all receivers have taken is forgotten, so that loops need no
// more memory than threads run apart. Channels of fromThreadOrMem pass on what a thread received.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "kernel/exec/decoded.h"
#include "kernel/exec/launch.h"
#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {

inline constexpr std::uint32_t kNoThread = 0xffffffffu;

// The linear number of the thread that `thread` receives from: at the operation's distance, tested
// in every dimension against the block, and within the same window of linear numbers. kNoThread if
// there is none.
std::uint32_t producer_of(std::uint32_t thread, const InterThread& operation, const Dim3& block);

class Channels {
 public:
  Channels(const DecodedKernel& kernel, const Dim3& block);

  // A block from its start: nothing is tagged.
  void begin();

  struct Outcome {
    LaneMask waiting = 0;   // lanes whose producer has not tagged yet; the others are done
    LaneMask received = 0;  // lanes that got the value of another thread
    bool accessed_memory = false;
  };
  // Carries out an inter-thread operation for these lanes, as far as it can be.
  Outcome execute(const DecodedInstruction& operation, Warp& warp, LaneMask lanes);

  // The lanes that would have to wait at a receive from a channel, if all of them wait for other
  // warps; none if some wait for their own, which has to make progress without them.
  LaneMask waiting_for_other_warps(const DecodedInstruction& receive, const Warp& warp,
                                   LaneMask lanes);

  // How many values were tagged so far: where this has not changed, nobody who waited can go on.
  std::uint64_t tag_count() const { return tag_count_; }
  // Whom the thread waits for at this receive.
  std::uint32_t producer(const DecodedInstruction& receive, std::uint32_t thread) const {
    return site_of(receive).producers[thread];
  }

 private:
  // What all threads tagged the same time.
  struct Row {
    std::vector<std::uint64_t> values;  // by thread
    std::vector<std::uint8_t> tagged;
    std::uint32_t tags = 0;
    std::uint32_t receives = 0;
  };
  struct Channel {
    std::deque<Row> rows;
    std::uint64_t first_row = 0;         // the number of rows[0]
    std::vector<std::uint64_t> tags;     // by thread: how often it tagged
    std::uint32_t receives_per_row = 0;  // by threads that have a producer
    std::uint32_t load_site = kNoId;     // of the fromThreadOrMem that it belongs to
  };
  struct Site {
    std::uint32_t channel = 0;
    std::vector<std::uint32_t> producers;  // by thread
    std::vector<std::uint64_t> receives;   // by thread: how often it received here
  };

  // The row of a turn, looked up once for lanes that are in the same.
  struct Lookup {
    Channel& channel;
    std::uint64_t turn = ~std::uint64_t{0};
    Row* row = nullptr;  // none: nobody has tagged in this turn
  };

  const Site& site_of(const DecodedInstruction& receive) const;
  static Row* row_of(Lookup& lookup, std::uint64_t turn);
  void tag(Lookup& lookup, std::uint32_t thread, std::uint64_t bits);
  void forget_done_rows(Channel& channel);

  void tag_lanes(const DecodedInstruction& d, const Warp& warp, LaneMask lanes);
  Outcome receive_lanes(const DecodedInstruction& d, const Warp& warp, LaneMask lanes);
  Outcome receive_or_load_lanes(const DecodedInstruction& d, Warp& warp, LaneMask lanes);
  LaneMask pass_on(const DecodedInstruction& d, const Warp& warp, LaneMask lanes, Lookup& lookup);

  std::uint32_t threads_ = 0;
  std::uint64_t tag_count_ = 0;
  std::vector<Channel> channels_;
  std::vector<Site> sites_;  // by DecodedKernel::receive_sites
  std::vector<Row> spare_;
};

}  // namespace raddle::kernel::exec
