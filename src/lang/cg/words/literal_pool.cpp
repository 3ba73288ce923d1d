#include "lang/cg/words/literal_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace raddle::cg {

using machine::overlay::kConstants;

bool LiteralPool::fits(const Register& candidate, const std::vector<std::uint32_t>& wanted) {
  std::size_t missing = 0;
  for (const std::uint32_t bits : wanted) {
    if (std::ranges::find(candidate.bits, bits) == candidate.bits.end()) ++missing;
  }
  return candidate.bits.size() + missing <= 4;
}

LirOperand LiteralPool::operand(std::span<const float> numbers, Place place) {
  std::vector<std::uint32_t> wanted;
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    if (std::ranges::find(wanted, bits) == wanted.end()) wanted.push_back(bits);
  }
  auto chosen = std::ranges::find_if(
      registers_, [&](const Register& candidate) { return fits(candidate, wanted); });
  if (chosen == registers_.end()) {
    if (first_ + registers_.size() >= kConstants) {
      throw PlacedError(
          file_name_, place,
          fmt::format("the program needs more than {} constant registers", kConstants),
          "use fewer uniforms or different literals");
    }
    chosen = registers_.insert(registers_.end(), Register{});
  }
  LirOperand result;
  result.from = {LirPlace::Kind::kConstant,
                 static_cast<std::uint32_t>(first_ + (chosen - registers_.begin()))};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(numbers[i]);
    auto at = std::ranges::find(chosen->bits, bits);
    if (at == chosen->bits.end()) at = chosen->bits.insert(at, bits);
    result.lanes[i] = static_cast<Lane>(at - chosen->bits.begin());
  }
  return result;
}

std::vector<machine::overlay::ConstantValue> LiteralPool::values() const {
  std::vector<machine::overlay::ConstantValue> result;
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    machine::overlay::ConstantValue value;
    value.number = static_cast<std::uint8_t>(first_ + i);
    for (std::size_t k = 0; k < registers_[i].bits.size(); ++k)
      value.value[k] = std::bit_cast<float>(registers_[i].bits[k]);
    result.push_back(value);
  }
  return result;
}

}  // namespace raddle::cg
