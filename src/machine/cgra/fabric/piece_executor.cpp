#include "machine/cgra/fabric/piece_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "kernel/address_map.h"
#include "kernel/exec/channels.h"
#include "kernel/exec/memory_change.h"

namespace raddle::machine::cgra {

using kernel::Space;
using kernel::exec::Handler;
using kernel::exec::kLanes;
using kernel::exec::kNoThread;
using kernel::exec::producer_of;
using kernel::exec::ThreadBlock;
using kernel::exec::WarpState;

namespace {

constexpr std::uint64_t kWordBytes = 4;

std::byte* frame_of(WarpState& warp) { return warp.activations[0].frame; }

void copy_value(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == kWordBytes) {
    std::memcpy(to, from, kWordBytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

// Words of local memory of 32 threads lie side by side, as on a GPU.
std::uint64_t local_address(std::uint64_t base, std::uint64_t address, std::uint32_t lane) {
  return base + address / kWordBytes * (kWordBytes * kLanes) + lane * kWordBytes +
         address % kWordBytes;
}

}  // namespace

PieceExecutor::PieceExecutor(kernel::exec::GridState& grid, const FabricKernel& kernel)
    : grid_(grid),
      kernel_(kernel),
      block_steps_(kernel.pieces.size()),
      access_of_code_(kernel.pieces.size()),
      receive_of_code_(kernel.pieces.size()),
      tag_of_code_(kernel.pieces.size()),
      accesses_(grid.kernel.memory_instructions) {
  for (std::uint32_t p = 0; p < kernel.pieces.size(); ++p) {
    watches_ = watches_ || kernel.pieces[p].polls;
    const PieceGraph& graph = kernel.pieces[p].graph;
    const auto& code = kernel.function.blocks[p].instructions;
    access_of_code_[p].assign(code.size(), kNoCode);
    for (std::uint32_t a = 0; a < graph.access_code.size(); ++a) {
      if (graph.access_code[a] != kNoCode) access_of_code_[p][graph.access_code[a]] = a;
    }
    find_tags(p);
    if (!graph.graph.whole_blocks && kernel.pieces[p].far_receives.empty()) continue;
    block_steps_[p] = plan_block_steps(kernel.pieces[p], code);
    find_receives(p);
  }
}

void PieceExecutor::find_tags(std::uint32_t piece) {
  tag_of_code_[piece].assign(kernel_.function.blocks[piece].instructions.size(), kNoCode);
  for (const Tag& tag : kernel_.pieces[piece].tags) {
    tag_of_code_[piece][tag.code] = tag.channel;
    channels_ = std::max(channels_, tag.channel + 1);
  }
}

void PieceExecutor::find_receives(std::uint32_t piece) {
  const auto& code = kernel_.function.blocks[piece].instructions;
  const auto threads = static_cast<std::uint32_t>(grid_.launch.block.count());
  receive_of_code_[piece].assign(code.size(), kNoCode);
  const auto add = [&](std::uint32_t place) {
    Receive receive;
    receive.number = static_cast<std::uint32_t>(receives_.size());
    receive.piece = piece;
    receive.place = place;
    receive.channel = code[place].inter_thread.channel;
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      receive.senders.push_back(producer_of(thread, code[place].inter_thread, grid_.launch.block));
    receive_of_code_[piece][place] = receive.number;
    receives_.push_back(std::move(receive));
  };
  for (const std::uint32_t place : kernel_.pieces[piece].graph.receive_code) add(place);
  for (const std::uint32_t place : kernel_.pieces[piece].far_receives) add(place);
}

ChannelTurns PieceExecutor::new_turns() const {
  if (channels_ == 0) return {};
  return {channels_, receives_.size(), static_cast<std::uint32_t>(grid_.launch.block.count())};
}

void PieceExecutor::enter(WarpState& warp) const {
  kernel::exec::Warp& lanes = warp.lanes;
  lanes.frame = frame_of(warp);
  lanes.parameters = lanes.frame + function().frame_bytes;
  lanes.parameter_bytes = function().parameter_bytes;
  lanes.uniform_parameter_bytes = function().incoming_bytes;
  lanes.local_base = 0;
}

void PieceExecutor::start(ThreadBlock& block) {
  const kernel::exec::DecodedBlock constants = function().blocks[kernel_.constants_block()];
  for (WarpState& warp : block.warps()) {
    enter(warp);
    for (std::uint32_t pc = constants.first; pc < constants.end; ++pc)
      execute(function().code[pc], warp, kernel::exec::kAllLanes, Counting::kNone);
  }
}

LaneMask PieceExecutor::guarded(const Decoded& d, const WarpState& warp, LaneMask lanes) const {
  if (!d.guarded) return lanes;
  const LaneMask holds = *reinterpret_cast<const LaneMask*>(warp.lanes.frame + d.guard);
  return lanes & (d.guard_negated ? ~holds : holds);
}

void PieceExecutor::note_tag(std::uint32_t piece, std::uint32_t place, const WarpState& warp,
                             LaneMask lanes, ChannelTurns& turns) const {
  const std::uint32_t channel = tag_of_code_[piece][place];
  if (channel == kNoCode) return;
  const Decoded& d = decoded(piece, place);
  turns.tag(channel, warp.lanes.warp_index, guarded(d, warp, lanes), warp.lanes.frame + d.source[0],
            d.register_bytes);
}

void PieceExecutor::execute(const Decoded& d, WarpState& warp, LaneMask lanes, Counting counting) {
  std::byte* frame = warp.lanes.frame;
  warp.lanes.access().mask = 0;
  lanes = guarded(d, warp, lanes);
  if (lanes == 0) return;
  switch (d.handler) {
    case Handler::kLaneLoop:
      // A tag writes no register: see note_tag().
      if (d.destination[0] != kernel::exec::kNoSlot) d.lanes(d, frame, lanes);
      return;
    case Handler::kSync:
      if (d.ir->opcode == kernel::Opcode::kWarpSync) return;  // its lanes have met
      [[fallthrough]];
    case Handler::kWarp:
      d.warp(d, warp.lanes, lanes);
      if (!warp.lanes.faults.empty()) grid_.take_access_faults(warp, function(), d);
      if (watches_ && d.touches_memory) note_polls(d, warp);
      if (counting == Counting::kAccesses && d.touches_memory && d.ir->space != Space::kParam)
        accesses_.count(d, warp.lanes.access());
      return;
    case Handler::kCall: return call_library(d, warp, lanes);
    default: return;
  }
}

void PieceExecutor::note_polls(const Decoded& d, const WarpState& warp) {
  const kernel::exec::MemoryAccess& access = warp.lanes.access();
  if (access.mask == 0 || d.ir->space == Space::kParam) return;
  if (d.polls) polls_ = {polls_.lanes | access.mask, d.ir->location};
  memory_changed_ =
      memory_changed_ || !left_memory_alone(d, warp.lanes.frame, access, grid_.program.memory());
}

void PieceExecutor::prepare_entry(WarpState& warp, std::uint32_t piece, LaneMask lanes) {
  enter(warp);
  for (std::uint32_t i = 0; i < kernel_.pieces[piece].entry_instruction; ++i)
    execute(decoded(piece, i), warp, lanes);
}

LaneMask PieceExecutor::lanes_of(const WarpState& warp, const kernel::Guard& condition) const {
  if (!condition.present()) return kernel::exec::kAllLanes;
  const std::byte* frame = warp.activations[0].frame;
  const LaneMask holds =
      *reinterpret_cast<const LaneMask*>(frame + function().register_slots[condition.predicate]);
  return condition.negated ? ~holds : holds;
}

// An access, or a copy into the place of a live value, which only the threads of its guard make.
void PieceExecutor::execute_access(const Decoded& d, WarpState& warp, LaneMask lanes,
                                   std::uint32_t access, const AccessPlace& place) {
  const LaneMask copied = d.touches_memory ? 0 : guarded(d, warp, lanes);
  execute(d, warp, lanes);
  record(warp, access, lanes, copied, place);
}

void PieceExecutor::record(const WarpState& warp, std::uint32_t access, LaneMask lanes,
                           LaneMask copied, const AccessPlace& to) {
  const kernel::exec::MemoryAccess& done = warp.lanes.access();
  std::size_t place = std::size_t{access} * to.group.threads + to.first_thread;
  for (LaneMask left = lanes; left != 0; left &= left - 1, ++place) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const bool active = ((done.mask | copied) >> lane & 1) != 0;
    to.group.active[place] = active ? 1 : 0;
    if (!active) continue;
    if ((copied >> lane & 1) != 0) {
      to.group.addresses[place] = 0;
      continue;
    }
    to.group.addresses[place] = done.space == Space::kLocal
                                    ? local_address(to.local_base, done.address[lane], lane)
                                    : done.address[lane];
  }
}

void PieceExecutor::run(WarpState& warp, ChannelTurns& turns, std::uint32_t piece, LaneMask lanes,
                        std::uint64_t local_base, ThreadGroup& group) {
  group.threads = static_cast<std::uint32_t>(std::popcount(lanes));
  const std::size_t entries =
      std::size_t{kernel_.pieces[piece].graph.graph.accesses} * group.threads;
  group.addresses.resize(entries);
  group.active.resize(entries);
  group.has_producer.clear();
  group.is_consumed.clear();
  run_code(warp, turns, piece, lanes, local_base, group);
}

// Where fewer lanes go round than there are places in a turn, the others stay empty, so that all
// turns are equally long.
LaneMask PieceExecutor::run_turn(WarpState& warp, ChannelTurns& turns, std::uint32_t piece,
                                 LaneMask lanes, bool is_first, std::uint64_t local_base,
                                 ThreadGroup& group) {
  const Piece& p = kernel_.pieces[piece];
  const DataflowGraph& graph = p.graph.graph;
  group.threads = kTurnThreads;
  group.addresses.assign(std::size_t{graph.accesses} * group.threads, 0);
  group.active.assign(group.addresses.size(), 0);
  run_code(warp, turns, piece, lanes, local_base, group);
  LaneMask back = 0;
  LaneMask left = lanes;
  for (const Exit& exit : p.exits) {
    const LaneMask taken = lanes_of(warp, exit.condition) & left;
    left &= ~taken;
    if (exit.piece == piece) back |= taken;
  }
  RADDLE_ASSERT(back == 0 || back == lanes);
  const std::size_t links = std::size_t{graph.receives} * group.threads;
  group.has_producer.assign(links, is_first ? 0 : 1);
  group.is_consumed.assign(links, back != 0 ? 1 : 0);
  if (back != 0) return back;
  const auto last = group.active.begin() + std::size_t{graph.last_turn_access} * group.threads;
  std::fill_n(last, std::popcount(lanes), std::uint8_t{1});
  return 0;
}

void PieceExecutor::run_code(WarpState& warp, ChannelTurns& turns, std::uint32_t piece,
                             LaneMask lanes, std::uint64_t local_base, ThreadGroup& group) {
  const Piece& p = kernel_.pieces[piece];
  enter(warp);
  polls_ = {};
  const auto& access_of = access_of_code_[piece];
  const kernel::exec::DecodedBlock code = function().blocks[piece];
  for (std::uint32_t pc = code.first; pc < code.end; ++pc) {
    const std::uint32_t access = access_of[pc - code.first];
    if (access == kNoCode) {
      execute(function().code[pc], warp, lanes);
    } else {
      execute_access(function().code[pc], warp, lanes, access, {local_base, group, 0});
    }
  }
  for (const Tag& tag : p.tags) note_tag(piece, tag.code, warp, lanes, turns);
}

// --- whole blocks ----------------------------------------------------------------------------------

void PieceExecutor::run_block(ThreadBlock& threads, ChannelTurns& turns, std::uint32_t piece,
                              std::uint64_t local_base, ThreadGroup& group) {
  const Piece& p = kernel_.pieces[piece];
  group.threads = static_cast<std::uint32_t>(grid_.launch.block.count());
  const std::size_t entries = std::size_t{p.graph.graph.accesses} * group.threads;
  group.addresses.resize(entries);
  group.active.resize(entries);
  const Block block{threads, turns, piece, local_base, group};
  for (const BlockStep& step : block_steps_[piece]) run_step(step, block);
  describe_links(piece, group);
  if (p.graph.descending) {
    for (std::uint32_t a = 0; a < p.graph.graph.accesses; ++a) {
      const auto from = static_cast<std::ptrdiff_t>(std::size_t{a} * group.threads);
      const auto to = from + static_cast<std::ptrdiff_t>(group.threads);
      std::reverse(group.addresses.begin() + from, group.addresses.begin() + to);
      std::reverse(group.active.begin() + from, group.active.begin() + to);
    }
  }
}

void PieceExecutor::run_step(const BlockStep& step, const Block& block) {
  const std::vector<std::uint32_t>& access_of = access_of_code_[block.piece];
  std::vector<WarpState>& warps = block.threads.warps();
  switch (step.kind) {
    case BlockStep::Kind::kCode:
      for (std::uint32_t w = 0; w < warps.size(); ++w) {
        WarpState& warp = warps[w];
        enter(warp);
        for (const std::uint32_t place : step.code) {
          if (access_of[place] != kNoCode) {
            execute_access(decoded(block.piece, place), warp, warp.live, access_of[place],
                           {block.local_base, block.group, w * kLanes});
            continue;
          }
          execute(decoded(block.piece, place), warp, warp.live);
          note_tag(block.piece, place, warp, warp.live, block.turns);
        }
      }
      return;
    case BlockStep::Kind::kReceive: {
      const Receive& call = receives_[receive_of_code_[block.piece][step.code[0]]];
      for (WarpState& warp : warps) enter(warp);
      for (std::uint32_t thread = 0; thread < block.group.threads; ++thread)
        receive(call, block, thread);
      return;
    }
    case BlockStep::Kind::kReceiveLoad:
      return receive_or_load(receives_[receive_of_code_[block.piece][step.code[0]]], block);
    case BlockStep::Kind::kRecurrence: return run_recurrence(step, block);
  }
}

// Threads that wait for each other go one by one.
void PieceExecutor::run_recurrence(const BlockStep& step, const Block& block) {
  const std::uint32_t threads = block.group.threads;
  const bool descending = kernel_.pieces[block.piece].graph.descending;
  for (std::uint32_t n = 0; n < threads; ++n) {
    const std::uint32_t thread = descending ? threads - 1 - n : n;
    WarpState& warp = block.threads.warps()[thread / kLanes];
    const LaneMask lane = LaneMask{1} << (thread % kLanes);
    enter(warp);
    for (const std::uint32_t place : step.code) {
      const std::uint32_t call = receive_of_code_[block.piece][place];
      if (call != kNoCode) {
        receive(receives_[call], block, thread);
        continue;
      }
      const std::uint32_t access = access_of_code_[block.piece][place];
      if (access != kNoCode) {
        execute_access(decoded(block.piece, place), warp, lane, access,
                       {block.local_base, block.group, thread});
        continue;
      }
      execute(decoded(block.piece, place), warp, lane);
      note_tag(block.piece, place, warp, lane, block.turns);
    }
  }
}

void PieceExecutor::receive(const Receive& receive, const Block& block,
                            std::uint32_t thread) const {
  const Decoded& d = decoded(block.piece, receive.place);
  WarpState& to = block.threads.warps()[thread / kLanes];
  if (guarded(d, to, LaneMask{1} << (thread % kLanes)) == 0) return;
  const std::uint32_t sender = receive.senders[thread];
  const std::size_t bytes = d.register_bytes;
  std::byte* place = frame_of(to) + d.destination[0] + thread % kLanes * bytes;
  if (sender == kNoThread) {
    block.turns.receive_constant(receive.number, thread);
    copy_value(place, frame_of(to) + d.source[0] + thread % kLanes * bytes, bytes);
    return;
  }
  const ChannelTurns::Turn turn =
      block.turns.receive(receive.number, thread, receive.channel, sender);
  if (!turn.is_served()) report_wait(receive, block, thread, turn);
  copy_value(place, turn.value, bytes);
}

// Threads that load do so first; the others take over what their neighbours got.
void PieceExecutor::receive_or_load(const Receive& receive, const Block& block) {
  const Decoded& d = decoded(block.piece, receive.place);
  const std::uint32_t access = access_of_code_[block.piece][receive.place];
  std::vector<WarpState>& warps = block.threads.warps();
  for (std::uint32_t w = 0; w < warps.size(); ++w) {
    WarpState& warp = warps[w];
    enter(warp);
    LaneMask loads = *reinterpret_cast<const LaneMask*>(warp.lanes.frame + d.source[1]);
    if ((d.negated_sources & 2) != 0) loads = ~loads;
    const std::uint32_t threads = std::min<std::uint32_t>(kLanes, block.group.threads - w * kLanes);
    for (std::uint32_t lane = 0; lane < threads; ++lane) {
      if (receive.senders[w * kLanes + lane] == kNoThread) loads |= LaneMask{1} << lane;
    }
    execute(d, warp, loads & warp.live);
    record(warp, access, warp.live, 0, {block.local_base, block.group, w * kLanes});
  }
  pass_on(receive, block);
}

// In the order in which values go from one thread to the next.
void PieceExecutor::pass_on(const Receive& receive, const Block& block) const {
  const Decoded& d = decoded(block.piece, receive.place);
  const std::uint32_t threads = block.group.threads;
  const std::size_t access = access_of_code_[block.piece][receive.place];
  const std::size_t bytes = d.register_bytes;
  const bool descending = kernel_.pieces[block.piece].graph.descending;
  std::vector<std::byte*> frames;
  std::vector<LaneMask> lanes;
  for (WarpState& warp : block.threads.warps()) {
    frames.push_back(frame_of(warp));
    lanes.push_back(guarded(d, warp, kernel::exec::kAllLanes));
  }
  for (std::uint32_t n = 0; n < threads; ++n) {
    const std::uint32_t thread = descending ? threads - 1 - n : n;
    if (block.group.active[access * threads + thread] != 0) continue;
    const std::uint32_t sender = receive.senders[thread];
    if (sender == kNoThread || (lanes[thread / kLanes] >> thread % kLanes & 1) == 0) continue;
    for (std::uint8_t r = 0; r < d.destination_count; ++r) {
      copy_value(frames[thread / kLanes] + d.destination[r] + thread % kLanes * bytes,
                 frames[sender / kLanes] + d.destination[r] + sender % kLanes * bytes, bytes);
    }
  }
}

void PieceExecutor::describe_links(std::uint32_t piece, ThreadGroup& group) const {
  const PieceGraph& graph = kernel_.pieces[piece].graph;
  const std::size_t entries = graph.receive_code.size() * group.threads;
  group.has_producer.assign(entries, 0);
  group.is_consumed.assign(entries, 0);
  const auto place_of = [&](std::size_t receive, std::uint32_t thread) {
    return receive * group.threads + (graph.descending ? group.threads - 1 - thread : thread);
  };
  for (std::size_t r = 0; r < graph.receive_code.size(); ++r) {
    const std::uint32_t place = graph.receive_code[r];
    const std::uint32_t access = access_of_code_[piece][place];
    const Receive& receive = receives_[receive_of_code_[piece][place]];
    for (std::uint32_t thread = 0; thread < group.threads; ++thread) {
      const std::uint32_t sender = receive.senders[thread];
      const bool loads =
          access != kNoCode && group.active[std::size_t{access} * group.threads + thread] != 0;
      if (sender == kNoThread || loads) continue;
      group.has_producer[place_of(r, thread)] = 1;
      group.is_consumed[place_of(r, sender)] = 1;
    }
  }
}

}  // namespace raddle::machine::cgra
