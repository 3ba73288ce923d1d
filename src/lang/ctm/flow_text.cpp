#include <fmt/format.h>

#include "lang/ctm/flow_words.h"
#include "lang/ctm/word_text.h"
#include "machine/overlay/isa.h"

namespace raddle::ctm {
namespace {

using overlay::Instruction;

// Conditions that a truth table may stand for, with a word's own predicate and boolean.
std::vector<Condition> conditions(const Instruction& word) {
  std::vector<Condition> all = {{}};
  for (const bool invert : {false, true}) {
    all.push_back({Condition::Kind::kResult, invert, {}, 0});
    all.push_back({Condition::Kind::kPredicate, invert, word.vector.predicate, 0});
    all.push_back({Condition::Kind::kBoolean, invert, {}, word.flow.boolean_constant});
  }
  return all;
}

std::string condition_text(const Condition& condition) {
  const char* sign = condition.invert ? "!" : "";
  switch (condition.kind) {
    case Condition::Kind::kAlways: break;
    case Condition::Kind::kResult: return fmt::format(" {}result", sign);
    case Condition::Kind::kPredicate:
      return fmt::format(" {}p.{}", sign,
                         "rgba"[(static_cast<unsigned>(condition.predicate) - 2) & 3]);
    case Condition::Kind::kBoolean: return fmt::format(" {}b{}", sign, condition.boolean);
  }
  return {};
}

// Whether the construct's word is this one, where it jumps to and its flags apart.
bool is_word(Instruction construct, const Instruction& word) {
  construct.flow.jump_address = word.flow.jump_address;
  construct.texture_wait = word.texture_wait;
  construct.last = word.last;
  construct.nop_after = word.nop_after;
  construct.write_inactive = word.write_inactive;
  return encode(construct) == encode(word);
}

bool is_predicate_bit(const Condition& condition) {
  return condition.kind != Condition::Kind::kPredicate ||
         (condition.predicate >= overlay::PredicateSelect::kRed &&
          condition.predicate <= overlay::PredicateSelect::kAlpha);
}

}  // namespace

std::optional<FlowText> flow_text(const Instruction& word) {
  const std::uint8_t integer = word.flow.integer_constant;
  if (is_word(else_word(), word)) return FlowText{"ELSE"};
  if (is_word(endif_word(), word)) return FlowText{"ENDIF"};
  for (const bool is_rep : {false, true}) {
    if (is_word(loop_word(is_rep, integer), word)) {
      return FlowText{fmt::format("{} i{}", is_rep ? "REP" : "LOOP", integer)};
    }
    if (is_word(endloop_word(is_rep, integer), word))
      return FlowText{is_rep ? "ENDREP" : "ENDLOOP"};
  }
  for (const Condition& condition : conditions(word)) {
    if (!is_predicate_bit(condition)) continue;
    const std::string tested = condition_text(condition);
    const bool tests = condition.kind != Condition::Kind::kAlways;
    if (tests &&
        (is_word(if_word(condition, false), word) || is_word(if_word(condition, true), word))) {
      return FlowText{"IF" + tested};
    }
    for (const bool is_rep : {false, true}) {
      if (is_word(break_word(is_rep, condition, word.flow.pop_count), word))
        return FlowText{"BRK" + tested};
    }
    if (is_word(continue_word(condition, word.flow.pop_count), word))
      return FlowText{"CONT" + tested};
    if (is_word(return_word(condition), word) && word.flow.jump_address == 0)
      return FlowText{"RET" + tested};
    if (is_word(call_word(condition), word)) return FlowText{"CALL" + tested, true};
    if (is_word(jump_word(condition), word)) return FlowText{"JUMP" + tested, true};
  }
  return std::nullopt;
}

std::string raw_flow_text(const Instruction& word, const std::string& target) {
  Instruction empty;
  empty.type = overlay::InstructionType::kFlow;
  std::string fields;
  for (const overlay::Field& field : overlay::fields()) {
    if (!has_field(word.type, field) || field.get(word) == field.get(empty)) continue;
    const std::string value =
        field.name == "JUMP_ADDR" ? target : fmt::format("{}", field.get(word));
    fields += fmt::format("{}{}={}", fields.empty() ? "" : " ", field.name, value);
  }
  return fields.empty() ? "FC" : fmt::format("FC [{}]", fields);
}

}  // namespace raddle::ctm
