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
  for (const Variable& variable : program.variables)
    variables_.emplace_back(number_count(variable.type, program.structures), 0.0F);
  for (const UniformBinding& uniform : interface.uniforms)
    uniforms_[uniform.variable] = uniform.default_value;
  for (const SamplerBinding& sampler : interface.samplers) {
    Numbers& numbers = uniforms_[sampler.variable];
    numbers.resize(variables_[sampler.variable].size(), 0.0F);
    numbers[sampler.offset] = sampler.unit;
  }
}

void Evaluator::set_uniform(const std::string& name, std::span<const float> numbers) {
  std::vector<std::string> known;
  for (const UniformBinding& uniform : interface_->uniforms) {
    std::vector<UniformField> parts = uniform.fields;
    parts.push_back({uniform.name, 0, static_cast<std::uint32_t>(uniform.rows.size())});
    for (const UniformField& part : parts) {
      known.push_back(part.name);
      if (part.name != name) continue;
      std::vector<float*> places;
      for (std::uint32_t row = part.first_row; row < part.first_row + part.rows; ++row) {
        for (unsigned i = 0; i < uniform.rows[row].count; ++i)
          places.push_back(&uniforms_[uniform.variable][uniform.rows[row].offset + i]);
      }
      if (places.size() != numbers.size()) {
        throw Error(fmt::format("the uniform '{}' takes {} numbers, not {}", name, places.size(),
                                numbers.size()));
      }
      for (std::size_t i = 0; i < places.size(); ++i) *places[i] = numbers[i];
      return;
    }
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

// Everything as it is before the first statement: programs may change their uniforms.
void Evaluator::start() {
  steps_ = 0;
  discarded_ = false;
  for (const std::uint32_t index : program_.functions[interface_->entry].parameters)
    std::ranges::fill(variables_[index], 0.0F);
  for (const auto& [variable, numbers] : uniforms_) variables_[variable] = numbers;
  prepare_constants();
  returned_.clear();
}

void Evaluator::set_input(const InputBinding& input, const Texel& value) {
  std::copy_n(value.begin(), input.count, variables_[input.variable].begin() + input.offset);
}

const Evaluator::Numbers& Evaluator::output_numbers(const OutputBinding& output) const {
  return output.variable == OutputBinding::kResult ? returned_ : variables_[output.variable];
}

// The other points of the block are run first, and what they give to each derivative is kept:
// twice, since it may depend on other derivatives. All points have to come by the same derivatives.
PointResult Evaluator::run(float x, float y) {
  PointResult result = run_point(x, y);
  if (block_[0].empty()) return result;
  const float left = std::floor(x / 2) * 2;
  const float top = std::floor(y / 2) * 2;
  for (unsigned pass = 0; pass < 2; ++pass) {
    std::array<std::vector<Numbers>, 4> next;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned column = i % 2, row = i / 2;
      run_point(left + static_cast<float>(column), top + static_cast<float>(row));
      next[i] = std::move(given_);
    }
    block_ = std::move(next);
  }
  return run_point(x, y);
}

Evaluator::Numbers Evaluator::derivative(const Expr& expression) {
  const Numbers given = value(*expression.operands[0]);
  const std::size_t number = given_.size();
  given_.push_back(given);
  if (block_[0].empty() || number >= block_[3].size()) {
    if (block_[0].empty()) block_[0].emplace_back();  // noted: there are derivatives
    return Numbers(given.size(), 0.0F);
  }
  const bool is_x = expression.intrinsic == Intrinsic::kDdx;
  const unsigned step = is_x ? 1 : 2;
  const unsigned from = at_in_block_ & ~step;
  Numbers result;
  for (std::size_t i = 0; i < given.size(); ++i)
    result.push_back(
        Arithmetic(rules_).subtract(block_[from | step][number][i], block_[from][number][i]));
  return result;
}

PointResult Evaluator::run_point(float x, float y) {
  start();
  given_.clear();
  at_in_block_ = (static_cast<unsigned>(x) & 1U) | (static_cast<unsigned>(y) & 1U) << 1;
  const Arithmetic arithmetic(rules_);
  for (std::size_t i = 0; i < interface_->inputs.size(); ++i) {
    const InputBinding& input = interface_->inputs[i];
    Texel value{x, y, 0, 1};
    if (is_one_by_default(input.semantic)) value = {1, 1, 1, 1};
    if (interface_->stage == Stage::kFragment) {
      const auto& [base, dx, dy] = planes_[i];
      for (unsigned c = 0; c < 4; ++c)
        value[c] = arithmetic.add(arithmetic.multiply(x, dx[c]),
                                  arithmetic.add(arithmetic.multiply(y, dy[c]), base[c]));
    }
    set_input(input, value);
  }
  execute(*program_.functions[interface_->entry].body);
  PointResult result;
  result.is_discarded = discarded_;
  for (const OutputBinding& output : interface_->outputs) {
    const Numbers& from = output_numbers(output);
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

std::vector<Texel> Evaluator::run_vertex(const std::vector<Texel>& inputs) {
  start();
  for (std::size_t i = 0; i < inputs.size(); ++i) set_input(interface_->inputs[i], inputs[i]);
  execute(*program_.functions[interface_->entry].body);
  std::vector<Texel> result;
  for (const OutputBinding& output : interface_->outputs) {
    Texel value{0, 0, 0, 1};
    std::copy_n(output_numbers(output).begin() + output.offset, output.count, value.begin());
    result.push_back(value);
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
      if (expression.intrinsic == Intrinsic::kDdx || expression.intrinsic == Intrinsic::kDdy)
        return derivative(expression);
      std::vector<Numbers> arguments;
      for (const ExprPtr& operand : expression.operands) arguments.push_back(value(*operand));
      return Arithmetic(rules_).intrinsic(expression, arguments);
    }
    case ExprKind::kElements:
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
  if (expression.kind == ExprKind::kElements) {
    std::vector<float*> places;
    for (const ExprPtr& element : expression.operands) places.push_back(target(*element)[0]);
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
  for (const ExprPtr& operand : expression.operands) given.push_back(value(*operand));
  if (rules_.ieee && function.is_library) {
    if (auto result = library_value(function.name, given)) return std::move(*result);
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint32_t parameter = function.parameters[i];
    if (program_.variables[parameter].direction == Direction::kOut) {
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
  const Intrinsic id = expression.intrinsic;
  const auto unit = static_cast<unsigned>(value(*expression.operands[0])[0]);
  if (interface_->stage == Stage::kVertex) fetch_(unit, 0, 0);  // says what it thinks of it
  const std::array<float, 3> size = sizes_[unit];
  if (id == Intrinsic::kTexFiltered) return {size[2]};
  if (is_size(id)) return {size[0], size[1]};
  const Numbers point = value(*expression.operands[1]);
  Numbers last;
  for (std::size_t i = 2; i < expression.operands.size(); ++i)
    last = value(*expression.operands[i]);
  const Arithmetic arithmetic(rules_);
  std::array<float, 2> at{point[0], is_one_dimensional(id) ? 0 : point[1]};
  const bool is_scaled =
      interface_->stage == Stage::kFragment && !is_rectangle(id) && !is_fetch(id);
  const bool moves = has_offset(expression);
  for (unsigned i = 0; i < 2; ++i) {
    // TXP divides; with an offset the program does.
    if (is_projective(id))
      at[i] = moves ? arithmetic.divide(at[i], point.back()) : at[i] / point.back();
    if (is_scaled) at[i] *= size[i];
    if (is_fetch(id)) at[i] = arithmetic.add(at[i], 0.5F);  // the middle of the texel
    if (moves) at[i] = arithmetic.add(at[i], i < last.size() ? last[i] : 0);
  }
  const Texel texel = fetch_(unit, at[0], at[1]);
  return {texel.begin(), texel.end()};
}

std::vector<float> evaluate_constant(const Program& program, const Expr& expression) {
  const Interface nothing;
  Evaluator evaluator(program, nothing, {});
  evaluator.prepare_constants();
  return evaluator.value(expression);
}

}  // namespace raddle::cg
