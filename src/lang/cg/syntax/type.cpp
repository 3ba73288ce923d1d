#include "lang/cg/syntax/type.h"

#include <fmt/format.h>

#include <array>

namespace raddle::cg {

std::uint32_t number_count(const Type& type, const std::vector<Structure>& structures) {
  std::uint32_t one = 0;
  if (type.base == BaseType::kStruct) {
    for (const Field& field : structures[type.structure].fields)
      one += number_count(field.type, structures);
  } else if (type.is_sampler()) {
    one = 1;
  } else if (type.is_number()) {
    one = type.rows > 0 ? std::uint32_t{type.rows} * type.columns : type.columns;
  }
  if (type.inner > 0) one *= type.inner;
  return type.array > 0 ? one * type.array : one;
}

std::uint32_t field_offset(const Structure& structure, std::size_t field,
                           const std::vector<Structure>& structures) {
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < field; ++i)
    offset += number_count(structure.fields[i].type, structures);
  return offset;
}

std::string type_name(const Type& type, const std::vector<Structure>& structures) {
  std::string name;
  switch (type.base) {
    case BaseType::kError: name = "error"; break;
    case BaseType::kVoid: name = "void"; break;
    case BaseType::kBool: name = "bool"; break;
    case BaseType::kInt: name = "int"; break;
    case BaseType::kFloat: name = "float"; break;
    case BaseType::kSampler1D: name = "sampler1D"; break;
    case BaseType::kSampler2D: name = "sampler2D"; break;
    case BaseType::kSampler3D: name = "sampler3D"; break;
    case BaseType::kSamplerCube: name = "samplerCUBE"; break;
    case BaseType::kSamplerRect: name = "samplerRECT"; break;
    case BaseType::kStruct: name = "struct " + structures[type.structure].name; break;
  }
  if (type.is_number()) {
    if (type.rows > 0)
      name += fmt::format("{}x{}", type.rows, type.columns);
    else if (type.columns > 1)
      name += fmt::format("{}", type.columns);
  }
  if (type.array > 0) name += fmt::format("[{}]", type.array);
  if (type.inner > 0) name += fmt::format("[{}]", type.inner);
  return name;
}

std::string with_article(const std::string& name) {
  return (name.starts_with("int") ? "an " : "a ") + name;
}

Type builtin_type(std::string_view name) {
  if (name == "void") return scalar_type(BaseType::kVoid);
  if (name == "sampler1D") return scalar_type(BaseType::kSampler1D);
  if (name == "sampler3D") return scalar_type(BaseType::kSampler3D);
  if (name == "samplerCUBE") return scalar_type(BaseType::kSamplerCube);
  if (name == "sampler2D" || name == "sampler") return scalar_type(BaseType::kSampler2D);
  if (name == "samplerRECT") return scalar_type(BaseType::kSamplerRect);
  struct Stem {
    std::string_view text;
    BaseType base;
  };
  constexpr std::array<Stem, 16> kStems = {{{"vec", BaseType::kFloat},  // names of GLSL
                                            {"ivec", BaseType::kInt},
                                            {"bvec", BaseType::kBool},
                                            {"mat", BaseType::kFloat},
                                            {"float", BaseType::kFloat},
                                            {"half", BaseType::kFloat},
                                            {"fixed", BaseType::kFloat},
                                            {"double", BaseType::kFloat},
                                            {"cfloat", BaseType::kFloat},
                                            {"cint", BaseType::kInt},
                                            {"uint", BaseType::kInt},
                                            {"short", BaseType::kInt},
                                            {"char", BaseType::kInt},
                                            {"long", BaseType::kInt},
                                            {"int", BaseType::kInt},
                                            {"bool", BaseType::kBool}}};
  for (const Stem& stem : kStems) {
    if (!name.starts_with(stem.text)) continue;
    const std::string_view rest = name.substr(stem.text.size());
    const auto digit = [&](std::size_t at) -> unsigned {
      return rest[at] >= '1' && rest[at] <= '4' ? static_cast<unsigned>(rest[at] - '0') : 0;
    };
    const bool is_glsl = stem.text.ends_with("vec") || stem.text == "mat";
    if (rest.empty()) return is_glsl ? Type{} : scalar_type(stem.base);
    if (rest.size() == 1 && digit(0) > 0 && stem.text == "mat")
      return matrix_type(stem.base, digit(0), digit(0));
    if (rest.size() == 1 && digit(0) > 0) return vector_type(stem.base, digit(0));
    if (rest.size() == 3 && rest[1] == 'x' && digit(0) > 0 && digit(2) > 0)
      return matrix_type(stem.base, digit(0), digit(2));
  }
  return {};
}

}  // namespace raddle::cg
