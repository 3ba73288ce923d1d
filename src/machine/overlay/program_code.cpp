#include "machine/overlay/program_code.h"

#include "machine/overlay/isa.h"

namespace raddle::machine::overlay {

ProgramCode::ProgramCode(const Configuration& configuration)
    : constants_(std::size_t{kConstants} * 4), outputs_(outputs_written(configuration.shader)) {
  for (const Instruction& given : configuration.shader.code) {
    words_.push_back(*decode(encode(given)));  // encode() sets no reserved bit
  }
  code_.reserve(words_.size());
  for (const Instruction& word : words_) {
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
