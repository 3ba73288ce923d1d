// Fields, swizzles and elements.
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "lang/cg/syntax/checker.h"

namespace raddle::cg {

ExprPtr Checker::member(Place place, ExprPtr object, std::string_view name) {
  const Type type = object->type;
  if (type.is_error()) return object;
  if (type.base == BaseType::kStruct && type.array == 0) {
    const Structure& structure = program_.structures[type.structure];
    std::vector<std::string> names;
    for (std::size_t i = 0; i < structure.fields.size(); ++i) {
      names.push_back(structure.fields[i].name);
      if (structure.fields[i].name != name) continue;
      ExprPtr expression = make(ExprKind::kField, place, structure.fields[i].type);
      expression->index = static_cast<std::uint32_t>(i);
      expression->operands.push_back(std::move(object));
      return expression;
    }
    diagnostics_.error(place, fmt::format("{} has no field '{}'", name_of(type), name),
                       suggestion(name, names));
    return error_expression(place);
  }
  if (type.array > 0 && name == "length")
    return literal(place, static_cast<float>(type.array), BaseType::kInt);
  if (type.is_vector() || type.is_scalar()) return swizzle(place, std::move(object), name);
  if (type.is_matrix() && name.starts_with("_"))
    return matrix_member(place, std::move(object), name);
  diagnostics_.error(place, fmt::format("{} has no field '{}'", one(type), name),
                     type.is_sampler() ? "tex2D(sampler, point) reads a texel" : "");
  return error_expression(place);
}

ExprPtr Checker::swizzle(Place place, ExprPtr object, std::string_view name) {
  const Type type = object->type;
  constexpr std::string_view kSets[] = {"xyzw", "rgba", "stpq"};
  for (const std::string_view set : kSets) {
    if (name.empty() || name.size() > 4 || name.find_first_not_of(set) != std::string_view::npos)
      continue;
    ExprPtr expression =
        make(ExprKind::kSwizzle, place, vector_type(type.base, static_cast<unsigned>(name.size())));
    for (std::size_t i = 0; i < name.size(); ++i) {
      expression->channels[i] = static_cast<std::uint8_t>(set.find(name[i]));
      if (expression->channels[i] < type.columns) continue;
      diagnostics_.error(place, fmt::format("{} has no component '{}'", one(type), name[i]));
      return error_expression(place);
    }
    expression->operands.push_back(std::move(object));
    return expression;
  }
  diagnostics_.error(place, fmt::format("'{}' is not a swizzle", name),
                     "one to four of xyzw, or of rgba, not mixed");
  return error_expression(place);
}

// m._m01 (counted from 0) and m._12 (counted from 1); several in a row make a vector.
ExprPtr Checker::matrix_member(Place place, ExprPtr object, std::string_view name) {
  const Type type = object->type;
  std::vector<ExprPtr> parts;
  std::string_view rest = name;
  while (!rest.empty()) {
    const bool zero_based = rest.starts_with("_m");
    const std::size_t digits = zero_based ? 2 : 1;
    const int base = zero_based ? 0 : 1;
    if (rest.size() < digits + 2 || parts.size() == 4) break;
    const int row = rest[digits] - '0' - base;
    const int column = rest[digits + 1] - '0' - base;
    if (row < 0 || row >= type.rows || column < 0 || column >= type.columns) break;
    ExprPtr element =
        index(place,
              index(place, clone(*object), literal(place, static_cast<float>(row), BaseType::kInt)),
              literal(place, static_cast<float>(column), BaseType::kInt));
    parts.push_back(std::move(element));
    rest.remove_prefix(digits + 2);
  }
  if (!rest.empty() || parts.empty()) {
    diagnostics_.error(place, fmt::format("{} has no element '{}'", one(type), name));
    return error_expression(place);
  }
  if (parts.size() == 1) return std::move(parts[0]);
  const auto count = static_cast<unsigned>(parts.size());
  ExprPtr expression = make(ExprKind::kElements, place, vector_type(type.base, count));
  expression->operands = std::move(parts);
  return expression;
}

ExprPtr Checker::index(Place place, ExprPtr object, ExprPtr position) {
  const Type type = object->type;
  if (type.is_error() || position->type.is_error()) return error_expression(place);
  std::uint32_t size = 0;
  Type element;
  if (type.array > 0) {
    size = type.array;
    element = type.element();
  } else if (type.is_matrix()) {
    size = type.rows;
    element = vector_type(type.base, type.columns);
  } else if (type.is_vector()) {
    size = type.columns;
    element = scalar_type(type.base);
  } else {
    diagnostics_.error(place, fmt::format("{} has no elements", one(type)));
    return error_expression(place);
  }
  if (!position->type.is_scalar()) {
    diagnostics_.error(position->place,
                       fmt::format("an index must be a scalar, not {}", one(position->type)));
    return error_expression(place);
  }
  const bool is_literal = position->kind == ExprKind::kLiteral;
  if (is_literal && !(position->number >= 0 && position->number < static_cast<float>(size))) {
    diagnostics_.error(position->place, fmt::format("index {} is outside the {} elements of {}",
                                                    position->number, size, name_of(type)));
    return error_expression(place);
  }
  ExprPtr expression = make(ExprKind::kIndex, place, element);
  expression->operands.push_back(std::move(object));
  expression->operands.push_back(converted(std::move(position), scalar_type(BaseType::kInt)));
  return expression;
}

}  // namespace raddle::cg
