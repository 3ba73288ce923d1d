#include "machine/cgra/pull_up.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "kernel/analysis/def_use.h"
#include "kernel/special_registers.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::OpcodeGroup;
using kernel::RegisterId;

namespace {

struct Place {
  SegmentId segment = 0;
  std::uint32_t index = 0;  // of its block's instructions
};

class Puller {
 public:
  Puller(SegmentedKernel& kernel, const ValueFacts& facts, SegmentId before)
      : kernel_(kernel), facts_(facts), before_(before) {
    find_behind();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      kernel::for_each_def(at(places_[i]), [&](RegisterId value) { defined_behind_[value] = i; });
    }
    find_other_uses();
  }

  std::size_t run(std::size_t most) {
    std::vector<bool> moved(places_.size(), false);
    const std::size_t kept = crossing(moved);
    choose(most, moved);
    drop_what_does_not_help(moved);
    if (crossing(moved) >= kept) return 0;
    apply(moved);
    return static_cast<std::size_t>(std::count(moved.begin(), moved.end(), true));
  }

 private:
  const Instruction& at(const Place& place) const {
    return kernel_.function.blocks[kernel_.segments[place.segment].block].instructions[place.index];
  }

  // The segment behind the cut, and those that have one way in, from there.
  void find_behind() {
    std::set<SegmentId> behind{before_ + 1};
    add_places(before_ + 1);
    for (SegmentId s = before_ + 2; s < kernel_.segments.size(); ++s) {
      const Segment& segment = kernel_.segments[s];
      if (segment.entry != Entry::kFree || segment.predecessors.size() != 1 ||
          !behind.contains(segment.predecessors[0]))
        continue;
      behind.insert(s);
      add_places(s);
    }
  }

  void add_places(SegmentId s) {
    const Segment& segment = kernel_.segments[s];
    for (std::uint32_t i = segment.first; i < segment.end; ++i) places_.push_back({s, i});
  }

  // What is read by anything but the instructions before the cut and the places behind it; phis and
  // branches are among them.
  void find_other_uses() {
    const Segment& own = kernel_.segments[before_];
    std::map<kernel::BlockId, std::set<std::uint32_t>> listed;
    for (const Place& place : places_)
      listed[kernel_.segments[place.segment].block].insert(place.index);
    for (kernel::BlockId b = 0; b < kernel_.function.blocks.size(); ++b) {
      const auto& code = kernel_.function.blocks[b].instructions;
      for (std::uint32_t i = 0; i < code.size(); ++i) {
        const bool is_before = b == own.block && i >= own.first && i < own.end;
        if (is_before) {
          kernel::for_each_def(code[i], [&](RegisterId value) { defined_before_.insert(value); });
        } else if (!listed[b].contains(i)) {
          kernel::for_each_use(code[i], [&](RegisterId value) { other_uses_.insert(value); });
        }
      }
    }
  }

  bool can_move(const Instruction& i) const {
    switch (group_of(i.opcode)) {
      case OpcodeGroup::kMove:
      case OpcodeGroup::kConvert:
      case OpcodeGroup::kArithmetic:
      case OpcodeGroup::kSpecial:
      case OpcodeGroup::kCompare:
      case OpcodeGroup::kLogic: break;
      default: return false;
    }
    if (i.guard.present() || i.carry_in || i.carry_out || i.destinations.size() != 1 ||
        !i.destinations[0].is_register())
      return false;
    const RegisterId result = i.destinations[0].index;
    const bool is_shared = result < kernel_.shared.size() && kernel_.shared[result];
    return !is_shared && !kernel::is_phi(i) &&
           std::none_of(i.sources.begin(), i.sources.end(), [](const kernel::Operand& source) {
             return source.kind == kernel::Operand::Kind::kSpecial && is_clock(source.special);
           });
  }

  // All that needs nothing but what is known before the cut, the first ones first.
  void choose(std::size_t most, std::vector<bool>& moved) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < places_.size() && count < most; ++i) {
      const Instruction& instruction = at(places_[i]);
      bool is_ready = can_move(instruction);
      kernel::for_each_use(instruction, [&](RegisterId value) {
        // What is the same for all threads of a launch is known everywhere.
        if (facts_.defined(value) && facts_.kind(value) == ValueKind::kConstant) return;
        const auto found = defined_behind_.find(value);
        if (found != defined_behind_.end()) is_ready = is_ready && moved[found->second];
      });
      moved[i] = is_ready;
      count += is_ready ? 1 : 0;
    }
  }

  void drop_what_does_not_help(std::vector<bool>& moved) const {
    std::size_t now = crossing(moved);
    for (std::size_t i = places_.size(); i-- > 0;) {
      if (!moved[i] || is_used_by_moved(i, moved)) continue;
      moved[i] = false;
      const std::size_t without = crossing(moved);
      if (without <= now) {
        now = without;
      } else {
        moved[i] = true;
      }
    }
  }

  bool is_used_by_moved(std::size_t i, const std::vector<bool>& moved) const {
    const RegisterId result = at(places_[i]).destinations[0].index;
    for (std::size_t j = i + 1; j < places_.size(); ++j) {
      if (!moved[j]) continue;
      bool uses = false;
      kernel::for_each_use(at(places_[j]),
                           [&](RegisterId value) { uses = uses || value == result; });
      if (uses) return true;
    }
    return false;
  }

  // Values that have to be kept from before the cut for what comes behind it.
  std::size_t crossing(const std::vector<bool>& moved) const {
    std::set<RegisterId> read;
    std::set<RegisterId> computed = defined_before_;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (moved[i]) {
        computed.insert(at(places_[i]).destinations[0].index);
      } else {
        kernel::for_each_use(at(places_[i]), [&](RegisterId value) { read.insert(value); });
      }
    }
    const auto is_kept = [&](RegisterId value) {
      return facts_.defined(value) && facts_.kind(value) == ValueKind::kComputed;
    };
    auto count = std::count_if(computed.begin(), computed.end(), [&](RegisterId value) {
      return is_kept(value) && (read.contains(value) || other_uses_.contains(value));
    });
    count += std::count_if(read.begin(), read.end(), [&](RegisterId value) {
      return is_kept(value) && !computed.contains(value) && !defined_behind_.contains(value);
    });
    return static_cast<std::size_t>(count);
  }

  void apply(const std::vector<bool>& moved) {
    std::vector<Instruction> taken;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (moved[i]) taken.push_back(at(places_[i]));
    }
    for (std::size_t i = places_.size(); i-- > 0;) {
      if (moved[i]) erase(places_[i]);
    }
    Segment& own = kernel_.segments[before_];
    auto& code = kernel_.function.blocks[own.block].instructions;
    code.insert(code.begin() + own.end, taken.begin(), taken.end());
    const auto added = static_cast<std::uint32_t>(taken.size());
    for (Segment& segment : kernel_.segments) {
      if (segment.block != own.block || segment.first < own.end || &segment == &own) continue;
      segment.first += added;
      segment.end += added;
    }
    own.end += added;
  }

  void erase(const Place& place) {
    const kernel::BlockId block = kernel_.segments[place.segment].block;
    auto& code = kernel_.function.blocks[block].instructions;
    code.erase(code.begin() + place.index);
    for (Segment& segment : kernel_.segments) {
      if (segment.block != block) continue;
      if (segment.first > place.index) --segment.first;
      if (segment.end > place.index) --segment.end;
    }
  }

  SegmentedKernel& kernel_;
  const ValueFacts& facts_;
  SegmentId before_;
  std::vector<Place> places_;                         // behind the cut, in order
  std::map<RegisterId, std::size_t> defined_behind_;  // by one of the places
  std::set<RegisterId> defined_before_;               // by the segment before the cut
  std::set<RegisterId> other_uses_;
};

}  // namespace

std::size_t pull_up(SegmentedKernel& kernel, const ValueFacts& facts, SegmentId before,
                    std::size_t most) {
  return Puller(kernel, facts, before).run(most);
}

}  // namespace raddle::machine::cgra
