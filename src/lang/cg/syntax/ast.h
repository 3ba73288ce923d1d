// A Cg program after its names and types were checked: every expression has its type, every
// conversion is a node of its own, and names are indices into the program's tables. The evaluator
// and the compiler both start from this and share nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lang/cg/syntax/diagnostic.h"
#include "lang/cg/syntax/intrinsics.h"
#include "lang/cg/syntax/type.h"

namespace raddle::cg {

enum class ExprKind : std::uint8_t {
  kLiteral,      // number
  kVariable,     // index: of Program::variables
  kUnary,        // op: kNegate, kNot
  kBinary,       // op
  kAssign,       // operands: target, value (already of the target's type)
  kIncrement,    // operand: target; number: +1 or -1; postfix: the value before
  kConditional,  // operands: condition (bool of the same size, or one), then, else
  kCall,         // index: of Program::functions
  kIntrinsic,    // intrinsic
  kConstruct,    // the operands' numbers one after the other
  kElements,     // operands: elements of a matrix, m._m00_m11; can be assigned
  kConvert,      // one operand; to the type's base, repeated or cut to its size
  kField,        // index: field of the operand's struct
  kSwizzle,      // channels: of the operand, which is a scalar or a vector
  kIndex,        // operands: array, vector or matrix; index (int)
  kComma,
};

enum class Op : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  kNegate,
  kNot,
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Place place;
  Type type;
  std::vector<std::unique_ptr<Expr>> operands;
  float number = 0;
  Op op = Op::kAdd;
  Intrinsic intrinsic{};
  bool is_postfix = false;
  std::uint32_t index = 0;
  std::array<std::uint8_t, 4> channels{};
};
using ExprPtr = std::unique_ptr<Expr>;

// For a texture function: sampler, coordinates, two derivatives if there are any, and an offset in
// texels if there is one.
inline bool has_offset(const Expr& texture) {
  return texture.operands.size() == 3 || texture.operands.size() == 5;
}
inline bool has_derivatives(const Expr& texture) {
  return is_plain_texture(texture.intrinsic) && texture.operands.size() >= 4;
}
// Whether a built-in function has to know how large its buffer is.
inline bool needs_size(const Expr& intrinsic) {
  return is_size(intrinsic.intrinsic) ||
         (is_texture(intrinsic.intrinsic) && !is_fetch(intrinsic.intrinsic) &&
          (has_offset(intrinsic) || has_derivatives(intrinsic)));
}

// For pow: the exponent where it is a whole number from 1 to 4 that is written out, else 0. Such a
// power is a product and takes any sign.
inline unsigned written_exponent(const Expr& power) {
  const Expr* exponent = power.operands[1].get();
  while (exponent->kind == ExprKind::kConvert) exponent = exponent->operands[0].get();
  if (exponent->kind != ExprKind::kLiteral) return 0;
  for (const unsigned n : {1U, 2U, 3U, 4U}) {
    if (exponent->number == static_cast<float>(n)) return n;
  }
  return 0;
}

enum class StmtKind : std::uint8_t {
  kBlock,       // body
  kGroup,       // body: declarations of one line, which are seen after it
  kDeclare,     // index: variable; expressions[0]: its first value, if any
  kExpression,  // expressions[0]
  kIf,          // expressions[0]: condition; body[0], body[1] if there is an else
  kFor,         // body: first statements; condition, step; loop_body
  kWhile,       // condition; loop_body
  kDoWhile,
  kBreak,
  kContinue,
  kReturn,  // expressions[0], if any
  kDiscard,
};

struct Stmt {
  StmtKind kind = StmtKind::kBlock;
  Place place;
  std::uint32_t index = 0;
  std::vector<ExprPtr> expressions;
  std::vector<std::unique_ptr<Stmt>> body;
  ExprPtr condition;  // may be absent in a for
  ExprPtr step;
  std::unique_ptr<Stmt> loop_body;
};
using StmtPtr = std::unique_ptr<Stmt>;

enum class Storage : std::uint8_t { kLocal, kParameter, kUniform, kConstant };
enum class Direction : std::uint8_t { kIn, kOut, kInOut };

struct Variable {
  std::string name;
  Type type;
  Storage storage = Storage::kLocal;
  Direction direction = Direction::kIn;
  bool is_const = false;
  std::string semantic;
  Place place;
  ExprPtr initial;  // of a global, or of a const scalar
};

struct Function {
  std::string name;
  Type result;
  std::string semantic;
  std::vector<std::uint32_t> parameters;  // variables
  StmtPtr body;                           // none: only declared
  Place place;
  bool is_library = false;
  std::set<std::uint32_t> calls;        // functions
  std::vector<Diagnostic> diagnostics;  // of its text; shown only where it is reached
};

struct Program {
  std::vector<Structure> structures;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::uint32_t> globals;  // variables
};

}  // namespace raddle::cg
