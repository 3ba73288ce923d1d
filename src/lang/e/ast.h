// An e program as a tree. The parser builds it; the semantic check fills in what names mean and
// where values live (`symbol`, `rank`), and replaces what is constant by its number. The
// interpreter and the compiler read it and share nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/e/operators.h"
#include "lang/e/position.h"
#include "lang/e/source_text.h"

namespace raddle::e {

// Where a value lives, in ascending order: a constant of the program, one value a flow (frontend),
// one value a fiber (backends).
enum class Rank : std::uint8_t { kConstant, kCommon, kFiber };

enum class SymbolKind : std::uint8_t {
  kConstant,  // const and param
  kCommon,    // x: a scalar or array of the flow, kept by the frontend
  kFiber,     // x$: one value a fiber
  kShared,    // x_: shared memory
  kFunction,
  kArrayParameter,  // x_[] or x_[][] of a function: the caller's shared array
};

struct Function;

struct Symbol {
  SymbolKind kind = SymbolKind::kCommon;
  std::string name;
  Position position;
  Type type = Type::kInt;
  std::int64_t value = 0;              // of a constant
  std::vector<std::int64_t> extents;   // of an array; empty: a scalar
  std::size_t indices = 0;             // of an array parameter
  std::uint32_t id = 0;                // unique in the program
  std::uint32_t flow_depth = 0;        // how many flow constructs (par, split) surround it
  std::uint32_t mask_depth = 0;        // how many fiber-wise ifs and loops surround it
  std::uint32_t thickness_region = 0;  // of a fiber variable: the thick region it belongs to
  const Function* function = nullptr;
  bool is_global = false;
  bool is_parameter = false;

  std::int64_t words() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : extents) product *= extent;
    return product;
  }
};

enum class ExprKind : std::uint8_t {
  kNumber,
  kName,       // a scalar
  kElement,    // name[index]…; children are the indices
  kFiberId,    // $
  kParentId,   // $$
  kThickness,  // #
  kUnary,
  kBinary,
  kFused,        // fma(a, b, c): a · b + c, rounded once
  kConditional,  // children: condition, if true, if false
  kCall,         // a user's function
  kBuiltin,      // reduce, initial, random
};

enum class Builtin : std::uint8_t { kReduce, kInitial, kRandom };

struct Expr {
  ExprKind kind = ExprKind::kNumber;
  Position position;
  std::int64_t value = 0;
  std::string name;
  BinaryOperator binary = BinaryOperator::kAdd;
  UnaryOperator unary = UnaryOperator::kNegate;
  Builtin builtin = Builtin::kReduce;
  MultiOperator multi = MultiOperator::kAdd;  // of reduce
  std::vector<std::unique_ptr<Expr>> children;

  // Filled in by the semantic check.
  std::shared_ptr<Symbol> symbol;
  Rank rank = Rank::kConstant;
  Type type = Type::kInt;  // of literals and conversions from the start
};

using ExprPtr = std::unique_ptr<Expr>;

// Whether it divides integers, which is a fault where the divisor is 0.
inline bool divides_integers(const Expr& expr) {
  return expr.kind == ExprKind::kBinary && divides(expr.binary) && expr.type == Type::kInt;
}

enum class StatementKind : std::uint8_t {
  kEmpty,
  kBlock,
  kDeclare,
  kAssign,        // target op= value
  kSetThickness,  // # op= value
  kThick,         // # value : body
  kIf,
  kWhile,
  kDoWhile,
  kFor,  // children: body; init and step are lists
  kBreak,
  kContinue,
  kReturn,
  kCall,
  kMulti,      // multi, fast_multi
  kPrefix,     // prefix, fast_prefix
  kCompact,    // compact(dest, count, condition, value)
  kPartition,  // partition(dest1, count1, dest2, count2, condition, value)
  kSplit,
  kPar,
  kParFor,
  kParLoop,  // par for: init, value, step and body as of for
  kAssert,
  kPrint,  // operands: what is printed; a text is an empty one
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;

// One declared variable, with its initial value.
struct Declaration {
  Type type = Type::kInt;
  std::string name;
  Position position;
  std::vector<ExprPtr> extents;
  enum class Init : std::uint8_t { kNone, kValue, kList, kEach, kFile } init = Init::kNone;
  std::vector<ExprPtr> values;  // one of kValue and kEach, any number of kList
  std::string file;
  Position file_position;
  std::shared_ptr<Symbol> symbol;
};

struct Statement {
  StatementKind kind = StatementKind::kEmpty;
  Position position;
  ExprPtr target;  // of assignments and multi/prefix; of par-for the number of flows
  ExprPtr value;   // assigned value, condition, thickness, source
  std::optional<BinaryOperator> op;  // of compound assignments
  std::vector<StatementPtr> init;
  std::vector<StatementPtr> step;
  std::vector<StatementPtr> body;  // block: all; if and split: then, else; loops: one
  std::vector<Declaration> declarations;

  // Of multi, prefix, compact and partition.
  MultiOperator multi = MultiOperator::kAdd;
  bool fast = false;
  bool inclusive = false;
  std::string technique;  // forced in the source; empty: the compiler chooses
  Position technique_position;
  std::vector<ExprPtr> operands;  // prefix: p; compact, partition: destinations and counters

  std::string text;                  // of assert
  std::vector<std::string> texts;    // of print: one for each operand that is null
  std::shared_ptr<Symbol> variable;  // of par-for: the flow's number

  // Filled in by the semantic check.
  bool fiberwise = false;       // if: fibers decide apart
  std::uint32_t region = 0;     // thick: the number of the region it opens
  bool sets_thickness = false;  // thick region, flow: assigns to # within
  std::vector<std::shared_ptr<Symbol>>
      captured;                                  // split: fiber variables of the parent used within
  std::vector<std::shared_ptr<Symbol>> written;  // split: those of them that are assigned within
};

struct Parameter {
  Type type = Type::kInt;
  std::string name;
  Position position;
  std::size_t indices = 0;  // of an array: int A_[][] has two
  std::shared_ptr<Symbol> symbol;

  bool is_array() const { return indices > 0; }
};

enum class ResultKind : std::uint8_t { kVoid, kCommon, kFiber };

struct Function {
  std::string name;
  Position position;
  ResultKind result = ResultKind::kVoid;
  Type type = Type::kInt;  // of the result
  std::vector<Parameter> parameters;
  StatementPtr body;
  bool host_only = false;  // called from check alone
};

struct ConstantItem {
  std::string name;
  Position position;
  ExprPtr value;
  bool is_parameter = false;  // param: the command line may give another value
  std::optional<Type> type;   // if it is written; else that of the value
  std::shared_ptr<Symbol> symbol;
};

struct Output {
  std::string name;
  Position position;
  std::string file;
  std::shared_ptr<Symbol> symbol;
};

struct Program {
  std::string file_name;
  SourceMap map;  // of the lines in positions
  std::vector<ConstantItem> constants;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<StatementPtr> statements;  // of the first flow, declarations included
  std::vector<StatementPtr> checks;
  std::vector<Output> outputs;

  // Filled in by the semantic check.
  std::vector<std::shared_ptr<Symbol>> shared;          // in order of declaration
  std::vector<const Declaration*> shared_declarations;  // the same
  std::uint32_t symbol_count = 0;
  bool sets_thickness = false;  // the first flow assigns to # outside of thick regions
};

}  // namespace raddle::e
