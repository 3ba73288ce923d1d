#include "lang/cg/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/nearest_name.h"
#include "lang/cg/evaluate/evaluator_arithmetic.h"
#include "machine/overlay/instruction.h"

namespace raddle::cg {

Evaluator::Evaluator(const Program& program, const Interface& interface, Fetch fetch,
                     FloatRules rules)
    : program_(program), interface_(&interface), fetch_(std::move(fetch)), rules_(rules) {
  for (std::uint32_t i = 0; i < program.variables.size(); ++i) {
    variables_.emplace_back(number_count(program.variables[i].type, program.structures), 0.0F);
    sampler_of_.push_back(i);
  }
  for (const UniformBinding& uniform : interface.uniforms)
    variables_[uniform.variable] = uniform.default_value;
  for (const SamplerBinding& sampler : interface.samplers) units_[sampler.variable] = sampler.unit;
}

void Evaluator::set_uniform(const std::string& name, std::span<const float> numbers) {
  std::vector<std::string> known;
  for (const UniformBinding& uniform : interface_->uniforms) {
    known.push_back(uniform.name);
    if (uniform.name != name) continue;
    Numbers& place = variables_[uniform.variable];
    if (place.size() != numbers.size()) {
      throw Error(fmt::format("the uniform '{}' takes {} numbers, not {}", name, place.size(),
                              numbers.size()));
    }
    std::ranges::copy(numbers, place.begin());
    return;
  }
  throw Error(fmt::format("the program has no uniform '{}'", name), {}, suggestion(name, known));
}

void Evaluator::count_step() {
  if (++steps_ > kMaxSteps)
    throw Error("the program does not terminate", {},
                fmt::format("one point executed {} statements", kMaxSteps));
}

void Evaluator::prepare_constants() {
  for (const std::uint32_t index : program_.globals) {
    const Variable& variable = program_.variables[index];
    if (variable.storage == Storage::kConstant && variable.initial)
      variables_[index] = value(*variable.initial);
  }
}

PointResult Evaluator::run(float x, float y) {
  const Function& entry = program_.functions[interface_->entry];
  steps_ = 0;
  discarded_ = false;
  prepare_constants();
  for (const std::uint32_t index : entry.parameters) {
    if (program_.variables[index].storage == Storage::kParameter)
      std::ranges::fill(variables_[index], 0.0F);
  }
  const Texel point{x, y, 0, 1};
  for (const CoordinateBinding& coordinate : interface_->coordinates) {
    std::copy_n(point.begin(), coordinate.count,
                variables_[coordinate.variable].begin() + coordinate.offset);
  }
  returned_.clear();
  execute(*entry.body);
  PointResult result;
  result.is_discarded = discarded_;
  for (const OutputBinding& output : interface_->outputs) {
    const Numbers& from =
        output.variable == OutputBinding::kResult ? returned_ : variables_[output.variable];
    if (from.size() < output.offset + output.count) continue;  // discarded before the return
    Texel& texel = result.outputs[output.target];
    if (output.target == machine::overlay::kDepthOutput) {
      std::fill_n(texel.begin(), 3, from[output.offset]);
      texel[3] = 1;
    } else {
      std::copy_n(from.begin() + output.offset, output.count, texel.begin());
    }
  }
  return result;
}

Evaluator::Flow Evaluator::execute_all(const std::vector<StmtPtr>& statements) {
  for (const StmtPtr& statement : statements) {
    const Flow flow = execute(*statement);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Evaluator::Flow Evaluator::execute(const Stmt& statement) {
  count_step();
  switch (statement.kind) {
    case StmtKind::kBlock:
    case StmtKind::kGroup: return execute_all(statement.body);
    case StmtKind::kDeclare: {
      Numbers first(variables_[statement.index].size(), 0.0F);
      if (!statement.expressions.empty()) first = value(*statement.expressions[0]);
      variables_[statement.index] = std::move(first);
      break;
    }
    case StmtKind::kExpression: value(*statement.expressions[0]); break;
    case StmtKind::kIf:
      if (value(*statement.expressions[0])[0] != 0) return execute(*statement.body[0]);
      if (statement.body.size() > 1) return execute(*statement.body[1]);
      break;
    case StmtKind::kFor:
    case StmtKind::kWhile:
    case StmtKind::kDoWhile: return loop(statement);
    case StmtKind::kBreak: return Flow::kBreak;
    case StmtKind::kContinue: return Flow::kContinue;
    case StmtKind::kReturn:
      if (!statement.expressions.empty()) returned_ = value(*statement.expressions[0]);
      return Flow::kReturn;
    case StmtKind::kDiscard: discarded_ = true; return Flow::kDiscard;
  }
  return discarded_ ? Flow::kDiscard : Flow::kNext;
}

Evaluator::Flow Evaluator::loop(const Stmt& statement) {
  if (const Flow flow = execute_all(statement.body); flow != Flow::kNext) return flow;
  const bool tests_first = statement.kind != StmtKind::kDoWhile;
  for (bool is_first = true;; is_first = false) {
    count_step();
    if (statement.condition && (tests_first || !is_first) && value(*statement.condition)[0] == 0)
      return Flow::kNext;
    const Flow flow = execute(*statement.loop_body);
    if (flow == Flow::kReturn || flow == Flow::kDiscard) return flow;
    if (flow == Flow::kBreak) return Flow::kNext;
    if (statement.step) value(*statement.step);
  }
}

Evaluator::Numbers Evaluator::value(const Expr& expression) {
  switch (expression.kind) {
    case ExprKind::kLiteral: return {expression.number};
    case ExprKind::kVariable: return variables_[expression.index];
    case ExprKind::kUnary: return unary(expression);
    case ExprKind::kBinary: return binary(expression);
    case ExprKind::kAssign: {
      Numbers assigned = value(*expression.operands[1]);
      const std::vector<float*> places = target(*expression.operands[0]);
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] != nullptr) *places[i] = assigned[i];
      }
      return assigned;
    }
    case ExprKind::kIncrement: return increment(expression);
    case ExprKind::kConditional: return conditional(expression);
    case ExprKind::kCall: return call(expression);
    case ExprKind::kIntrinsic: {
      if (is_texture(expression.intrinsic)) return texture(expression);
      std::vector<Numbers> arguments;
      for (const ExprPtr& operand : expression.operands) arguments.push_back(value(*operand));
      return Arithmetic(rules_).intrinsic(expression, arguments);
    }
    case ExprKind::kConstruct: return construct(expression);
    case ExprKind::kConvert: return convert(expression);
    case ExprKind::kField: {
      const Numbers whole = value(*expression.operands[0]);
      const Structure& structure = program_.structures[expression.operands[0]->type.structure];
      const std::uint32_t offset = field_offset(structure, expression.index, program_.structures);
      const std::uint32_t count = number_count(expression.type, program_.structures);
      return {whole.begin() + offset, whole.begin() + offset + count};
    }
    case ExprKind::kSwizzle: {
      const Numbers whole = value(*expression.operands[0]);
      Numbers result;
      for (unsigned i = 0; i < expression.type.columns; ++i)
        result.push_back(whole[expression.channels[i]]);
      return result;
    }
    case ExprKind::kIndex: return element(expression);
    case ExprKind::kComma: value(*expression.operands[0]); return value(*expression.operands[1]);
  }
  return {};
}

// Where an assignable expression keeps its numbers; nowhere for an element that does not exist.
std::vector<float*> Evaluator::target(const Expr& expression) {
  if (expression.kind == ExprKind::kVariable) {
    std::vector<float*> places;
    for (float& number : variables_[expression.index]) places.push_back(&number);
    return places;
  }
  const Expr& inner = *expression.operands[0];
  const std::vector<float*> whole = target(inner);
  const std::uint32_t count = number_count(expression.type, program_.structures);
  if (expression.kind == ExprKind::kSwizzle) {
    std::vector<float*> places;
    for (unsigned i = 0; i < count; ++i) places.push_back(whole[expression.channels[i]]);
    return places;
  }
  if (expression.kind == ExprKind::kField) {
    const Structure& structure = program_.structures[inner.type.structure];
    const std::uint32_t offset = field_offset(structure, expression.index, program_.structures);
    return {whole.begin() + offset, whole.begin() + offset + count};
  }
  const float position = value(*expression.operands[1])[0];
  const bool exists =
      position >= 0 && position * static_cast<float>(count) < static_cast<float>(whole.size());
  if (!exists) return std::vector<float*>(count, nullptr);
  const std::size_t offset = static_cast<std::size_t>(position) * count;
  return {whole.begin() + static_cast<std::ptrdiff_t>(offset),
          whole.begin() + static_cast<std::ptrdiff_t>(offset + count)};
}

// The element at an index; an index outside means the nearest element.
Evaluator::Numbers Evaluator::element(const Expr& expression) {
  const Numbers whole = value(*expression.operands[0]);
  const float position = value(*expression.operands[1])[0];
  const std::uint32_t count = number_count(expression.type, program_.structures);
  const auto last = static_cast<std::uint32_t>(whole.size()) / count - 1;
  std::uint32_t at = 0;
  if (position >= static_cast<float>(last))
    at = last;
  else if (position > 0)
    at = static_cast<std::uint32_t>(position);
  return {whole.begin() + at * count, whole.begin() + (at + 1) * count};
}

Evaluator::Numbers Evaluator::unary(const Expr& expression) {
  Numbers numbers = value(*expression.operands[0]);
  for (float& number : numbers)
    number = expression.op == Op::kNot ? (number != 0 ? 0.0F : 1.0F) : -number;
  return numbers;
}

Evaluator::Numbers Evaluator::binary(const Expr& expression) {
  const Numbers a = value(*expression.operands[0]);
  const Numbers b = value(*expression.operands[1]);
  const Arithmetic arithmetic(rules_);
  const bool is_integer = expression.operands[0]->type.base != BaseType::kFloat;
  Numbers result;
  for (std::size_t i = 0; i < a.size(); ++i)
    result.push_back(arithmetic.binary(expression.op, a[i], b[i], is_integer));
  return result;
}

Evaluator::Numbers Evaluator::increment(const Expr& expression) {
  const float before = value(*expression.operands[0])[0];
  const float after = Arithmetic(rules_).add(before, expression.number);
  for (float* place : target(*expression.operands[0])) {
    if (place != nullptr) *place = after;
  }
  return {expression.is_postfix ? before : after};
}

Evaluator::Numbers Evaluator::conditional(const Expr& expression) {
  const Numbers condition = value(*expression.operands[0]);
  Numbers result = value(*expression.operands[1]);
  const Numbers otherwise = value(*expression.operands[2]);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (condition[condition.size() == 1 ? 0 : i] == 0) result[i] = otherwise[i];
  }
  return result;
}

Evaluator::Numbers Evaluator::call(const Expr& expression) {
  const Function& function = program_.functions[expression.index];
  std::vector<Numbers> given;
  for (const ExprPtr& operand : expression.operands)
    given.push_back(operand->type.is_sampler() ? Numbers{} : value(*operand));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint32_t parameter = function.parameters[i];
    if (expression.operands[i]->type.is_sampler()) {
      sampler_of_[parameter] = sampler_of_[expression.operands[i]->index];
    } else if (program_.variables[parameter].direction == Direction::kOut) {
      std::ranges::fill(variables_[parameter], 0.0F);
    } else {
      variables_[parameter] = given[i];
    }
  }
  returned_.clear();
  execute(*function.body);
  Numbers result = std::move(returned_);
  result.resize(number_count(function.result, program_.structures), 0.0F);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint32_t parameter = function.parameters[i];
    if (program_.variables[parameter].direction == Direction::kIn) continue;
    const Numbers& written = variables_[parameter];
    const std::vector<float*> places = target(*expression.operands[i]);
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (places[k] != nullptr) *places[k] = written[k];
    }
  }
  return result;
}

Evaluator::Numbers Evaluator::construct(const Expr& expression) {
  Numbers result;
  for (const ExprPtr& operand : expression.operands) {
    const Numbers part = value(*operand);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

Evaluator::Numbers Evaluator::convert(const Expr& expression) {
  Numbers numbers = value(*expression.operands[0]);
  const BaseType from = expression.operands[0]->type.base;
  const std::uint32_t count = number_count(expression.type, program_.structures);
  if (numbers.size() == 1) numbers.resize(count, numbers[0]);
  if (expression.operands[0]->type.is_matrix() &&
      expression.type.columns < expression.operands[0]->type.columns) {
    Numbers cut;
    const unsigned columns = expression.operands[0]->type.columns;
    for (unsigned row = 0; row < expression.type.rows; ++row) {
      for (unsigned column = 0; column < expression.type.columns; ++column)
        cut.push_back(numbers[row * columns + column]);
    }
    numbers = cut;
  }
  numbers.resize(count);
  for (float& number : numbers) {
    if (expression.type.base == BaseType::kBool && from != BaseType::kBool)
      number = number == 0 ? 0.0F : 1.0F;
    if (expression.type.base == BaseType::kInt && from == BaseType::kFloat)
      number = Arithmetic(rules_).truncate(number);
  }
  return numbers;
}

Evaluator::Numbers Evaluator::texture(const Expr& expression) {
  const Numbers point = value(*expression.operands[1]);
  const auto unit = units_.find(sampler_of_[expression.operands[0]->index]);
  RADDLE_ASSERT(unit != units_.end());
  for (std::size_t i = 2; i < expression.operands.size(); ++i) value(*expression.operands[i]);
  const float divisor = is_projective(expression.intrinsic) ? point.back() : 1;
  const Texel texel = fetch_(unit->second, point[0] / divisor, point[1] / divisor);
  return {texel.begin(), texel.end()};
}

std::vector<float> evaluate_constant(const Program& program, const Expr& expression) {
  const Interface nothing;
  Evaluator evaluator(program, nothing, {});
  evaluator.prepare_constants();
  return evaluator.value(expression);
}

}  // namespace raddle::cg
