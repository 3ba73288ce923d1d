// The compiler's own form of a shader: values of up to four components, each computed once, in
// regions that nest as the program's branches and loops do. What flows together where branches join
// or loops iterate is kept in cells: values that several kSet nodes write and that are read in
// between.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "lang/cg/syntax/diagnostic.h"

namespace raddle::cg {

using ValueId = std::uint32_t;

// One number: a component of a value, a channel of a constant register, or a literal.
struct Ref {
  enum class Kind : std::uint8_t { kNone, kValue, kUniform, kLiteral };
  Kind kind = Kind::kNone;
  std::uint8_t channel = 0;
  std::uint32_t index = 0;  // value, register, or the literal's bits

  static Ref value(ValueId id, unsigned channel) {
    return {Kind::kValue, static_cast<std::uint8_t>(channel), id};
  }
  static Ref uniform(unsigned number, unsigned channel) {
    return {Kind::kUniform, static_cast<std::uint8_t>(channel), number};
  }
  static Ref literal(float number) {
    return {Kind::kLiteral, 0, std::bit_cast<std::uint32_t>(number)};
  }
  bool is_value() const { return kind == Kind::kValue; }
  bool is_literal() const { return kind == Kind::kLiteral; }
  bool is_literal(float number) const { return *this == literal(number); }
  float number() const { return std::bit_cast<float>(index); }
  auto operator<=>(const Ref&) const = default;
};
using Refs = std::vector<Ref>;

// What may be computed on the way to an operand, before its modifiers.
enum class Before : std::uint8_t {
  kNothing,
  kOneMinus,    // 1 - refs
  kDifference,  // second - refs
  kSum,         // second + refs
};

// An operand: as many refs as the operation has components (or the width of a dot product).
struct Source {
  std::array<Ref, 4> refs{};
  std::array<Ref, 4> second{};
  Before before = Before::kNothing;
  bool negate = false;
  bool absolute = false;  // before negate
  auto operator<=>(const Source&) const = default;
};

enum class IrOp : std::uint8_t {
  kMov,
  kAdd,
  kMul,
  kMad,
  kDot,  // width products; one component
  kMin,
  kMax,
  kCmp,  // sources[2] >= 0 ? sources[0] : sources[1]
  kFrc,
  kEx2,  // this and the following: one component
  kLn2,
  kRcp,
  kRsq,
  kSin,
  kCos,
  kTex,  // sources[0]: width coordinates, the third divides the others; four components
  kMdh,  // right minus left, lower minus upper point of a 2x2 block
  kMdv,
  kCell,   // no definition of its own
  kInput,  // the point of the domain: two components
};

inline bool is_scalar_only(IrOp op) { return op >= IrOp::kEx2 && op <= IrOp::kCos; }

// How a texel's level is chosen: by how far apart neighbours read; the same and a bias; as given.
enum class TexLevel : std::uint8_t { kNear, kBiased, kGiven };

struct IrValue {
  IrOp op = IrOp::kMov;
  std::uint8_t count = 1;
  std::uint8_t width = 0;  // of a dot product; of kTex: 2 or 3
  std::uint8_t sampler = 0;
  TexLevel level = TexLevel::kNear;  // of kTex: by the third coordinate, where it is not kNear
  bool scaled = false;               // of kTex: coordinates go from 0 to 1 across the buffer
  std::int8_t scale = 0;             // the result is multiplied by 2^scale, -3 to 3
  bool saturate = false;
  std::array<Source, 3> sources{};
  Place place;

  unsigned source_count() const;
  // Refs of each source that count.
  unsigned source_width() const { return op == IrOp::kDot || op == IrOp::kTex ? width : count; }
};

struct CellSet {
  ValueId cell = 0;
  std::array<Ref, 4> refs{};  // kNone: as it is
};

struct IrNode;
using Region = std::vector<IrNode>;

enum class NodeKind : std::uint8_t { kValue, kIf, kLoop, kBreak, kContinue, kSet, kOutput, kKill };

struct IrNode {
  NodeKind kind = NodeKind::kValue;
  ValueId value = 0;
  Ref condition;               // of kIf: a bool
  Region then, otherwise;      // of kLoop: then
  bool is_predicated = false;  // of kIf: short enough to run through
  std::uint16_t count = 0;     // iterations of a loop, at most
  std::vector<CellSet> sets;   // all at once
  std::uint8_t target = 0;
  std::array<Ref, 4> refs{};  // of kOutput
  Place place;
};

struct IrProgram {
  std::vector<IrValue> values;
  Region body;
};

inline unsigned IrValue::source_count() const {
  switch (op) {
    case IrOp::kCell:
    case IrOp::kInput: return 0;
    case IrOp::kAdd:
    case IrOp::kMul:
    case IrOp::kDot:
    case IrOp::kMin:
    case IrOp::kMax: return 2;
    case IrOp::kMad:
    case IrOp::kCmp: return 3;
    default: return 1;
  }
}

// "v3:4 = mul (v1.x v1.y) (c0.x 2)"
std::string text_of(const IrProgram& program, ValueId value);
std::string text_of(const Ref& ref);
std::string text_of(const std::array<Ref, 4>& refs, unsigned count);
// Everything as text, for people.
std::string print(const IrProgram& program);

// Calls `visit(node)` for every node, outer ones first.
template <typename Visit>
void for_each_node(Region& region, const Visit& visit) {
  for (IrNode& node : region) {
    visit(node);
    for_each_node(node.then, visit);
    for_each_node(node.otherwise, visit);
  }
}
template <typename Visit>
void for_each_node(const Region& region, const Visit& visit) {
  for (const IrNode& node : region) {
    visit(node);
    for_each_node(node.then, visit);
    for_each_node(node.otherwise, visit);
  }
}

// Calls `visit(ref)` for every ref that a value's sources mention.
template <typename Value, typename Visit>
void for_each_ref(Value& value, const Visit& visit) {
  for (unsigned s = 0; s < value.source_count(); ++s) {
    for (unsigned i = 0; i < value.source_width(); ++i) {
      visit(value.sources[s].refs[i]);
      if (value.sources[s].before >= Before::kDifference) visit(value.sources[s].second[i]);
    }
  }
}

}  // namespace raddle::cg
