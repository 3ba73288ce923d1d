// What a program has to do with the outside: which constant registers its uniforms take, which
// buffer each sampler reads, what its inputs are, where its results go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/cg/syntax/ast.h"

namespace raddle::cg {

// What the program is run for.
enum class Stage : std::uint8_t {
  kPoint,     // every point of the domain; its inputs are the point
  kFragment,  // every point of a quad, after a vertex program whose outputs are interpolated
  kVertex,    // every corner of the quad
};

// Numbers of a variable that lie together in one constant register, from its first channel on.
struct UniformRow {
  std::uint32_t offset = 0;  // the first number within the variable
  std::uint8_t count = 1;
};

// A part of a uniform that the host can set separately: a field of a struct.
struct UniformField {
  std::string name;  // "IN.video_size"
  std::uint32_t first_row = 0;
  std::uint32_t rows = 1;
};

struct UniformBinding {
  std::uint32_t variable = 0;
  std::string name;
  std::uint16_t first_register = 0;
  std::vector<UniformRow> rows;  // one a register
  // As many numbers as the variable has; zeros where none is given.
  std::vector<float> default_value;
  std::vector<UniformField> fields;
};

struct SamplerBinding {
  std::uint32_t variable = 0;
  std::uint32_t offset = 0;  // within the variable
  std::string name;          // "IN.texture"
  std::uint8_t unit = 0;
  std::optional<std::uint16_t>
      size_register;  // holds width, height, and 1 if the buffer is filtered
};

// A parameter, or a field of one, that the stage before gives.
struct InputBinding {
  std::uint32_t variable = 0;
  std::uint32_t offset = 0;
  std::uint8_t count = 2;
  std::string semantic;  // "TEXCOORD0"; of a vertex program empty where it has none
  std::string name;
  // Of a fragment program: three registers, v0, dx and dy of v = x * dx + (y * dy + v0).
  std::uint16_t first_register = 0;
};

// A colour that nothing writes is white, and every point is of a front face.
inline bool is_one_by_default(std::string_view semantic) {
  return semantic.starts_with("COLOR") || semantic.starts_with("FACE");
}

// A result: a number range of the returned value (variable == kResult) or of an out parameter.
struct OutputBinding {
  static constexpr std::uint32_t kResult = 0xffffffffU;
  std::uint32_t variable = kResult;
  std::uint32_t offset = 0;
  std::uint8_t count = 4;
  std::uint8_t target = 0;  // of points; of a vertex program it is the semantic
  std::string name;
  std::string semantic;
};

struct Interface {
  Stage stage = Stage::kPoint;
  std::uint32_t entry = 0;  // function
  std::vector<UniformBinding> uniforms;
  std::vector<SamplerBinding> samplers;
  std::vector<InputBinding> inputs;
  std::vector<OutputBinding> outputs;
  std::uint16_t constant_registers = 0;  // c0 to c(n-1) are taken
  std::vector<Diagnostic> warnings;
};

// Throws a PlacedError that names the parameter where something does not fit.
Interface find_interface(const Program& program, std::uint32_t entry, const std::string& file_name,
                         Stage stage = Stage::kPoint);

}  // namespace raddle::cg
