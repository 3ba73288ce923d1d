#include <algorithm>
#include <optional>

#include "base/stop_token.h"
#include "lang/cg/words/lir.h"

namespace raddle::cg {
namespace {

constexpr unsigned kWidest = 4;
constexpr std::uint8_t kNowhere = 0xff;

class Coalescer {
 public:
  explicit Coalescer(LirProgram& program) : program_(program) {}

  void run() {
    number();
    find_conflicts();
    for (bool changed = true; changed;) {
      changed = false;
      for (const LirItem& item : program_.items) {
        throw_if_stopped("compiling Cg");
        if (is_copy(item)) changed = try_join(item.op, item.op.operands[0]) || changed;
      }
    }
    join_updates();
    rewrite();
  }

 private:
  // A register that others were joined to: at each position the numbers that lie there.
  struct Group {
    unsigned count = 0;
    bool is_input = false;
    std::vector<std::vector<std::uint32_t>> members;  // by position
  };
  struct Home {
    std::uint32_t group = 0;
    std::uint8_t position = 0;
  };

  std::uint32_t number_of(std::uint32_t index, unsigned component) const {
    return first_[index] + component;
  }

  void number() {
    std::uint32_t next = 0;
    for (std::uint32_t r = 0; r < program_.registers.size(); ++r) {
      first_.push_back(next);
      Group group;
      group.count = program_.registers[r].count;
      group.is_input = program_.registers[r].is_input;
      for (unsigned i = 0; i < group.count; ++i) {
        group.members.push_back({next});
        homes_.push_back({r, static_cast<std::uint8_t>(i)});
        ++next;
      }
      groups_.push_back(std::move(group));
    }
  }

  static bool is_copy(const LirItem& item) {
    const LirOp& op = item.op;
    return item.kind == ItemKind::kOp && op.op == IrOp::kMov && !op.is_kill &&
           op.target == Target::kRegister && !op.saturate && op.scale == 0 && op.predicate == 0 &&
           op.operands[0].from.kind == LirPlace::Kind::kRegister && !op.operands[0].negate &&
           !op.operands[0].absolute && op.operands[0].before == Before::kNothing;
  }

  void find_conflicts() {
    const std::vector<FlowStep> steps = flow_steps(
        program_.items,
        [&](std::uint32_t index, unsigned component) { return number_of(index, component); });
    const std::vector<BitSet> live = live_out(steps, homes_.size());
    conflicts_.assign(homes_.size(), BitSet(homes_.size()));
    const auto conflict = [&](std::uint32_t a, std::uint32_t b) {
      if (a == b) return;
      conflicts_[a].insert(b);
      conflicts_[b].insert(a);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const LirItem& item = program_.items[i];
      const bool copies = is_copy(item);
      for (unsigned k = 0; k < steps[i].defines.size(); ++k) {
        const std::uint32_t defined = steps[i].defines[k];
        std::optional<std::uint32_t> same;  // what it is a copy of is equal to it
        if (copies && is_component(item.op.operands[0].lanes[k]))
          same = number_of(item.op.operands[0].from.index,
                           static_cast<unsigned>(item.op.operands[0].lanes[k]));
        live[i].for_each([&](std::size_t other) {
          if (other != same) conflict(defined, static_cast<std::uint32_t>(other));
        });
      }
      // What one operation writes lies in one place each.
      for (const std::uint32_t a : steps[i].defines) {
        for (const std::uint32_t b : steps[i].defines) conflict(a, b);
      }
    }
    // The point of the domain is there from the start.
    for (const Group& group : groups_) {
      if (!group.is_input || steps.empty()) continue;
      BitSet start = live[0];
      for (const std::uint32_t number : steps[0].defines) start.erase(number);
      for (const std::uint32_t number : steps[0].uses) start.insert(number);
      for (const auto& members : group.members) {
        start.for_each(
            [&](std::size_t other) { conflict(members[0], static_cast<std::uint32_t>(other)); });
      }
    }
  }

  bool meets(const Group& a, unsigned at_a, const Group& b, unsigned at_b) const {
    for (const std::uint32_t x : a.members[at_a]) {
      for (const std::uint32_t y : b.members[at_b]) {
        if (conflicts_[x].contains(y)) return true;
      }
    }
    return false;
  }

  // Within loops, what is computed from a number that is needed no more takes its place: sums stay
  // where they are, and what was gathered around them with them.
  void join_updates() {
    std::size_t depth = 0;
    for (const LirItem& item : program_.items) {
      if (item.kind == ItemKind::kLoop) ++depth;
      if (item.kind == ItemKind::kEndLoop) --depth;
      const LirOp& op = item.op;
      const bool lane_by_lane = op.op == IrOp::kAdd || op.op == IrOp::kMul || op.op == IrOp::kMad ||
                                op.op == IrOp::kMin || op.op == IrOp::kMax;
      if (depth == 0 || item.kind != ItemKind::kOp || !lane_by_lane ||
          op.target != Target::kRegister)
        continue;
      for (unsigned s = op.operand_count(); s-- > 0;) {
        const LirOperand& operand = op.operands[s];
        if (operand.from.kind == LirPlace::Kind::kRegister && operand.before == Before::kNothing &&
            try_join(op, operand))
          break;
      }
    }
    for (const LirItem& item : program_.items) {
      if (is_copy(item)) try_join(item.op, item.op.operands[0]);
    }
  }

  // Joins the registers that an operation writes and reads lane by lane, if every number finds a
  // position without conflict.
  bool try_join(const LirOp& copy, const LirOperand& operand) {
    std::array<std::uint8_t, kWidest> position{kNowhere, kNowhere, kNowhere, kNowhere};
    std::optional<std::uint32_t> from_group;
    const std::uint32_t into_group = homes_[number_of(copy.index, copy.components[0])].group;
    for (unsigned i = 0; i < copy.count; ++i) {
      const Lane lane = operand.lanes[i];
      if (!is_component(lane)) continue;
      const Home from = homes_[number_of(operand.from.index, static_cast<unsigned>(lane))];
      const Home into = homes_[number_of(copy.index, copy.components[i])];
      if (from.group == into.group) {
        if (from.position == into.position) continue;
        return false;
      }
      if (position[from.position] != kNowhere && position[from.position] != into.position)
        return false;
      position[from.position] = into.position;
      from_group = from.group;
    }
    if (!from_group) return false;
    Group& a = groups_[*from_group];
    Group& b = groups_[into_group];
    if (a.is_input && b.is_input) return false;
    std::array<bool, kWidest> taken{};
    for (unsigned i = 0; i < a.count; ++i) {
      if (position[i] == kNowhere) continue;
      if (taken[position[i]] || meets(a, i, b, position[i])) return false;
      taken[position[i]] = true;
    }
    unsigned count = b.count;
    for (unsigned i = 0; i < a.count; ++i) {  // numbers that the copy leaves out
      if (position[i] != kNowhere) continue;
      const auto fits = [&](unsigned p) {
        return !taken[p] && (p >= b.count || !meets(a, i, b, p));
      };
      unsigned p = i < kWidest && fits(i) ? i : 0;
      while (p < kWidest && !fits(p)) ++p;
      if (p == kWidest) return false;
      position[i] = static_cast<std::uint8_t>(p);
      taken[p] = true;
    }
    for (unsigned i = 0; i < a.count; ++i) count = std::max<unsigned>(count, position[i] + 1U);
    // The point of the domain lies in the first two channels.
    if (a.is_input && (position[0] != 0 || position[1] != 1)) return false;
    join(*from_group, into_group, position, count);
    return true;
  }

  void join(std::uint32_t from, std::uint32_t into,
            const std::array<std::uint8_t, kWidest>& position, unsigned count) {
    Group& a = groups_[from];
    Group& b = groups_[into];
    b.members.resize(count);
    b.count = count;
    b.is_input = b.is_input || a.is_input;
    for (unsigned i = 0; i < a.count; ++i) {
      for (const std::uint32_t number : a.members[i]) {
        b.members[position[i]].push_back(number);
        homes_[number] = {into, position[i]};
      }
    }
    a.members.clear();
    a.count = 0;
    a.is_input = false;
  }

  void rewrite() {
    const auto operand = [&](LirPlace& from, std::array<Lane, 4>& lanes, unsigned width) {
      if (from.kind != LirPlace::Kind::kRegister) return;
      const std::uint32_t index = from.index;
      for (unsigned i = 0; i < width; ++i) {
        if (!is_component(lanes[i])) continue;
        const Home home = homes_[number_of(index, static_cast<unsigned>(lanes[i]))];
        from.index = home.group;
        lanes[i] = static_cast<Lane>(home.position);
      }
    };
    std::vector<LirItem> kept;
    for (LirItem& item : program_.items) {
      if (item.kind == ItemKind::kOp) {
        LirOp& op = item.op;
        for (unsigned s = 0; s < op.operand_count(); ++s) {
          operand(op.operands[s].from, op.operands[s].lanes, op.operand_width());
          if (op.operands[s].before >= Before::kDifference)
            operand(op.operands[s].second, op.operands[s].second_lanes, op.operand_width());
        }
        if (op.target == Target::kRegister) {
          const std::uint32_t index = op.index;
          for (unsigned i = 0; i < op.count; ++i) {
            const Home home = homes_[number_of(index, op.components[i])];
            op.index = home.group;
            op.components[i] = home.position;
          }
        }
        if (is_copy(item) && drop_same(op)) continue;
      }
      kept.push_back(item);
    }
    program_.items = std::move(kept);
    for (std::size_t r = 0; r < program_.registers.size(); ++r) {
      program_.registers[r].count = static_cast<std::uint8_t>(groups_[r].count);
      program_.registers[r].is_input = groups_[r].is_input;
    }
  }

  // Leaves out the lanes that copy a number onto itself; whether none is left.
  static bool drop_same(LirOp& op) {
    if (op.operands[0].from.index != op.index) return false;
    LirOp rest = op;
    rest.count = 0;
    for (unsigned i = 0; i < op.count; ++i) {
      if (static_cast<unsigned>(op.operands[0].lanes[i]) == op.components[i]) continue;
      rest.operands[0].lanes[rest.count] = op.operands[0].lanes[i];
      rest.components[rest.count++] = op.components[i];
    }
    op = rest;
    return op.count == 0;
  }

  LirProgram& program_;
  std::vector<std::uint32_t> first_;
  std::vector<Home> homes_;
  std::vector<Group> groups_;
  std::vector<BitSet> conflicts_;
};

}  // namespace

void coalesce(LirProgram& program) { Coalescer(program).run(); }

}  // namespace raddle::cg
