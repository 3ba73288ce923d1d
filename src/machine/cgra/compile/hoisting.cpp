#include "machine/cgra/compile/hoisting.h"

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
      : kernel_(kernel), facts_(facts), before_(before), values_(kernel.function.registers.size()) {
    find_behind();
    moved_.assign(places_.size(), false);
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      kernel::for_each_def(at(places_[i]), [&](RegisterId value) { values_[value].place = i; });
      kernel::for_each_use(at(places_[i]), [&](RegisterId value) { ++values_[value].reads; });
    }
    find_other_uses();
    for (RegisterId value = 0; value < values_.size(); ++value) {
      values_[value].may_be_kept =
          facts.defined(value) && facts.kind(value) == ValueKind::kComputed;
      crossing_ += crosses(values_[value]) ? 1 : 0;
    }
  }

  std::size_t run(std::size_t most) {
    const std::size_t kept = crossing_;
    choose(most);
    drop_what_does_not_help();
    if (crossing_ >= kept) return 0;
    const auto moved = static_cast<std::size_t>(std::count(moved_.begin(), moved_.end(), true));
    apply(moved_);
    return moved;
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xffffffffu;

  // What is known of a value.
  struct Value {
    std::uint32_t place = kNowhere;  // after the cut, where it is computed
    std::uint32_t reads = 0;         // by places that stay behind the cut
    std::uint32_t moved_reads = 0;   // by places that are moved before it
    bool is_before = false;          // computed by the segment before the cut
    bool has_other_uses = false;
    bool may_be_kept = false;
  };

  const Instruction& at(const Place& place) const {
    return kernel_.function.blocks[kernel_.segments[place.segment].block].instructions[place.index];
  }

  // The segment after the cut, and those that have one way in, from there.
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

  // What is read by anything but the instructions before the cut and the places after it; phis and
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
          kernel::for_each_def(code[i], [&](RegisterId value) { values_[value].is_before = true; });
        } else if (!listed[b].contains(i)) {
          kernel::for_each_use(code[i],
                               [&](RegisterId value) { values_[value].has_other_uses = true; });
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

  // Whether the value has to be kept from before the cut for what comes after it.
  bool crosses(const Value& value) const {
    if (!value.may_be_kept) return false;
    const bool is_read = value.reads > 0;
    if (value.is_before || (value.place != kNowhere && moved_[value.place]))
      return is_read || value.has_other_uses;
    return value.place == kNowhere && is_read;
  }

  // Before the cut or back after it.
  void move(std::uint32_t i, bool to_before) {
    const Instruction& instruction = at(places_[i]);
    std::vector<RegisterId> concerned;
    const auto note = [&](RegisterId value) { concerned.push_back(value); };
    kernel::for_each_use(instruction, note);
    kernel::for_each_def(instruction, note);
    std::sort(concerned.begin(), concerned.end());
    concerned.erase(std::unique(concerned.begin(), concerned.end()), concerned.end());
    for (const RegisterId value : concerned) crossing_ -= crosses(values_[value]) ? 1 : 0;
    moved_[i] = to_before;
    kernel::for_each_use(instruction, [&](RegisterId value) {
      --(to_before ? values_[value].reads : values_[value].moved_reads);
      ++(to_before ? values_[value].moved_reads : values_[value].reads);
    });
    for (const RegisterId value : concerned) crossing_ += crosses(values_[value]) ? 1 : 0;
  }

  // All that needs nothing but what is known before the cut, the first ones first.
  void choose(std::size_t most) {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < places_.size() && count < most; ++i) {
      const Instruction& instruction = at(places_[i]);
      bool is_ready = can_move(instruction);
      kernel::for_each_use(instruction, [&](RegisterId value) {
        // What is the same for all threads of a launch is known everywhere.
        if (facts_.defined(value) && facts_.kind(value) == ValueKind::kConstant) return;
        const std::uint32_t place = values_[value].place;
        if (place != kNowhere) is_ready = is_ready && moved_[place];
      });
      if (!is_ready) continue;
      move(i, true);
      ++count;
    }
  }

  void drop_what_does_not_help() {
    for (auto i = static_cast<std::uint32_t>(places_.size()); i-- > 0;) {
      if (!moved_[i] || values_[at(places_[i]).destinations[0].index].moved_reads > 0) continue;
      const std::size_t with = crossing_;
      move(i, false);
      if (crossing_ > with) move(i, true);
    }
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
  std::vector<Place> places_;  // after the cut, in order
  std::vector<bool> moved_;    // by place
  std::vector<Value> values_;  // by register
  std::size_t crossing_ = 0;   // values that cross the cut
};

}  // namespace

std::size_t hoist(SegmentedKernel& kernel, const ValueFacts& facts, SegmentId before,
                  std::size_t most) {
  return Puller(kernel, facts, before).run(most);
}

}  // namespace raddle::machine::cgra
