// The benchmarks in Cg: what they compute, against plain C++; how many words and registers they
// take, against the same programs written by hand in CTM.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>

#include "lang/cg/compiler.h"
#include "lang/ctm/assembler.h"
#include "machine/overlay/evaluator.h"
#include "test_paths.h"

namespace raddle::cg {
namespace {

namespace overlay = machine::overlay;
using overlay::Float4;
using overlay::Shader;

std::string read(const std::string& name) {
  std::ifstream file(test_root() + "/benchmarks/cg/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Shader compiled(const std::string& name, const Options& options = {}) {
  return compile(read(name + ".cg"), name + ".cg", options).shader;
}
Options unimproved() {
  Options options;
  options.level = 0;
  return options;
}

Shader assembled(const std::string& name) {
  return ctm::assemble(read(name + ".ctm"), name + ".ctm");
}

struct Buffer {
  std::uint32_t width, height;
  std::vector<Float4> texels;
  const Float4& at(std::size_t x, std::size_t y) const { return texels[y * width + x]; }
};

Buffer random_buffer(std::uint32_t width, std::uint32_t height, unsigned seed, float low,
                     float high) {
  std::mt19937 generator(seed);
  Buffer buffer{width, height, std::vector<Float4>(std::size_t{width} * height)};
  for (Float4& texel : buffer.texels) {
    for (float& number : texel)
      number = low + (high - low) * (static_cast<float>(generator() >> 8) + 0.5F) / 16777216.0F;
  }
  return buffer;
}

// Outputs o0, o1, … of a domain, each width * height texels.
std::vector<std::vector<Float4>> run(const Shader& shader, const std::vector<Buffer>& inputs,
                                     unsigned outputs, std::uint32_t width, std::uint32_t height) {
  overlay::Configuration configuration;
  configuration.set_shader(shader);
  std::vector<Float4> memory;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    configuration.samplers[i] = {true, memory.size(), inputs[i].width, inputs[i].height,
                                 overlay::Addressing::kLinear};
    memory.insert(memory.end(), inputs[i].texels.begin(), inputs[i].texels.end());
  }
  const std::size_t first = memory.size();
  const std::size_t points = std::size_t{width} * height;
  for (unsigned i = 0; i < outputs; ++i) {
    configuration.outputs[i] = {true, memory.size(), width, height};
    memory.resize(memory.size() + points);
  }
  configuration.domain = {0, 0, width, height};
  overlay::evaluate(configuration, memory);
  std::vector<std::vector<Float4>> result;
  for (unsigned i = 0; i < outputs; ++i) {
    const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(first + i * points);
    result.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(points));
  }
  return result;
}

constexpr std::uint32_t kM = 16, kN = 24, kK = 64;

// sum over k of A[row][k] B[k][column], in double precision.
double product(const Buffer& a, const Buffer& b, std::size_t row, std::size_t column) {
  double sum = 0;
  for (std::size_t k = 0; k < kK; ++k)
    sum += static_cast<double>(a.at(k, row / 4)[row % 4]) * b.at(column / 4, k)[column % 4];
  return sum;
}

void expect_product(const Shader& shader, bool is_sgemm) {
  std::vector<Buffer> inputs{random_buffer(kK, kM / 4, 1, -1, 1),
                             random_buffer(kN / 4, kK, 2, -1, 1)};
  for (unsigned i = 0; is_sgemm && i < 4; ++i)
    inputs.push_back(random_buffer(kN / 4, kM / 4, 3 + i, -1, 1));
  const auto rows = run(shader, inputs, 4, kN / 4, kM / 4);
  for (std::size_t row = 0; row < kM; ++row) {
    for (std::size_t column = 0; column < kN; ++column) {
      const std::size_t point = row / 4 * (kN / 4) + column / 4;
      double expected = product(inputs[0], inputs[1], row, column);
      if (is_sgemm) expected = 1.5 * expected + 0.5 * inputs[2 + row % 4].texels[point][column % 4];
      EXPECT_NEAR(rows[row % 4][point][column % 4], expected, 1e-4) << row << ", " << column;
    }
  }
}

TEST(CgBenchmarks, MatmatmultMultipliesMatrices) {
  expect_product(compiled("matmatmult"), false);
  expect_product(compiled("matmatmult", unimproved()), false);
}

TEST(CgBenchmarks, SgemmMultipliesAndAddsMatrices) {
  expect_product(compiled("sgemm"), true);
  expect_product(compiled("sgemm", unimproved()), true);
}

struct Photon {
  std::array<double, 3> position, direction;
  double energy, heat;
};

// The step in double precision, written from its description and not from the shader.
Photon moved(const Float4& position, const Float4& direction, const Float4& random,
             const Float4& medium) {
  const double path = -std::log(static_cast<double>(random[0])) / medium[0];
  Photon result{};
  std::array<double, 3> turned{};
  for (std::size_t i = 0; i < 3; ++i) {
    double at = position[i] + direction[i] * path;
    turned[i] = direction[i];
    const double walls = std::floor(at);  // passed, each a mirror
    at -= walls;
    if (std::fmod(std::fabs(walls), 2.0) == 1.0) {
      at = 1 - at;
      turned[i] = -turned[i];
    }
    result.position[i] = at;
  }
  result.energy = static_cast<double>(position[3]) * medium[1];
  result.heat = position[3] - result.energy;
  if (result.energy < 0.125) result.energy = random[3] > 0.5 ? 2 * result.energy : 0;
  const double cosine = 1 - 2.0 * random[1];
  const double sine = std::sqrt(1 - cosine * cosine);
  const double angle = 2 * std::numbers::pi * random[2];
  result.direction = {sine * std::cos(angle), sine * std::sin(angle), cosine};
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    result.direction[i] += medium[2] * turned[i];
    square += result.direction[i] * result.direction[i];
  }
  for (double& part : result.direction) part /= std::sqrt(square);
  return result;
}

void expect_photons(const Shader& shader) {
  constexpr std::uint32_t kSide = 24;
  std::vector<Buffer> inputs{
      random_buffer(kSide, kSide, 1, 0.01F, 0.99F), random_buffer(kSide, kSide, 2, -1, 1),
      random_buffer(kSide, kSide, 3, 0, 1), random_buffer(kSide, kSide, 4, 0.2F, 0.9F)};
  const auto results = run(shader, inputs, 2, kSide, kSide);
  for (std::size_t i = 0; i < std::size_t{kSide} * kSide; ++i) {
    const Photon expected =
        moved(inputs[0].texels[i], inputs[1].texels[i], inputs[2].texels[i], inputs[3].texels[i]);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(results[0][i][c], expected.position[c], 1e-4) << i;
      EXPECT_NEAR(results[1][i][c], expected.direction[c], 1e-4) << i;
    }
    EXPECT_NEAR(results[0][i][3], expected.energy, 1e-5) << i;
    EXPECT_NEAR(results[1][i][3], expected.heat, 1e-5) << i;
  }
}

TEST(CgBenchmarks, PhotonMovesScattersAndAbsorbs) {
  expect_photons(compiled("photon"));
  expect_photons(compiled("photon", unimproved()));
  expect_photons(assembled("photon"));
}

struct Counts {
  std::size_t alu = 0, tex = 0;
};

// In the innermost loop, or in all of a program without loops.
Counts counts_of(const Shader& shader) {
  std::size_t first = 0;
  std::size_t last = shader.code.size();
  for (std::size_t i = 0; i < shader.code.size(); ++i) {
    const overlay::Instruction& word = shader.code[i];
    if (word.type != overlay::InstructionType::kFlow) continue;
    if (word.flow.op == overlay::FlowOp::kLoop) first = i;
    if (word.flow.op == overlay::FlowOp::kEndLoop) last = i;
  }
  Counts counts;
  for (std::size_t i = first; i < last; ++i) {
    if (shader.code[i].is_alu()) ++counts.alu;
    if (shader.code[i].type == overlay::InstructionType::kTex) ++counts.tex;
  }
  return counts;
}

void expect_counts(const std::string& name, Counts wanted, unsigned registers) {
  const Shader shader = compiled(name);
  const Counts counts = counts_of(shader);
  EXPECT_EQ(counts.alu, wanted.alu) << name;
  EXPECT_EQ(counts.tex, wanted.tex) << name;
  EXPECT_LE(shader.temporaries, registers) << name;
}

TEST(CgBenchmarks, HaveTheRatiosAndAtMostTheRegistersOfThePaper) {
  expect_counts("matmatmult", {18, 8}, 15);  // 2.25
  expect_counts("sgemm", {41, 16}, 21);      // 2.56
  expect_counts("photon", {16, 4}, 4);       // 4.00
}

TEST(CgBenchmarks, AreWithinATenthOfTheWordsOfProgramsWrittenByHand) {
  for (const std::string name : {"matmatmult", "sgemm", "photon"}) {
    const Shader hand = assembled(name);
    const Shader shader = compiled(name);
    const std::size_t words = shader.code.size();
    EXPECT_LE(static_cast<double>(words), 1.1 * static_cast<double>(hand.code.size())) << name;
    EXPECT_LE(static_cast<double>(counts_of(shader).alu),
              1.1 * static_cast<double>(counts_of(hand).alu))
        << name;
  }
}

}  // namespace
}  // namespace raddle::cg
