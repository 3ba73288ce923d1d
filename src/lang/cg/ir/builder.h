// Makes IR of a checked program. Functions are put in where they are called, variables become the
// values last assigned to them, known loops are unrolled. Nothing here chooses instructions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "lang/cg/interface.h"
#include "lang/cg/ir/ir.h"
#include "lang/cg/options.h"
#include "lang/cg/syntax/ast.h"

namespace raddle::cg {

// May `unroll` be false to keep loops that could be unrolled.
IrProgram build_ir(const Program& program, const Interface& interface, const Options& options,
                   bool unroll);

class Builder {
 public:
  Builder(const Program& program, const Interface& interface, const Options& options, bool unroll);

  IrProgram build();

 private:
  struct UnrollFailed {};
  // Whether what follows in this region is still reached.
  enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kReturn, kEnded };
  struct Loop {
    bool is_unrolled = false;
    std::size_t depth = 0;               // open branches where it starts
    std::vector<std::uint32_t> carried;  // variables kept in cells
    std::vector<std::vector<ValueId>> cells;
    std::optional<std::uint32_t> finished;  // variable: a break sets it
    std::optional<std::uint32_t> returned;  // variable: zero as long as the loop goes on
  };
  struct Frame {
    std::uint32_t returned = 0;  // variable: whether it has returned
    std::uint32_t result = 0;    // variable
    std::size_t depth = 0;       // open branches at its start
    std::size_t first_loop = 0;
  };

  // builder_statements.cpp
  void lower_all(const std::vector<StmtPtr>& statements, std::size_t first = 0);
  void lower(const Stmt& statement);
  void lower_if(const Stmt& statement, const std::vector<StmtPtr>* rest, std::size_t rest_first);
  void lower_return(const Stmt& statement);
  void lower_jump(const Stmt& statement);
  void guard_rest(const std::vector<StmtPtr>& statements, std::size_t first);
  using Side = std::function<void()>;
  void branch(const Ref& condition, const Side& then, const Side& otherwise, Place place);
  void merge(IrNode& node, std::vector<Refs> then_env, Flow then_flow, std::vector<Refs> else_env,
             Flow else_flow);
  void leave_scope(const std::vector<StmtPtr>& statements);

  // builder_loops.cpp
  void lower_loop(const Stmt& statement);
  bool try_unroll(const Stmt& statement);
  void unroll(const Stmt& statement);
  void real_loop(const Stmt& statement);
  void loop_body(const Stmt& statement, bool tests, std::optional<std::uint32_t> first_flag);
  void open_loop(Loop loop, std::uint16_t count, Place place);
  void close_loop();
  void break_if_false(const Ref& condition, Place place);
  void branch_out(const Ref& condition, Place place);  // leaves the loop where it holds
  void set_cells(const Loop& loop, bool is_start);
  void emit_break(Place place);
  std::optional<std::uint16_t> known_turns(const Stmt& statement);

  // builder_expressions.cpp
  Refs lower(const Expr& expression);
  Refs lower_variable(const Expr& expression);
  Refs lower_binary(const Expr& expression);
  Refs lower_conditional(const Expr& expression);
  Refs lower_call(const Expr& expression);
  Refs lower_convert(const Expr& expression);
  Refs lower_index(const Expr& expression);
  void store(const Expr& target, Refs refs);
  void store_element(const Expr& target, const Refs& refs);
  Refs resized(Refs refs, const Type& from, const Type& to) const;

  // builder_intrinsics.cpp
  Refs lower_intrinsic(const Expr& expression);
  Refs lower_each(Intrinsic intrinsic, const std::vector<Refs>& arguments);
  Refs lower_texture(const Expr& expression);
  const SamplerBinding& sampler_of(const Expr& expression);
  Refs lower_product(const Expr& expression, const Refs& a, const Refs& b);

  // builder_operations.cpp: all of them work on any number of components.
  struct Operand {
    Refs refs;
    bool negate = false;
    bool absolute = false;
  };
  Refs emit(IrOp op, const std::vector<Operand>& operands, bool saturate = false);
  Refs emit_chunk(IrOp op, const std::vector<Operand>& operands, std::size_t first,
                  std::size_t count, bool saturate);
  Refs add(Refs a, Refs b);
  Refs subtract(Refs a, Refs b);
  Refs multiply(Refs a, Refs b);
  Refs scalar(IrOp op, const Refs& a);
  Refs dot(const Refs& a, const Refs& b);
  Ref level_of(const Refs& dx, const Refs& dy);
  Refs floor(const Refs& a);
  Refs truncate(const Refs& a);
  Refs negate(const Refs& a);
  Refs select(const Refs& at_least_zero, bool negate_test, bool absolute_test, const Refs& then,
              const Refs& otherwise);
  // 1 where the comparison holds, else 0.
  Refs compare(Op op, const Refs& a, const Refs& b);
  Refs whole_quotient(const Refs& a, const Refs& b);
  Refs choose(const Refs& condition, const Refs& then, const Refs& otherwise);
  ValueId new_value(IrValue value);
  ValueId new_cell(unsigned count);
  std::uint32_t new_variable(Refs refs);
  static Refs literals(float number, std::size_t count) {
    return Refs(count, Ref::literal(number));
  }

  void bind_inputs();
  void bind_uniforms();
  void set_input(const InputBinding& input, const std::array<Ref, 4>& parts);
  void write_outputs();
  // Where what follows stands in the user's text: library functions count as their call.
  void at(Place place) {
    if (library_calls_ == 0) place_ = place;
  }
  Region& region() { return *regions_.back(); }

  const Program& program_;
  const Interface& interface_;
  Options options_;
  bool may_unroll_;
  IrProgram result_;
  std::vector<Region*> regions_;
  std::vector<Refs> env_;  // of each variable; empty: not declared yet
  std::vector<Frame> frames_;
  std::vector<Loop> loops_;
  std::vector<std::unique_ptr<IrNode>> open_loops_;
  std::size_t depth_ = 0;  // branches that are open
  Flow flow_ = Flow::kNext;
  Place place_;
  unsigned library_calls_ = 0;  // open
};

}  // namespace raddle::cg
