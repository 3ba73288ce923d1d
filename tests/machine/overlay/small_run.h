// Helpers for tests: a program as text, small buffers, one output.
#pragma once

#include <string>
#include <vector>

#include "lang/ctm/assembler.h"
#include "machine/overlay/configuration.h"
#include "machine/overlay/evaluator.h"

namespace raddle::machine::overlay {

// Host memory with buffers one after the other, and a configuration that points to them.
class SmallRun {
 public:
  explicit SmallRun(const std::string& program, std::uint32_t width = 4, std::uint32_t height = 1) {
    configuration.set_shader(ctm::assemble(program, "t.ctm"));
    configuration.domain = {0, 0, width, height};
    for (unsigned number = 0; number < kOutputBuffers; ++number) {
      if (((outputs_written(configuration.shader) >> number) & 1U) == 0) continue;
      configuration.outputs[number] = {true, memory.size(), width, height};
      memory.resize(memory.size() + std::size_t{width} * height);
    }
  }

  SmallRun& input(unsigned number, std::uint32_t width, const std::vector<Float4>& texels) {
    configuration.samplers[number] = {true, memory.size(), width,
                                      static_cast<std::uint32_t>(texels.size() / width),
                                      Addressing::kClamp};
    memory.insert(memory.end(), texels.begin(), texels.end());
    return *this;
  }
  SmallRun& constant(unsigned number, const Float4& value) {
    configuration.constants[number] = value;
    return *this;
  }
  SmallRun& evaluated(const EvaluationOptions& options = {}) {
    evaluate(configuration, memory, options);
    return *this;
  }
  Float4 output(std::uint32_t x, std::uint32_t y = 0, unsigned number = 0) const {
    const OutputRegister& o = configuration.outputs[number];
    return memory[o.base + std::size_t{y} * o.width + x];
  }
  // The red channel of every thread of the first row.
  std::vector<float> reds() const {
    std::vector<float> values;
    for (std::uint32_t x = 0; x < configuration.domain.width; ++x) values.push_back(output(x)[0]);
    return values;
  }

  Configuration configuration;
  std::vector<Float4> memory;
};

}  // namespace raddle::machine::overlay
