// Types of Cg. half, fixed and double are float here, whole numbers of all sizes are int; a float1
// is a float. Every value is a row of 32-bit
// numbers: a struct its fields one after the other, a matrix its rows, an array its elements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::cg {

enum class BaseType : std::uint8_t {
  kError,  // of an expression that was already complained about
  kVoid,
  kBool,
  kInt,
  kFloat,
  kSampler1D,  // samplers: from this one to the last
  kSampler2D,
  kSampler3D,
  kSamplerCube,
  kSamplerRect,
  kStruct,
};

struct Type {
  BaseType base = BaseType::kError;
  std::uint8_t rows = 0;     // 0: not a matrix
  std::uint8_t columns = 1;  // components of a vector, or of a matrix's row
  std::uint16_t structure = 0;
  std::uint32_t array = 0;  // elements; 0: not an array
  std::uint32_t inner = 0;  // elements of an element of an array of arrays; 0: they are not arrays
  static constexpr std::uint32_t kUnsized = 0xffffffffU;  // elements: as many as its list has

  bool operator==(const Type&) const = default;

  bool is_error() const { return base == BaseType::kError; }
  bool is_number() const {
    return base == BaseType::kBool || base == BaseType::kInt || base == BaseType::kFloat;
  }
  bool is_sampler() const { return base >= BaseType::kSampler1D && base <= BaseType::kSamplerRect; }
  bool is_matrix() const { return array == 0 && is_number() && rows > 0; }
  bool is_vector() const { return array == 0 && is_number() && rows == 0 && columns > 1; }
  bool is_scalar() const { return array == 0 && is_number() && rows == 0 && columns == 1; }
  // A scalar, vector or matrix.
  bool is_arithmetic() const { return array == 0 && is_number(); }

  Type with_base(BaseType other) const {
    Type type = *this;
    type.base = other;
    return type;
  }
  Type element() const {  // of an array
    Type type = *this;
    type.array = inner;
    type.inner = 0;
    return type;
  }
};

inline Type vector_type(BaseType base, unsigned components) {
  Type type;
  type.base = base;
  type.columns = static_cast<std::uint8_t>(components);
  return type;
}
inline Type scalar_type(BaseType base) { return vector_type(base, 1); }
inline Type matrix_type(BaseType base, unsigned rows, unsigned columns) {
  Type type = vector_type(base, columns);
  type.rows = static_cast<std::uint8_t>(rows);
  return type;
}

struct Field {
  std::string name;
  Type type;
  std::string semantic;  // "COLOR0", or empty
  bool is_uniform = false;
  bool is_varying = false;
};

struct Structure {
  std::string name;
  std::vector<Field> fields;
};

// Numbers that a value of this type takes; a sampler's is its unit.
std::uint32_t number_count(const Type& type, const std::vector<Structure>& structures);
// The first number of a field within its struct.
std::uint32_t field_offset(const Structure& structure, std::size_t field,
                           const std::vector<Structure>& structures);
// As it is written: "float4x4", "int[3]", "struct light".
std::string type_name(const Type& type, const std::vector<Structure>& structures);
// The same after its article: "a float3", "an int".
std::string with_article(const std::string& name);
// "float3", "half4x4", "sampler2D" …; kError if it is not a built-in type.
Type builtin_type(std::string_view name);

}  // namespace raddle::cg
