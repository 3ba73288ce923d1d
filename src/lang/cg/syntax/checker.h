// The rules of types: builds checked expressions out of checked operands. Where something does not
// fit it says so once and gives back an expression of the error type, which is taken silently
// everywhere, so that one fault is not reported twice.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cg/syntax/ast.h"
#include "lang/cg/syntax/diagnostic.h"

namespace raddle::cg {

class Checker {
 public:
  Checker(Program& program, Diagnostics& diagnostics)
      : program_(program), diagnostics_(diagnostics) {}

  ExprPtr literal(Place place, float number, BaseType base);
  ExprPtr variable(Place place, std::uint32_t index);
  ExprPtr unary(Place place, Op op, ExprPtr operand);
  ExprPtr binary(Place place, Op op, ExprPtr left, ExprPtr right);
  ExprPtr assign(Place place, ExprPtr target, ExprPtr value);
  // target op= value
  ExprPtr assign_with(Place place, Op op, ExprPtr target, ExprPtr value);
  ExprPtr increment(Place place, ExprPtr target, float amount, bool is_postfix);
  ExprPtr conditional(Place place, ExprPtr condition, ExprPtr then, ExprPtr otherwise);
  ExprPtr call(Place place, std::string_view name, std::vector<ExprPtr> arguments);
  ExprPtr construct(Place place, const Type& type, std::vector<ExprPtr> arguments);
  ExprPtr cast(Place place, const Type& type, ExprPtr operand);
  // { a, b, … } as the first value of something of this type.
  ExprPtr initializer(Place place, Type type, std::vector<ExprPtr> parts);
  ExprPtr member(Place place, ExprPtr object, std::string_view name);
  ExprPtr index(Place place, ExprPtr object, ExprPtr position);

  // The expression as a value of this type, as an assignment would make it; `what` names where it
  // goes in the complaint.
  ExprPtr convert(ExprPtr expression, const Type& type, std::string_view what);
  ExprPtr condition(ExprPtr expression, std::string_view what);

  // For what to say of calls that cannot be: the function whose body is being read (none: empty).
  void enter_function(std::string_view name) {
    current_function_ = name;
    calls_.clear();
  }
  // Functions that the one being read has called so far.
  const std::set<std::uint32_t>& calls() const { return calls_; }
  bool was_assigned(std::uint32_t variable) const { return assigned_.contains(variable); }

  ExprPtr error_expression(Place place);
  std::string name_of(const Type& type) const;
  std::string one(const Type& type) const;  // "a float3", "an int"

 private:
  ExprPtr make(ExprKind kind, Place place, const Type& type);
  ExprPtr converted(ExprPtr expression, const Type& type);
  ExprPtr intrinsic_call(Place place, const IntrinsicInfo& info, std::vector<ExprPtr> arguments);
  Type each_type(Place place, const IntrinsicInfo& info, const std::vector<ExprPtr>& arguments);
  ExprPtr product(Place place, const IntrinsicInfo& info, std::vector<ExprPtr> arguments);
  bool check_sampler(const IntrinsicInfo& info, const Expr& argument);
  unsigned coordinate_size(const IntrinsicInfo& info, const Expr& argument);
  ExprPtr texture(Place place, const IntrinsicInfo& info, std::vector<ExprPtr> arguments);
  Type sized(Type type, const std::vector<ExprPtr>& parts) const;
  bool is_flat_list(const Type& type, const std::vector<ExprPtr>& parts) const;
  ExprPtr swizzle(Place place, ExprPtr object, std::string_view name);
  ExprPtr matrix_member(Place place, ExprPtr object, std::string_view name);
  ExprPtr sized_texture(Place place, std::string_view name, std::vector<ExprPtr> arguments);
  ExprPtr unknown_function(Place place, std::string_view name);
  // The function of this name whose parameters fit best, or -1; says so if none fits.
  int resolve(Place place, std::string_view name, const std::vector<ExprPtr>& arguments);
  int fit(const Function& function, const std::vector<ExprPtr>& arguments) const;
  int conversion_cost(const Type& from, const Type& to) const;
  bool check_target(Place place, const Expr& target, std::string_view what);

  Program& program_;
  Diagnostics& diagnostics_;
  std::string current_function_;
  std::set<std::uint32_t> calls_;
  std::set<std::uint32_t> assigned_;  // variables
};

// A copy of a whole expression.
ExprPtr clone(const Expr& expression);

}  // namespace raddle::cg
