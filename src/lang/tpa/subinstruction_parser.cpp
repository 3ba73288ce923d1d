#include "lang/tpa/subinstruction_parser.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "base/nearest_name.h"

namespace raddle::tpa {

namespace {

using machine::tpa::find_mnemonic;
using machine::tpa::Mnemonic;
using machine::tpa::Operand;
using machine::tpa::Source;
using machine::tpa::Subinstruction;
using machine::tpa::Unit;

// "ADD12" is "ADD" and 12.
struct NumberedName {
  std::string_view name;
  std::optional<std::uint32_t> number;
};
NumberedName split_number(std::string_view word) {
  std::size_t digits = word.size();
  while (digits > 0 && word[digits - 1] >= '0' && word[digits - 1] <= '9') --digits;
  NumberedName split{word.substr(0, digits), std::nullopt};
  std::uint32_t number = 0;
  const char* const begin = word.data();
  const char* const end = begin + word.size();
  if (digits < word.size() && std::from_chars(begin + digits, end, number).ec == std::errc())
    split.number = number;
  return split;
}

struct SourceName {
  std::string_view name;
  Source source;
  std::uint32_t numbers;
};
constexpr auto kSources = std::to_array<SourceName>({
    {"O", Source::kSlot, machine::tpa::kSlots},
    {"R", Source::kFrontRegister, machine::tpa::kFrontRegisters},
    {"L", Source::kFrontAlu, machine::tpa::kFrontAlus},
    {"N", Source::kFrontMemory, 1},
    {"B", Source::kFiberRegister, machine::tpa::kMaxFiberRegisters},
    {"A", Source::kAlu, machine::tpa::kAlus},
    {"M", Source::kMemory, 2},
});

std::optional<Operand> operand_named(const Token& token) {
  if (token.kind != TokenKind::kWord) return std::nullopt;
  if (token.text == "FID") return Operand{Source::kFiberId};
  const NumberedName split = split_number(token.text);
  if (!split.number) return std::nullopt;
  for (const SourceName& known : kSources) {
    if (known.name != split.name) continue;
    if (*split.number >= known.numbers) {
      TokenCursor::fail(token, fmt::format("unknown operand {}", token.text),
                        known.numbers == 1 ? fmt::format("only {}0 exists", known.name)
                                           : fmt::format("valid are {0}0 to {0}{1}", known.name,
                                                         known.numbers - 1));
    }
    return Operand{known.source, static_cast<std::uint8_t>(*split.number)};
  }
  return std::nullopt;
}

std::string operand_hint(const Token& token) {
  if (token.kind == TokenKind::kNumber && token.text.size() == 2 && token.text[0] == '0')
    return fmt::format("did you mean 'O{}', the letter O?", token.text[1]);
  if (token.kind == TokenKind::kNumber) return "constants come from operand slots: OP0 … O0";
  return "operands are O0…O4, R0…R34, L0…L2, N0, FID, B0…B254, A0…A7, M0 and M1";
}

Operand read_operand(TokenCursor& cursor) {
  const Token token = cursor.take();
  if (const auto operand = operand_named(token)) return *operand;
  TokenCursor::fail(token, fmt::format("expected an operand, found {}", shown(token)),
                    operand_hint(token));
}

// Of OPk: a register or unit by name, else a constant.
Operand read_slot_value(TokenCursor& cursor, const NameValue& value, const NameHint& hint) {
  if (const auto operand = operand_named(cursor.peek())) {
    cursor.take();
    return *operand;
  }
  return {Source::kConstant, 0, read_expression(cursor, value, hint)};
}

const Mnemonic& read_mnemonic(const Token& token, const NumberedName& split) {
  const Mnemonic* found = find_mnemonic(split.name);
  if (found != nullptr) return *found;
  std::vector<std::string> known;
  for (const Mnemonic& mnemonic : machine::tpa::mnemonics()) known.push_back(mnemonic.text);
  // O and 0 look alike in print.
  std::string spelt(split.name);
  if (spelt.starts_with("0P")) spelt[0] = 'O';
  const std::string near = suggestion(spelt, known);
  TokenCursor::fail(token, fmt::format("unknown subinstruction '{}'", split.name),
                    near.empty() ? "raddle asm --isa lists them" : near);
}

void read_number(const Token& token, const NumberedName& split, const Mnemonic& mnemonic,
                 Subinstruction& part) {
  if (mnemonic.numbered.empty()) {
    if (split.number) TokenCursor::fail(token, fmt::format("{} takes no number", mnemonic.text));
    return;
  }
  if (!split.number) {
    TokenCursor::fail(
        token, fmt::format("{} lacks the number of its {}", mnemonic.text, mnemonic.numbered),
        fmt::format("for example {}{}", mnemonic.text, mnemonic.unit == Unit::kLayout ? 1 : 0));
  }
  const bool no_count = mnemonic.unit == Unit::kLayout && *split.number == 0;
  if (*split.number >= mnemonic.numbers || no_count) {
    TokenCursor::fail(
        token, fmt::format("{} has no {} {}", mnemonic.text, mnemonic.numbered, *split.number),
        mnemonic.numbers == 1
            ? "the only one is number 0"
            : fmt::format("numbers go from {} to {}", mnemonic.unit == Unit::kLayout ? 1 : 0,
                          mnemonic.numbers - 1));
  }
  part.number = static_cast<std::uint8_t>(*split.number);
}

}  // namespace

bool is_reserved(std::string_view word) {
  const Token token{TokenKind::kWord, word, 1};
  try {
    if (operand_named(token)) return true;
  } catch (const LineFault&) {
    return true;
  }
  return find_mnemonic(split_number(word).name) != nullptr;
}

PlacedSubinstruction read_subinstruction(TokenCursor& cursor, const NameValue& value,
                                         const NameHint& hint) {
  const Token token = cursor.take();
  if (token.kind != TokenKind::kWord && token.kind != TokenKind::kNumber)
    TokenCursor::fail(token, fmt::format("expected a subinstruction, found {}", shown(token)));
  const NumberedName split = split_number(token.text);
  const Mnemonic& mnemonic = read_mnemonic(token, split);
  PlacedSubinstruction placed;
  placed.column = token.column;
  Subinstruction& part = placed.part;
  part.unit = mnemonic.unit;
  part.operation = mnemonic.operation;
  part.op = mnemonic.op;
  read_number(token, split, mnemonic, part);
  for (const char letter : mnemonic.operands) {
    if (part.count > 0) cursor.expect(",");
    placed.operand_columns[part.count] = cursor.peek().column;
    Operand& operand = part.operands[part.count++];
    if (letter == 'l') {
      operand = {Source::kConstant, 0, read_expression(cursor, value, hint)};
    } else if (mnemonic.unit == Unit::kSlot) {
      operand = read_slot_value(cursor, value, hint);
    } else {
      operand = read_operand(cursor);
    }
  }
  if (cursor.peek().is(",")) {
    TokenCursor::fail(cursor.peek(),
                      fmt::format("{} takes {} operand{}", mnemonic.text, mnemonic.operands.size(),
                                  mnemonic.operands.size() == 1 ? "" : "s"));
  }
  return placed;
}

}  // namespace raddle::tpa
