// Words of flow control as the known compilers for this processor write them, by construct. Where
// they jump to is put in once the construct is closed.
#pragma once

#include "lang/ctm/attributes.h"
#include "machine/overlay/instruction.h"

namespace raddle::ctm {

// What a branch tests: the ALU result, a predicate or a boolean constant.
struct Condition {
  enum class Kind : std::uint8_t { kAlways, kResult, kPredicate, kBoolean };
  Kind kind = Kind::kAlways;
  bool invert = false;
  overlay::PredicateSelect predicate{};
  std::uint8_t boolean = 0;
};

// result, !result, p.r, !p.a, b3, !b3; nothing is kAlways.
Condition read_condition(LineCursor& cursor);

overlay::Instruction if_word(const Condition& condition, bool has_else);
overlay::Instruction else_word();
overlay::Instruction endif_word();
overlay::Instruction loop_word(bool is_rep, std::uint8_t integer_constant);
overlay::Instruction endloop_word(bool is_rep, std::uint8_t integer_constant);
// `depth`: branches that are open within the loop.
overlay::Instruction break_word(bool is_rep, const Condition& condition, unsigned depth);
overlay::Instruction continue_word(const Condition& condition, unsigned depth);
overlay::Instruction call_word(const Condition& condition);
overlay::Instruction return_word(const Condition& condition);
overlay::Instruction jump_word(const Condition& condition);

}  // namespace raddle::ctm
