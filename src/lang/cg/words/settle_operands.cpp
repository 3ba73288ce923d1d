#include <algorithm>

#include "lang/cg/words/lir.h"

namespace raddle::cg {
namespace {

class Settler {
 public:
  explicit Settler(LirProgram& program) : program_(program) {}

  void run() {
    std::vector<LirItem> settled;
    for (LirItem& item : program_.items) {
      if (item.kind == ItemKind::kOp) {
        for (unsigned s = 0; s < item.op.operand_count(); ++s) {
          LirOperand& operand = item.op.operands[s];
          if (operand.before < Before::kDifference) continue;
          if (!has_room(item.op, operand) || !align(operand, item.op.operand_width()))
            settled.push_back(computed_apart(item.op, operand));
        }
      }
      settled.push_back(item);
    }
    program_.items = std::move(settled);
  }

 private:
  const LirRegister* single(const LirPlace& place) const {
    if (place.kind != LirPlace::Kind::kRegister) return nullptr;
    const LirRegister& found = program_.registers[place.index];
    return found.count == 1 ? &found : nullptr;
  }

  // A word reads three registers; a sum or difference takes the first two, be they the same.
  static bool has_room(const LirOp& op, const LirOperand& sum) {
    std::vector<LirPlace> others;
    for (unsigned s = 0; s < op.operand_count(); ++s) {
      const LirPlace& place = op.operands[s].from;
      if (place.kind == LirPlace::Kind::kNone || place == sum.from || place == sum.second) continue;
      if (std::ranges::find(others, place) == others.end()) others.push_back(place);
    }
    return others.size() <= 1;
  }

  // Whether both sides lie in the same channels; fixes the registers so that they stay there.
  bool align(const LirOperand& operand, unsigned width) {
    const LirRegister* a = single(operand.from);
    const LirRegister* b = single(operand.second);
    if (a != nullptr && b != nullptr) {
      program_.registers[operand.from.index].bank = Bank::kScalar;
      program_.registers[operand.second.index].bank = Bank::kScalar;
      return true;
    }
    if (a != nullptr || b != nullptr) return false;
    for (unsigned i = 0; i < width; ++i) {
      if (operand.lanes[i] != operand.second_lanes[i]) return false;
    }
    for (const LirPlace& place : {operand.from, operand.second}) {
      if (place.kind == LirPlace::Kind::kRegister)
        program_.registers[place.index].keeps_order = true;
    }
    return true;
  }

  LirItem computed_apart(const LirOp& op, LirOperand& operand) {
    const unsigned width = op.operand_width();
    LirItem item;
    item.place = op.place;
    LirOp& sum = item.op;
    sum.op = IrOp::kAdd;
    sum.place = op.place;
    sum.index = static_cast<std::uint32_t>(program_.registers.size());
    std::array<Lane, 4> lanes{};
    std::uint8_t count = 0;
    for (unsigned i = 0; i < width; ++i) {  // equal lanes once
      unsigned same = 0;
      while (same < i && (operand.lanes[same] != operand.lanes[i] ||
                          operand.second_lanes[same] != operand.second_lanes[i]))
        ++same;
      if (same < i) {
        lanes[i] = lanes[same];
        continue;
      }
      sum.operands[0].lanes[count] = operand.second_lanes[i];
      sum.operands[1].lanes[count] = operand.lanes[i];
      sum.components[count] = count;
      lanes[i] = static_cast<Lane>(count++);
    }
    sum.count = count;
    sum.operands[0].from = operand.second;
    sum.operands[1].from = operand.from;
    sum.operands[1].negate = operand.before == Before::kDifference;
    program_.registers.push_back({count, false, false, Bank::kAny, kNoComponent});
    operand.from = {LirPlace::Kind::kRegister, sum.index};
    operand.lanes = lanes;
    operand.before = Before::kNothing;
    operand.second = {};
    return item;
  }

  LirProgram& program_;
};

}  // namespace

void settle_operands(LirProgram& program) { Settler(program).run(); }

}  // namespace raddle::cg
