#include "machine/cgra/piece_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.h"
#include "kernel/address_map.h"
#include "kernel/analysis/def_use.h"
#include "kernel/exec/channels.h"
#include "machine/cgra/memory_order.h"
#include "machine/cgra/strong_components.h"

namespace raddle::machine::cgra {

using kernel::RegisterId;
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
      senders_(kernel.pieces.size()),
      access_of_code_(kernel.pieces.size()),
      accesses_(grid.kernel.memory_instructions) {
  for (std::uint32_t p = 0; p < kernel.pieces.size(); ++p) {
    const PieceGraph& graph = kernel.pieces[p].graph;
    access_of_code_[p].assign(kernel.function.blocks[p].instructions.size(), kNoCode);
    for (std::uint32_t a = 0; a < graph.access_code.size(); ++a)
      access_of_code_[p][graph.access_code[a]] = a;
    if (!graph.graph.whole_blocks && kernel.pieces[p].far_receives.empty()) continue;
    plan_block_steps(p);
    find_senders(p);
  }
}

void PieceExecutor::find_senders(std::uint32_t piece) {
  const auto& code = kernel_.function.blocks[piece].instructions;
  const auto add = [&](std::uint32_t place) {
    std::vector<std::uint32_t>& senders = senders_[piece][place];
    const auto threads = static_cast<std::uint32_t>(grid_.launch.block.count());
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      senders.push_back(producer_of(thread, code[place].inter_thread, grid_.launch.block));
  };
  for (const std::uint32_t place : kernel_.pieces[piece].graph.receive_code) add(place);
  for (const std::uint32_t place : kernel_.pieces[piece].far_receives) add(place);
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

void PieceExecutor::execute(const Decoded& d, WarpState& warp, LaneMask lanes, Counting counting) {
  std::byte* frame = warp.lanes.frame;
  warp.lanes.access().mask = 0;
  if (d.guarded) {
    const LaneMask holds = *reinterpret_cast<const LaneMask*>(frame + d.guard);
    lanes &= d.guard_negated ? ~holds : holds;
  }
  if (lanes == 0) return;
  switch (d.handler) {
    case Handler::kLaneLoop:
      // A tag writes nothing: whoever receives takes the value from where it is.
      if (d.destination[0] != kernel::exec::kNoSlot) d.lanes(d, frame, lanes);
      return;
    case Handler::kWarp:
      d.warp(d, warp.lanes, lanes);
      if (!warp.lanes.faults.empty()) grid_.take_access_faults(warp, function(), d);
      if (counting == Counting::kAccesses && d.touches_memory && d.ir->space != Space::kParam)
        accesses_.count(d, warp.lanes.access());
      return;
    default: return;
  }
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

void PieceExecutor::record(const WarpState& warp, std::uint32_t access, LaneMask lanes,
                           std::uint64_t local_base, ThreadGroup& group,
                           std::uint32_t first_thread) const {
  const kernel::exec::MemoryAccess& done = warp.lanes.access();
  std::size_t place = std::size_t{access} * group.threads + first_thread;
  for (LaneMask left = lanes; left != 0; left &= left - 1, ++place) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const bool active = (done.mask >> lane & 1) != 0;
    group.active[place] = active ? 1 : 0;
    if (!active) continue;
    group.addresses[place] = done.space == Space::kLocal
                                 ? local_address(local_base, done.address[lane], lane)
                                 : done.address[lane];
  }
}

void PieceExecutor::run(WarpState& warp, std::uint32_t piece, LaneMask lanes,
                        std::uint64_t local_base, ThreadGroup& group) {
  const Piece& p = kernel_.pieces[piece];
  group.threads = static_cast<std::uint32_t>(std::popcount(lanes));
  const std::size_t entries = std::size_t{p.graph.graph.accesses} * group.threads;
  group.addresses.resize(entries);
  group.active.resize(entries);
  group.has_producer.clear();
  group.is_consumed.clear();
  enter(warp);
  const auto& access_of = access_of_code_[piece];
  const kernel::exec::DecodedBlock code = function().blocks[piece];
  for (std::uint32_t pc = code.first; pc < code.end; ++pc) {
    execute(function().code[pc], warp, lanes);
    const std::uint32_t access = access_of[pc - code.first];
    if (access != kNoCode) record(warp, access, lanes, local_base, group, 0);
  }
}

// --- whole blocks ----------------------------------------------------------------------------------

// An order in which everything is computed before it is needed, by this thread or by another.
// Threads that wait for each other in turns go one by one.
void PieceExecutor::plan_block_steps(std::uint32_t piece) {
  const Piece& p = kernel_.pieces[piece];
  const auto& code = kernel_.function.blocks[piece].instructions;
  std::vector<std::vector<std::uint32_t>> needs(code.size());
  std::map<RegisterId, std::uint32_t> written_by;
  for (std::uint32_t i = 0; i < p.copies; ++i)
    kernel::for_each_def(code[i], [&](RegisterId value) { written_by[value] = i; });
  const auto order = find_memory_order(code);
  std::map<std::uint32_t, std::uint32_t> tag_of;  // by channel
  for (const Tag& tag : p.tags) tag_of[tag.channel] = tag.code;
  std::vector<bool> receives(code.size(), false), loads(code.size(), false);
  for (const std::uint32_t place : p.graph.receive_code)
    (access_of_code_[piece][place] != kNoCode ? loads : receives)[place] = true;
  for (const std::uint32_t place : p.far_receives) receives[place] = true;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    kernel::for_each_use(code[i], [&](RegisterId value) {
      const auto writer = written_by.find(value);
      // What is written behind what reads it is the slot of a live value: the old one is meant.
      if (writer == written_by.end()) return;
      if (writer->second < i || i >= p.copies) {
        needs[i].push_back(writer->second);
      } else if (writer->second > i) {
        needs[writer->second].push_back(i);
      }
    });
    needs[i].insert(needs[i].end(), order[i].begin(), order[i].end());
    if (receives[i] && tag_of.contains(code[i].inter_thread.channel))
      needs[i].push_back(tag_of[code[i].inter_thread.channel]);
    // Slots of live values are written last.
    if (i >= p.copies) {
      for (std::uint32_t j = 0; j < p.copies; ++j) needs[i].push_back(j);
    }
  }
  for (std::vector<std::uint32_t>& component : strong_components(needs)) {
    const std::uint32_t first = component[0];
    Step step{Step::Kind::kCode, component};
    if (component.size() > 1) {
      step.kind = Step::Kind::kRecurrence;
    } else if (receives[first]) {
      step.kind = Step::Kind::kReceive;
    } else if (loads[first]) {
      step.kind = Step::Kind::kReceiveLoad;
    }
    std::vector<Step>& steps = block_steps_[piece];
    if (step.kind == Step::Kind::kCode && !steps.empty() &&
        steps.back().kind == Step::Kind::kCode) {
      steps.back().code.push_back(first);
    } else {
      steps.push_back(std::move(step));
    }
  }
}

void PieceExecutor::run_block(ThreadBlock& block, std::uint32_t piece, std::uint64_t local_base,
                              ThreadGroup& group) {
  const Piece& p = kernel_.pieces[piece];
  group.threads = static_cast<std::uint32_t>(grid_.launch.block.count());
  const std::size_t entries = std::size_t{p.graph.graph.accesses} * group.threads;
  group.addresses.resize(entries);
  group.active.resize(entries);
  for (const Step& step : block_steps_[piece]) run_step(step, block, piece, local_base, group);
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

void PieceExecutor::run_step(const Step& step, ThreadBlock& block, std::uint32_t piece,
                             std::uint64_t local_base, ThreadGroup& group) {
  const auto& access_of = access_of_code_[piece];
  const std::uint32_t first = step.code[0];
  switch (step.kind) {
    case Step::Kind::kCode:
      for (std::uint32_t w = 0; w < block.warps().size(); ++w) {
        WarpState& warp = block.warps()[w];
        enter(warp);
        for (const std::uint32_t place : step.code) {
          execute(decoded(piece, place), warp, warp.live);
          if (access_of[place] != kNoCode)
            record(warp, access_of[place], warp.live, local_base, group, w * kLanes);
        }
      }
      return;
    case Step::Kind::kReceive:
      for (std::uint32_t thread = 0; thread < group.threads; ++thread)
        receive(piece, first, block, thread);
      return;
    case Step::Kind::kReceiveLoad: return receive_or_load(piece, first, block, local_base, group);
    case Step::Kind::kRecurrence: break;
  }
  const bool descending = kernel_.pieces[piece].graph.descending;
  const auto& receive_code = kernel_.pieces[piece].graph.receive_code;
  for (std::uint32_t n = 0; n < group.threads; ++n) {
    const std::uint32_t thread = descending ? group.threads - 1 - n : n;
    WarpState& warp = block.warps()[thread / kLanes];
    const LaneMask lane = LaneMask{1} << (thread % kLanes);
    enter(warp);
    for (const std::uint32_t place : step.code) {
      const bool receives =
          std::find(receive_code.begin(), receive_code.end(), place) != receive_code.end();
      if (receives) {
        receive(piece, place, block, thread);
        continue;
      }
      execute(decoded(piece, place), warp, lane);
      if (access_of[place] != kNoCode)
        record(warp, access_of[place], lane, local_base, group, thread);
    }
  }
}

void PieceExecutor::receive(std::uint32_t piece, std::uint32_t receive_place, ThreadBlock& block,
                            std::uint32_t thread) {
  const Decoded& d = decoded(piece, receive_place);
  const std::uint32_t sender = senders_[piece].at(receive_place)[thread];
  const std::size_t bytes = d.register_bytes;
  WarpState& to = block.warps()[thread / kLanes];
  std::byte* place = frame_of(to) + d.destination[0] + thread % kLanes * bytes;
  if (sender != kNoThread) {
    const std::uint32_t slot = kernel_.sent_from(d.ir->inter_thread.channel, function());
    std::memcpy(place, frame_of(block.warps()[sender / kLanes]) + slot + sender % kLanes * bytes,
                bytes);
  } else {
    std::memcpy(place, frame_of(to) + d.source[0] + thread % kLanes * bytes, bytes);
  }
}

// Threads that load do so first; the others take over what their neighbours got, in the order in
// which it goes from one to the next.
void PieceExecutor::receive_or_load(std::uint32_t piece, std::uint32_t place, ThreadBlock& block,
                                    std::uint64_t local_base, ThreadGroup& group) {
  const Decoded& d = decoded(piece, place);
  const std::uint32_t access = access_of_code_[piece][place];
  const std::vector<std::uint32_t>& senders = senders_[piece].at(place);
  for (std::uint32_t w = 0; w < block.warps().size(); ++w) {
    WarpState& warp = block.warps()[w];
    enter(warp);
    LaneMask loads = *reinterpret_cast<const LaneMask*>(warp.lanes.frame + d.source[1]);
    if ((d.negated_sources & 2) != 0) loads = ~loads;
    const std::uint32_t threads = std::min<std::uint32_t>(kLanes, group.threads - w * kLanes);
    for (std::uint32_t lane = 0; lane < threads; ++lane) {
      if (senders[w * kLanes + lane] == kNoThread) loads |= LaneMask{1} << lane;
    }
    execute(d, warp, loads & warp.live);
    record(warp, access, warp.live, local_base, group, w * kLanes);
  }
  std::vector<std::byte*> frames;
  for (WarpState& warp : block.warps()) frames.push_back(frame_of(warp));
  const bool descending = kernel_.pieces[piece].graph.descending;
  const std::size_t bytes = d.register_bytes;
  for (std::uint32_t n = 0; n < group.threads; ++n) {
    const std::uint32_t thread = descending ? group.threads - 1 - n : n;
    if (group.active[std::size_t{access} * group.threads + thread] != 0) continue;
    const std::uint32_t sender = senders[thread];
    if (sender == kNoThread) continue;
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
    const std::vector<std::uint32_t>& senders = senders_[piece].at(place);
    for (std::uint32_t thread = 0; thread < group.threads; ++thread) {
      const std::uint32_t sender = senders[thread];
      const bool loads =
          access != kNoCode && group.active[std::size_t{access} * group.threads + thread] != 0;
      if (sender == kNoThread || loads) continue;
      group.has_producer[place_of(r, thread)] = 1;
      group.is_consumed[place_of(r, sender)] = 1;
    }
  }
}

}  // namespace raddle::machine::cgra
