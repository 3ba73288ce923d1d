#include "machine/cgra/compile/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/bit_set.h"
#include "base/error.h"
#include "kernel/analysis/def_use.h"
#include "kernel/special_registers.h"
#include "machine/cgra/compile/memory_order.h"
#include "machine/cgra/compile/value_numbering.h"
#include "machine/cgra/fabric/thread_links.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::Opcode;
using kernel::OpcodeGroup;
using kernel::Operand;
using kernel::RegisterId;
using kernel::Space;

namespace {

constexpr std::uint32_t kNoNode = 0xffffffffu;  // a constant
constexpr std::uint32_t kSource = 0;

MemoryPort port_of(const Instruction& i) {
  if (group_of(i.opcode) == OpcodeGroup::kTexture) return MemoryPort::kTexture;
  switch (i.space) {
    case Space::kShared: return MemoryPort::kShared;
    case Space::kLocal: return MemoryPort::kLocal;
    case Space::kConst:
    case Space::kParam: return MemoryPort::kConstant;
    default: return MemoryPort::kGlobal;
  }
}

std::uint8_t bytes_of(const Instruction& i) {
  const std::size_t elements = i.opcode == Opcode::kSt || i.opcode == Opcode::kSust
                                   ? std::max<std::size_t>(1, i.sources.size() - 1)
                                   : std::max<std::size_t>(1, i.destinations.size());
  const std::size_t size = static_cast<std::size_t>(std::max(1, kernel::size_of(i.type)));
  return static_cast<std::uint8_t>(std::min<std::size_t>(
      i.opcode == Opcode::kSt || i.opcode == Opcode::kLd ? elements * size : size, 16));
}

std::string label_of(const Instruction& i) {
  std::string text(name_of(i.opcode));
  if (i.space != Space::kNone) text += fmt::format(".{}", name_of(i.space));
  if (i.type != kernel::Type::kNone) text += fmt::format(".{}", name_of(i.type));
  return text;
}

class Builder {
 public:
  Builder(const kernel::Function& function, const PieceCode& piece, const GraphOptions& options)
      : function_(function), piece_(piece), options_(options) {}

  PieceGraph run() {
    out_.graph.nodes.emplace_back();
    out_.graph.nodes[kSource].kind = NodeKind::kSource;
    out_.graph.nodes[kSource].unit = UnitClass::kPort;
    out_.graph.nodes[kSource].label = "threads";
    out_.node_code.push_back(kNoCode);
    for (const RegisterId value : piece_.live_ins) add_live_in(value);
    const auto order = find_memory_order(piece_.code);
    find_tags();
    node_of_code_.assign(piece_.code.size(), kNoNode);
    for (std::uint32_t i = 0; i < piece_.copies; ++i) add(i, order[i]);
    connect_elevators();
    if (piece_.stays) connect_turns();
    for (const LiveOut& live : piece_.live_outs) add_live_out(live);
    add_exit();
    drop_unused();
    for (Node& node : out_.graph.nodes) {
      if (node.inputs.empty() && node.kind != NodeKind::kSource)
        node.inputs.push_back({.from = kSource, .control = true});
    }
    return std::move(out_);
  }

 private:
  Node& node(std::uint32_t id) { return out_.graph.nodes[id]; }

  std::uint32_t new_node(NodeKind kind, const UnitNeed& use, std::uint32_t code,
                         std::uint32_t location, std::string label) {
    Node fresh;
    fresh.kind = kind;
    fresh.unit = use.unit;
    fresh.latency = use.latency;
    fresh.interval = use.interval;
    fresh.unit_cycles = use.interval;
    fresh.location = location;
    fresh.label = std::move(label);
    out_.graph.nodes.push_back(std::move(fresh));
    out_.node_code.push_back(code);
    return static_cast<std::uint32_t>(out_.graph.nodes.size() - 1);
  }

  // One edge from a node, however many operands it brings.
  void add_input(std::uint32_t to, std::uint32_t from, bool control = false) {
    if (from == kNoNode) return;
    for (Input& input : node(to).inputs) {
      if (input.from != from || input.shift != 0) continue;
      input.control = input.control && control;
      return;
    }
    node(to).inputs.push_back({.from = from, .control = control});
  }

  std::uint32_t producer(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::kSpecial: return is_launch_constant(operand.special) ? kNoNode : kSource;
      case Operand::Kind::kRegister: {
        const auto found = producers_.find(operand.index);
        return found == producers_.end() ? kNoNode : found->second;
      }
      default: return kNoNode;
    }
  }

  void add_operands(std::uint32_t id, const Instruction& i) {
    for (const Operand& source : i.sources) add_input(id, producer(source));
    add_guard(id, i);
  }
  void add_guard(std::uint32_t id, const Instruction& i) {
    if (i.guard.present()) add_input(id, producer(Operand::reg(i.guard.predicate)));
  }

  void set_results(const Instruction& i, std::uint32_t id) {
    kernel::for_each_def(i, [&](RegisterId value) {
      if (!producers_.insert_or_assign(value, id).second) known_.forget(value);
    });
  }

  kernel::Type type_of(RegisterId value) const {
    return value < function_.registers.size()
               ? function_.registers[value].type
               : piece_.added[value - function_.registers.size()].type;
  }

  std::uint8_t value_bytes(RegisterId value) const {
    return static_cast<std::uint8_t>(std::max(4, kernel::size_of(type_of(value))));
  }

  // The same for all threads of a block: it comes with the injected thread, unless it is a
  // constant.
  bool is_uniform(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::kSpecial: return is_launch_constant(operand.special);
      case Operand::Kind::kRegister:
        return piece_.is_uniform(operand.index) || uniform_.contains(operand.index) ||
               producer(operand) == kNoNode;
      default: return true;
    }
  }
  bool is_uniform(const Instruction& i) const {
    if (i.destinations.size() != 1 || !i.destinations[0].is_register()) return false;
    if (piece_.is_uniform(i.destinations[0].index)) return true;
    return follows_from_operands(i) && !i.guard.present() &&
           std::ranges::all_of(i.sources,
                               [&](const Operand& source) { return is_uniform(source); });
  }
  void set_uniform(const Instruction& i) {
    uniform_.insert(i.destinations[0].index);
    set_results(i, kSource);
  }

  void add_live_in(RegisterId value) {
    if (piece_.is_uniform(value)) {
      producers_[value] = kSource;
      return;
    }
    const std::uint32_t id =
        new_node(NodeKind::kLiveIn, {UnitClass::kLoadStore}, kNoCode, 0, "live in");
    node(id).number = value;
    node(id).bytes = value_bytes(value);
    node(id).inputs.push_back({.from = kSource, .control = true});
    producers_[value] = id;
    ++out_.graph.live_ins;
    if (!piece_.stays) return;
    node(id).loop_shift = static_cast<std::int32_t>(kTurnThreads);
    node(id).receive = out_.graph.receives++;
    out_.receive_code.push_back(kNoCode);
    turn_nodes_[value] = id;
  }

  void add(std::uint32_t code, const std::vector<std::uint32_t>& order) {
    const Instruction& i = piece_.code[code];
    if (piece_.entry != Entry::kFree && code == piece_.entry_instruction) return add_entry(code);
    switch (i.opcode) {
      case Opcode::kItTag: return;  // its operand's token goes to the elevators
      case Opcode::kItReceiveConst: return add_receive(code);
      case Opcode::kItReceiveLoad: return add_receive_load(code, order);
      case Opcode::kFence: return add_fence(code, order);
      case Opcode::kCall: return add_access(code, order);
      default: break;
    }
    if (group_of(i.opcode) == OpcodeGroup::kMemory || group_of(i.opcode) == OpcodeGroup::kTexture)
      return add_access(code, order);
    if (is_wire(i)) {
      if (is_uniform(i) && producer(i.sources[0]) != kNoNode) return set_uniform(i);
      set_results(i, producer(i.sources[0]));
      return known_.add_wire(i);
    }
    if (selects_load(i)) return;
    add_compute(code);
  }

  // What other threads of the warp or block had to say comes from the live-value cache.
  void add_entry(std::uint32_t code) {
    const Instruction& i = piece_.code[code];
    if (i.destinations.empty()) return;
    const std::uint32_t id =
        new_node(NodeKind::kLiveIn, {UnitClass::kLoadStore}, code, i.location, label_of(i));
    node(id).number = i.destinations[0].index;
    add_operands(id, i);
    set_results(i, id);
    ++out_.graph.live_ins;
  }

  void add_compute(std::uint32_t code) {
    const Instruction& i = piece_.code[code];
    bool varies = i.opcode == Opcode::kMov;  // a clock
    for (const Operand& source : i.sources) varies = varies || producer(source) != kNoNode;
    if (!varies) return set_results(i, kNoNode);
    if (is_uniform(i)) {
      out_.uniform_code.push_back(code);
      out_.graph.uniform_cycles += unit_need(i, options_.latencies).latency;
      return set_uniform(i);
    }
    if (const auto same = known_.find(i)) return set_results(i, *same);
    const std::uint32_t id = new_node(NodeKind::kCompute, unit_need(i, options_.latencies), code,
                                      i.location, label_of(i));
    add_operands(id, i);
    set_results(i, id);
    node_of_code_[code] = id;
    note_offset(i, id);
    if (i.opcode != Opcode::kMov) known_.add(i, id);
  }

  // A load that is switched off gives a constant of its configuration, as an elevator does
  // (dmt-cgra, Figure 8), so that no unit has to choose between the two.
  bool selects_load(const Instruction& i) {
    if (i.opcode != Opcode::kSelp || !i.sources[2].is_register()) return false;
    for (const std::size_t loaded : {0u, 1u}) {
      const std::uint32_t load = producer(i.sources[loaded]);
      if (load == kNoNode || producer(i.sources[1 - loaded]) != kNoNode) continue;
      if (node(load).kind != NodeKind::kMemory || node(load).writes || node(load).atomic) continue;
      const Instruction& access = piece_.code[out_.node_code[load]];
      const kernel::Guard chosen{i.sources[2].index, i.sources[2].negated != (loaded == 1)};
      if (access.destinations.size() != 1 || !(access.guard == chosen)) continue;
      if (!with_constant_.insert(load).second) continue;
      set_results(i, load);
      return true;
    }
    return false;
  }

  // An addition of what is the same for all threads: load/store units do it themselves.
  void note_offset(const Instruction& i, std::uint32_t id) {
    if (i.opcode != Opcode::kAdd || kernel::is_float(i.type) || i.carry_in || i.carry_out) return;
    const bool first = is_uniform(i.sources[0]), second = is_uniform(i.sources[1]);
    if (first == second) return;
    offset_from_[id] = producer(i.sources[first ? 1 : 0]);
    if (producer(i.sources[first ? 0 : 1]) != kNoNode) with_uniform_offset_.insert(id);
  }

  // Offsets that are no constants come from the source.
  std::uint32_t without_offset(std::uint32_t id, const Operand& address, bool& needs_source) const {
    if (!address.is_register()) return id;
    for (auto found = offset_from_.find(id); found != offset_from_.end();
         found = offset_from_.find(id)) {
      const kernel::Type type = piece_.code[out_.node_code[id]].type;
      if (kernel::size_of(type) != kernel::size_of(type_of(address.index))) break;
      needs_source = needs_source || with_uniform_offset_.contains(id);
      id = found->second;
    }
    return id;
  }

  // --- memory ---------------------------------------------------------------------------------

  void add_access(std::uint32_t code, const std::vector<std::uint32_t>& order) {
    const Instruction& i = piece_.code[code];
    const std::uint32_t id = new_access(NodeKind::kMemory, code, order, label_of(i));
    node(id).writes = i.opcode == Opcode::kSt || i.opcode == Opcode::kSust;
    // The device library takes room in a buffer or heap of the device, one thread after the other.
    node(id).atomic = i.opcode == Opcode::kAtom || i.opcode == Opcode::kCall;
  }

  std::uint32_t new_access(NodeKind kind, std::uint32_t code,
                           const std::vector<std::uint32_t>& order, std::string label) {
    const Instruction& i = piece_.code[code];
    const std::uint32_t earlier = after_others(i, order);
    const std::uint32_t id =
        new_node(kind, {UnitClass::kLoadStore}, code, i.location, std::move(label));
    node(id).number = out_.graph.accesses++;
    node(id).port = port_of(i);
    node(id).bytes = bytes_of(i);
    out_.access_code.push_back(code);
    node_of_code_[code] = id;
    const std::uint32_t address = producer(i.sources[0]);
    const bool adds = group_of(i.opcode) != OpcodeGroup::kTexture;
    bool needs_source = false;
    add_input(id, adds ? without_offset(address, i.sources[0], needs_source) : address);
    if (needs_source) add_input(id, kSource);
    for (std::size_t s = 1; s < i.sources.size(); ++s) add_input(id, producer(i.sources[s]));
    add_guard(id, i);
    add_input(id, earlier, true);
    set_results(i, id);
    return id;
  }

  // A fence only hands on what it waits for.
  void add_fence(std::uint32_t code, const std::vector<std::uint32_t>& order) {
    fences_[code] = expanded(order);
  }

  std::vector<std::uint32_t> expanded(const std::vector<std::uint32_t>& order) const {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t code : order) {
      const auto fence = fences_.find(code);
      if (fence != fences_.end()) {
        all.insert(all.end(), fence->second.begin(), fence->second.end());
      } else {
        all.push_back(node_of_code_[code]);
      }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // Everything that has happened for a thread before the node can fire for it.
  const BitSet& ancestors(std::uint32_t id) {
    while (ancestors_.size() <= id) {
      const auto next = static_cast<std::uint32_t>(ancestors_.size());
      BitSet set(kMaxNodes);
      for (const Input& input : node(next).inputs) {
        if (input.from >= next) continue;
        set.add_all(ancestors_[input.from]);
        set.insert(input.from);
      }
      ancestors_.push_back(std::move(set));
    }
    return ancestors_[id];
  }

  // The node whose token says that the operations before this one are done; kNoNode: the operands
  // say so, or there are none.
  std::uint32_t after_others(const Instruction& i, const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> before = expanded(order);
    if (before.empty()) return kNoNode;
    std::reverse(before.begin(), before.end());
    BitSet known(kMaxNodes);
    const auto add = [&](std::uint32_t id) {
      if (id == kNoNode) return;
      known.add_all(ancestors(id));
      known.insert(id);
    };
    for (const Operand& source : i.sources) add(producer(source));
    if (i.guard.present()) add(producer(Operand::reg(i.guard.predicate)));
    // The last ones first: they include what they follow themselves.
    std::vector<std::uint32_t> waits;
    for (const std::uint32_t place : before) {
      if (known.contains(place)) continue;
      waits.push_back(place);
      add(place);
    }
    if (waits.empty()) return kNoNode;
    if (waits.size() == 1) return waits[0];
    const std::uint32_t join =
        new_node(NodeKind::kJoin, {UnitClass::kSplitJoin, options_.latencies.split_join}, kNoCode,
                 i.location, "join");
    for (const std::uint32_t from : waits) add_input(join, from, true);
    return join;
  }

  // --- other threads --------------------------------------------------------------------------

  void find_tags() {
    for (std::size_t i = 0; i < piece_.copies; ++i) {
      if (piece_.code[i].opcode == Opcode::kItTag)
        tags_[piece_.code[i].inter_thread.channel] = piece_.code[i].sources[0];
    }
  }

  void add_receive(std::uint32_t code) {
    const Instruction& i = piece_.code[code];
    if (!has_senders(i.inter_thread, options_.block)) return set_results(i, producer(i.sources[0]));
    const bool here = tags_.contains(i.inter_thread.channel);
    const NodeKind kind = here ? NodeKind::kElevator : NodeKind::kLiveIn;
    const UnitNeed use = here ? UnitNeed{UnitClass::kControl, options_.latencies.elevator}
                              : UnitNeed{UnitClass::kLoadStore};
    const std::uint32_t id =
        new_node(kind, use, code, i.location, fmt::format("receive {:+d}", -distance(i)));
    node(id).bytes = static_cast<std::uint8_t>(std::max(4, kernel::size_of(i.type)));
    if (i.inter_thread.channel < function_.channels.size())
      node(id).channel = function_.channels[i.inter_thread.channel];
    set_results(i, id);
    if (!here) {
      ++out_.graph.live_ins;
      return;
    }
    node(id).receive = out_.graph.receives++;
    out_.receive_code.push_back(code);
    out_.graph.whole_blocks = true;
    elevators_.emplace_back(id, code);
  }

  void add_receive_load(std::uint32_t code, const std::vector<std::uint32_t>& order) {
    const Instruction& i = piece_.code[code];
    if (!has_senders(i.inter_thread, options_.block)) return add_access(code, order);
    const std::uint32_t id = new_access(NodeKind::kReceiveLoad, code, order,
                                        fmt::format("receive {:+d} or load", -distance(i)));
    node(id).receive = out_.graph.receives++;
    node(id).loop_shift = distance(i);
    out_.receive_code.push_back(code);
    out_.graph.whole_blocks = true;
  }

  std::int32_t distance(const Instruction& i) const {
    return linear_distance(i.inter_thread, options_.block);
  }

  void connect_elevators() {
    for (const auto& [id, code] : elevators_) {
      const Instruction& i = piece_.code[code];
      std::uint32_t from = producer(tags_.at(i.inter_thread.channel));
      if (from == kNoNode) from = kSource;  // a constant goes along with every thread
      node(id).inputs = {{.from = from, .control = false, .shift = distance(i)},
                         {.from = kSource, .control = true}};
    }
  }

  // --- loops that stay ------------------------------------------------------------------------

  void connect_turns() {
    out_.graph.stays = true;
    out_.graph.last_turn_access = out_.graph.accesses++;
    out_.access_code.push_back(kNoCode);
    for (const TurnValue& turn : piece_.turn_values) {
      if (piece_.is_uniform(turn.slot)) continue;
      const std::uint32_t id = turn_nodes_.at(turn.slot);
      const std::uint32_t from = producer(turn.value);
      node(id).inputs.push_back(
          {.from = from == kNoNode ? kSource : from, .shift = node(id).loop_shift});
    }
  }

  // After the last turn: a phi as that turn found it.
  void add_last_live_out(const LiveOut& live) {
    const auto turn = std::ranges::find(piece_.turn_values, live.slot, &TurnValue::slot);
    const bool is_turn = turn != piece_.turn_values.end();
    if (is_turn && !turn->is_read_after) return;
    const std::uint32_t id =
        new_live_out(live, is_turn ? turn_nodes_.at(live.slot) : producer(live.value));
    node(id).guard_access = out_.graph.last_turn_access;
  }

  // --- the end --------------------------------------------------------------------------------

  // Where a thread leaves a value in one of two places, one unit writes it and the predicate says
  // where to.
  bool shares_live_out(const LiveOut& live, std::uint32_t from) {
    if (!live.guard.present()) return false;
    for (const auto& [id, other, its_from] : guarded_outs_) {
      if (its_from != from || other.guard.predicate != live.guard.predicate ||
          other.guard.negated == live.guard.negated || node(id).bytes != value_bytes(live.slot))
        continue;
      node(id).guard_access = kNoAccess;  // one of the two is written
      return true;
    }
    return false;
  }

  // The copy into the slot, which says which threads write it.
  void note_guard(std::uint32_t id, RegisterId slot) {
    for (std::size_t i = piece_.copies; i < piece_.code.size(); ++i) {
      if (!(piece_.code[i].destinations[0] == Operand::reg(slot))) continue;
      node(id).guard_access = out_.graph.accesses++;
      out_.access_code.push_back(static_cast<std::uint32_t>(i));
      return;
    }
  }

  std::uint32_t new_live_out(const LiveOut& live, std::uint32_t from) {
    const std::uint32_t id =
        new_node(NodeKind::kLiveOut, {UnitClass::kLoadStore}, kNoCode, live.location, "live out");
    node(id).number = live.slot;
    node(id).bytes = value_bytes(live.slot);
    add_input(id, from);
    ++out_.graph.live_outs;
    return id;
  }

  void add_live_out(const LiveOut& live) {
    if (piece_.is_uniform(live.slot)) return;
    if (piece_.stays) return add_last_live_out(live);
    const std::uint32_t from = producer(live.value);
    if (shares_live_out(live, from)) return;
    const std::uint32_t id = new_live_out(live, from);
    if (!live.guard.present()) return;
    add_input(id, producer(Operand::reg(live.guard.predicate)));
    note_guard(id, live.slot);
    guarded_outs_.push_back({id, live, from});
  }

  void add_exit() {
    if (piece_.exits.size() < 2) return;
    const std::uint32_t id = new_node(NodeKind::kExit, {UnitClass::kPort}, kNoCode, 0, "exit");
    for (const PieceExit& exit : piece_.exits) {
      if (exit.condition.present()) add_input(id, producer(Operand::reg(exit.condition.predicate)));
    }
  }

  // Additions that only load/store units needed.
  void drop_unused() {
    std::vector<Node>& nodes = out_.graph.nodes;
    std::vector<bool> used(nodes.size(), false);
    for (std::size_t n = nodes.size(); n-- > 0;) {
      if (nodes[n].kind == NodeKind::kCompute && !used[n]) continue;
      used[n] = true;
      for (const Input& input : nodes[n].inputs) used[input.from] = true;
    }
    // What closes a recurrence is used by earlier nodes.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t n = nodes.size(); n-- > 0;) {
        if (!used[n]) continue;
        for (const Input& input : nodes[n].inputs) {
          changed = changed || !used[input.from];
          used[input.from] = true;
        }
      }
    }
    std::vector<std::uint32_t> place(nodes.size(), kNoNode);
    std::uint32_t kept = 0;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      if (!used[n]) continue;
      place[n] = kept;
      if (kept != n) nodes[kept] = std::move(nodes[n]);
      out_.node_code[kept++] = out_.node_code[n];
    }
    nodes.resize(kept);
    out_.node_code.resize(kept);
    for (Node& node : nodes) {
      for (Input& input : node.inputs) input.from = place[input.from];
    }
  }

  static constexpr std::size_t kMaxNodes = 1 << 14;

  const kernel::Function& function_;
  const PieceCode& piece_;
  const GraphOptions& options_;
  PieceGraph out_;
  std::unordered_map<RegisterId, std::uint32_t> producers_;
  std::vector<std::uint32_t> node_of_code_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> fences_;  // by code: nodes it waits for
  std::vector<BitSet> ancestors_;
  struct GuardedOut {
    std::uint32_t node;
    LiveOut live;
    std::uint32_t from;
  };
  std::vector<GuardedOut> guarded_outs_;
  ValueNumbering known_;
  std::set<std::uint32_t> with_constant_;                         // loads
  std::unordered_map<std::uint32_t, std::uint32_t> offset_from_;  // by node: what varies
  std::set<std::uint32_t> with_uniform_offset_;                   // nodes: the rest is not constant
  std::set<RegisterId> uniform_;           // results here, beside those that the piece knows
  std::map<std::uint32_t, Operand> tags_;  // by channel
  std::map<RegisterId, std::uint32_t> turn_nodes_;  // of a loop that stays: live ins
  std::vector<std::pair<std::uint32_t, std::uint32_t>> elevators_;  // node, code
};

}  // namespace

std::int32_t linear_distance(const kernel::InterThread& inter_thread,
                             const std::array<std::uint32_t, 3>& block) {
  const auto& delta = inter_thread.delta;
  const auto x = static_cast<std::int32_t>(block[0]);
  const auto y = static_cast<std::int32_t>(block[1]);
  return -(delta[0] + delta[1] * x + delta[2] * x * y);
}

PieceGraph build_graph(const kernel::Function& function, const PieceCode& piece,
                       const GraphOptions& options) {
  return Builder(function, piece, options).run();
}

}  // namespace raddle::machine::cgra
