// Instructions that change registers and nothing else, as LLVM IR: the same results, bit for bit,
// as the loops of kernel/exec give. What is not translated here is carried out by those.
#pragma once

#include "kernel/exec/decoded.h"
#include "machine/native/ir_text.h"
#include "machine/native/registers.h"

namespace raddle::machine::native {

class Operations {
 public:
  Operations(IrText& text, Registers& registers) : text_(text), registers_(registers) {}

  // False: nothing was translated.
  bool translate(const kernel::exec::DecodedInstruction& d);

  // The operand, of so many bits a lane. Throws NotTranslated.
  Value source(const kernel::exec::DecodedInstruction& d, std::size_t n, int bits);
  // The lanes that the guard lets through.
  Value guard(const kernel::exec::DecodedInstruction& d);
  // Gives the n-th destination its value where the guard holds.
  void finish(const kernel::exec::DecodedInstruction& d, std::size_t n, const Value& value);

  struct NotTranslated {};

 private:
  using Decoded = kernel::exec::DecodedInstruction;

  Value result_of(const Decoded& d);
  Value move(const Decoded& d);
  Value convert(const Decoded& d);
  Value convert_float(const Decoded& d, int to_bits);
  Value float_to_integer(const Value& value, int from_bits, kernel::Type to);
  Value integer_arithmetic(const Decoded& d);
  Value multiply(const Decoded& d);
  Value divide(const Decoded& d);
  Value float_arithmetic(const Decoded& d);
  Value float_minimum(const Decoded& d, bool maximum);
  Value reciprocal(const Decoded& d);
  Value logic(const Decoded& d);
  Value shift(const Decoded& d);
  Value count(const Decoded& d);
  Value lop3(const Decoded& d);
  Value select(const Decoded& d);
  Value pack(const Decoded& d);
  void unpack(const Decoded& d);
  void set_predicate(const Decoded& d);
  Value compare(const Decoded& d);

  // Operations on values of any shape; the result is uniform where all operands are.
  Value integer(const char* operation, const Value& a, const Value& b);
  Value floating(const char* operation, const Value& a, const Value& b);
  Value intrinsic(const char* name, const Value& a);
  Value literal(std::int64_t value, const Value& like);
  Value resized(const char* operation, const Value& value, int bits);
  Value chosen(const Value& condition, const Value& yes, const Value& no);
  Value test(const char* comparison, const Value& a, const Value& b);
  std::string as_float(const Value& value);
  Value from_float(const std::string& name, int bits, bool uniform);

  IrText& text_;
  Registers& registers_;
};

}  // namespace raddle::machine::native
