#include "lang/e/fiber_scheduler.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "lang/e/fiber_drafts.h"

namespace raddle::e {
namespace {

struct Uses {
  std::vector<NodeId> values;          // ALU operations
  std::vector<std::uint32_t> actions;  // operations on memory
  bool assigned = false;               // a variable takes it
};

struct LateWrite {
  std::uint32_t reg = 0;
  NodeId node = kNoNode;
  std::uint32_t line = 0;
};

class Scheduler {
 public:
  explicit Scheduler(const FiberBatch& batch)
      : batch_(batch), graph_(*batch.graph), drafts_(graph_) {}

  FiberSchedule run() {
    find_needed();
    for (std::uint32_t i = 0; i < graph_.actions().size(); ++i) place_action(i);
    for (const auto& [reg, node] : batch_.assigned) place_value(node);
    // Copies read variables as they were, so that they decide first where those may change.
    for (const auto& [reg, node] : batch_.assigned) {
      if (!is_computed(node)) assign_variable(reg, node);
    }
    for (const auto& [reg, node] : batch_.assigned) {
      if (is_computed(node)) assign_variable(reg, node);
    }
    return emit();
  }

 private:
  using Kind = FiberNode::Kind;

  bool is_computed(NodeId id) const {
    return graph_.node(id).kind == Kind::kAlu || graph_.node(id).kind == Kind::kMemory;
  }

  // Values that anybody uses, and by whom.
  void find_needed() {
    needed_.assign(graph_.size(), false);
    uses_.resize(graph_.size());
    action_lines_.resize(graph_.actions().size());
    for (std::uint32_t i = 0; i < graph_.actions().size(); ++i) {
      for (const NodeId operand : graph_.actions()[i].operands) {
        mark_needed(operand);
        uses_[operand].actions.push_back(i);
      }
    }
    for (const auto& [reg, node] : batch_.assigned) {
      mark_needed(node);
      uses_[node].assigned = true;
    }
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (!needed_[id] || graph_.node(id).kind != Kind::kAlu) continue;
      for (const NodeId operand : graph_.node(id).operands) {
        if (operand != kNoNode) uses_[operand].values.push_back(id);
      }
    }
  }

  // Whether a value of this line is, or may yet be, wanted after it.
  bool outlives(NodeId id, std::uint32_t line) const {
    const Uses& uses = uses_[id];
    if (uses.assigned) return true;
    for (const NodeId user : uses.values) {
      if (!drafts_.is_placed(user) || drafts_.place_of(user).line > line) return true;
    }
    for (const std::uint32_t action : uses.actions) {
      if (!action_lines_[action] || *action_lines_[action] > line) return true;
    }
    return false;
  }

  // Every value that outlives its line must find a write on it, now or later.
  bool has_writes_left(std::uint32_t line) const {
    std::uint32_t count = 0;
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (needed_[id] && drafts_.is_placed(id) && drafts_.place_of(id).line == line &&
          outlives(id, line))
        ++count;
    }
    return count <= (drafts_[line].no_writes ? 0 : kLineWrites);
  }

  void mark_needed(NodeId id) {
    if (needed_[id]) return;
    needed_[id] = true;
    if (graph_.node(id).kind != Kind::kAlu) return;
    for (const NodeId operand : graph_.node(id).operands) {
      if (operand != kNoNode) mark_needed(operand);
    }
  }

  // Puts an ALU operation onto a line, after `least`; nothing changes if it does not fit.
  bool try_place(NodeId id, std::uint32_t line, std::uint32_t first, std::uint32_t last) {
    const std::size_t mark = drafts_.mark();
    for (std::uint32_t place = first; place <= last; ++place) {
      if (place == kMemoryPlace || drafts_[line].alus[place] != kNoNode) continue;
      bool fits = true;
      for (const NodeId operand : graph_.node(id).operands) {
        fits = fits && (operand == kNoNode || drafts_.take(operand, line, place));
      }
      if (fits) {
        drafts_.put_alu(id, {line, place});
        return true;
      }
      drafts_.go_back(mark);
    }
    return false;
  }

  // Unplaced ALU operations below these values, operands first.
  void collect(NodeId id, std::vector<NodeId>& cone) const {
    if (graph_.node(id).kind != Kind::kAlu || drafts_.is_placed(id)) return;
    if (std::find(cone.begin(), cone.end(), id) != cone.end()) return;
    for (const NodeId operand : graph_.node(id).operands) {
      if (operand != kNoNode) collect(operand, cone);
    }
    cone.push_back(id);
  }

  std::uint32_t open_line() {
    const std::uint32_t line = drafts_.open();
    if (line == 0 && batch_.reserves_slot) drafts_[0].reserved_slots = 1;
    return line;
  }

  // The whole cone and the action on one line.
  bool try_action(std::uint32_t number, const std::vector<NodeId>& cone) {
    const std::size_t mark = drafts_.mark();
    const FiberAction& action = graph_.actions()[number];
    const std::uint32_t line = open_line();
    drafts_[line].action = number;
    drafts_[line].no_writes = action.sends_entries;
    drafts_[line].source_line = action.source_line;
    bool fits = true;
    for (const NodeId id : cone) fits = fits && try_place(id, line, 0, kMemoryPlace - 1);
    for (const NodeId operand : action.operands) {
      fits = fits && drafts_.take(operand, line, kMemoryPlace);
    }
    action_lines_[number] = line;
    place_results(number, line);
    if (fits && has_writes_left(line)) return true;
    drafts_.go_back(mark);
    drafts_.drop_last();
    action_lines_[number].reset();
    return false;
  }

  void place_results(std::uint32_t number, std::uint32_t line) {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (graph_.node(id).kind == Kind::kMemory && graph_.node(id).number == number) {
        drafts_.put(id, {line, kMemoryPlace});
      }
    }
  }

  // As try_place, and what outlives the line still finds its writes.
  bool try_keep(NodeId id, std::uint32_t line, std::uint32_t first, std::uint32_t last) {
    const std::size_t mark = drafts_.mark();
    if (!try_place(id, line, first, last)) return false;
    if (has_writes_left(line)) return true;
    drafts_.go_back(mark);
    return false;
  }

  // Makes room: the first value of the cone goes onto an earlier line, the latest that has room, or
  // onto a new one.
  void place_early(NodeId id) {
    for (std::uint32_t line = drafts_.size(); line-- > 0;) {
      if (!drafts_[line].no_writes && try_keep(id, line, 0, kLinePlaces - 1)) return;
    }
    const std::uint32_t line = open_line();
    drafts_[line].source_line = drafts_.size() > 1 ? drafts_[drafts_.size() - 2].source_line : 0;
    const bool placed = try_keep(id, line, 0, kLinePlaces - 1);
    RADDLE_ASSERT(placed);
  }

  void place_action(std::uint32_t number) {
    const FiberAction& action = graph_.actions()[number];
    for (;;) {
      std::vector<NodeId> cone;
      for (const NodeId operand : action.operands) collect(operand, cone);
      if (try_action(number, cone)) break;
      RADDLE_ASSERT(!cone.empty());
      place_early(cone.front());
    }
    const std::uint32_t line = drafts_.size() - 1;
    if (!drafts_[line].no_writes) place_behind(line);
  }

  // What can be computed from the memory's answer is computed on the same line.
  void place_behind(std::uint32_t line) {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (!needed_[id] || drafts_.is_placed(id) || graph_.node(id).kind != Kind::kAlu) continue;
      bool follows = false;
      for (const NodeId operand : graph_.node(id).operands) {
        if (operand == kNoNode || !drafts_.is_placed(operand)) continue;
        follows = follows || (drafts_.place_of(operand).line == line &&
                              drafts_.place_of(operand).place >= kMemoryPlace);
      }
      if (follows) try_keep(id, line, kMemoryPlace + 1, kLinePlaces - 1);
    }
  }

  // A value that a variable takes and no action asked for.
  void place_value(NodeId id) {
    std::vector<NodeId> cone;
    collect(id, cone);
    for (const NodeId node : cone) place_early(node);
  }

  // The last line that reads the variable as it was, or -1.
  std::int64_t last_read(std::uint32_t reg) const {
    std::int64_t last = -1;
    for (std::uint32_t line = 0; line < drafts_.size(); ++line) {
      for (const NodeId id : drafts_[line].reads) {
        const FiberNode& node = graph_.node(id);
        if (node.kind == Kind::kVariable && node.number == reg) last = line;
      }
    }
    for (const LateWrite& late : late_) {
      const FiberNode& node = graph_.node(late.node);
      if (node.kind == Kind::kVariable && node.number == reg) {
        last = std::max<std::int64_t>(last, late.line);
      }
    }
    return last;
  }

  void assign_variable(std::uint32_t reg, NodeId id) {
    const FiberNode& node = graph_.node(id);
    if (node.kind == Kind::kVariable && node.number == reg) return;
    if (is_computed(id)) {
      const std::uint32_t line = drafts_.place_of(id).line;
      if (last_read(reg) <= static_cast<std::int64_t>(line) && home_.find(id) == home_.end()) {
        home_[id] = reg;
        drafts_.take_write(line, id);
        return;
      }
    }
    write_late(reg, id);
  }

  // All late writes share one last line, so that variables may exchange their values.
  void write_late(std::uint32_t reg, NodeId id) {
    if (!late_line_) late_line_ = open_line();
    const bool fits = drafts_.take(id, *late_line_, kLinePlaces);
    RADDLE_ASSERT(fits);
    late_.push_back({reg, id, *late_line_});
  }

  // Registers of values that live from one line to another.
  void allocate_registers() {
    std::vector<std::uint32_t> last_use(graph_.size(), 0);
    for (std::uint32_t line = 0; line < drafts_.size(); ++line) {
      for (const NodeId id : drafts_[line].reads) last_use[id] = std::max(last_use[id], line);
    }
    std::vector<std::uint32_t> free_from;  // by register above the variables: first line it is free
    registers_.assign(graph_.size(), 0);
    for (std::uint32_t line = 0; line < drafts_.size(); ++line) {
      for (const NodeId id : drafts_[line].writes) {
        const auto home = home_.find(id);
        if (home != home_.end()) {
          registers_[id] = home->second;
          continue;
        }
        std::uint32_t reg = 0;
        while (reg < free_from.size() && free_from[reg] > line) ++reg;
        if (reg == free_from.size()) free_from.push_back(0);
        free_from[reg] = last_use[id];
        registers_[id] = batch_.first_free_register + reg;
      }
    }
    highest_ = batch_.first_free_register + static_cast<std::uint32_t>(free_from.size());
  }

  BackOperand operand_of(NodeId id, std::uint32_t line,
                         const std::vector<FrontOperand>& slots) const {
    const FiberNode& node = graph_.node(id);
    switch (node.kind) {
      case Kind::kFiberId: return {BackOperand::Kind::kFiberId, 0};
      case Kind::kFront: {
        const auto slot = std::find(slots.begin(), slots.end(), node.front);
        return {BackOperand::Kind::kSlot, static_cast<std::uint32_t>(slot - slots.begin())};
      }
      case Kind::kVariable: return {BackOperand::Kind::kRegister, node.number};
      default: break;
    }
    const LinePlace& from = drafts_.place_of(id);
    if (from.line != line) return {BackOperand::Kind::kRegister, registers_[id]};
    if (node.kind == Kind::kMemory) return {BackOperand::Kind::kMemory, node.port};
    return {BackOperand::Kind::kAlu, unit_of(from.place)};
  }

  static std::uint32_t unit_of(std::uint32_t place) {
    return place < kMemoryPlace ? place : place - 1;
  }

  BackPart part_of(NodeId id, std::uint32_t line, const std::vector<FrontOperand>& slots) const {
    const FiberNode& node = graph_.node(id);
    BackPart part{node.name + std::to_string(unit_of(drafts_.place_of(id).place)), {}};
    for (const NodeId operand : node.operands) {
      if (operand != kNoNode) part.operands.push_back(operand_of(operand, line, slots));
    }
    return part;
  }

  ScheduledLine emit_line(std::uint32_t number) const {
    const LineDraft& draft = drafts_[number];
    ScheduledLine result;
    result.source_line = draft.source_line;
    BackLine& line = result.line;
    line.slots.assign(draft.slots.begin(), draft.slots.end());
    std::set<std::uint32_t> reads;
    for (const NodeId id : draft.reads) {
      const FiberNode& node = graph_.node(id);
      reads.insert(node.kind == Kind::kVariable ? node.number : registers_[id]);
    }
    line.reads.assign(reads.begin(), reads.end());
    for (std::uint32_t place = 0; place < kLinePlaces; ++place) {
      if (draft.alus[place] == kNoNode) continue;
      auto& parts = place < kMemoryPlace ? line.before_memory : line.after_memory;
      parts.push_back(part_of(draft.alus[place], number, line.slots));
    }
    if (draft.action) {
      const FiberAction& action = graph_.actions()[*draft.action];
      BackPart part{action.name + "0", {}};
      for (const NodeId operand : action.operands) {
        part.operands.push_back(operand_of(operand, number, line.slots));
      }
      line.memory = std::move(part);
    }
    for (const NodeId id : draft.writes) {
      line.writes.push_back({registers_[id], operand_of(id, number, line.slots)});
    }
    for (const LateWrite& late : late_) {
      if (late.line == number) {
        line.writes.push_back({late.reg, operand_of(late.node, number, line.slots)});
      }
    }
    std::sort(line.writes.begin(), line.writes.end(),
              [](const BackWrite& a, const BackWrite& b) { return a.reg < b.reg; });
    return result;
  }

  FiberSchedule emit() {
    allocate_registers();
    FiberSchedule result;
    for (std::uint32_t i = 0; i < drafts_.size(); ++i) result.lines.push_back(emit_line(i));
    result.registers = highest_;
    for (const auto& [reg, node] : batch_.assigned) {
      result.registers = std::max(result.registers, reg + 1);
    }
    return result;
  }

  const FiberBatch& batch_;
  const FiberGraph& graph_;
  LineDrafts drafts_;
  std::vector<bool> needed_;
  std::vector<Uses> uses_;
  std::vector<std::optional<std::uint32_t>> action_lines_;
  std::map<NodeId, std::uint32_t> home_;  // values whose register is that of a variable
  std::vector<LateWrite> late_;
  std::optional<std::uint32_t> late_line_;
  std::vector<std::uint32_t> registers_;
  std::uint32_t highest_ = 0;
};

}  // namespace

FiberSchedule schedule(const FiberBatch& batch) { return Scheduler(batch).run(); }

}  // namespace raddle::e
