#include "machine/overlay/program_code.h"

namespace raddle::machine::overlay {

ProgramCode::ProgramCode(const Configuration& configuration)
    : shader_(&configuration.shader),
      constants_(std::size_t{kConstants} * 4),
      outputs_(outputs_written(configuration.shader)) {
  code_.reserve(shader_->code.size());
  for (const Instruction& word : shader_->code) {
    if (word.is_alu()) {
      code_.emplace_back(AluCode(word));
    } else if (word.type == InstructionType::kTex) {
      code_.emplace_back(TexCode(word, configuration.samplers[word.tex.sampler]));
    } else {
      code_.emplace_back(std::monostate{});
    }
  }
  for (unsigned number = 0; number < kConstants; ++number) {
    for (unsigned c = 0; c < 4; ++c) {
      constants_[number * 4 + c].fill(configuration.constants[number][c]);
    }
  }
}

}  // namespace raddle::machine::overlay
