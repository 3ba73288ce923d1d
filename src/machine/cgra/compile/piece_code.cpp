#include "machine/cgra/compile/piece_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "kernel/analysis/def_use.h"
#include "machine/cgra/compile/condition.h"
#include "machine/cgra/compile/predicate_fusion.h"

namespace raddle::machine::cgra {

using kernel::Guard;
using kernel::Instruction;
using kernel::Opcode;
using kernel::OpcodeGroup;
using kernel::Operand;
using kernel::RegisterId;
using kernel::Type;

namespace {

// Does something beyond computing its result, so that only the threads of its path may do it.
bool has_effect(const Instruction& instruction) {
  switch (group_of(instruction.opcode)) {
    case OpcodeGroup::kMemory:
    case OpcodeGroup::kTexture:
    case OpcodeGroup::kWarp:
    case OpcodeGroup::kBarrier:
    case OpcodeGroup::kControl:  // a call of the device library
    case OpcodeGroup::kInterThread: return true;
    default: return false;
  }
}

// Hints that a fabric does nothing for.
bool does_nothing(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kPrefetch:
    case Opcode::kBrkpt:
    case Opcode::kNanosleep:
    case Opcode::kCpAsyncWait: return true;
    default: return false;
  }
}

class Converter {
 public:
  Converter(const SegmentedKernel& kernel, const ValueFacts& facts, const SegmentUses& uses,
            const std::vector<SegmentId>& region)
      : kernel_(kernel), facts_(facts), uses_(uses), region_(region) {
    for (const SegmentId segment : region) incoming_[segment];
  }

  PieceCode run() {
    out_.entry = kernel_.segments[region_[0]].entry;
    out_.uniform = kernel_.uniform;
    for (const SegmentId segment : region_) add_segment(segment);
    add_exits();
    find_live_outs();
    add_copies();
    drop_unused();
    add_cheap_values();
    fuse_predicates(out_, kernel_.shared);
    find_live_ins();
    return std::move(out_);
  }

 private:
  // A way into a segment from another one of the piece.
  struct Arrival {
    Condition condition;
    std::uint32_t phi_source;
  };
  struct Departure {
    Condition condition;
    SegmentEdge edge;
  };

  void add_segment(SegmentId id) {
    const Segment& segment = kernel_.segments[id];
    Condition path = Condition::always();
    if (id != region_[0]) {
      path = Condition::never();
      for (const Arrival& arrival : incoming_[id]) path = path || arrival.condition;
      if (segment.starts_block) add_selections(segment, incoming_[id]);
    }
    const auto& code = kernel_.function.blocks[segment.block].instructions;
    for (std::uint32_t i = segment.first; i < segment.end; ++i) add_instruction(code[i], path);
    for (const SegmentEdge& edge : segment.edges) {
      Condition taken = path && edge.condition;
      const auto inside = incoming_.find(edge.to);
      // Back to the first segment is out of the piece.
      if (inside != incoming_.end() && edge.to != region_[0]) {
        inside->second.push_back({std::move(taken), edge.phi_source});
      } else {
        departures_.push_back({std::move(taken), edge});
      }
    }
  }

  void add_instruction(const Instruction& instruction, const Condition& path) {
    if (does_nothing(instruction)) return;
    if (!has_effect(instruction)) {
      Instruction copy = instruction;
      // What has several writers keeps its value where this one is passed by.
      copy.guard = writes_shared(instruction) ? guard_for(path) : Guard{};
      return append(std::move(copy));
    }
    const bool is_constant = instruction.destinations.size() == 1 &&
                             instruction.destinations[0].is_register() &&
                             facts_.kind(instruction.destinations[0].index) == ValueKind::kConstant;
    if (is_constant) return;
    Instruction copy = instruction;
    copy.guard = guard_for(path && instruction.guard);
    append(std::move(copy));
  }

  bool writes_shared(const Instruction& instruction) const {
    return instruction.destinations.size() == 1 && instruction.destinations[0].is_register() &&
           is_shared(instruction.destinations[0].index);
  }
  bool is_shared(RegisterId value) const {
    return value < kernel_.shared.size() && kernel_.shared[value];
  }

  void append(Instruction instruction) { out_.code.push_back(std::move(instruction)); }

  RegisterId new_register(Type type) {
    const std::size_t number = kernel_.function.registers.size() + out_.added.size();
    out_.added.push_back({fmt::format("piece{}", number), type});
    return static_cast<RegisterId>(number);
  }

  // --- predicates ---------------------------------------------------------------------------------

  static Operand operand(const Literal& literal) {
    return Operand::reg(literal.predicate, literal.negated);
  }

  RegisterId combine(Opcode opcode, const Operand& a, const Operand& b) {
    Instruction logic;
    logic.opcode = opcode;
    logic.type = Type::kPred;
    const RegisterId result = new_register(Type::kPred);
    logic.destinations = {Operand::reg(result)};
    logic.sources = {a, b};
    append(std::move(logic));
    return result;
  }

  // A predicate that holds when the condition does; written out once.
  Guard guard_for(const Condition& condition) {
    if (condition.is_always()) return {};
    RADDLE_ASSERT(!condition.is_never());
    const auto known = guards_.find(condition);
    if (known != guards_.end()) return known->second;
    std::vector<Operand> terms;
    for (const Condition::Conjunction& term : condition.terms()) {
      Operand all = operand(term[0]);
      for (std::size_t i = 1; i < term.size(); ++i)
        all = Operand::reg(and_of(all, operand(term[i])));
      terms.push_back(all);
    }
    Operand any = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i)
      any = Operand::reg(combine(Opcode::kOr, any, terms[i]));
    return guards_[condition] = Guard{any.index, any.negated};
  }

  RegisterId and_of(const Operand& a, const Operand& b) {
    const std::array key{a.index * 2 + (a.negated ? 1u : 0u), b.index * 2 + (b.negated ? 1u : 0u)};
    const auto known = ands_.find(key);
    if (known != ands_.end()) return known->second;
    return ands_[key] = combine(Opcode::kAnd, a, b);
  }

  // --- where paths meet -----------------------------------------------------------------------

  void add_selections(const Segment& segment, const std::vector<Arrival>& arrivals) {
    for (const Instruction& phi : kernel_.function.blocks[segment.block].instructions) {
      if (!kernel::is_phi(phi)) break;
      select(phi, arrivals);
    }
  }

  void select(const Instruction& phi, const std::vector<Arrival>& arrivals) {
    // Ways that bring the same value are one.
    std::vector<std::pair<Operand, Condition>> choices;
    for (const Arrival& arrival : arrivals) {
      const Operand& value = phi.sources[arrival.phi_source];
      const auto same = std::find_if(choices.begin(), choices.end(),
                                     [&](const auto& choice) { return choice.first == value; });
      if (same == choices.end()) {
        choices.emplace_back(value, arrival.condition);
      } else {
        same->second = same->second || arrival.condition;
      }
    }
    Operand value = choices.back().first;
    Condition rest = choices.back().second;
    for (std::size_t c = choices.size() - 1; c-- > 0;) {
      const Condition::Conjunction known = Condition::common(choices[c].second, rest);
      const Guard guard = guard_for(choices[c].second.without(known));
      rest = rest || choices[c].second;
      const RegisterId result = c == 0 ? phi.destinations[0].index : new_register(phi.type);
      if (!guard.present()) {  // can only come this way
        value = choices[c].first;
        if (c == 0) append(move_to(result, value, phi));
        continue;
      }
      append(selection(result, choices[c].first, value, guard, phi));
      value = Operand::reg(result);
    }
    if (choices.size() == 1) append(move_to(phi.destinations[0].index, value, phi));
  }

  static Instruction selection(RegisterId result, const Operand& yes, const Operand& no,
                               const Guard& guard, const Instruction& phi) {
    Instruction select;
    select.opcode = Opcode::kSelp;
    select.type = phi.type;
    select.location = phi.location;
    select.destinations = {Operand::reg(result)};
    select.sources = {yes, no, Operand::reg(guard.predicate, guard.negated)};
    return select;
  }

  static Instruction move_to(RegisterId result, const Operand& value, const Instruction& phi) {
    Instruction move;
    move.opcode = Opcode::kMov;
    move.type = phi.type;
    move.location = phi.location;
    move.destinations = {Operand::reg(result)};
    move.sources = {value};
    return move;
  }

  // --- ways out -------------------------------------------------------------------------------

  void add_exits() {
    std::map<SegmentId, Condition> targets;
    std::map<SegmentId, std::uint32_t> locations;
    for (const Departure& departure : departures_) {
      if (departure.condition.is_never()) continue;
      const auto [place, fresh] = targets.try_emplace(departure.edge.to, departure.condition);
      if (!fresh) place->second = place->second || departure.condition;
      locations.try_emplace(departure.edge.to, departure.edge.location);
    }
    for (const auto& [to, condition] : targets)
      out_.exits.push_back(
          {targets.size() == 1 ? Guard{} : guard_for(condition), to, locations[to]});
  }

  // What is computed here and read in other pieces, and what phis at the beginning of other pieces
  // get from here.
  void find_live_outs() {
    std::set<RegisterId> done;
    for (const Instruction& instruction : out_.code) {
      kernel::for_each_def(instruction, [&](RegisterId value) {
        if (value >= uses_.size() || facts_.kind(value) != ValueKind::kComputed) return;
        if (!read_elsewhere(value) && !is_shared(value)) return;
        if (!done.insert(value).second) return;
        const Guard guard = is_shared(value) ? instruction.guard : Guard{};
        out_.live_outs.push_back({value, Operand::reg(value), guard, instruction.location});
      });
    }
    std::map<RegisterId, std::vector<std::pair<Operand, Condition>>> phis;
    for (const Departure& departure : departures_) {
      if (departure.condition.is_never() || departure.edge.to >= kernel_.segments.size()) continue;
      const Segment& target = kernel_.segments[departure.edge.to];
      if (!target.starts_block) continue;
      for (const Instruction& phi : kernel_.function.blocks[target.block].instructions) {
        if (!kernel::is_phi(phi)) break;
        const Operand& value = phi.sources[departure.edge.phi_source];
        const RegisterId slot = phi.destinations[0].index;
        if (value == Operand::reg(slot) || is_undefined(value)) continue;
        phis[slot].emplace_back(value, departure.condition);
      }
    }
    for (auto& [slot, choices] : phis) add_phi_write(slot, choices);
    for (const LiveOut& live : out_.live_outs) {
      if (is_own_phi(live.slot))
        out_.turn_values.push_back({live.slot, live.value, read_elsewhere(live.slot)});
    }
  }

  bool is_own_phi(RegisterId slot) const {
    const Segment& first = kernel_.segments[region_[0]];
    return first.starts_block && kernel::is_phi(facts_.instruction(slot)) &&
           facts_.definition(slot).block == first.block;
  }

  bool is_undefined(const Operand& value) const {
    return value.is_register() && value.index < uses_.size() && !facts_.defined(value.index);
  }

  // One write of the slot, whichever way out the thread takes.
  void add_phi_write(RegisterId slot, const std::vector<std::pair<Operand, Condition>>& choices) {
    const Instruction& phi = facts_.instruction(slot);
    Operand value = choices.back().first;
    Condition all = choices.back().second;
    for (std::size_t c = choices.size() - 1; c-- > 0;) {
      if (!(choices[c].first == value)) {
        const Condition::Conjunction known = Condition::common(choices[c].second, all);
        const Guard guard = guard_for(choices[c].second.without(known));
        const RegisterId result = new_register(phi.type);
        append(selection(result, choices[c].first, value, guard, phi));
        value = Operand::reg(result);
      }
      all = all || choices[c].second;
    }
    const bool always = departures_.size() == 1 || all.is_always();
    out_.live_outs.push_back({slot, value, always ? Guard{} : guard_for(all), phi.location});
  }

  bool read_elsewhere(RegisterId value) const {
    return std::any_of(uses_[value].begin(), uses_[value].end(),
                       [&](SegmentId segment) { return !incoming_.contains(segment); });
  }

  // The slots of phis are written after everything else, and after all reads of slots.
  void add_copies() {
    std::set<RegisterId> written;
    for (const LiveOut& live : out_.live_outs) written.insert(live.slot);
    std::vector<Instruction> copies;
    for (LiveOut& live : out_.live_outs) {
      if (live.value == Operand::reg(live.slot)) continue;
      const Instruction& phi = facts_.instruction(live.slot);
      Operand value = live.value;
      if (value.is_register() && written.contains(value.index)) {
        const RegisterId kept = new_register(phi.type);
        append(move_to(kept, value, phi));
        value = Operand::reg(kept);
      }
      Instruction copy = move_to(live.slot, value, phi);
      copy.guard = live.guard;
      copies.push_back(std::move(copy));
    }
    out_.copies = out_.code.size();
    for (Instruction& copy : copies) append(std::move(copy));
  }

  // --- what is needed -----------------------------------------------------------------------------

  void drop_unused() {
    std::set<RegisterId> needed;
    for (const PieceExit& exit : out_.exits) {
      if (exit.condition.present()) needed.insert(exit.condition.predicate);
    }
    for (const LiveOut& live : out_.live_outs) {
      if (live.value.is_register()) needed.insert(live.value.index);
      if (live.guard.present()) needed.insert(live.guard.predicate);
    }
    std::vector<Instruction> kept;
    std::size_t copies = 0;
    for (std::size_t i = out_.code.size(); i-- > 0;) {
      Instruction& instruction = out_.code[i];
      bool keep = i >= out_.copies || has_effect(instruction);
      kernel::for_each_def(instruction,
                           [&](RegisterId value) { keep = keep || needed.contains(value); });
      if (!keep || (i < out_.copies && is_cheap_result(instruction))) continue;
      kernel::for_each_use(instruction, [&](RegisterId value) { needed.insert(value); });
      if (i >= out_.copies) ++copies;
      kept.push_back(std::move(instruction));
    }
    std::reverse(kept.begin(), kept.end());
    out_.copies = kept.size() - copies;
    out_.code = std::move(kept);
  }

  // Constants and cheap values come in where they are needed.
  bool is_cheap_result(const Instruction& instruction) const {
    if (instruction.destinations.size() != 1 || !instruction.destinations[0].is_register())
      return false;
    const RegisterId value = instruction.destinations[0].index;
    return value < uses_.size() && facts_.kind(value) != ValueKind::kComputed;
  }

  template <typename Visitor>
  void for_each_read(Visitor visit) const {
    for (const Instruction& instruction : out_.code) kernel::for_each_use(instruction, visit);
    for (const PieceExit& exit : out_.exits) {
      if (exit.condition.present()) visit(exit.condition.predicate);
    }
    for (const LiveOut& live : out_.live_outs) {
      if (live.value.is_register()) visit(live.value.index);
    }
  }

  void add_cheap_values() {
    std::vector<Instruction> first;
    std::set<RegisterId> done;
    const auto add = [&](auto& self, RegisterId value) -> void {
      if (value >= uses_.size() || !done.insert(value).second) return;
      const ValueKind kind = facts_.kind(value);
      if (kind != ValueKind::kCheap && kind != ValueKind::kCoordinate) return;
      Instruction copy = facts_.instruction(value);
      copy.guard = {};
      kernel::for_each_use(copy, [&](RegisterId source) { self(self, source); });
      first.push_back(std::move(copy));
    };
    for_each_read([&](RegisterId value) { add(add, value); });
    out_.entry_instruction = first.size();
    out_.copies += first.size();
    out_.code.insert(out_.code.begin(), std::make_move_iterator(first.begin()),
                     std::make_move_iterator(first.end()));
  }

  void find_live_ins() {
    // In order: what has several writers may be read before it is written here.
    std::set<RegisterId> defined, found;
    const auto read = [&](RegisterId value) {
      if (value >= uses_.size() || defined.contains(value)) return;
      if (facts_.kind(value) == ValueKind::kComputed) found.insert(value);
    };
    for (std::size_t i = 0; i < out_.copies; ++i) {
      kernel::for_each_use(out_.code[i], read);
      kernel::for_each_def(out_.code[i], [&](RegisterId value) { defined.insert(value); });
    }
    for_each_read(read);
    out_.live_ins.assign(found.begin(), found.end());
  }

  const SegmentedKernel& kernel_;
  const ValueFacts& facts_;
  const SegmentUses& uses_;
  const std::vector<SegmentId>& region_;
  PieceCode out_;
  std::map<SegmentId, std::vector<Arrival>> incoming_;  // by segment of the region
  std::vector<Departure> departures_;
  std::map<Condition, Guard> guards_;
  std::map<std::array<std::uint32_t, 2>, RegisterId> ands_;
};

}  // namespace

SegmentUses find_uses(const SegmentedKernel& kernel) {
  SegmentUses uses(kernel.function.registers.size());
  const auto add = [&](RegisterId value, SegmentId segment) {
    if (uses[value].empty() || uses[value].back() != segment) uses[value].push_back(segment);
  };
  // Who receives on a channel reads what is sent there.
  std::map<std::uint32_t, RegisterId> sent;
  for (const kernel::Block& block : kernel.function.blocks) {
    for (const Instruction& i : block.instructions) {
      if (i.opcode == Opcode::kItTag && i.sources[0].is_register())
        sent[i.inter_thread.channel] = i.sources[0].index;
    }
  }
  for (std::size_t s = 0; s < kernel.segments.size(); ++s) {
    const auto id = static_cast<SegmentId>(s);
    const Segment& segment = kernel.segments[s];
    const auto& code = kernel.function.blocks[segment.block].instructions;
    for (std::uint32_t i = segment.first; i < segment.end; ++i) {
      kernel::for_each_use(code[i], [&](RegisterId value) { add(value, id); });
      const auto tag = sent.find(code[i].inter_thread.channel);
      if (code[i].opcode == Opcode::kItReceiveConst && tag != sent.end()) add(tag->second, id);
    }
    for (const SegmentEdge& edge : segment.edges) {
      if (edge.condition.present()) add(edge.condition.predicate, id);
      if (edge.to >= kernel.segments.size() || !kernel.segments[edge.to].starts_block) continue;
      const Segment& target = kernel.segments[edge.to];
      for (const Instruction& phi : kernel.function.blocks[target.block].instructions) {
        if (!kernel::is_phi(phi)) break;
        const Operand& value = phi.sources[edge.phi_source];
        if (value.is_register()) add(value.index, id);
      }
    }
  }
  return uses;
}

PieceCode convert_to_piece(const SegmentedKernel& kernel, const ValueFacts& facts,
                           const SegmentUses& uses, const std::vector<SegmentId>& region) {
  return Converter(kernel, facts, uses, region).run();
}

}  // namespace raddle::machine::cgra
