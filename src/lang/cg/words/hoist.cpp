// Operations whose operands do not change in a loop move before it.
#include <algorithm>
#include <map>
#include <set>

#include "lang/cg/words/lir.h"

namespace raddle::cg {
namespace {

using Number = std::pair<std::uint32_t, unsigned>;

class Hoister {
 public:
  explicit Hoister(LirProgram& program) : program_(program) {}

  void run() {
    for (std::size_t i = program_.items.size(); i-- > 0;) {
      if (program_.items[i].kind == ItemKind::kLoop) leave_loop(i);
    }
  }

 private:
  static bool may_move(const LirItem& item) {
    const LirOp& op = item.op;
    return item.kind == ItemKind::kOp && op.target == Target::kRegister && op.op != IrOp::kTex &&
           op.predicate == 0;
  }

  std::size_t end_of(std::size_t loop) const {
    std::size_t depth = 0;
    for (std::size_t i = loop;; ++i) {
      if (program_.items[i].kind == ItemKind::kLoop) ++depth;
      if (program_.items[i].kind == ItemKind::kEndLoop && --depth == 0) return i;
    }
  }

  // Numbers that are read in the loop before anything in it has written them.
  std::set<Number> needed_at_start(std::size_t loop) const {
    std::map<Number, std::uint32_t> index_of;
    std::vector<Number> numbers;
    const auto index = [&](std::uint32_t r, unsigned component) {
      const auto [at, is_new] = index_of.try_emplace(Number{r, component}, numbers.size());
      if (is_new) numbers.emplace_back(r, component);
      return at->second;
    };
    const std::vector<FlowStep> steps = flow_steps(program_.items, index);
    std::set<Number> needed;
    live_out(steps, numbers.size())[loop].for_each(
        [&](std::size_t n) { needed.insert(numbers[n]); });
    return needed;
  }

  void leave_loop(std::size_t loop) {
    for (bool moved = true; moved;) {
      moved = false;
      const std::size_t end = end_of(loop);
      const std::set<Number> needed = needed_at_start(loop);
      std::map<Number, unsigned> written;
      for (std::size_t i = loop; i < end; ++i) {
        const LirItem& item = program_.items[i];
        if (item.kind != ItemKind::kOp || item.op.target != Target::kRegister) continue;
        for (unsigned k = 0; k < item.op.count; ++k)
          ++written[{item.op.index, item.op.components[k]}];
      }
      for (std::size_t i = loop + 1; i < end && !moved; ++i) {
        if (!may_move(program_.items[i])) continue;
        const LirOp& op = program_.items[i].op;
        bool fits = true;
        for_each_read(op, [&](std::uint32_t r, unsigned component) {
          fits = fits && !written.contains({r, component});
        });
        for (unsigned k = 0; k < op.count; ++k) {
          const Number number{op.index, op.components[k]};
          fits = fits && written[number] == 1 && !needed.contains(number);
        }
        if (!fits) continue;
        const auto first = program_.items.begin();
        std::rotate(first + static_cast<std::ptrdiff_t>(loop),
                    first + static_cast<std::ptrdiff_t>(i),
                    first + static_cast<std::ptrdiff_t>(i) + 1);
        ++loop;
        moved = true;
      }
    }
  }

  LirProgram& program_;
};

}  // namespace

void hoist(LirProgram& program) { Hoister(program).run(); }

void drop_repeated_copies(LirProgram& program) {
  std::map<Number, Number> equal;  // a number to what it is a copy of
  std::vector<LirItem> kept;
  for (LirItem& item : program.items) {
    if (item.kind != ItemKind::kOp) {
      equal.clear();
      kept.push_back(item);
      continue;
    }
    LirOp& op = item.op;
    const bool copies = op.op == IrOp::kMov && !op.is_kill && op.target == Target::kRegister &&
                        !op.saturate && op.scale == 0 && op.predicate == 0 &&
                        op.operands[0].from.kind == LirPlace::Kind::kRegister &&
                        !op.operands[0].negate && !op.operands[0].absolute &&
                        op.operands[0].before == Before::kNothing;
    if (copies) {
      LirOp rest = op;
      rest.count = 0;
      for (unsigned i = 0; i < op.count; ++i) {
        const Lane lane = op.operands[0].lanes[i];
        const auto known = equal.find({op.index, op.components[i]});
        const bool same =
            known != equal.end() && is_component(lane) &&
            known->second == Number{op.operands[0].from.index, static_cast<unsigned>(lane)};
        if (same) continue;
        rest.operands[0].lanes[rest.count] = lane;
        rest.components[rest.count++] = op.components[i];
      }
      op = rest;
      if (op.count == 0) continue;
    }
    if (op.target == Target::kRegister) {
      for (unsigned i = 0; i < op.count; ++i) {
        const Number number{op.index, op.components[i]};
        equal.erase(number);
        std::erase_if(equal, [&](const auto& entry) { return entry.second == number; });
      }
      if (copies) {
        for (unsigned i = 0; i < op.count; ++i) {
          const Lane lane = op.operands[0].lanes[i];
          const Number from{op.operands[0].from.index, static_cast<unsigned>(lane)};
          if (is_component(lane) && from != Number{op.index, op.components[i]})
            equal[{op.index, op.components[i]}] = from;
        }
      }
    }
    kept.push_back(item);
  }
  program.items = std::move(kept);
}

}  // namespace raddle::cg
