// What may stand after the operands of an instruction: semaphores, flags, what becomes of
// predicates and the ALU result, and single fields of the word by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/ctm/line_cursor.h"
#include "machine/overlay/instruction.h"

namespace raddle::ctm {

namespace overlay = machine::overlay;

// [NAME=value]: a field of the word as it is to be, whatever the text says otherwise. The value may
// be a label.
struct FieldValue {
  std::string name;
  std::uint32_t value = 0;
  std::string label;
  std::uint32_t line = 0;
  std::size_t start = 0;
};

struct PredicateWrite {
  overlay::ChannelMask mask = 0;
  overlay::Comparison test{};
};

struct Attributes {
  bool wait = false, last = false, nop = false, alu_wait = false, inactive = false;
  bool depth = false;                                              // scalar half
  bool acquire = false, ignore_uncovered = false, scaled = false;  // TEX
  std::optional<PredicateWrite> predicate;
  bool writes_result = false, result_from_alpha = false;
  overlay::Comparison result_test{};
  std::vector<FieldValue> fields;
};

// Which attributes an instruction takes.
enum class AttributeSet : std::uint8_t { kVector, kScalar, kTex, kFlow };

Attributes read_attributes(LineCursor& cursor, AttributeSet set);

// The predicate in front of an instruction: (p), (p.r), (!p.a).
struct Guard {
  overlay::PredicateSelect select{};
  bool invert = false;
};
// p or p.r, without parentheses or '!'.
overlay::PredicateSelect read_predicate(LineCursor& cursor);

// "==0", "<0", ">=0", "!=0".
overlay::Comparison read_comparison(LineCursor& cursor);
std::string_view comparison_text(overlay::Comparison test);

}  // namespace raddle::ctm
