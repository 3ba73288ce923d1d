#include "lang/ctm/flow_words.h"

#include "lang/ctm/operands.h"

namespace raddle::ctm {
namespace {

using overlay::AddressOp;
using overlay::BranchOp;
using overlay::FlowOp;
using overlay::Instruction;

Instruction flow_word(FlowOp op) {
  Instruction word;
  word.type = overlay::InstructionType::kFlow;
  word.alu_wait = true;
  word.flow.op = op;
  return word;
}

// Truth tables over (result << 2 | predicate << 1 | boolean) of "the condition holds".
std::uint8_t truth_table(const Condition& condition) {
  std::uint8_t table = 0xFF;
  switch (condition.kind) {
    case Condition::Kind::kAlways: return table;
    case Condition::Kind::kResult: table = 0xF0; break;
    case Condition::Kind::kPredicate: table = 0xCC; break;
    case Condition::Kind::kBoolean: table = 0xAA; break;
  }
  return condition.invert ? static_cast<std::uint8_t>(~table) : table;
}

void put_condition(Instruction& word, const Condition& condition, bool jumps_if_true) {
  const std::uint8_t table = truth_table(condition);
  word.flow.jump_function = jumps_if_true ? table : static_cast<std::uint8_t>(~table);
  word.flow.boolean_constant = condition.boolean;
  if (condition.kind == Condition::Kind::kPredicate) word.vector.predicate = condition.predicate;
}

}  // namespace

Condition read_condition(LineCursor& cursor) {
  Condition condition;
  const char first = cursor.peek();
  if (first == '\0' || first == '[') return condition;
  LineCursor ahead = cursor;
  condition.invert = ahead.accept('!');
  if (ahead.accept_word("result")) {
    condition.kind = Condition::Kind::kResult;
  } else if (ahead.peek() == 'p') {
    condition.kind = Condition::Kind::kPredicate;
    condition.predicate = read_predicate(ahead);
    if (condition.predicate == overlay::PredicateSelect::kPerChannel) {
      cursor.fail_here("a branch tests one predicate bit", "p.r, p.g, p.b or p.a");
    }
  } else if (ahead.peek() == 'b') {
    condition.kind = Condition::Kind::kBoolean;
    condition.boolean = read_numbered(ahead, 'b', "boolean constants", overlay::kBooleanConstants);
  } else if (condition.invert) {
    cursor.fail_here("expected a condition", "result, p.r or b0, with or without '!'");
  } else {
    return condition;
  }
  cursor = ahead;
  return condition;
}

Instruction if_word(const Condition& condition, bool has_else) {
  Instruction word = flow_word(FlowOp::kJump);
  put_condition(word, condition, false);
  word.flow.if_not_jumping = BranchOp::kIncrement;
  if (has_else) word.flow.if_jumping = BranchOp::kIncrement;
  word.flow.ignore_uncovered = true;
  return word;
}

Instruction else_word() {
  Instruction word = flow_word(FlowOp::kJump);
  word.flow.branch_else = true;
  word.flow.if_jumping = BranchOp::kDecrement;
  word.flow.pop_count = 1;
  return word;
}

Instruction endif_word() {
  Instruction word = flow_word(FlowOp::kJump);
  word.flow.jump_any = true;
  word.flow.if_not_jumping = BranchOp::kDecrement;
  word.flow.pop_count = 1;
  return word;
}

Instruction loop_word(bool is_rep, std::uint8_t integer_constant) {
  Instruction word = flow_word(is_rep ? FlowOp::kRep : FlowOp::kLoop);
  word.flow.ignore_uncovered = true;
  word.flow.integer_constant = integer_constant;
  return word;
}

Instruction endloop_word(bool is_rep, std::uint8_t integer_constant) {
  Instruction word = flow_word(is_rep ? FlowOp::kEndRep : FlowOp::kEndLoop);
  word.flow.jump_function = 0xFF;
  word.flow.jump_any = true;
  word.flow.ignore_uncovered = true;
  word.flow.integer_constant = integer_constant;
  return word;
}

Instruction break_word(bool is_rep, const Condition& condition, unsigned depth) {
  Instruction word = flow_word(is_rep ? FlowOp::kBreakRep : FlowOp::kBreakLoop);
  put_condition(word, condition, true);
  word.flow.if_jumping = BranchOp::kDecrement;
  word.flow.pop_count = static_cast<std::uint8_t>(depth);
  word.flow.ignore_uncovered = true;
  return word;
}

Instruction continue_word(const Condition& condition, unsigned depth) {
  Instruction word = break_word(false, condition, depth);
  word.flow.op = FlowOp::kContinue;
  return word;
}

Instruction call_word(const Condition& condition) {
  Instruction word = flow_word(FlowOp::kJump);
  put_condition(word, condition, true);
  word.flow.jump_any = true;
  word.flow.address_op = AddressOp::kPush;
  return word;
}

Instruction return_word(const Condition& condition) {
  Instruction word = flow_word(FlowOp::kJump);
  put_condition(word, condition, true);
  word.flow.jump_any = true;
  word.flow.address_op = AddressOp::kPop;
  return word;
}

Instruction jump_word(const Condition& condition) {
  Instruction word = flow_word(FlowOp::kJump);
  put_condition(word, condition, true);
  return word;
}

}  // namespace raddle::ctm
