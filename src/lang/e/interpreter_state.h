// The inside of the interpreter: flows, values of many fibers, and the log of what each flow
// touched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/e/ast.h"
#include "lang/e/initial_data.h"
#include "lang/e/interpreter.h"

namespace raddle::e {

// One number for the flow, or one for each fiber.
struct Value {
  bool per_fiber = false;
  std::int64_t scalar = 0;
  std::vector<std::int64_t> lanes;

  std::int64_t at(std::size_t fiber) const { return per_fiber ? lanes[fiber] : scalar; }
};

using Mask = std::vector<bool>;  // one entry a fiber: it takes part

// What a flow did to a word of shared memory.
struct Access {
  bool read = false;
  bool write = false;
  int multi = -1;  // the operator of multioperations, -2: several
  Position position;
};

using Word = std::pair<std::size_t, std::size_t>;  // shared variable, index

struct WordHash {
  std::size_t operator()(const Word& word) const { return word.first * 0x9e3779b9u + word.second; }
};

using AccessLog = std::unordered_map<Word, Access, WordHash>;

struct Flow {
  std::int64_t thickness = 1;
  std::vector<std::int64_t> commons;              // by symbol
  std::vector<std::vector<std::int64_t>> arrays;  // common arrays, by symbol
  std::vector<std::vector<std::int64_t>> fibers;  // fiber variables, by symbol
  std::vector<std::int64_t> parents;              // in a branch of split: the fibers' old numbers
  std::vector<std::uint32_t> array_bindings;      // array parameters: the shared variable
  Mask mask;                                      // empty: all fibers
  AccessLog* log = nullptr;                       // null in a flow that runs alone
};

enum class Completion : std::uint8_t { kNormal, kBreak, kContinue, kReturn };

class Interpreter {
 public:
  Interpreter(const Program& program, SharedData& memory, const SharedData* initial,
              const InterpreterLimits& limits, std::string* printed = nullptr);

  void run_program();
  void run_check(const Statement& check);

 private:
  // interpreter.cpp
  Completion run(const Statement& statement);
  Completion run_all(const std::vector<StatementPtr>& statements);
  void declare(const Statement& statement);
  void assign(const Statement& statement);
  void store(const Expr& target, const Value& value);
  Completion run_thick(const Statement& statement);
  Completion run_if(const Statement& statement);
  Completion run_loop(const Statement& statement);
  void run_fiberwise_loop(const Statement& statement);
  void set_thickness(const Statement& statement);
  void print(const Statement& statement);
  [[noreturn]] void fail(Position position, const std::string& message,
                         const std::string& hint = {}) const;

  // interpreter_constructs.cpp
  void run_multi(const Statement& statement);
  void run_prefix(const Statement& statement);
  void run_compaction(const Statement& statement);
  void run_split(const Statement& statement);
  void run_par(const Statement& statement);
  void run_par_for(const Statement& statement);
  void run_par_loop(const Statement& statement);
  void join(std::vector<AccessLog>& logs);
  void log_read(Word word, Position position);
  void log_write(Word word, Position position);
  void log_multi(Word word, MultiOperator op, Position position);

  // interpreter_expressions.cpp
  Value evaluate(const Expr& expr);
  Value evaluate_binary(const Expr& expr);
  Value evaluate_fused(const Expr& expr);
  void check_divisor(const Expr& expr, const Value& divisor) const;
  Value evaluate_conditional(const Expr& expr);
  Value evaluate_element(const Expr& expr);
  Value evaluate_reduce(const Expr& expr);
  void run_calls(const Expr& expr);
  Value call(const Expr& expr);
  std::int64_t scalar_of(const Expr& expr) { return evaluate(expr).at(0); }
  // The word that a location names for each fiber; one entry if it is the same for all.
  std::vector<std::size_t> indices_of(const Expr& location);
  std::size_t shared_index(const Expr& location) const;
  bool takes_part(std::size_t fiber) const { return flow_.mask.empty() || flow_.mask[fiber]; }
  bool somebody_takes_part() const;
  std::size_t fibers() const { return static_cast<std::size_t>(flow_.thickness); }
  Mask mask_where(const Value& condition, bool wanted) const;

  const Program& program_;
  SharedData& memory_;
  const SharedData* initial_;
  InterpreterLimits limits_;
  std::string* printed_;
  std::uint64_t statements_ = 0;
  Flow flow_;
  std::vector<std::size_t> shared_positions_;  // by symbol: which of program.shared
  std::map<const Expr*, Value> call_results_;
  Value returned_;
};

}  // namespace raddle::e
