// Where pieces may not be cut: between what a thread receives and what it sends on.
#include <algorithm>
#include <set>
#include <utility>

#include "machine/cgra/compile/piece_former.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::Opcode;

template <typename Visitor>
void PieceFormer::for_each_code(const Region& region, Visitor visit) const {
  for (const SegmentId id : region) {
    const Segment& segment = kernel_.segments[id];
    const auto& code = kernel_.function.blocks[segment.block].instructions;
    for (std::uint32_t i = segment.first; i < segment.end; ++i) visit(code[i], segment.block, i);
  }
}

// A receive whose value is sent only later must be in one piece with what sends it.
bool PieceFormer::cuts_recurrence(const Region& region) const {
  std::set<std::uint32_t> sent;
  for_each_code(region, [&](const Instruction& i, kernel::BlockId, std::uint32_t) {
    if (i.opcode == Opcode::kItTag) sent.insert(i.inter_thread.channel);
  });
  bool cut = false;
  for_each_code(region, [&](const Instruction& i, kernel::BlockId block, std::uint32_t index) {
    if (i.opcode != Opcode::kItReceiveConst || sent.contains(i.inter_thread.channel)) return;
    cut = cut || !sent_before(i.inter_thread.channel, block, index);
  });
  return cut;
}

// What goes from thread to thread goes through elevators: only where these run out is it left in
// the live-value cache (dmt-cgra, section 4.3).
bool PieceFormer::separates_channel(const Region& first, const Region& second) const {
  std::set<std::uint32_t> sent;
  for_each_code(first, [&](const Instruction& i, kernel::BlockId, std::uint32_t) {
    if (i.opcode == Opcode::kItTag) sent.insert(i.inter_thread.channel);
  });
  bool separates = false;
  for_each_code(second, [&](const Instruction& i, kernel::BlockId, std::uint32_t) {
    separates =
        separates || (i.opcode == Opcode::kItReceiveConst && sent.contains(i.inter_thread.channel));
  });
  return separates;
}

// On some path at least: whether it was on the one that was taken, a run shows.
bool PieceFormer::sent_before(std::uint32_t channel, kernel::BlockId block,
                              std::uint32_t index) const {
  for (kernel::BlockId b = 0; b < kernel_.function.blocks.size(); ++b) {
    const auto& code = kernel_.function.blocks[b].instructions;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      if (code[i].opcode != Opcode::kItTag || code[i].inter_thread.channel != channel) continue;
      if (b == block ? i < index : follows_[b][block]) return true;
    }
  }
  return false;
}

// With the segments after it up to the tags that its receives wait for.
Region PieceFormer::with_tags(Region region, const std::vector<bool>& taken) const {
  Region longer = region;
  for (SegmentId next = region.back() + 1;
       next < kernel_.segments.size() && cuts_recurrence(longer); ++next) {
    if (std::find(longer.begin(), longer.end(), next) == longer.end() &&
        can_add(longer, next, taken))
      longer.push_back(next);
  }
  return cuts_recurrence(longer) ? std::move(region) : std::move(longer);
}

}  // namespace raddle::machine::cgra
