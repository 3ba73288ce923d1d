// A configured program made ready for execution. What arrives over the slave interface is words of
// 192 bits; each is decoded once. Constants lie in every lane.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "machine/overlay/alu_code.h"
#include "machine/overlay/configuration.h"
#include "machine/overlay/tex_code.h"

namespace raddle::machine::overlay {

class ProgramCode {
 public:
  explicit ProgramCode(const Configuration& configuration);

  const Instruction& word(std::size_t at) const { return words_[at]; }
  InstructionType type(std::size_t at) const { return words_[at].type; }
  const AluCode& alu(std::size_t at) const { return std::get<AluCode>(code_[at]); }
  const TexCode& tex(std::size_t at) const { return std::get<TexCode>(code_[at]); }
  std::span<const Lanes> constants() const { return constants_; }
  std::size_t size() const { return code_.size(); }
  unsigned outputs() const { return outputs_; }

 private:
  std::vector<Instruction> words_;
  std::vector<std::variant<std::monostate, AluCode, TexCode>> code_;
  std::vector<Lanes> constants_;
  unsigned outputs_;
};

}  // namespace raddle::machine::overlay
