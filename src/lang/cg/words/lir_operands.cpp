#include "lang/cg/words/lir_operands.h"

#include <algorithm>

namespace raddle::cg {

std::uint32_t OperandLowering::new_register(unsigned count) {
  result_.registers.push_back(
      {static_cast<std::uint8_t>(count), false, false, Bank::kAny, kNoComponent});
  return static_cast<std::uint32_t>(result_.registers.size() - 1);
}

OperandLowering::Uses& OperandLowering::placed(ValueId id) {
  Uses& uses = uses_[id];
  if (uses.has_place) return uses;
  unsigned count = 0;
  const bool whole = program_.values[id].op == IrOp::kInput;
  for (unsigned i = 0; i < program_.values[id].count; ++i) {
    if (whole || (uses.live >> i & 1) != 0) uses.component[i] = static_cast<std::int8_t>(count++);
  }
  uses.place = new_register(std::max(count, 1U));
  uses.has_place = true;
  return uses;
}

void OperandLowering::push(LirOp op, Place place) {
  LirItem item;
  op.place = place;
  item.place = place;
  item.op = op;
  result_.items.push_back(item);
}

void OperandLowering::push_control(ItemKind kind, Place place, bool inverted, std::uint16_t count) {
  LirItem item;
  item.kind = kind;
  item.place = place;
  item.inverted = inverted;
  item.count = count;
  result_.items.push_back(item);
  gathered_.clear();
}

std::optional<Lane> OperandLowering::free_lane(const Ref& ref) {
  if (!ref.is_literal()) return std::nullopt;
  if (ref.is_literal(0)) return Lane::kZero;
  if (ref.is_literal(0.5F)) return Lane::kHalf;
  if (ref.is_literal(1)) return Lane::kOne;
  return std::nullopt;
}

LirPlace OperandLowering::place_of(const Ref& ref) {
  if (ref.kind == Ref::Kind::kUniform) return {LirPlace::Kind::kConstant, ref.index};
  return {LirPlace::Kind::kRegister, placed(ref.index).place};
}

Lane OperandLowering::lane_of(const Ref& ref) {
  if (ref.kind == Ref::Kind::kUniform) return static_cast<Lane>(ref.channel);
  return static_cast<Lane>(placed(ref.index).component[ref.channel]);
}

LirOperand OperandLowering::literals(const std::array<Ref, 4>& refs, unsigned width, Place place) {
  LirOperand result;
  bool all_positive = true;
  bool all_negative = true;
  bool all_free = true;
  for (unsigned i = 0; i < width; ++i) {
    const bool is_negative = (refs[i].index >> 31) != 0;
    all_positive = all_positive && !is_negative;
    all_negative = all_negative && is_negative;
    Ref size = refs[i];
    size.index &= 0x7fffffffU;
    const auto lane = free_lane(size);
    all_free = all_free && lane.has_value();
    result.lanes[i] = lane.value_or(Lane::kZero);
  }
  if (all_free && (all_positive || all_negative)) {
    result.negate = all_negative;
    return result;
  }
  std::array<float, 4> numbers{};
  for (unsigned i = 0; i < width; ++i) numbers[i] = refs[i].number();
  return pool_.operand(std::span(numbers).first(width), place);
}

LirOperand OperandLowering::plain(const std::array<Ref, 4>& refs, unsigned width, Place place) {
  const bool all_literals = std::all_of(refs.begin(), refs.begin() + width,
                                        [](const Ref& ref) { return ref.is_literal(); });
  if (all_literals) return literals(refs, width, place);
  LirOperand result;
  for (unsigned i = 0; i < width; ++i) {
    if (const auto lane = free_lane(refs[i])) {
      result.lanes[i] = *lane;
      continue;
    }
    if (refs[i].is_literal()) return gather(refs, width, place);
    const LirPlace from = place_of(refs[i]);
    if (result.from.kind != LirPlace::Kind::kNone && result.from != from)
      return gather(refs, width, place);
    result.from = from;
    result.lanes[i] = lane_of(refs[i]);
  }
  return result;
}

LirOperand OperandLowering::gather(const std::array<Ref, 4>& refs, unsigned width, Place place) {
  Refs distinct;
  for (unsigned i = 0; i < width; ++i) {
    if (!free_lane(refs[i]) && std::ranges::find(distinct, refs[i]) == distinct.end())
      distinct.push_back(refs[i]);
  }
  return gathered(distinct, refs, width, place);
}

LirOperand OperandLowering::gathered(const Refs& distinct, const std::array<Ref, 4>& refs,
                                     unsigned width, Place place) {
  LirOperand result;
  for (unsigned i = 0; i < width; ++i) {
    const auto at = std::ranges::find(distinct, refs[i]);
    result.lanes[i] = at != distinct.end() ? static_cast<Lane>(at - distinct.begin())
                                           : free_lane(refs[i]).value_or(Lane::kZero);
  }
  auto known = gathered_.find(distinct);
  if (known == gathered_.end()) {
    const std::uint32_t made = new_register(static_cast<unsigned>(distinct.size()));
    copy_into(made, distinct, place);
    known = gathered_.emplace(distinct, made).first;
  }
  result.from = {LirPlace::Kind::kRegister, known->second};
  return result;
}

void OperandLowering::copy_into(std::uint32_t target, const Refs& refs, Place place) {
  std::vector<bool> done(refs.size());
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (done[i] || refs[i].kind == Ref::Kind::kNone) continue;
    LirOp copy;
    copy.index = target;
    copy.count = 0;
    std::array<Ref, 4> taken{};
    for (std::size_t k = i; k < refs.size(); ++k) {
      const bool same =
          refs[k].kind == refs[i].kind && (refs[k].is_literal() || refs[k].index == refs[i].index);
      if (done[k] || !same) continue;
      done[k] = true;
      taken[copy.count] = refs[k];
      copy.components[copy.count++] = static_cast<std::uint8_t>(k);
    }
    copy.operands[0] = plain(taken, copy.count, place);
    push(copy, place);
  }
}

LirOperand OperandLowering::operand(const Source& source, unsigned width, Place place) {
  LirOperand result;
  if (source.before >= Before::kDifference) {
    const LirOperand first = as_register(source.refs, width, place);
    const LirOperand second = as_register(source.second, width, place);
    result = first;
    result.second = second.from;
    result.second_lanes = second.lanes;
    result.before = source.before;
  } else if (source.before == Before::kOneMinus) {
    result = as_register(source.refs, width, place);
    result.before = source.before;
  } else {
    result = plain(source.refs, width, place);
  }
  if (source.absolute) result.negate = false;
  result.absolute = source.absolute;
  result.negate = result.negate != source.negate;
  return result;
}

LirOperand OperandLowering::as_register(const std::array<Ref, 4>& refs, unsigned width,
                                        Place place) {
  bool all_literals = true;
  bool any_literal = false;
  for (unsigned i = 0; i < width; ++i) {
    all_literals = all_literals && refs[i].is_literal();
    any_literal = any_literal || refs[i].is_literal();
  }
  if (all_literals) {
    std::array<float, 4> numbers{};
    for (unsigned i = 0; i < width; ++i) numbers[i] = refs[i].number();
    return pool_.operand(std::span(numbers).first(width), place);
  }
  if (!any_literal) return plain(refs, width, place);
  LirOp copy;  // mixed: everything into a register of its own
  copy.count = static_cast<std::uint8_t>(width);
  const std::uint32_t made = new_register(width);
  Refs all(refs.begin(), refs.begin() + width);
  copy_into(made, all, place);
  LirOperand result;
  result.from = {LirPlace::Kind::kRegister, made};
  for (unsigned i = 0; i < width; ++i) result.lanes[i] = static_cast<Lane>(i);
  return result;
}

}  // namespace raddle::cg
