// Literals in constant registers, packed four to a register; equal ones share a place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/cg/words/lir.h"

namespace raddle::cg {

class LiteralPool {
 public:
  LiteralPool(std::uint16_t first_register, std::string file_name)
      : first_(first_register), file_name_(std::move(file_name)) {}

  // One register that has all these numbers: an operand that reads them. Throws an Error when the
  // constant registers are used up.
  LirOperand operand(std::span<const float> numbers, Place place);
  std::vector<machine::overlay::ConstantValue> values() const;

 private:
  struct Register {
    std::vector<std::uint32_t> bits;
  };
  // Whether it has them all or has room for those that are missing.
  static bool fits(const Register& candidate, const std::vector<std::uint32_t>& wanted);

  std::uint16_t first_;
  std::string file_name_;
  std::vector<Register> registers_;
};

}  // namespace raddle::cg
