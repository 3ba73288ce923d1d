// The threads of one core: blocks that are resident, and for each piece of the kernel the threads
// that come to it next (VGIW's control vectors). Says which piece is configured next, feeds its
// threads to the fabric, and sends them on when they leave it. Threads wait here at barriers.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/cgra/fabric/fabric_feed.h"
#include "machine/cgra/fabric/piece_executor.h"

namespace raddle::machine::cgra {

struct ResidencyLimits {
  std::uint32_t blocks = 1;            // that fit a core together
  std::uint64_t local_warp_bytes = 0;  // of local memory for 32 threads
};

class CoreThreads : public ThreadFeed {
 public:
  static constexpr std::size_t kDescribedWarps = 64;

  // `next_block`: the number of the next block that nobody runs, or none.
  using NextBlock = std::function<std::optional<std::uint64_t>()>;

  CoreThreads(kernel::exec::GridState& grid, const FabricKernel& kernel, PieceExecutor& executor,
              const ResidencyLimits& limits, std::uint64_t local_base, NextBlock next_block);

  // The piece to be configured next; none: nothing is left to run. Throws LaunchStopped when
  // threads wait for what never comes.
  std::optional<std::uint32_t> choose_piece();
  // The same while threads of the last piece are inside, of which no more come: the first piece
  // that threads wait for already, if there is one.
  std::optional<std::uint32_t> piece_ahead();
  // That piece it is; threads that leave the last one may still come to it.
  void begin_piece(std::uint32_t piece);

  FeedAnswer next(std::uint32_t replica, ThreadGroup& group) override;
  void left(std::uint32_t id) override;

  std::uint64_t blocks_done() const { return blocks_done_; }
  std::uint64_t barrier_arrivals() const { return barrier_arrivals_; }
  std::uint32_t resident_blocks() const { return resident_count_; }
  // One line a warp: where it waits.
  void describe(std::vector<std::string>& lines) const;
  // Every live thread waits for others of its block, or has polled memory since forget_polls().
  bool only_polls() const;
  void forget_polls();
  void describe_polls(std::vector<std::string>& lines) const;

 private:
  // Lanes of a warp that wait for others.
  struct Waiting {
    std::uint32_t warp = 0;
    std::uint32_t piece = 0;
    LaneMask lanes = 0;
  };
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  // 0: all threads that have not ended
    std::uint32_t count_true = 0;
    std::vector<Waiting> waiting;
  };
  struct Resident {
    std::unique_ptr<kernel::exec::ThreadBlock> block;
    ChannelTurns turns;
    std::uint64_t number = 0;
    std::vector<LaneMask> live;         // by warp
    std::vector<LaneMask> pending;      // by piece and warp
    std::vector<std::uint32_t> visits;  // likewise: how often its threads came
    std::array<Barrier, kernel::exec::kBarriers> barriers;
    std::vector<Waiting> warp_waiting;
    std::vector<Polls> polls;  // by warp, since forget_polls()
    std::uint32_t inside = 0;  // threads in the fabric
    bool in_use = false;
  };
  // Threads in the fabric and where they go from there.
  struct Flight {
    std::uint32_t resident = 0;
    std::uint32_t warp = 0;  // of the first thread
    std::uint32_t piece = 0;
    std::uint64_t begun = 0;  // pieces until it was fed
    bool whole_block = false;
    LaneMask lanes = 0;
    std::uint32_t threads = 0;
    std::uint32_t groups = 1;  // that have not left: one, or the turns of a loop that stays
    bool goes_round = false;   // more turns come
  };
  struct Turn {
    std::uint32_t resident = 0;
    std::uint32_t warp = 0;
  };
  // Threads that go round in a loop that stays on the grid.
  struct Round {
    Turn turn;
    LaneMask lanes = 0;  // 0: nobody
    std::uint32_t flight = 0;
    std::uint32_t position = 0;
    std::uint32_t visit = 0;  // of the warp to this piece
    std::uint32_t turns = 0;  // so far
  };

  LaneMask& pending(Resident& resident, std::uint32_t piece, std::uint32_t warp) const {
    return resident.pending[std::size_t{piece} * warps_ + warp];
  }
  std::string block_name(const Resident& resident) const;
  static LaneMask waiting_lanes(const Resident& resident, std::uint32_t warp);
  bool admit_block();
  void admit_if_room(bool stuck);
  std::optional<std::uint32_t> first_pending() const;
  std::uint32_t new_flight();
  std::uint64_t shared_values(Resident& resident, std::uint32_t warp);
  std::uint64_t shared_in_turn(const Round& round) const;
  bool take_warp(const Turn& turn, ThreadGroup& group);
  bool take_round(const Turn& turn, Round& round);
  void go_round(Round& round, ThreadGroup& group);
  bool take_block(const Turn& turn, ThreadGroup& group);
  void send_on(std::uint32_t resident, std::uint32_t warp, std::uint32_t piece, LaneMask lanes);
  [[noreturn]] void stop_at(const Exit& exit, kernel::Opcode opcode, kernel::exec::FaultKind kind,
                            std::string message, const kernel::exec::WarpState& warp,
                            LaneMask lanes);
  void arrive(std::uint32_t resident, std::uint32_t warp, std::uint32_t piece, LaneMask lanes);
  // Checked mode: threads that meet at different barrier instructions did not all reach the same.
  void check_convergence(const Resident& resident, const std::vector<Waiting>& met);
  void arrive_at_barrier(Resident& resident, std::uint32_t warp, std::uint32_t piece,
                         LaneMask lanes);
  void release_if_due(Resident& resident, std::uint32_t id);
  void end_threads(Resident& resident, std::uint32_t warp, LaneMask lanes);
  LaneMask gathered_lanes(const Resident& resident, const Waiting& waiting) const;
  bool release_warps(bool stuck);
  std::uint32_t next_position(std::uint32_t threads);
  void add_turn(std::uint32_t resident, std::uint32_t warp);
  std::uint32_t pending_behind(std::uint32_t piece) const;
  bool has_pending(std::uint32_t piece) const { return pending_threads_[piece] > 0; }
  std::uint32_t live_threads(const Resident& resident) const;
  [[noreturn]] void report_deadlock();
  const kernel::exec::DecodedInstruction& entry_of(std::uint32_t piece) const;

  kernel::exec::GridState& grid_;
  const FabricKernel& kernel_;
  PieceExecutor& executor_;
  ResidencyLimits limits_;
  std::uint64_t local_base_;
  NextBlock next_block_;
  std::uint32_t warps_;  // of a block
  std::vector<Resident> residents_;
  std::uint32_t resident_count_ = 0;
  bool more_blocks_ = true;
  std::vector<std::uint64_t> pending_threads_;  // by piece
  std::vector<std::uint32_t> fed_;              // by piece: threads so far
  std::optional<std::uint32_t> piece_;
  bool entering_ = false;      // new blocks may start with the piece that runs
  std::deque<Turn> turns_;     // of the piece that runs
  std::vector<Round> rounds_;  // of the piece that runs, by replica
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::uint32_t in_flight_ = 0;  // groups
  std::uint32_t in_piece_ = 0;   // those of them that came since it was begun
  std::uint64_t begun_ = 0;      // pieces so far
  std::uint64_t blocks_done_ = 0;
  std::uint64_t barrier_arrivals_ = 0;
  std::uint64_t threads_before_ = 0;  // pending in the piece that runs, when it was chosen
  bool some_poll_;                    // threads of some piece may wait for others in a loop
  std::uint64_t rounds_left_ = 0;  // threads that may come back to the piece that runs, if it polls
  std::uint64_t choices_ = 0;
  std::uint32_t fair_ = 0;  // the piece that had the last turn given in order
};

}  // namespace raddle::machine::cgra
