// What a shader has to do with the outside: which of its parameters are the coordinates, which
// constant registers its uniforms take, which buffer each sampler reads, where its results go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/cg/syntax/ast.h"

namespace raddle::cg {

// Numbers of a variable that lie together in one constant register, from its first channel on.
struct UniformRow {
  std::uint32_t offset = 0;  // the first number within the variable
  std::uint8_t count = 1;
};

struct UniformBinding {
  std::uint32_t variable = 0;
  std::string name;
  std::uint16_t first_register = 0;
  std::vector<UniformRow> rows;  // one a register
  std::vector<float>
      default_value;  // as many numbers as the variable has; zeros where none is given
};

struct SamplerBinding {
  std::uint32_t variable = 0;
  std::string name;
  std::uint8_t unit = 0;
};

// A parameter, or a field of one, that holds the point of the domain.
struct CoordinateBinding {
  std::uint32_t variable = 0;
  std::uint32_t offset = 0;
  std::uint8_t count = 2;
};

// A result: a number range of the returned value (variable == kResult) or of an out parameter.
struct OutputBinding {
  static constexpr std::uint32_t kResult = 0xffffffffU;
  std::uint32_t variable = kResult;
  std::uint32_t offset = 0;
  std::uint8_t count = 4;
  std::uint8_t target = 0;
  std::string name;
};

struct Interface {
  std::uint32_t entry = 0;  // function
  std::vector<UniformBinding> uniforms;
  std::vector<SamplerBinding> samplers;
  std::vector<CoordinateBinding> coordinates;
  std::vector<OutputBinding> outputs;
  std::uint16_t constant_registers = 0;  // c0 to c(n-1) are taken by uniforms
};

// Throws a PlacedError that names the parameter where something does not fit.
Interface find_interface(const Program& program, std::uint32_t entry, const std::string& file_name);

}  // namespace raddle::cg
