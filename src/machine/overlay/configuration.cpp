#include "machine/overlay/configuration.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "machine/overlay/opcodes.h"

namespace raddle::machine::overlay {
namespace {

// The user's name of a register beside its own.
std::string named(const std::vector<RegisterName>& names, const std::string& own, unsigned number) {
  for (const RegisterName& name : names) {
    if (name.number == number && name.name != own) return fmt::format("'{}' ({})", name.name, own);
  }
  return own;
}

void check_tex(const Configuration& configuration, std::size_t at) {
  const Shader& shader = configuration.shader;
  const TexPart& tex = shader.code[at].tex;
  if (tex.op == TexOp::kNop || tex.op == TexOp::kKill) return;
  if (info(tex.op) == nullptr) {
    throw Error("this TEX operation is reserved", place_of(shader, at));
  }
  if (!configuration.samplers[tex.sampler].bound) {
    throw Error(
        fmt::format("the program reads {}, which has no buffer",
                    named(shader.sampler_names, fmt::format("s{}", tex.sampler), tex.sampler)),
        place_of(shader, at), fmt::format("give it one: s{}=FILE", tex.sampler));
  }
}

bool reads_neighbours(const Instruction& word) {
  return word.is_alu() && (word.vector.op == VectorOp::kMdh || word.vector.op == VectorOp::kMdv ||
                           word.scalar.op == ScalarOp::kMdh || word.scalar.op == ScalarOp::kMdv);
}

// A TEX that finds its level by how far apart its neighbours read.
bool finds_level(const Configuration& configuration, const Instruction& word) {
  return word.type == InstructionType::kTex &&
         (word.tex.op == TexOp::kLoad || word.tex.op == TexOp::kProject ||
          word.tex.op == TexOp::kLodBias) &&
         configuration.samplers[word.tex.sampler].levels > 1;
}

void check_alu(const Shader& shader, std::size_t at, bool batches_are_squares) {
  const Instruction& word = shader.code[at];
  if (info(word.vector.op) == nullptr || info(word.scalar.op) == nullptr) {
    throw Error("this ALU operation is reserved", place_of(shader, at));
  }
  if (reads_neighbours(word) && !batches_are_squares) {
    throw Error("MDH and MDV need batches of 2x2 threads", place_of(shader, at),
                "run with --set batch.shape=auto");
  }
}

}  // namespace

void Configuration::set_shader(Shader program) {
  for (const ConstantValue& constant : program.constants) {
    constants[constant.number] = constant.value;
  }
  for (const LoopConstant& loop : program.loops) loops[loop.number] = loop;
  booleans |= program.booleans;
  shader = std::move(program);
}

unsigned outputs_written(const Shader& shader) {
  unsigned written = 0;
  for (const Instruction& word : shader.code) {
    if (word.type != InstructionType::kOut) continue;
    if (word.vector.output_mask != 0) written |= 1U << word.vector.target;
    if (word.scalar.output_mask) written |= 1U << word.scalar.target;
    if (word.scalar.depth) written |= 1U << kDepthOutput;
  }
  return written;
}

bool compares_neighbours(const Configuration& configuration) {
  return std::ranges::any_of(configuration.shader.code, [&](const Instruction& word) {
    return reads_neighbours(word) || finds_level(configuration, word);
  });
}

SamplerRegister SamplerRegister::level(std::uint32_t number) const {
  SamplerRegister one = *this;
  one.levels = 1;
  for (; number > 0; --number) {
    one.base += std::uint64_t{one.width} * one.height;
    one.width = std::max(one.width / 2, 1U);
    one.height = std::max(one.height / 2, 1U);
  }
  return one;
}

std::string output_register(unsigned number) {
  return number == kDepthOutput ? "depth" : fmt::format("o{}", number);
}

std::string place_of(const Shader& shader, std::size_t instruction) {
  if (instruction < shader.lines.size()) {
    return fmt::format("{}:{}", shader.file, shader.lines[instruction]);
  }
  return fmt::format("{}, instruction {}", shader.name, instruction);
}

void check_configuration(const Configuration& configuration, bool batches_are_squares) {
  const Shader& shader = configuration.shader;
  for (std::size_t at = 0; at < shader.code.size(); ++at) {
    if (shader.code[at].type == InstructionType::kTex) check_tex(configuration, at);
    if (finds_level(configuration, shader.code[at]) && !batches_are_squares)
      throw Error("a TEX of a buffer with levels needs batches of 2x2 threads",
                  place_of(shader, at), "run with --set batch.shape=auto");
    if (shader.code[at].is_alu()) check_alu(shader, at, batches_are_squares);
  }
  const Domain& domain = configuration.domain;
  if (domain.threads() == 0) {
    throw Error("the compute domain is empty", shader.file, "give its size: domain=64x64");
  }
  for (unsigned number = 0; number < kOutputBuffers; ++number) {
    if (((outputs_written(shader) >> number) & 1U) == 0) continue;
    const OutputRegister& output = configuration.outputs[number];
    const std::string own = output_register(number);
    if (!output.bound) {
      throw Error(fmt::format("the program writes {}, which has no buffer",
                              named(shader.output_names, own, number)),
                  shader.file, fmt::format("give it one: {}=FILE", own));
    }
    if (domain.x + std::uint64_t{domain.width} > output.width ||
        domain.y + std::uint64_t{domain.height} > output.height) {
      throw Error(fmt::format("the buffer of {} is {}x{}, too small for the domain",
                              named(shader.output_names, own, number), output.width, output.height),
                  shader.file);
    }
  }
}

}  // namespace raddle::machine::overlay
