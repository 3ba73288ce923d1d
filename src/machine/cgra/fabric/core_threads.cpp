#include "machine/cgra/fabric/core_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::Mode;
using kernel::Opcode;
using kernel::exec::DecodedInstruction;
using kernel::exec::FaultKind;
using kernel::exec::kLanes;
using kernel::exec::WarpState;

namespace {

// How often threads that may be waiting for others go round in a piece before others have a turn.
constexpr std::uint64_t kRounds = 8;
// With such threads about, every so many turns go to the pieces one after the other.
constexpr std::uint64_t kFairTurn = 16;

std::uint32_t count(LaneMask lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); }

}  // namespace

CoreThreads::CoreThreads(kernel::exec::GridState& grid, const FabricKernel& kernel,
                         PieceExecutor& executor, const ResidencyLimits& limits,
                         std::uint64_t local_base, NextBlock next_block)
    : grid_(grid),
      kernel_(kernel),
      executor_(executor),
      limits_(limits),
      local_base_(local_base),
      next_block_(std::move(next_block)),
      warps_(static_cast<std::uint32_t>((grid.launch.block.count() + kLanes - 1) / kLanes)),
      residents_(limits.blocks),
      pending_threads_(kernel.pieces.size(), 0),
      fed_(kernel.pieces.size(), 0),
      some_poll_(std::any_of(kernel.pieces.begin(), kernel.pieces.end(),
                             [](const Piece& piece) { return piece.polls; })) {}

const DecodedInstruction& CoreThreads::entry_of(std::uint32_t piece) const {
  const kernel::exec::DecodedFunction& function = grid_.kernel.entry();
  return function.code[function.blocks[piece].first + kernel_.pieces[piece].entry_instruction];
}

std::uint32_t CoreThreads::live_threads(const Resident& resident) const {
  std::uint32_t live = 0;
  for (const LaneMask lanes : resident.live) live += count(lanes);
  return live;
}

bool CoreThreads::admit_block() {
  if (!more_blocks_ || resident_count_ == limits_.blocks) return false;
  const std::optional<std::uint64_t> number = next_block_();
  if (!number) {
    more_blocks_ = false;
    return false;
  }
  const auto free = std::find_if(residents_.begin(), residents_.end(),
                                 [](const Resident& resident) { return !resident.in_use; });
  Resident& resident = *free;
  if (resident.block == nullptr) {
    resident.block = std::make_unique<kernel::exec::ThreadBlock>(grid_);
    resident.turns = executor_.new_turns();
  }
  resident.block->begin(*number);
  resident.turns.begin();
  resident.number = *number;
  resident.in_use = true;
  resident.inside = 0;
  resident.live.clear();
  for (const WarpState& warp : resident.block->warps()) resident.live.push_back(warp.live);
  resident.pending.assign(std::size_t{warps_} * kernel_.pieces.size(), 0);
  resident.visits.assign(resident.pending.size(), 0);
  for (Barrier& barrier : resident.barriers) barrier = {};
  resident.warp_waiting.clear();
  resident.polls.assign(warps_, {});
  ++resident_count_;
  executor_.start(*resident.block);
  const auto index = static_cast<std::uint32_t>(free - residents_.begin());
  for (std::uint32_t w = 0; w < warps_; ++w) arrive(index, w, 0, resident.live[w]);
  return true;
}

void CoreThreads::add_turn(std::uint32_t resident, std::uint32_t warp) {
  turns_.push_back({resident, warp});
}

// The first piece after another, all round, that threads wait for.
std::uint32_t CoreThreads::pending_behind(std::uint32_t piece) const {
  const auto pieces = static_cast<std::uint32_t>(kernel_.pieces.size());
  std::uint32_t next = (piece + 1) % pieces;
  while (!has_pending(next)) next = (next + 1) % pieces;
  return next;
}

std::optional<std::uint32_t> CoreThreads::choose_piece() {
  const std::optional<std::uint32_t> before = piece_;
  // Its threads only looked whether others had got on.
  const bool stuck =
      before && kernel_.pieces[*before].polls && pending_threads_[*before] >= threads_before_;
  admit_if_room(stuck);
  std::optional<std::uint32_t> first = first_pending();
  if (!first && release_warps(true)) return choose_piece();
  if (!first) {
    if (resident_count_ > 0) report_deadlock();
    piece_.reset();
    return std::nullopt;
  }
  if (some_poll_ && ++choices_ % kFairTurn == 0) {
    first = fair_ = pending_behind(fair_);
  } else if (stuck) {
    first = pending_behind(*before);
  }
  begin_piece(*first);
  return piece_;
}

// New blocks come when half of the room is free, so that pieces have many threads to run.
void CoreThreads::admit_if_room(bool stuck) {
  if (more_blocks_ && (stuck || resident_count_ * 2 <= limits_.blocks)) admit_block();
}

std::optional<std::uint32_t> CoreThreads::first_pending() const {
  for (std::uint32_t p = 0; p < kernel_.pieces.size(); ++p) {
    if (has_pending(p)) return p;
  }
  return std::nullopt;
}

// Where threads may wait for others in a loop, whose turn it is depends on what all of them found.
std::optional<std::uint32_t> CoreThreads::piece_ahead() {
  if (some_poll_) return std::nullopt;
  admit_if_room(false);
  return first_pending();
}

void CoreThreads::begin_piece(std::uint32_t piece) {
  rounds_left_ = kRounds * pending_threads_[piece];
  piece_ = piece;
  threads_before_ = pending_threads_[piece];
  entering_ = piece == 0;
  in_piece_ = 0;
  ++begun_;
  turns_.clear();
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < residents_.size(); ++r) {
    if (residents_[r].in_use) order.push_back(r);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return residents_[a].number < residents_[b].number;
  });
  for (const std::uint32_t r : order) {
    for (std::uint32_t w = 0; w < warps_; ++w) {
      if (pending(residents_[r], piece, w) != 0) add_turn(r, w);
    }
  }
}

FeedAnswer CoreThreads::next(std::uint32_t replica, ThreadGroup& group) {
  const Piece& piece = kernel_.pieces[*piece_];
  const bool whole = piece.graph.graph.whole_blocks || !piece.far_receives.empty();
  const bool stays = piece.graph.graph.stays;
  if (stays && rounds_.size() <= replica) rounds_.resize(replica + 1);
  if (stays && rounds_[replica].lanes != 0) {
    go_round(rounds_[replica], group);
    return FeedAnswer::kGroup;
  }
  const auto take = [&](const Turn& turn) {
    if (whole) return take_block(turn, group);
    if (!stays) return take_warp(turn, group);
    if (!take_round(turn, rounds_[replica])) return false;
    go_round(rounds_[replica], group);
    return true;
  };
  for (;;) {
    while (!turns_.empty()) {
      const Turn turn = turns_.front();
      turns_.pop_front();
      if (take(turn)) return FeedAnswer::kGroup;
    }
    if (!entering_ || !admit_block()) break;
  }
  const auto leads_to = [&](std::uint32_t target) {
    if (stays && target == *piece_) return false;  // threads that go round have not left
    return std::any_of(piece.exits.begin(), piece.exits.end(),
                       [&](const Exit& exit) { return exit.piece == target; });
  };
  // Threads of the piece before may come, or those inside come back, or blocks where others end.
  const bool may_come_back =
      in_flight_ > in_piece_ ||
      (in_flight_ > 0 && (leads_to(*piece_) || (entering_ && more_blocks_ && leads_to(kToEnd))));
  return may_come_back ? FeedAnswer::kLater : FeedAnswer::kEnd;
}

std::uint32_t CoreThreads::new_flight() {
  ++in_flight_;
  ++in_piece_;
  if (free_flights_.empty()) {
    flights_.emplace_back();
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t id = free_flights_.back();
  free_flights_.pop_back();
  return id;
}

// Where values are uniform, all warps of a block come to a piece equally often.
std::uint64_t CoreThreads::shared_values(Resident& resident, std::uint32_t warp) {
  constexpr int kVisitBits = 24;
  return resident.number << kVisitBits | ++resident.visits[*piece_ * warps_ + warp];
}

// Likewise for the turns of a loop that stays, the first of which is turn 0.
std::uint64_t CoreThreads::shared_in_turn(const Round& round) const {
  constexpr int kVisitBits = 12, kTurnBits = 12;
  const Resident& resident = residents_[round.turn.resident];
  const std::uint64_t visit = resident.number << kVisitBits | round.visit % (1u << kVisitBits);
  return visit << kTurnBits | round.turns % (1u << kTurnBits);
}

// Of a group that is fed now.
std::uint32_t CoreThreads::next_position(std::uint32_t threads) {
  const std::uint32_t position = fed_[*piece_];
  fed_[*piece_] += threads;
  return position;
}

bool CoreThreads::take_warp(const Turn& turn, ThreadGroup& group) {
  Resident& resident = residents_[turn.resident];
  LaneMask& waiting = pending(resident, *piece_, turn.warp);
  const LaneMask lanes = waiting;
  if (lanes == 0) return false;
  waiting = 0;
  pending_threads_[*piece_] -= count(lanes);
  const std::uint64_t local_base =
      local_base_ + (std::uint64_t{turn.resident} * warps_ + turn.warp) * limits_.local_warp_bytes;
  executor_.run(resident.block->warps()[turn.warp], resident.turns, *piece_, lanes, local_base,
                group);
  if (executor_.polls().lanes != 0) {
    Polls& polls = resident.polls[turn.warp];
    polls = {polls.lanes | executor_.polls().lanes, executor_.polls().location};
  }
  group.id = new_flight();
  group.shared_values = shared_values(resident, turn.warp);
  group.first_slot = (turn.resident * warps_ + turn.warp) * kLanes +
                     static_cast<std::uint32_t>(std::countr_zero(lanes));
  group.position = next_position(group.threads);
  flights_[group.id] = {turn.resident, turn.warp, *piece_, begun_, false, lanes, group.threads};
  resident.inside += group.threads;
  return true;
}

bool CoreThreads::take_round(const Turn& turn, Round& round) {
  Resident& resident = residents_[turn.resident];
  const LaneMask lanes = std::exchange(pending(resident, *piece_, turn.warp), 0);
  if (lanes == 0) return false;
  const std::uint32_t threads = count(lanes);
  pending_threads_[*piece_] -= threads;
  resident.inside += threads;
  const std::uint32_t visit = resident.visits[*piece_ * warps_ + turn.warp]++;
  round = {turn, lanes, new_flight(), next_position(threads), visit};
  flights_[round.flight] = {turn.resident, turn.warp, *piece_, begun_, false,
                            lanes,         threads,   0,       true};
  return true;
}

void CoreThreads::go_round(Round& round, ThreadGroup& group) {
  const Turn turn = round.turn;
  const std::uint32_t warp = turn.resident * warps_ + turn.warp;
  Resident& resident = residents_[turn.resident];
  const LaneMask again = executor_.run_turn(
      resident.block->warps()[turn.warp], resident.turns, *piece_, round.lanes, round.turns == 0,
      local_base_ + std::uint64_t{warp} * limits_.local_warp_bytes, group);
  group.id = round.flight;
  group.shared_values = shared_in_turn(round);
  group.first_slot = warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(round.lanes));
  group.position = round.position;
  Flight& flight = flights_[round.flight];
  ++flight.groups;
  flight.goes_round = again != 0;
  ++round.turns;
  round.lanes = again;
}

// All threads of the block together: those whose turn came first bring the others along.
bool CoreThreads::take_block(const Turn& turn, ThreadGroup& group) {
  Resident& resident = residents_[turn.resident];
  std::uint32_t threads = 0;
  for (std::uint32_t w = 0; w < warps_; ++w) threads += count(pending(resident, *piece_, w));
  if (threads == 0) return false;
  if (threads != grid_.launch.block.count()) {
    // The others are still on their way here.
    if (resident.inside > 0 || first_pending() != piece_) return false;
    WarpState& warp = resident.block->warps()[turn.warp];
    grid_.stop(
        FaultKind::kUnsupported,
        fmt::format("only {} of {} threads of the block reach this communication between threads",
                    threads, grid_.launch.block.count()),
        warp, grid_.kernel.entry(),
        grid_.kernel.entry().code[grid_.kernel.entry().blocks[*piece_].first], 0);
  }
  for (std::uint32_t w = 0; w < warps_; ++w) pending(resident, *piece_, w) = 0;
  pending_threads_[*piece_] -= threads;
  const std::uint64_t local_base =
      local_base_ + std::uint64_t{turn.resident} * warps_ * limits_.local_warp_bytes;
  executor_.run_block(*resident.block, resident.turns, *piece_, local_base, group);
  group.id = new_flight();
  group.shared_values = shared_values(resident, 0);
  group.first_slot = turn.resident * warps_ * kLanes;
  group.position = next_position(group.threads);
  flights_[group.id] = {turn.resident, 0, *piece_, begun_, true, 0, threads};
  resident.inside += threads;
  return true;
}

void CoreThreads::left(std::uint32_t id) {
  if (--flights_[id].groups > 0 || flights_[id].goes_round) return;
  const Flight flight = flights_[id];
  free_flights_.push_back(id);
  --in_flight_;
  if (flight.begun == begun_) --in_piece_;
  Resident& resident = residents_[flight.resident];
  resident.inside -= flight.threads;
  if (flight.whole_block) {
    for (std::uint32_t w = 0; w < warps_; ++w)
      send_on(flight.resident, w, flight.piece, resident.live[w]);
  } else {
    send_on(flight.resident, flight.warp, flight.piece, flight.lanes);
  }
  if (live_threads(resident) == 0 && resident.inside == 0) {
    resident.in_use = false;
    --resident_count_;
    ++blocks_done_;
  }
}

void CoreThreads::send_on(std::uint32_t index, std::uint32_t warp_index, std::uint32_t piece,
                          LaneMask lanes) {
  Resident& resident = residents_[index];
  const WarpState& warp = resident.block->warps()[warp_index];
  LaneMask left = lanes;
  for (const Exit& exit : kernel_.pieces[piece].exits) {
    const LaneMask taken = executor_.lanes_of(warp, exit.condition) & left;
    if (taken == 0) continue;
    left &= ~taken;
    if (exit.piece == kToEnd) {
      end_threads(resident, warp_index, taken);
    } else if (exit.piece == kToTrap) {
      stop_at(exit, Opcode::kTrap, FaultKind::kTrap, "the kernel executed a trap", warp, taken);
    } else {
      arrive(index, warp_index, exit.piece, taken);
    }
  }
  if (left == 0) return;
  stop_at(kernel_.pieces[piece].exits[0], Opcode::kBrx, FaultKind::kOutOfBounds,
          "indexed branch beyond the end of its table", warp, left);
}

void CoreThreads::stop_at(const Exit& exit, Opcode opcode, FaultKind kind, std::string message,
                          const WarpState& warp, LaneMask lanes) {
  DecodedInstruction decoded;
  Instruction ir;
  ir.opcode = opcode;
  ir.location = exit.location;
  decoded.ir = &ir;
  grid_.stop(kind, std::move(message), warp, grid_.kernel.entry(), decoded,
             std::countr_zero(lanes));
}

void CoreThreads::arrive(std::uint32_t index, std::uint32_t warp, std::uint32_t piece,
                         LaneMask lanes) {
  if (lanes == 0) return;
  Resident& resident = residents_[index];
  switch (kernel_.pieces[piece].entry) {
    case Entry::kBarrier: return arrive_at_barrier(resident, warp, piece, lanes);
    case Entry::kWarp:
      executor_.prepare_entry(resident.block->warps()[warp], piece, lanes);
      for (Waiting& waiting : resident.warp_waiting) {
        if (waiting.warp != warp || waiting.piece != piece) continue;
        waiting.lanes |= lanes;
        lanes = 0;
      }
      if (lanes != 0) resident.warp_waiting.push_back({warp, piece, lanes});
      release_warps(false);
      return;
    case Entry::kFree: break;
  }
  pending(resident, piece, warp) |= lanes;
  pending_threads_[piece] += count(lanes);
  if (piece_ != piece) return;
  if (kernel_.pieces[piece].polls) {
    if (rounds_left_ < count(lanes)) return;
    rounds_left_ -= count(lanes);
  }
  add_turn(index, warp);
}

// Warps whose lanes have all come go on; if nothing else can, those of each block that wait first
// in the program for lanes that do not come, with the lanes that they have.
bool CoreThreads::release_warps(bool stuck) {
  bool released = false;
  for (std::uint32_t r = 0; r < residents_.size(); ++r) {
    Resident& resident = residents_[r];
    if (!resident.in_use) continue;
    auto& list = resident.warp_waiting;
    std::uint32_t first = kToEnd;
    for (const Waiting& waiting : list) {
      if (stuck) first = std::min(first, waiting.piece);
    }
    // All are looked at before any goes on: lanes on two paths may wait for each other.
    std::vector<LaneMask> going;
    for (const Waiting& waiting : list) {
      going.push_back(waiting.piece == first ? waiting.lanes : gathered_lanes(resident, waiting));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (going[i] == 0) continue;
      pending(resident, list[i].piece, list[i].warp) |= going[i];
      pending_threads_[list[i].piece] += count(going[i]);
      if (piece_ == list[i].piece) add_turn(r, list[i].warp);
      list[i].lanes &= ~going[i];
      released = true;
    }
    std::erase_if(list, [](const Waiting& waiting) { return waiting.lanes == 0; });
  }
  return released;
}

// Of the lanes that wait, those all of whose mask have come or ended; at a __syncwarp, to any.
LaneMask CoreThreads::gathered_lanes(const Resident& resident, const Waiting& waiting) const {
  const DecodedInstruction& d = entry_of(waiting.piece);
  LaneMask elsewhere = resident.live[waiting.warp] & ~waiting.lanes;
  for (const Waiting& other : resident.warp_waiting) {
    const bool both_sync =
        d.ir->opcode == Opcode::kWarpSync && entry_of(other.piece).ir->opcode == Opcode::kWarpSync;
    if (both_sync && other.warp == waiting.warp) elsewhere &= ~other.lanes;
  }
  // The old forms take whoever is there: all that have not ended, where the program keeps them
  // together.
  if (d.members == kernel::exec::kNoSlot) return elsewhere == 0 ? waiting.lanes : 0;
  const auto* members = reinterpret_cast<const std::uint32_t*>(
      resident.block->warps()[waiting.warp].activations[0].frame + d.members);
  LaneMask gathered = 0;
  for (LaneMask left = waiting.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((members[lane] & elsewhere) == 0) gathered |= LaneMask{1} << lane;
  }
  return gathered;
}

void CoreThreads::arrive_at_barrier(Resident& resident, std::uint32_t warp, std::uint32_t piece,
                                    LaneMask lanes) {
  WarpState& state = resident.block->warps()[warp];
  executor_.prepare_entry(state, piece, lanes);
  const DecodedInstruction& d = entry_of(piece);
  const std::byte* frame = state.activations[0].frame;
  const int first = std::countr_zero(lanes);
  const auto value = [&](std::size_t source) -> std::uint32_t {
    if (source >= d.source_count || d.source[source] == kernel::exec::kNoSlot) return 0;
    return reinterpret_cast<const std::uint32_t*>(frame + d.source[source])[first];
  };
  ++barrier_arrivals_;
  const std::uint32_t id = value(0) % kernel::exec::kBarriers;
  Barrier& barrier = resident.barriers[id];
  if (value(1) != 0) barrier.expected = value(1);
  barrier.arrived += count(lanes);
  if (d.source_count > 2 && d.source[2] != kernel::exec::kNoSlot) {
    LaneMask holds = *reinterpret_cast<const LaneMask*>(frame + d.source[2]);
    if ((d.negated_sources >> 2 & 1) != 0) holds = ~holds;
    barrier.count_true += count(holds & lanes);
  }
  if (d.ir->mode == Mode::kBarrierArrive) {
    pending(resident, piece, warp) |= lanes;
    pending_threads_[piece] += count(lanes);
    if (piece_ == piece) add_turn(static_cast<std::uint32_t>(&resident - residents_.data()), warp);
  } else {
    barrier.waiting.push_back({warp, piece, lanes});
  }
  release_if_due(resident, id);
}

void CoreThreads::release_if_due(Resident& resident, std::uint32_t id) {
  Barrier& barrier = resident.barriers[id];
  if (barrier.arrived == 0) return;
  const std::uint32_t needed = barrier.expected != 0 ? barrier.expected : live_threads(resident);
  if (barrier.arrived < needed) return;
  const Barrier done = std::exchange(barrier, {});
  if (grid_.options.check.barrier) check_convergence(resident, done.waiting);
  for (const Waiting& waiting : done.waiting) {
    const DecodedInstruction& d = entry_of(waiting.piece);
    if (d.destination_count > 0 && d.destination[0] != kernel::exec::kNoSlot) {
      std::byte* place =
          resident.block->warps()[waiting.warp].activations[0].frame + d.destination[0];
      if (d.ir->mode == Mode::kBarrierPopc) {
        auto* out = reinterpret_cast<std::uint32_t*>(place);
        for (LaneMask left = waiting.lanes; left != 0; left &= left - 1)
          out[std::countr_zero(left)] = done.count_true;
      } else {
        const bool holds =
            d.ir->mode == Mode::kBarrierAnd ? done.count_true == done.arrived : done.count_true > 0;
        auto* out = reinterpret_cast<LaneMask*>(place);
        *out = (*out & ~waiting.lanes) | (holds ? waiting.lanes : 0);
      }
    }
    pending(resident, waiting.piece, waiting.warp) |= waiting.lanes;
    pending_threads_[waiting.piece] += count(waiting.lanes);
    if (piece_ == waiting.piece)
      add_turn(static_cast<std::uint32_t>(&resident - residents_.data()), waiting.warp);
  }
}

void CoreThreads::check_convergence(const Resident& resident, const std::vector<Waiting>& met) {
  for (const Waiting& waiting : met) {
    if (&entry_of(waiting.piece) == &entry_of(met.front().piece)) continue;
    const kernel::exec::DecodedFunction& function = grid_.kernel.entry();
    grid_.add_fault(grid_.describe(
        FaultKind::kBarrierDivergence,
        fmt::format(
            "barrier divergence: threads of the block wait at different barriers, others at {}",
            function.module->describe_location(entry_of(met.front().piece).ir->location)),
        resident.block->warps()[waiting.warp], function, entry_of(waiting.piece),
        std::countr_zero(waiting.lanes)));
    return;
  }
}

void CoreThreads::end_threads(Resident& resident, std::uint32_t warp, LaneMask lanes) {
  resident.live[warp] &= ~lanes;
  for (std::uint32_t id = 0; id < kernel::exec::kBarriers; ++id) release_if_due(resident, id);
  if (!resident.warp_waiting.empty()) release_warps(false);
}

void CoreThreads::describe(std::vector<std::string>& lines) const {
  const kernel::exec::DecodedFunction& function = grid_.kernel.entry();
  for (const Resident& resident : residents_) {
    if (!resident.in_use) continue;
    const std::string block = block_name(resident);
    const auto add = [&](const Waiting& waiting, const std::string& what) {
      if (lines.size() >= kDescribedWarps) return;
      lines.push_back(fmt::format(
          "{} warp {}: {} of {} live threads at {}, {}", block, waiting.warp, count(waiting.lanes),
          count(resident.live[waiting.warp]),
          function.module->describe_location(entry_of(waiting.piece).ir->location), what));
    };
    for (std::size_t id = 0; id < resident.barriers.size(); ++id) {
      for (const Waiting& waiting : resident.barriers[id].waiting)
        add(waiting, fmt::format("waiting at barrier {}", id));
    }
    for (const Waiting& waiting : resident.warp_waiting)
      add(waiting, "waiting for lanes of the warp");
  }
}

void CoreThreads::report_deadlock() {
  for (const Resident& resident : residents_) {
    for (const Barrier& barrier : resident.barriers) {
      if (!resident.in_use || barrier.waiting.empty()) continue;
      const Waiting& waiting = barrier.waiting.front();
      kernel::exec::Fault fault = grid_.describe(
          FaultKind::kDeadlock, "deadlock: threads wait at a barrier that the others never reach",
          resident.block->warps()[waiting.warp], grid_.kernel.entry(), entry_of(waiting.piece),
          std::countr_zero(waiting.lanes));
      describe(fault.details);
      fault.ends_launch = true;
      grid_.add_fault(std::move(fault));
      throw kernel::exec::LaunchStopped{};
    }
  }
  throw kernel::exec::LaunchStopped{};
}

}  // namespace raddle::machine::cgra
