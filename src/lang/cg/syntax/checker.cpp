#include "lang/cg/syntax/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::cg {
namespace {

std::string_view op_text(Op op) {
  constexpr std::string_view kTexts[] = {"+",  "-",  "*",  "/",  "%",  "<", "<=", ">",
                                         ">=", "==", "!=", "&&", "||", "-", "!"};
  return kTexts[static_cast<std::size_t>(op)];
}

bool is_comparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }
bool is_logical(Op op) { return op == Op::kAnd || op == Op::kOr; }

// float1xN, floatNx1 and floatN are the same numbers.
bool is_row_or_column(const Type& a, const Type& b) {
  const auto is_line = [](const Type& type) {
    return type.rows == 0 || type.rows == 1 || type.columns == 1;
  };
  const auto size = [](const Type& type) {
    return std::max<unsigned>(type.rows, 1) * type.columns;
  };
  return is_line(a) && is_line(b) && size(a) == size(b);
}

}  // namespace

ExprPtr clone(const Expr& expression) {
  auto copy = std::make_unique<Expr>();
  copy->kind = expression.kind;
  copy->place = expression.place;
  copy->type = expression.type;
  copy->number = expression.number;
  copy->op = expression.op;
  copy->intrinsic = expression.intrinsic;
  copy->is_postfix = expression.is_postfix;
  copy->index = expression.index;
  copy->channels = expression.channels;
  for (const ExprPtr& operand : expression.operands) copy->operands.push_back(clone(*operand));
  return copy;
}

std::string Checker::name_of(const Type& type) const {
  return type_name(type, program_.structures);
}

std::string Checker::one(const Type& type) const { return with_article(name_of(type)); }

ExprPtr Checker::make(ExprKind kind, Place place, const Type& type) {
  auto expression = std::make_unique<Expr>();
  expression->kind = kind;
  expression->place = place;
  expression->type = type;
  return expression;
}

ExprPtr Checker::error_expression(Place place) { return make(ExprKind::kLiteral, place, Type{}); }

ExprPtr Checker::literal(Place place, float number, BaseType base) {
  ExprPtr expression = make(ExprKind::kLiteral, place, scalar_type(base));
  expression->number = number;
  return expression;
}

ExprPtr Checker::variable(Place place, std::uint32_t index) {
  ExprPtr expression = make(ExprKind::kVariable, place, program_.variables[index].type);
  expression->index = index;
  return expression;
}

ExprPtr Checker::converted(ExprPtr expression, const Type& type) {
  if (expression->type == type) return expression;
  ExprPtr result = make(ExprKind::kConvert, expression->place, type);
  result->operands.push_back(std::move(expression));
  return result;
}

ExprPtr Checker::convert(ExprPtr expression, const Type& type, std::string_view what) {
  const Type from = expression->type;
  if (from == type || from.is_error() || type.is_error()) {
    return expression;
  }
  const bool both = from.is_arithmetic() && type.is_arithmetic();
  const bool same_shape = both && from.rows == type.rows && from.columns == type.columns;
  const bool splat = both && from.is_scalar();
  const bool reshaped = both && is_row_or_column(from, type);
  const bool shorter =
      from.is_vector() && (type.is_vector() || type.is_scalar()) && type.columns < from.columns;
  if (same_shape || splat || shorter || reshaped) {
    if (shorter) {
      diagnostics_.warning(expression->place,
                           fmt::format("{} is truncated to {} here", name_of(from), name_of(type)),
                           "write the swizzle to make the truncation explicit");
    }
    return converted(std::move(expression), type);
  }
  diagnostics_.error(expression->place,
                     fmt::format("{} needs {}, not {}", what, one(type), one(from)));
  return error_expression(expression->place);
}

ExprPtr Checker::condition(ExprPtr expression, std::string_view what) {
  if (expression->type.is_error()) return expression;
  if (!expression->type.is_scalar()) {
    diagnostics_.error(expression->place,
                       fmt::format("{} needs a scalar, not {}", what, one(expression->type)),
                       expression->type.is_vector() ? "use any(…) or all(…)" : "");
    return error_expression(expression->place);
  }
  return converted(std::move(expression), scalar_type(BaseType::kBool));
}

ExprPtr Checker::unary(Place place, Op op, ExprPtr operand) {
  if (operand->type.is_error()) return operand;
  if (!operand->type.is_arithmetic()) {
    diagnostics_.error(place,
                       fmt::format("'{}' does not take {}", op_text(op), one(operand->type)));
    return error_expression(place);
  }
  Type type = operand->type;
  if (op == Op::kNot) type = type.with_base(BaseType::kBool);
  if (op == Op::kNegate && type.base == BaseType::kBool) type = type.with_base(BaseType::kInt);
  ExprPtr expression = make(ExprKind::kUnary, place, type);
  expression->op = op;
  expression->operands.push_back(converted(std::move(operand), type));
  return expression;
}

ExprPtr Checker::binary(Place place, Op op, ExprPtr left, ExprPtr right) {
  if (left->type.is_error() || right->type.is_error()) return error_expression(place);
  const Type a = left->type;
  const Type b = right->type;
  const bool same_shape = a.rows == b.rows && a.columns == b.columns;
  if (!a.is_arithmetic() || !b.is_arithmetic() ||
      (!same_shape && !a.is_scalar() && !b.is_scalar())) {
    const bool sizes = a.is_arithmetic() && b.is_arithmetic();
    diagnostics_.error(
        place, fmt::format("'{}' does not take {} and {}", op_text(op), one(a), one(b)),
        !sizes                           ? ""
        : a.is_matrix() || b.is_matrix() ? "mul(a, b) multiplies matrices and vectors"
                                         : "swizzle one side to the other's size");
    return error_expression(place);
  }
  Type type = a.is_scalar() ? b : a;
  BaseType base =
      a.base == BaseType::kFloat || b.base == BaseType::kFloat ? BaseType::kFloat : BaseType::kInt;
  if (is_logical(op)) base = BaseType::kBool;
  if (op == Op::kModulo && base == BaseType::kFloat) {
    const Type both = type.with_base(base);
    std::vector<ExprPtr> given;
    given.push_back(converted(std::move(left), both));
    given.push_back(converted(std::move(right), both));
    return call(place, "fmod", std::move(given));
  }
  type = type.with_base(base);
  ExprPtr expression =
      make(ExprKind::kBinary, place, is_comparison(op) ? type.with_base(BaseType::kBool) : type);
  expression->op = op;
  expression->operands.push_back(converted(std::move(left), type));
  expression->operands.push_back(converted(std::move(right), type));
  return expression;
}

bool Checker::check_target(Place place, const Expr& target, std::string_view what) {
  if (target.kind == ExprKind::kElements)
    return std::ranges::all_of(target.operands, [&](const ExprPtr& element) {
      return check_target(place, *element, what);
    });
  const Expr* inner = &target;
  for (;;) {
    if (inner->kind == ExprKind::kField || inner->kind == ExprKind::kIndex) {
      inner = inner->operands[0].get();
    } else if (inner->kind == ExprKind::kSwizzle) {
      for (unsigned i = 0; i < inner->type.columns; ++i) {
        for (unsigned j = 0; j < i; ++j) {
          if (inner->channels[i] != inner->channels[j]) continue;
          diagnostics_.error(inner->place, fmt::format("{} names a component twice", what));
          return false;
        }
      }
      inner = inner->operands[0].get();
    } else {
      break;
    }
  }
  if (inner->kind != ExprKind::kVariable) {
    diagnostics_.error(place, fmt::format("{} is not a variable", what));
    return false;
  }
  const Variable& variable = program_.variables[inner->index];
  if (variable.is_const) {
    diagnostics_.error(place, fmt::format("'{}' is const and cannot be changed", variable.name));
    return false;
  }
  assigned_.insert(inner->index);
  return true;
}

ExprPtr Checker::assign(Place place, ExprPtr target, ExprPtr value) {
  if (target->type.is_error() || value->type.is_error()) return error_expression(place);
  if (!check_target(target->place, *target, "the left side")) return error_expression(place);
  const Type type = target->type;
  value = convert(std::move(value), type, "the left side");
  if (value->type.is_error()) return value;
  ExprPtr expression = make(ExprKind::kAssign, place, type);
  expression->operands.push_back(std::move(target));
  expression->operands.push_back(std::move(value));
  return expression;
}

ExprPtr Checker::assign_with(Place place, Op op, ExprPtr target, ExprPtr value) {
  if (target->type.is_error() || value->type.is_error()) return error_expression(place);
  if (!check_target(target->place, *target, "the left side")) return error_expression(place);
  ExprPtr current = clone(*target);
  return assign(place, std::move(target), binary(place, op, std::move(current), std::move(value)));
}

ExprPtr Checker::increment(Place place, ExprPtr target, float amount, bool is_postfix) {
  if (target->type.is_error()) return target;
  if (!check_target(target->place, *target, "what is counted")) return error_expression(place);
  if (!target->type.is_scalar() || target->type.base == BaseType::kBool) {
    diagnostics_.error(
        place, fmt::format("only an int or a float can be incremented or decremented, not {}",
                           one(target->type)));
    return error_expression(place);
  }
  ExprPtr expression = make(ExprKind::kIncrement, place, target->type);
  expression->number = amount;
  expression->is_postfix = is_postfix;
  expression->operands.push_back(std::move(target));
  return expression;
}

ExprPtr Checker::conditional(Place place, ExprPtr condition, ExprPtr then, ExprPtr otherwise) {
  if (condition->type.is_error() || then->type.is_error() || otherwise->type.is_error())
    return error_expression(place);
  Type type = then->type;
  if (then->type.is_arithmetic() && otherwise->type.is_arithmetic()) {
    if (type.is_scalar()) type = otherwise->type;
    if (condition->type.is_vector() && type.is_scalar())
      type = condition->type.with_base(type.base);
    const bool is_float =
        then->type.base == BaseType::kFloat || otherwise->type.base == BaseType::kFloat;
    const bool is_int = then->type.base == BaseType::kInt || otherwise->type.base == BaseType::kInt;
    type = type.with_base(is_float ? BaseType::kFloat : is_int ? BaseType::kInt : BaseType::kBool);
  }
  then = convert(std::move(then), type, "the other side of ':'");
  otherwise = convert(std::move(otherwise), type, "the other side of ':'");
  if (then->type.is_error() || otherwise->type.is_error()) return error_expression(place);
  if (condition->type.is_vector()) {
    if (!type.is_vector() || type.columns != condition->type.columns) {
      diagnostics_.error(
          condition->place,
          fmt::format("a condition of type {} cannot choose between values of type {}",
                      name_of(condition->type), name_of(type)));
      return error_expression(place);
    }
    const Type wanted = condition->type.with_base(BaseType::kBool);
    condition = converted(std::move(condition), wanted);
  } else {
    condition = this->condition(std::move(condition), "'?'");
    if (condition->type.is_error()) return condition;
  }
  ExprPtr expression = make(ExprKind::kConditional, place, type);
  expression->operands.push_back(std::move(condition));
  expression->operands.push_back(std::move(then));
  expression->operands.push_back(std::move(otherwise));
  return expression;
}

ExprPtr Checker::cast(Place place, const Type& type, ExprPtr operand) {
  if (operand->type.is_error()) return operand;
  const Type from = operand->type;
  const bool fits =
      type.is_arithmetic() && from.is_arithmetic() &&
      (from.is_scalar() || is_row_or_column(from, type) ||
       (from.is_matrix() && type.is_vector() && type.columns == from.rows * from.columns) ||
       ((from.rows > 0) == (type.rows > 0) && type.rows <= from.rows &&
        type.columns <= from.columns));
  if (from == type) return operand;
  // (light)0: all fields of the struct.
  if (from.is_scalar() && type.base == BaseType::kStruct && type.array == 0) {
    std::vector<ExprPtr> fields;
    for (const Field& field : program_.structures[type.structure].fields)
      fields.push_back(cast(place, field.type, clone(*operand)));
    return initializer(place, type, std::move(fields));
  }
  if (!fits) {
    diagnostics_.error(place, fmt::format("{} cannot be converted to {}", one(from), one(type)));
    return error_expression(place);
  }
  return converted(std::move(operand), type);
}

ExprPtr Checker::construct(Place place, const Type& type, std::vector<ExprPtr> arguments) {
  for (const ExprPtr& argument : arguments) {
    if (argument->type.is_error()) return error_expression(place);
  }
  const bool takes_apart = arguments.size() == 1 && type.is_matrix() &&
                           arguments[0]->type.is_vector() &&
                           !is_row_or_column(type, arguments[0]->type);
  const bool fills_struct = type.base == BaseType::kStruct && type.array == 0 &&
                            arguments.size() == 1 && !arguments[0]->type.is_scalar() &&
                            arguments[0]->type != type;
  if (arguments.size() == 1 && !takes_apart && !fills_struct)
    return cast(place, type, std::move(arguments[0]));
  if (type.array > 0 || type.base == BaseType::kStruct)
    return initializer(place, type, std::move(arguments));
  ExprPtr expression = make(ExprKind::kConstruct, place, type);
  std::uint32_t given = 0;
  for (ExprPtr& argument : arguments) {
    const Type part = argument->type;
    if (!part.is_arithmetic()) {
      diagnostics_.error(argument->place,
                         fmt::format("{} cannot be part of {}", one(part), one(type)));
      return error_expression(place);
    }
    given += number_count(part, program_.structures);
    expression->operands.push_back(converted(std::move(argument), part.with_base(type.base)));
  }
  const std::uint32_t needed = number_count(type, program_.structures);
  if (given != needed) {
    diagnostics_.error(place, fmt::format("{} takes {} numbers, not {}", one(type), needed, given));
    return error_expression(place);
  }
  return expression;
}

// Whether the parts are the numbers of an array's elements, one after the other: float2 a[2] = {1,
// 2, 3, 4}.
bool Checker::is_flat_list(const Type& type, const std::vector<ExprPtr>& parts) const {
  if (type.array == 0 && type.base != BaseType::kStruct) return false;
  std::uint32_t given = 0;
  for (const ExprPtr& part : parts) {
    if (!part->type.is_arithmetic()) return false;
    given += number_count(part->type, program_.structures);
  }
  return given == number_count(type, program_.structures);
}

// As many elements as the list has values, or numbers for where they are not whole elements.
Type Checker::sized(Type type, const std::vector<ExprPtr>& parts) const {
  std::uint32_t numbers = 0;
  bool are_elements = true;
  for (const ExprPtr& part : parts) {
    numbers += number_count(part->type, program_.structures);
    are_elements = are_elements && number_count(part->type, program_.structures) ==
                                       number_count(type.element(), program_.structures);
  }
  const std::uint32_t size = number_count(type.element(), program_.structures);
  type.array = are_elements || size == 0 || numbers % size != 0
                   ? static_cast<std::uint32_t>(parts.size())
                   : numbers / size;
  return type;
}

ExprPtr Checker::initializer(Place place, Type type, std::vector<ExprPtr> parts) {
  for (const ExprPtr& part : parts) {
    if (part->type.is_error()) return error_expression(place);
  }
  if (type.array == Type::kUnsized) type = sized(type, parts);
  std::vector<Type> wanted;
  if (type.array > 0) {
    wanted.assign(type.array, type.element());
  } else if (type.base == BaseType::kStruct) {
    for (const Field& field : program_.structures[type.structure].fields)
      wanted.push_back(field.type);
  } else if (type.is_matrix() && parts.size() == type.rows) {
    wanted.assign(type.rows, vector_type(type.base, type.columns));
  } else {
    return construct(place, type, std::move(parts));
  }
  if (wanted.size() != parts.size() && is_flat_list(type, parts)) {
    ExprPtr expression = make(ExprKind::kConstruct, place, type);
    for (ExprPtr& part : parts) {
      const BaseType base = type.base == BaseType::kStruct ? part->type.base : type.base;
      const Type of_elements = part->type.with_base(base);
      expression->operands.push_back(converted(std::move(part), of_elements));
    }
    return expression;
  }
  if (wanted.size() != parts.size()) {
    diagnostics_.error(
        place, fmt::format("{} takes {} values, not {}", one(type), wanted.size(), parts.size()));
    return error_expression(place);
  }
  ExprPtr expression = make(ExprKind::kConstruct, place, type);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ExprPtr part = convert(std::move(parts[i]), wanted[i], "this place");
    if (part->type.is_error()) return part;
    expression->operands.push_back(std::move(part));
  }
  return expression;
}

}  // namespace raddle::cg
