#include "lang/cg/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

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
  if (compiled.vertex) {
    VertexStage vertex = *compiled.vertex;
    for (const auto& [name, numbers] : uniforms) {
      if (vertex.has_uniform(name)) vertex.set_uniform(name, numbers);
    }
    for (const InputPlane& plane : vertex.run(kDomainWidth, kDomainHeight).planes)
      std::ranges::copy(plane.values, configuration.constants.begin() + plane.first_register);
  }
  for (const overlay::BufferSize& size : compiled.shader.buffer_sizes)
    configuration.constants[size.constant] = {kSide, kSide, 0, 0};
  std::vector<overlay::Float4> memory;
  for (unsigned unit = 0; unit < kBuffers; ++unit) {
    configuration.samplers[unit] = {
        true, memory.size(), kSide, kSide, overlay::Addressing::kClamp, overlay::Filter::kNearest};
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
  options.squares = true;  // for derivatives
  overlay::evaluate(configuration, memory, options);
  return {memory.begin() + static_cast<std::ptrdiff_t>(inputs), memory.end()};
}

std::vector<Texel> run_evaluated(std::string_view text, const Options& options,
                                 const Uniforms& uniforms, FloatRules rules) {
  const auto checked =
      std::make_shared<const CheckedProgram>(read_program(text, "test.cg", options));
  const Interface interface = find_interface(checked->program, checked->entry, "test.cg",
                                             checked->vertex ? Stage::kFragment : Stage::kPoint);
  Evaluator evaluator(checked->program, interface, texel_of, rules);
  std::vector<std::array<Texel, 3>> planes;
  if (checked->vertex) {
    VertexStage vertex(
        checked, find_interface(checked->program, *checked->vertex, "test.cg", Stage::kVertex),
        interface);
    for (const auto& [name, numbers] : uniforms) {
      if (vertex.has_uniform(name)) vertex.set_uniform(name, numbers);
    }
    for (const InputPlane& plane : vertex.run(kDomainWidth, kDomainHeight).planes)
      planes.push_back(plane.values);
  }
  evaluator.set_planes(std::move(planes));
  for (unsigned unit = 0; unit < kBuffers; ++unit) evaluator.set_size(unit, kSide, kSide);
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

std::string picture_difference(std::string_view text, const Uniforms& uniforms, float tolerance) {
  const std::vector<Texel> expected = run_evaluated(text, {}, uniforms, {.ieee = true});
  const std::vector<Texel> got = run_compiled(compile(text, "test.cg"), uniforms);
  for (std::size_t i = 0; i < got.size(); ++i) {
    for (unsigned c = 0; c < 4; ++c) {
      const float wanted = expected[i][c];
      if (same(got[i][c], wanted)) continue;
      if (std::fabs(got[i][c] - wanted) <= tolerance * (1 + std::fabs(wanted))) continue;
      return fmt::format("value {} of point {} is {}, not {}", c, i, got[i][c], wanted);
    }
  }
  return {};
}

}  // namespace raddle::cg::testing
