// Turns operands as written into operands of the kernel IR, once the instruction says what each
// must be: numbers become bits of the right type, registers are checked by their size (predicates
// with predicates), and what no instruction but `mov` can read (special registers, addresses of
// symbols) is first moved into a register.
//
// Immediates: an integer is a 64-bit number, of which the low bits that the type has are kept (so
// -1 is all ones in every type); a predicate is 1 for everything but 0. A floating type takes
// floating numbers alone, converted if they are of the other width; a .b type takes the bits of a
// floating number of its own width.
#pragma once

#include <cstdint>
#include <string_view>

#include "lang/ptx/function_builder.h"
#include "lang/ptx/instruction_table.h"
#include "lang/ptx/operand_parser.h"

namespace raddle::ptx {

class OperandBinder {
 public:
  // Whether a register must have the operand's size, or may be wider (ld, st, cvt).
  enum class Width : std::uint8_t { kExact, kAtLeast };

  OperandBinder(Context& context, FunctionBuilder& builder, const OperandParser& parser,
                std::string_view name, std::uint32_t line)
      : context_(context), builder_(builder), parser_(parser), name_(name), line_(line) {}

  // Every operand of the pattern.
  void bind(const Form& form, const ExtraModifiers& extra, kernel::Instruction& instruction);

  kernel::Operand source(const RawOperand& raw, kernel::Type type, Width width = Width::kExact);
  kernel::Operand destination(const RawOperand& raw, kernel::Type type,
                              Width width = Width::kExact);
  kernel::Operand address_base(const RawOperand& raw);
  kernel::Operand move_to_register(const kernel::Operand& value, kernel::Type type);
  // A source or destination and, for vectors, each of its parts.
  void sources(const RawOperand& raw, kernel::Type type, int count,
               kernel::Instruction& instruction);
  void destinations(const RawOperand& raw, kernel::Type type, int count,
                    kernel::Instruction& instruction);
  // What stands between the brackets of an address.
  std::span<const RawOperand> address_parts(const RawOperand& raw);
  std::uint64_t constant(const RawOperand& raw);

  void check_count(std::size_t given, std::size_t least, std::size_t most);
  [[noreturn]] void fail(const std::string& message) { context_.fail_at(line_, message); }
  std::string_view name() const { return name_; }

 private:
  void bind_one(char letter, const RawOperand& raw, const ExtraModifiers& extra,
                kernel::Instruction& instruction);
  void bind_destination_pair(const RawOperand& raw, kernel::Type type,
                             kernel::Instruction& instruction);
  void check_register(const RawOperand& raw, kernel::Type type, Width width);
  void check_vector(const RawOperand& raw, int count);
  std::uint64_t number_bits(const RawOperand& raw, kernel::Type type);
  [[noreturn]] void fail_type(const std::string& what, kernel::Type type);

  Context& context_;
  FunctionBuilder& builder_;
  const OperandParser& parser_;
  std::string_view name_;
  std::uint32_t line_;
};

}  // namespace raddle::ptx
