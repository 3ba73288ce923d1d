#include "machine/tpa/front_code.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace raddle::machine::tpa {

namespace {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
constexpr Operand kResult{Source::kFrontAlu, 1, 0};

}  // namespace

FrontCode::Label FrontCode::label() {
  labels_.push_back(kNowhere);
  return static_cast<Label>(labels_.size() - 1);
}

void FrontCode::here(Label label) { labels_[label] = static_cast<std::uint32_t>(lines_.size()); }

Line& FrontCode::begin() {
  Line& line = lines_.emplace_back();
  line.place = place_;
  return line;
}

void FrontCode::add(Line& line, Unit unit, std::uint8_t operation, std::uint8_t number,
                    std::vector<Operand> operands) {
  Subinstruction& part = line.parts.emplace_back();
  part.unit = unit;
  part.operation = operation;
  part.number = number;
  part.count = static_cast<std::uint8_t>(operands.size());
  std::copy(operands.begin(), operands.end(), part.operands.begin());
}

Operand FrontCode::slot(Line& line, Operand value) {
  if (value.source != Source::kConstant) return value;
  const auto number = static_cast<std::uint8_t>(line.parts.size());
  add(line, Unit::kSlot, 0, number, {value});
  return {Source::kSlot, number, 0};
}

void FrontCode::set(Register target, Operand a) {
  Line& line = begin();
  const Operand value = slot(line, a);
  add(line, Unit::kFrontWrite, 0, target, {value});
}

void FrontCode::set(Register target, AluOperation operation, Operand a, Operand b) {
  Line& line = begin();
  const Operand x = slot(line, a);
  const Operand y = slot(line, b);
  add(line, Unit::kFrontAlu, static_cast<std::uint8_t>(operation), kResult.number, {x, y});
  add(line, Unit::kFrontWrite, 0, target, {kResult});
}

void FrontCode::set_line(Register target, Label label) {
  set(target, number(0));
  uses_.push_back({lines_.size() - 1, 0, 0, label});
}

void FrontCode::receive_sum(Register target, std::uint32_t backends) {
  const Operand received{Source::kFrontMemory, 0, 0};
  for (std::uint32_t b = 0; b < backends; ++b) {
    Line& line = begin();
    if (b != 0)
      add(line, Unit::kFrontAlu, static_cast<std::uint8_t>(AluOperation::kAdd), kResult.number,
          {in(target), received});
    add(line, Unit::kFrontMemory, static_cast<std::uint8_t>(LocalOperation::kReceive), 0, {});
    add(line, Unit::kFrontWrite, 0, target, {b == 0 ? received : kResult});
  }
}

void FrontCode::clear_word(Register address) {
  Line& line = begin();
  const Operand zero = slot(line, number(0));
  add(line, Unit::kFrontMemory, static_cast<std::uint8_t>(LocalOperation::kStoreShared), 0,
      {zero, in(address)});
}

void FrontCode::control(ControlOperation operation, std::vector<Operand> operands) {
  add(begin(), Unit::kControl, static_cast<std::uint8_t>(operation), 0, std::move(operands));
}

void FrontCode::control_at(ControlOperation operation, std::vector<Operand> operands,
                           std::size_t which, Label label) {
  control(operation, std::move(operands));
  uses_.push_back({lines_.size() - 1, 0, which, label});
}

void FrontCode::jump(Label label) { control_at(ControlOperation::kJump, {number(0)}, 0, label); }

void FrontCode::jump_if_zero(Register condition, Label label) {
  control_at(ControlOperation::kBranchZero, {in(condition), number(0)}, 1, label);
}

void FrontCode::jump_unless_zero(Register condition, Label label) {
  control_at(ControlOperation::kBranchNonZero, {in(condition), number(0)}, 1, label);
}

void FrontCode::jump_unless_zero(Register condition, Register line) {
  control(ControlOperation::kBranchNonZero, {in(condition), in(line)});
}

void FrontCode::fork(Label label, Register thickness) {
  control_at(ControlOperation::kFork, {number(0), in(thickness)}, 0, label);
}

void FrontCode::join() { control(ControlOperation::kJoin, {}); }

void FrontCode::exit() { control(ControlOperation::kExit, {}); }

void FrontCode::finish() {
  for (const Use& use : uses_) {
    RADDLE_ASSERT(labels_[use.label] != kNowhere);
    lines_[use.line].parts[use.part].operands[use.operand].constant = labels_[use.label];
  }
}

}  // namespace raddle::machine::tpa
