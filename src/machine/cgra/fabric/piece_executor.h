// What threads compute in a piece: its code, carried out for 32 threads of a block together, or,
// where threads communicate, for the whole block. Leaves behind what the fabric wants to know of
// them. The order among threads is that of their injection; within a thread it is that of the
// program.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernel/exec/grid_state.h"
#include "kernel/exec/thread_block.h"
#include "machine/access_counters.h"
#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric/block_steps.h"
#include "machine/cgra/fabric/channel_turns.h"
#include "machine/cgra/fabric/fabric_feed.h"

namespace raddle::machine::cgra {

using kernel::exec::LaneMask;

// Lanes of a warp that read what other threads may change, and where.
struct Polls {
  LaneMask lanes = 0;
  std::uint32_t location = 0;
};

class PieceExecutor {
 public:
  // `kernel` is decoded as the grid's kernel: grid.kernel.entry() is its function.
  PieceExecutor(kernel::exec::GridState& grid, const FabricKernel& kernel);

  // For a block: nothing is tagged or received yet.
  ChannelTurns new_turns() const;
  // Before the first piece: what is the same for all threads.
  void start(kernel::exec::ThreadBlock& block);
  // What a piece's threads wait for is known before they have come together.
  void prepare_entry(kernel::exec::WarpState& warp, std::uint32_t piece, LaneMask lanes);
  // Carries out the piece for lanes of a warp and describes them in `group`, lowest lane first.
  // `base` is where local memory of the warp lies for the caches.
  void run(kernel::exec::WarpState& warp, ChannelTurns& turns, std::uint32_t piece, LaneMask lanes,
           std::uint64_t local_base, ThreadGroup& group);
  // One turn of a loop that stays on the grid, for lanes that go round together; `is_first`: they
  // come from another piece. The threads that go round again: all of them, or none.
  LaneMask run_turn(kernel::exec::WarpState& warp, ChannelTurns& turns, std::uint32_t piece,
                    LaneMask lanes, bool is_first, std::uint64_t local_base, ThreadGroup& group);
  // The same for all threads of a block; in descending pieces the last thread first. Throws
  // LaunchStopped when a thread waits for what another one does not tag.
  void run_block(kernel::exec::ThreadBlock& block, ChannelTurns& turns, std::uint32_t piece,
                 std::uint64_t local_base, ThreadGroup& group);
  // Lanes for which a condition holds.
  LaneMask lanes_of(const kernel::exec::WarpState& warp, const kernel::Guard& condition) const;

  // Of the last run(); none in kernels where no piece polls.
  const Polls& polls() const { return polls_; }
  // Since it was last asked; kernels where no piece polls do not say.
  bool memory_changed() { return std::exchange(memory_changed_, false); }

  std::vector<MemoryTraffic> traffic() const { return accesses_.result(); }

 private:
  using Decoded = kernel::exec::DecodedInstruction;

  // A call that receives from another thread of the block.
  struct Receive {
    std::uint32_t number = 0;  // in receives_
    std::uint32_t piece = 0;
    std::uint32_t place = 0;             // in the piece's code
    std::uint32_t channel = 0;           // of fromThreadOrConst
    std::vector<std::uint32_t> senders;  // by thread
  };
  // Blocks are carried out one at a time.
  struct Block {
    kernel::exec::ThreadBlock& threads;
    ChannelTurns& turns;
    std::uint32_t piece = 0;
    std::uint64_t local_base = 0;
    ThreadGroup& group;
  };

  const kernel::exec::DecodedFunction& function() const { return grid_.kernel.entry(); }
  const Decoded& decoded(std::uint32_t piece, std::uint32_t place) const {
    return function().code[function().blocks[piece].first + place];
  }
  void enter(kernel::exec::WarpState& warp) const;
  void run_code(kernel::exec::WarpState& warp, ChannelTurns& turns, std::uint32_t piece,
                LaneMask lanes, std::uint64_t local_base, ThreadGroup& group);
  // What is loaded once, as part of a configuration, is not an access of a thread.
  enum class Counting : std::uint8_t { kAccesses, kNone };
  void execute(const Decoded& instruction, kernel::exec::WarpState& warp, LaneMask lanes,
               Counting counting = Counting::kAccesses);
  void note_polls(const Decoded& instruction, const kernel::exec::WarpState& warp);
  void call_library(const Decoded& call, kernel::exec::WarpState& warp, LaneMask lanes);
  // Where the addresses of threads go.
  struct AccessPlace {
    std::uint64_t local_base;
    ThreadGroup& group;
    std::uint32_t first_thread;
  };
  void execute_access(const Decoded& instruction, kernel::exec::WarpState& warp, LaneMask lanes,
                      std::uint32_t access, const AccessPlace& place);
  static void record(const kernel::exec::WarpState& warp, std::uint32_t access, LaneMask lanes,
                     LaneMask copied, const AccessPlace& to);
  void find_receives(std::uint32_t piece);
  void find_tags(std::uint32_t piece);
  LaneMask guarded(const Decoded& instruction, const kernel::exec::WarpState& warp,
                   LaneMask lanes) const;
  void note_tag(std::uint32_t piece, std::uint32_t place, const kernel::exec::WarpState& warp,
                LaneMask lanes, ChannelTurns& turns) const;
  void run_step(const BlockStep& step, const Block& block);
  void run_recurrence(const BlockStep& step, const Block& block);
  void receive(const Receive& receive, const Block& block, std::uint32_t thread) const;
  void receive_or_load(const Receive& receive, const Block& block);
  void pass_on(const Receive& receive, const Block& block) const;
  void describe_links(std::uint32_t piece, ThreadGroup& group) const;
  [[noreturn]] void report_wait(const Receive& receive, const Block& block, std::uint32_t thread,
                                const ChannelTurns::Turn& turn) const;

  kernel::exec::GridState& grid_;
  const FabricKernel& kernel_;
  std::vector<std::vector<BlockStep>> block_steps_;  // by piece
  std::vector<Receive> receives_;
  std::uint32_t channels_ = 0;  // that are tagged
  // By piece and place in its code; kNoCode: none.
  std::vector<std::vector<std::uint32_t>> access_of_code_;
  std::vector<std::vector<std::uint32_t>> receive_of_code_;
  std::vector<std::vector<std::uint32_t>> tag_of_code_;  // the channel
  AccessCounters accesses_;
  bool watches_ = false;  // some piece polls
  Polls polls_;
  bool memory_changed_ = false;
};

}  // namespace raddle::machine::cgra
