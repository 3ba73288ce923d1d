#include "lang/cg/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "lang/cg/syntax/program_reader.h"
#include "machine/overlay/evaluator.h"

namespace raddle::cg::testing {
namespace {

namespace overlay = machine::overlay;

constexpr unsigned kSide = 8;  // of a buffer
constexpr unsigned kBuffers = 4;

bool same(float a, float b) {
  if (std::isnan(a) && std::isnan(b)) return true;
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

unsigned clamped(float coordinate) {
  const float whole = std::floor(coordinate);
  if (!(whole > 0)) return 0;
  return whole >= static_cast<float>(kSide) ? kSide - 1 : static_cast<unsigned>(whole);
}

}  // namespace

Texel texel_of(unsigned unit, float x, float y) {
  Texel texel{};
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned hash = (clamped(x) * 37 + clamped(y) * 101 + unit * 17 + i * 59) % 64;
    texel[i] = static_cast<float>(hash) / 8 - 4 + static_cast<float>(hash % 3) * 0.1F;
  }
  return texel;
}

std::vector<Texel> run_compiled(const CompiledShader& compiled, const Uniforms& uniforms) {
  overlay::Configuration configuration;
  configuration.set_shader(compiled.shader);
  for (const UniformParameter& uniform : compiled.uniforms) {
    const auto given = uniforms.find(uniform.name);
    if (given == uniforms.end()) continue;
    std::size_t next = 0;
    for (std::size_t row = 0; row < uniform.row_sizes.size(); ++row) {
      for (unsigned i = 0; i < uniform.row_sizes[row]; ++i)
        configuration.constants[uniform.first_register + row][i] = given->second[next++];
    }
  }
  std::vector<overlay::Float4> memory;
  for (unsigned unit = 0; unit < kBuffers; ++unit) {
    configuration.samplers[unit] = {true, memory.size(), kSide, kSide, overlay::Addressing::kClamp};
    for (unsigned y = 0; y < kSide; ++y) {
      for (unsigned x = 0; x < kSide; ++x)
        memory.push_back(texel_of(unit, static_cast<float>(x), static_cast<float>(y)));
    }
  }
  const std::size_t inputs = memory.size();
  for (unsigned i = 0; i < overlay::kOutputBuffers; ++i) {
    configuration.outputs[i] = {true, memory.size(), kDomainWidth, kDomainHeight};
    memory.resize(memory.size() + kDomainWidth * kDomainHeight);
  }
  configuration.domain = {0, 0, kDomainWidth, kDomainHeight};
  overlay::EvaluationOptions options;
  options.floats = {.fused = false, .flush_denormals = false, .zero_wins = false};
  overlay::evaluate(configuration, memory, options);
  return {memory.begin() + static_cast<std::ptrdiff_t>(inputs), memory.end()};
}

std::vector<Texel> run_evaluated(std::string_view text, const Options& options,
                                 const Uniforms& uniforms) {
  const CheckedProgram checked = read_program(text, "test.cg", options);
  const Interface interface = find_interface(
      checked.program, checked.entry, "test.cg");
  Evaluator evaluator(checked.program, interface, texel_of);
  for (const auto& [name, numbers] : uniforms) evaluator.set_uniform(name, numbers);
  constexpr std::size_t kPoints = std::size_t{kDomainWidth} * kDomainHeight;
  std::vector<Texel> result(overlay::kOutputBuffers * kPoints);
  for (unsigned y = 0; y < kDomainHeight; ++y) {
    for (unsigned x = 0; x < kDomainWidth; ++x) {
      const PointResult point = evaluator.run(static_cast<float>(x), static_cast<float>(y));
      if (point.is_discarded) continue;
      for (unsigned i = 0; i < overlay::kOutputBuffers; ++i)
        result[i * kPoints + y * kDomainWidth + x] = point.outputs[i];
    }
  }
  return result;
}

std::string difference(std::string_view text, const Uniforms& uniforms) {
  const std::vector<Texel> expected = run_evaluated(text, {}, uniforms);
  for (const int level : {0, 1}) {
    Options options;
    options.level = level;
    options.strict = true;
    const std::vector<Texel> got = run_compiled(compile(text, "test.cg", options), uniforms);
    for (std::size_t i = 0; i < got.size(); ++i) {
      for (unsigned c = 0; c < 4; ++c) {
        if (same(got[i][c], expected[i][c])) continue;
        constexpr std::size_t kPoints = std::size_t{kDomainWidth} * kDomainHeight;
        return fmt::format("-O{}: o{}.{} at ({}, {}) is {}, not {}", level, i / kPoints, "rgba"[c],
                           i % kPoints % kDomainWidth, i % kPoints / kDomainWidth, got[i][c],
                           expected[i][c]);
      }
    }
  }
  return {};
}

}  // namespace raddle::cg::testing
