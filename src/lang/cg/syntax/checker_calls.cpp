// Calls of the program's own functions and of the built-in ones.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "lang/cg/syntax/checker.h"

namespace raddle::cg {
namespace {

// Cg has them, this subset does not.
constexpr std::string_view kKnownButMissing[] = {"noise", "pack_2half", "unpack_2half",
                                                 "floatToIntBits", "intBitsToFloat"};

// What other shading languages call it.
struct OtherName {
  std::string_view name, hint;
};
constexpr OtherName kOtherNames[] = {
    {"texture", "tex2D(sampler, point) in Cg"},
    {"texture2D", "tex2D(sampler, point) in Cg"},
    {"texture2DLod", "tex2Dlod(sampler, float4(point, 0, level)) in Cg"},
    {"textureLod", "tex2Dlod(sampler, float4(point, 0, level)) in Cg"},
    {"texture2DProj", "tex2Dproj(sampler, point) in Cg"},
    {"texelFetch", "tex2Dfetch(sampler, point) in Cg"},
    {"textureSize", "tex2Dsize(sampler, level) in Cg"},
    {"dFdx", "ddx(x) in Cg"},
    {"dFdy", "ddy(x) in Cg"}};

constexpr int kCutCost = 16;  // of a vector that loses components

}  // namespace

int Checker::conversion_cost(const Type& from, const Type& to) const {
  if (from == to) return 0;
  if (!from.is_arithmetic() || !to.is_arithmetic()) return -1;
  if (from.rows == to.rows && from.columns == to.columns) return 1;
  if (from.is_scalar()) return 4;
  if (from.is_vector() && (to.is_vector() || to.is_scalar()) && to.columns < from.columns)
    return kCutCost;
  return -1;
}

// The sum of what the arguments' conversions cost, or -1 where it cannot be called like this.
int Checker::fit(const Function& function, const std::vector<ExprPtr>& arguments) const {
  if (function.parameters.size() < arguments.size()) return -1;
  for (std::size_t i = arguments.size(); i < function.parameters.size(); ++i) {
    if (!program_.variables[function.parameters[i]].initial) return -1;
  }
  int sum = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Variable& parameter = program_.variables[function.parameters[i]];
    const int cost = conversion_cost(arguments[i]->type, parameter.type);
    // Library functions come in all sizes, so nothing is cut for them.
    if (cost < 0 || (function.is_library && cost >= kCutCost)) return -1;
    if (parameter.direction != Direction::kIn && cost > 0) return -1;
    sum += cost;
  }
  return sum;
}

int Checker::resolve(Place place, std::string_view name, const std::vector<ExprPtr>& arguments) {
  int best = -1;
  int best_cost = 0;
  std::vector<int> candidates;
  for (std::size_t i = 0; i < program_.functions.size(); ++i) {
    const Function& function = program_.functions[i];
    if (function.name != name) continue;
    candidates.push_back(static_cast<int>(i));
    const int cost = fit(function, arguments);
    // A later one of the same cost replaces it: the program's own before the library's.
    if (cost >= 0 && (best < 0 || cost <= best_cost)) {
      best = static_cast<int>(i);
      best_cost = cost;
    }
  }
  if (best >= 0) return best;
  const auto wanted = [&](int candidate) {
    return program_.functions[static_cast<std::size_t>(candidate)].parameters.size();
  };
  if (candidates.size() == 1 && wanted(candidates[0]) != arguments.size()) {
    diagnostics_.error(place,
                       fmt::format("'{}' takes {} argument{}, not {}", name, wanted(candidates[0]),
                                   wanted(candidates[0]) == 1 ? "" : "s", arguments.size()));
    return -1;
  }
  // If one alone has so many parameters, convert() says which argument does not fit.
  std::erase_if(candidates, [&](int candidate) { return wanted(candidate) != arguments.size(); });
  if (candidates.size() == 1) return candidates[0];
  std::string types;
  for (const ExprPtr& argument : arguments)
    types += (types.empty() ? "" : ", ") + name_of(argument->type);
  diagnostics_.error(place, fmt::format("no '{}' takes ({})", name, types));
  return -1;
}

ExprPtr Checker::call(Place place, std::string_view name, std::vector<ExprPtr> arguments) {
  for (const ExprPtr& argument : arguments) {
    if (argument->type.is_error()) return error_expression(place);
  }
  const bool is_own = std::ranges::any_of(
      program_.functions, [&](const Function& function) { return function.name == name; });
  if (!is_own) {
    const IntrinsicInfo* info = find_intrinsic(name);
    if (info == nullptr) return sized_texture(place, name, std::move(arguments));
    return intrinsic_call(place, *info, std::move(arguments));
  }
  const int found = resolve(place, name, arguments);
  if (found < 0) return error_expression(place);
  calls_.insert(static_cast<std::uint32_t>(found));
  const Function& function = program_.functions[static_cast<std::size_t>(found)];
  for (std::size_t i = arguments.size(); i < function.parameters.size(); ++i)
    arguments.push_back(clone(*program_.variables[function.parameters[i]].initial));
  ExprPtr expression = make(ExprKind::kCall, place, function.result);
  expression->index = static_cast<std::uint32_t>(found);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Variable& parameter = program_.variables[function.parameters[i]];
    if (parameter.direction != Direction::kIn) {
      const std::string what = fmt::format("the argument for '{}'", parameter.name);
      if (!check_target(arguments[i]->place, *arguments[i], what)) return error_expression(place);
      if (arguments[i]->type != parameter.type) {
        diagnostics_.error(arguments[i]->place,
                           fmt::format("{} is written by '{}' and must be {}, not {}", what, name,
                                       one(parameter.type), one(arguments[i]->type)));
        return error_expression(place);
      }
    }
    ExprPtr argument =
        convert(std::move(arguments[i]), parameter.type, fmt::format("'{}'", parameter.name));
    if (argument->type.is_error()) return argument;
    expression->operands.push_back(std::move(argument));
  }
  return expression;
}

// f3tex2D, h4tex2D, x1tex2D …: the first components of what tex2D gives, in a precision that does
// not matter here.
ExprPtr Checker::sized_texture(Place place, std::string_view name, std::vector<ExprPtr> arguments) {
  const bool is_one = name.size() > 5 && std::string_view("fhx").find(name[0]) != name.npos &&
                      name[1] >= '1' && name[1] <= '4' && name.substr(2).starts_with("tex");
  if (!is_one) return unknown_function(place, name);
  ExprPtr texel = call(place, name.substr(2), std::move(arguments));
  if (texel->type.is_error()) return texel;
  return converted(std::move(texel),
                   vector_type(BaseType::kFloat, static_cast<unsigned>(name[1] - '0')));
}

ExprPtr Checker::unknown_function(Place place, std::string_view name) {
  if (name == current_function_) {
    diagnostics_.error(place, fmt::format("'{}' calls itself, which is not supported", name),
                       "functions are inlined; write a loop");
    return error_expression(place);
  }
  if (std::ranges::find(kKnownButMissing, name) != std::end(kKnownButMissing)) {
    diagnostics_.error(place, fmt::format("'{}' is not supported", name),
                       "docs/cg.md lists what is supported");
    return error_expression(place);
  }
  std::vector<std::string> names;
  for (const IntrinsicInfo& info : all_intrinsics()) names.emplace_back(info.name);
  for (const Function& function : program_.functions) names.push_back(function.name);
  const auto other = std::ranges::find(kOtherNames, name, &OtherName::name);
  diagnostics_.error(
      place, fmt::format("unknown function '{}'", name),
      other != std::end(kOtherNames) ? std::string(other->hint) : suggestion(name, names));
  return error_expression(place);
}

// One size for all arguments of a function that works number by number.
Type Checker::each_type(Place place, const IntrinsicInfo& info,
                        const std::vector<ExprPtr>& arguments) {
  Type type = scalar_type(BaseType::kFloat);
  for (const ExprPtr& argument : arguments) {
    const Type given = argument->type;
    if (!given.is_arithmetic() || given.is_matrix()) {
      diagnostics_.error(argument->place,
                         fmt::format("'{}' does not take {}", info.name, one(given)));
      return {};
    }
    if (given.is_scalar()) continue;
    if (type.is_vector() && type.columns != given.columns) {
      diagnostics_.error(place,
                         fmt::format("'{}' takes vectors of one size, not {} and {}", info.name,
                                     name_of(type), name_of(given.with_base(BaseType::kFloat))));
      return {};
    }
    type = given.with_base(BaseType::kFloat);
  }
  return type;
}

ExprPtr Checker::intrinsic_call(Place place, const IntrinsicInfo& info,
                                std::vector<ExprPtr> arguments) {
  if (info.shape == IntrinsicShape::kTexture) return texture(place, info, std::move(arguments));
  if (arguments.size() != info.parameters) {
    diagnostics_.error(place,
                       fmt::format("'{}' takes {} argument{}, not {}", info.name, info.parameters,
                                   info.parameters == 1 ? "" : "s", arguments.size()));
    return error_expression(place);
  }
  if (info.shape == IntrinsicShape::kProduct) return product(place, info, std::move(arguments));
  if (info.shape == IntrinsicShape::kTranspose) {
    const Type from = arguments[0]->type;
    if (!from.is_matrix()) {
      diagnostics_.error(arguments[0]->place,
                         fmt::format("'transpose' takes a matrix, not {}", one(from)));
      return error_expression(place);
    }
    ExprPtr expression =
        make(ExprKind::kIntrinsic, place, matrix_type(from.base, from.columns, from.rows));
    expression->intrinsic = info.id;
    expression->operands.push_back(std::move(arguments[0]));
    return expression;
  }
  Type type = each_type(place, info, arguments);
  if (type.is_error()) return error_expression(place);
  Type result = type;
  if (info.shape == IntrinsicShape::kTest) {
    type = type.with_base(BaseType::kBool);
    if (arguments[0]->type.is_vector()) type.columns = arguments[0]->type.columns;
    result = scalar_type(BaseType::kBool);
  } else if (info.shape == IntrinsicShape::kCross) {
    if (type.columns != 3) {
      diagnostics_.error(place, fmt::format("'cross' takes float3, not {}", name_of(type)));
      return error_expression(place);
    }
  } else if (info.shape == IntrinsicShape::kDot || info.shape == IntrinsicShape::kNorm) {
    result = scalar_type(BaseType::kFloat);
  }
  ExprPtr expression = make(ExprKind::kIntrinsic, place, result);
  expression->intrinsic = info.id;
  for (ExprPtr& argument : arguments)
    expression->operands.push_back(converted(std::move(argument), type));
  return expression;
}

ExprPtr Checker::product(Place place, const IntrinsicInfo& info, std::vector<ExprPtr> arguments) {
  const Type a = arguments[0]->type;
  const Type b = arguments[1]->type;
  if (a.is_scalar() || b.is_scalar())
    return binary(place, Op::kMultiply, std::move(arguments[0]), std::move(arguments[1]));
  Type result;
  if (a.is_matrix() && b.is_matrix() && a.columns == b.rows)
    result = matrix_type(BaseType::kFloat, a.rows, b.columns);
  else if (a.is_matrix() && b.is_vector() && a.columns == b.columns)
    result = vector_type(BaseType::kFloat, a.rows);
  else if (a.is_vector() && b.is_matrix() && a.columns == b.rows)
    result = vector_type(BaseType::kFloat, b.columns);
  else if (a.is_vector() && b.is_vector() && a.columns == b.columns)
    return intrinsic_call(place, *find_intrinsic("dot"), std::move(arguments));
  if (result.is_error()) {
    diagnostics_.error(place, fmt::format("'mul' does not take {} and {}", one(a), one(b)));
    return error_expression(place);
  }
  ExprPtr expression = make(ExprKind::kIntrinsic, place, result);
  expression->intrinsic = info.id;
  for (ExprPtr& argument : arguments) {
    const Type wanted = argument->type.with_base(BaseType::kFloat);
    expression->operands.push_back(converted(std::move(argument), wanted));
  }
  return expression;
}

bool Checker::check_sampler(const IntrinsicInfo& info, const Expr& argument) {
  const BaseType wanted = is_rectangle(info.id)         ? BaseType::kSamplerRect
                          : is_one_dimensional(info.id) ? BaseType::kSampler1D
                                                        : BaseType::kSampler2D;
  const Type sampler = argument.type;
  // The library reads volumes and cubes as what they are stored in.
  const bool any_kind = is_fetch(info.id) || is_size(info.id);
  const bool is_stacked =
      sampler.base == BaseType::kSampler3D || sampler.base == BaseType::kSamplerCube;
  if (sampler.array == 0 && (sampler.base == wanted || (any_kind && sampler.is_sampler()) ||
                             (info.id == Intrinsic::kTexRect && is_stacked)))
    return true;
  std::string_view form = info.name;
  form.remove_prefix(is_rectangle(info.id) ? 7 : 5);  // "proj"
  constexpr std::string_view kStems[] = {"tex1D", "tex2D", "tex3D", "texCUBE", "texRECT"};
  const auto kind =
      static_cast<std::size_t>(sampler.base) - static_cast<std::size_t>(BaseType::kSampler1D);
  diagnostics_.error(
      argument.place,
      fmt::format("'{}' reads {}, not {}", info.name, one(scalar_type(wanted)), one(sampler)),
      sampler.is_sampler() && sampler.array == 0 ? fmt::format("use {}{}", kStems[kind], form)
                                                 : "");
  return false;
}

// The size of the coordinates that the function takes; 0: what is given does not fit.
unsigned Checker::coordinate_size(const IntrinsicInfo& info, const Expr& argument) {
  const Type from = argument.type;
  std::string_view wanted;
  const unsigned given = from.is_vector() || from.is_scalar() ? from.columns : 0;
  if (is_projective(info.id)) {
    const unsigned least = is_one_dimensional(info.id) ? 2 : 3;
    if (given >= least) return given;
    wanted = least == 2 ? "float2, float3 or float4" : "float3 or float4";
  } else if (is_plain_texture(info.id) || is_fetch(info.id)) {
    const unsigned least = is_one_dimensional(info.id) ? 1 : 2;
    if (given >= least) return least;
    wanted = least == 1 ? "float" : "float2";
  } else {
    if (given == 4) return 4;
    wanted = "float4";
  }
  diagnostics_.error(argument.place, fmt::format("'{}' needs a {} as coordinates, not {}",
                                                 info.name, wanted, one(from)));
  return 0;
}

// Sampler, coordinates; two derivatives of plain functions; an offset in whole texels.
ExprPtr Checker::texture(Place place, const IntrinsicInfo& info, std::vector<ExprPtr> arguments) {
  const std::size_t count = arguments.size();
  const bool is_plain = is_plain_texture(info.id);
  const std::size_t most = is_plain ? 5 : is_size(info.id) ? 2 : 3;
  const std::size_t least = is_size(info.id) ? 1 : 2;
  if (count < least || count > most) {
    diagnostics_.error(
        place, fmt::format("'{}' takes {} to {} arguments, not {}", info.name, least, most, count));
    return error_expression(place);
  }
  if (!check_sampler(info, *arguments[0])) return error_expression(place);
  if (is_size(info.id)) {
    const unsigned numbers = info.id == Intrinsic::kTexFiltered ? 1 : 2;
    ExprPtr expression = make(ExprKind::kIntrinsic, place, vector_type(BaseType::kInt, numbers));
    expression->intrinsic = info.id;
    expression->operands.push_back(std::move(arguments[0]));
    return expression;
  }
  const unsigned size = coordinate_size(info, *arguments[1]);
  if (size == 0) return error_expression(place);
  const unsigned plane = is_one_dimensional(info.id) ? 1 : 2;
  ExprPtr expression = make(ExprKind::kIntrinsic, place, vector_type(BaseType::kFloat, 4));
  expression->intrinsic = info.id;
  expression->operands.push_back(std::move(arguments[0]));
  for (std::size_t i = 1; i < count; ++i) {
    const Type from = arguments[i]->type;
    const bool is_offset = i + 1 == count && count % 2 == 1;
    const bool fits = i == 1 || ((from.is_vector() || from.is_scalar()) && from.columns >= plane);
    if (!fits || (is_offset && from.base != BaseType::kInt)) {
      diagnostics_.error(arguments[i]->place,
                         fmt::format("'{}' needs {} as {}, not {}", info.name,
                                     is_offset ? (plane == 2 ? "an int2" : "an int")
                                               : (plane == 2 ? "a float2" : "a float"),
                                     is_offset ? "offset" : "derivative", one(from)));
      return error_expression(place);
    }
    expression->operands.push_back(
        converted(std::move(arguments[i]), vector_type(BaseType::kFloat, i == 1 ? size : plane)));
  }
  return expression;
}

}  // namespace raddle::cg
