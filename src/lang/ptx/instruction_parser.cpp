#include "lang/ptx/instruction_parser.h"

#include <algorithm>

#include "base/nearest_name.h"

namespace raddle::ptx {
namespace {

using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::Space;
using kernel::Type;

constexpr std::size_t kMaxNameWords = 3;  // bar.warp.sync

// The text from the beginning of one view to the end of another after it.
std::string_view span_text(std::string_view first, std::string_view last) {
  return {first.begin(), last.end()};
}

kernel::Mode funnel_mode(bool right, kernel::Mode mode) {
  const bool clamp = mode == kernel::Mode::kClamp;
  if (right) return clamp ? kernel::Mode::kFunnelRightClamp : kernel::Mode::kFunnelRightWrap;
  return clamp ? kernel::Mode::kFunnelLeftClamp : kernel::Mode::kFunnelLeftWrap;
}

// Whether its words after the name are neither types nor modifiers of the tables.
bool reads_own_words(Syntax syntax) {
  switch (syntax) {
    case Syntax::kMma:
    case Syntax::kMatrixAccess:
    case Syntax::kMatrixMove:
    case Syntax::kTensorFloat:
    case Syntax::kMemoryBarrier: return true;
    default: return false;
  }
}

}  // namespace

void InstructionParser::parse(FunctionBuilder& builder, const Token& mnemonic,
                              kernel::Guard guard) {
  words_.clear();
  words_.push_back(mnemonic.text);
  while (context_.token().is_dot_word()) words_.push_back(context_.advance().text);

  const std::string_view name = span_text(words_.front(), words_.back());
  Reading reading{builder, OperandBinder(context_, builder, operands_, name, mnemonic.line),
                  nullptr, {},
                  {},      mnemonic.line};
  std::size_t name_words = 0;
  const std::span<const Form> rows = find_rows(name_words);
  if (rows.empty()) {
    context_.fail_at(mnemonic.line, "unknown instruction " + quoted(name),
                     suggestion(mnemonic.text, all_mnemonics()));
  }
  const bool has_own_words = reads_own_words(rows.front().syntax);
  if (has_own_words) {
    reading.form = &rows.front();
  } else {
    read_types(reading, rows, name_words);
  }
  reading.instruction.opcode = reading.form->opcode;
  reading.instruction.mode = reading.form->mode;
  reading.instruction.carry_in = reading.form->carry_in;
  reading.instruction.guard = guard;
  if (has_own_words) return parse_operands(reading);
  read_modifiers(reading, name_words);
  check_required(reading);
  complete(reading);
  parse_operands(reading);
}

std::span<const Form> InstructionParser::find_rows(std::size_t& name_words) {
  for (name_words = std::min(kMaxNameWords, words_.size()); name_words > 0; --name_words) {
    const std::string_view name = span_text(words_[0], words_[name_words - 1]);
    const std::span<const Form> rows = find_forms(name);
    if (!rows.empty()) return rows;
    if (const auto reason = unsupported_instruction(name)) {
      context_.fail("the instruction " + quoted(span_text(words_.front(), words_.back())) +
                    " is not supported (" + std::string(*reason) + ")");
    }
  }
  return {};
}

void InstructionParser::read_types(Reading& reading, std::span<const Form> rows,
                                   std::size_t name_words) {
  std::array<Type, 2> types{Type::kNone, Type::kNone};
  std::array<std::string_view, 2> texts;
  std::size_t count = 0;
  const std::string name = quoted(span_text(words_.front(), words_[name_words - 1]));
  for (std::size_t i = name_words; i < words_.size(); ++i) {
    const std::string_view word = words_[i].substr(1);
    if (is_unsupported_type(word)) {
      reading.binder.fail("the type " + quoted(words_[i]) + " of " + quoted(reading.binder.name()) +
                          " is not supported");
    }
    const auto type = find_type(word);
    if (!type) continue;
    if (count == types.size())
      reading.binder.fail("the type " + quoted(words_[i]) + " is one too many for " + name);
    texts[count] = words_[i];
    types[count++] = *type;
  }
  const auto takes = [](TypeSet set, Type type) {
    return type == Type::kNone ? set == 0 : contains(set, type);
  };
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Form& form) { return takes(form.types, types[0]); });
  if (row == rows.end()) {
    if (count == 0) reading.binder.fail(name + " needs a type");
    reading.binder.fail("the type " + quoted(texts[0]) + " is not valid for " + name);
  }
  if (!takes(row->source_types, types[1])) {
    if (count < 2) reading.binder.fail(name + " needs a second type");
    reading.binder.fail("the second type " + quoted(texts[1]) + " is not valid for " + name);
  }
  reading.form = &*row;
  reading.instruction.type = types[0];
  reading.instruction.source_type = types[1];
}

void InstructionParser::read_modifiers(Reading& reading, std::size_t name_words) {
  const GroupSet allowed = reading.form->required | reading.form->choice | reading.form->optional;
  for (std::size_t i = name_words; i < words_.size(); ++i) {
    if (!find_type(words_[i].substr(1))) read_modifier(reading, words_[i], allowed);
  }
}

void InstructionParser::read_modifier(Reading& reading, std::string_view word, GroupSet allowed) {
  const std::string_view name = reading.binder.name();
  const std::span<const Modifier> meanings = find_modifiers(word.substr(1));
  const auto meaning = std::find_if(meanings.begin(), meanings.end(), [&](Modifier candidate) {
    return contains(allowed, candidate.group);
  });
  if (meaning == meanings.end()) {
    if (const auto reason = unsupported_modifier(word.substr(1))) {
      reading.binder.fail("the modifier " + quoted(word) + " of " + quoted(name) +
                          " is not supported (" + std::string(*reason) + ")");
    }
    if (meanings.empty())
      reading.binder.fail("unknown modifier " + quoted(word) + " of " + quoted(name));
    reading.binder.fail("the modifier " + quoted(word) + " is not valid for " + quoted(name));
  }
  // Hints may come in any number; cp.async names the spaces it copies to and from.
  const bool may_repeat =
      meaning->group == Group::kCacheHint ||
      (meaning->group == Group::kSpace && reading.form->opcode == Opcode::kCpAsync);
  if (contains(reading.extra.seen, meaning->group) && !may_repeat) {
    reading.binder.fail("the modifier " + quoted(word) + " of " + quoted(name) +
                        " contradicts an earlier one");
  }
  apply_modifier(*meaning, reading.instruction, reading.extra);
}

void InstructionParser::check_required(Reading& reading) {
  const Form& form = *reading.form;
  const GroupSet missing = form.required & ~reading.extra.seen;
  const bool no_choice = form.choice != 0 && (form.choice & reading.extra.seen) == 0;
  if (missing == 0 && !no_choice) return;
  const GroupSet wanted =
      missing != 0 ? missing & (~missing + 1) : form.choice;  // the first group that is missing
  reading.binder.fail(quoted(reading.binder.name()) + " needs " + list_words(wanted));
}

// What PTX leaves out and the kernel IR says.
void InstructionParser::complete(Reading& reading) {
  Instruction& instruction = reading.instruction;
  switch (instruction.opcode) {
    case Opcode::kLd:
      if (words_.front() == "ldu") instruction.non_coherent = true;
      [[fallthrough]];
    case Opcode::kSt:
    case Opcode::kAtom:
    case Opcode::kPrefetch:
      if (instruction.space == Space::kNone) instruction.space = Space::kGeneric;
      return;
    case Opcode::kFence:
      if (words_.front() == "membar") instruction.order = kernel::MemoryOrder::kSequential;
      if (!contains(reading.extra.seen, Group::kOrder) && words_.front() == "fence") {
        instruction.order = kernel::MemoryOrder::kAcquireRelease;
      }
      return;
    case Opcode::kShf:
      instruction.mode = funnel_mode(reading.extra.funnel_right, instruction.mode);
      return;
    default: return;
  }
}

void InstructionParser::parse_operands(Reading& reading) {
  switch (reading.form->syntax) {
    case Syntax::kMove: return parse_move(reading);
    case Syntax::kBranch: return parse_branch(reading);
    case Syntax::kIndexedBranch: return parse_indexed_branch(reading);
    case Syntax::kCall: return parse_call(reading);
    case Syntax::kReturn: return parse_return(reading);
    case Syntax::kAsyncCopy: return parse_async_copy(reading);
    case Syntax::kTexture: return parse_texture(reading);
    case Syntax::kTextureQuery: return parse_texture_query(reading);
    case Syntax::kSurfaceStore: return parse_surface_store(reading);
    case Syntax::kHalves: return parse_halves(reading);
    case Syntax::kCachePolicy: return parse_cache_policy(reading);
    case Syntax::kMma: return parse_mma(reading);
    case Syntax::kMatrixAccess: return parse_matrix_access(reading);
    case Syntax::kMatrixMove: return parse_matrix_move(reading);
    case Syntax::kTensorFloat: return parse_tensor_float(reading);
    case Syntax::kMemoryBarrier: return parse_memory_barrier(reading);
    case Syntax::kPlain:
    case Syntax::kNothing: break;
  }
  operands_.parse_list(reading.builder);
  reading.binder.bind(*reading.form, reading.extra, reading.instruction);
  if (reading.form->syntax == Syntax::kNothing) return;
  std::vector<Operand>& destinations = reading.instruction.destinations;
  if (reading.form->opcode == Opcode::kAtom && !destinations.empty() &&
      !destinations[0].is_register()) {
    destinations.clear();  // atom into _ is a reduction
  }
  finish(reading);
}

}  // namespace raddle::ptx
