#include "lang/ctm/attributes.h"

#include <fmt/format.h>

#include <array>

#include "base/nearest_name.h"
#include "lang/ctm/operands.h"

namespace raddle::ctm {
namespace {

using overlay::Comparison;

constexpr std::array<std::string_view, 4> kComparisons = {"==0", "<0", ">=0", "!=0"};

struct Flag {
  std::string_view name;
  bool Attributes::* member;
  std::uint8_t sets;  // bit n: AttributeSet n
};

constexpr std::uint8_t kAll = 15;
constexpr std::array<Flag, 9> kFlags = {{
    {"wait", &Attributes::wait, kAll},
    {"last", &Attributes::last, kAll},
    {"nop", &Attributes::nop, kAll},
    {"aluwait", &Attributes::alu_wait, kAll},
    {"inactive", &Attributes::inactive, kAll},
    {"depth", &Attributes::depth, 2},
    {"acquire", &Attributes::acquire, 4},
    {"uncovered", &Attributes::ignore_uncovered, 12},
    {"scaled", &Attributes::scaled, 4},
}};

bool takes(const Flag& flag, AttributeSet set) {
  return ((flag.sets >> static_cast<unsigned>(set)) & 1U) != 0;
}

void read_fields(LineCursor& cursor, std::vector<FieldValue>& fields) {
  while (!cursor.accept(']')) {
    FieldValue field;
    field.line = cursor.line();
    cursor.peek();
    field.start = cursor.position();
    field.name = cursor.word();
    if (field.name.empty()) cursor.fail_here("expected a field, or ']'");
    cursor.expect('=', "after the name of a field");
    if (cursor.at_number()) {
      field.value = cursor.number("a field's value", ~0U);
    } else {
      field.label = cursor.word();
      if (field.label.empty()) cursor.fail_here("expected a number or a label");
    }
    fields.push_back(std::move(field));
  }
}

bool is_alu(AttributeSet set) {
  return set == AttributeSet::kVector || set == AttributeSet::kScalar;
}

void read_predicate_write(LineCursor& cursor, AttributeSet set, Attributes& attributes) {
  PredicateWrite write;
  write.mask = read_mask(cursor, set == AttributeSet::kVector ? overlay::kRgbMask : 8);
  write.test = read_comparison(cursor);
  attributes.predicate = write;
}

void read_result_write(LineCursor& cursor, Attributes& attributes) {
  cursor.expect('.', "and r or a after 'result'");
  const std::size_t start = cursor.position();
  const std::string_view channel = cursor.word_here();
  if (channel != "r" && channel != "a") cursor.fail(start, "the ALU result comes from r or a");
  attributes.writes_result = true;
  attributes.result_from_alpha = channel == "a";
  attributes.result_test = read_comparison(cursor);
}

void read_one(LineCursor& cursor, AttributeSet set, Attributes& attributes) {
  cursor.peek();
  const std::size_t start = cursor.position();
  const std::string_view name = cursor.word();
  std::vector<std::string> known;
  for (const Flag& flag : kFlags) {
    if (!takes(flag, set)) continue;
    if (flag.name == name) {
      attributes.*flag.member = true;
      return;
    }
    known.emplace_back(flag.name);
  }
  if (is_alu(set)) {
    if (name == "pred") return read_predicate_write(cursor, set, attributes);
    if (name == "result") return read_result_write(cursor, attributes);
    known.emplace_back("pred");
    known.emplace_back("result");
  }
  if (name.empty()) cursor.fail_here("expected the end of the line");
  const std::string near = suggestion(name, known);
  cursor.fail(start, fmt::format("unknown attribute '{}'", name),
              near.empty() ? fmt::format("allowed here: {}", fmt::join(known, " ")) : near);
}

}  // namespace

Attributes read_attributes(LineCursor& cursor, AttributeSet set) {
  Attributes attributes;
  while (!cursor.at_end()) {
    if (cursor.accept('[')) {
      read_fields(cursor, attributes.fields);
    } else {
      read_one(cursor, set, attributes);
    }
  }
  return attributes;
}

overlay::PredicateSelect read_predicate(LineCursor& cursor) {
  if (!cursor.accept_word("p")) cursor.fail_here("expected a predicate", "p, p.r, p.g, p.b or p.a");
  if (!cursor.accept_here('.')) return overlay::PredicateSelect::kPerChannel;
  const std::size_t start = cursor.position();
  const std::string_view letter = cursor.word_here();
  const auto channel = letter.size() == 1 ? channel_of(letter[0]) : std::nullopt;
  if (!channel) cursor.fail(start, "a predicate has one channel", "p, p.r, p.g, p.b or p.a");
  return static_cast<overlay::PredicateSelect>(*channel + 2);
}

Comparison read_comparison(LineCursor& cursor) {
  const std::size_t start = cursor.position();
  for (std::size_t i = 0; i < kComparisons.size(); ++i) {
    bool matches = true;
    for (const char c : kComparisons[i]) matches = matches && cursor.accept(c);
    if (matches) return static_cast<Comparison>(i);
    cursor.go_to(start);
  }
  cursor.fail_here("expected a comparison with zero", "==0, <0, >=0 or !=0");
}

std::string_view comparison_text(Comparison test) {
  return kComparisons[static_cast<std::size_t>(test)];
}

}  // namespace raddle::ctm
