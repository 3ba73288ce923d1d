// Operands as they are written, before the instruction says what types they have: registers and
// symbols are looked up, numbers stay numbers. Vectors, addresses and pairs keep their parts in one
// list that is reused from instruction to instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lang/ptx/function_builder.h"

namespace raddle::ptx {

struct RawOperand {
  enum class Kind : std::uint8_t {
    kRegister,
    kSymbol,  // value.bits: the offset written after it
    kSpecial,
    kInteger,  // bits, sign-extended
    kSingle,   // bits of a float
    kDouble,   // bits of a double
    kDiscard,  // _
    kVector,   // {a, b}: parts
    kAddress,  // [a+8] or [a, b, {c}]: parts; offset
    kPair,     // a|b: parts
  };

  Kind kind = Kind::kInteger;
  bool negated = false;   // !%p
  kernel::Operand value;  // registers, symbols and special registers
  std::uint64_t bits = 0;
  std::int64_t offset = 0;  // addresses
  std::uint32_t first = 0;  // parts
  std::uint32_t count = 0;
  std::string_view text;  // how it begins, for messages

  bool is_number() const {
    return kind == Kind::kInteger || kind == Kind::kSingle || kind == Kind::kDouble;
  }
};

class OperandParser {
 public:
  explicit OperandParser(Context& context) : context_(context) {}

  // Everything up to the semicolon, which is consumed.
  void parse_list(FunctionBuilder& builder);
  // One operand; for instructions with a grammar of their own.
  RawOperand parse(FunctionBuilder& builder);
  void clear();

  std::span<const RawOperand> operands() const { return operands_; }
  std::span<const RawOperand> parts(const RawOperand& operand) const {
    return std::span(parts_).subspan(operand.first, operand.count);
  }

 private:
  RawOperand parse_simple(FunctionBuilder& builder);
  RawOperand parse_name(FunctionBuilder& builder);
  RawOperand parse_number();
  RawOperand parse_vector(FunctionBuilder& builder);
  RawOperand parse_address(FunctionBuilder& builder);
  RawOperand with_parts(RawOperand::Kind kind, std::span<const RawOperand> parts,
                        std::string_view text);
  std::optional<kernel::Operand> parse_special(std::string_view name);

  Context& context_;
  std::vector<RawOperand> operands_;
  std::vector<RawOperand> parts_;
};

}  // namespace raddle::ptx
