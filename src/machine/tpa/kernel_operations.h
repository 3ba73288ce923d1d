// What an instruction of a kernel is on the ALUs and the memory unit of a fiber. Registers of 32
// bits and fewer may hold anything above their width: it is cut off where it would be seen.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "kernel/exec/launch.h"
#include "kernel/exec/shared_layout.h"
#include "kernel/program.h"
#include "machine/tpa/fiber_code.h"
#include "machine/tpa/kernel_lowering.h"

namespace raddle::machine::tpa {

// Of a register that no fiber keeps between blocks.
inline constexpr std::uint32_t kNoRegister = ~std::uint32_t{0};

struct KernelContext {
  const kernel::Program& program;
  const kernel::Module& module;
  const kernel::Function& function;
  const kernel::exec::Launch& launch;
  const KernelMemory& memory;
  const kernel::exec::SharedLayout& shared;
  std::uint64_t shared_bytes, local_bytes;
  const std::vector<std::uint32_t>& fixed;  // registers of fibers, by those of the kernel
  ValueId mask;                             // fibers that take part; kNoValue: all
  bool has_parameter_pointers = false;      // generic ones
  bool cuts_sums = false;                   // a sum is cut to 32 bits in a step of its own
  std::function<void(const std::string&, std::uint32_t)> refuse;  // does not return
};

inline bool has_sign(kernel::Type type) {
  using enum kernel::Type;
  return type == kS8 || type == kS16 || type == kS32 || type == kS64;
}

class KernelOperations {
 public:
  KernelOperations(FiberCode& code, KernelContext context)
      : code_(code), context_(std::move(context)) {}

  // Of a block, one after the other; not what ends it.
  void lower(const kernel::Instruction& i);
  // The guard's value, -1 or 0.
  ValueId guard(const kernel::Instruction& i);
  // A source of what ends the block, cut to 32 bits.
  ValueId operand(const kernel::Instruction& i, std::size_t index) {
    return narrowed(source(i, index), kernel::Type::kU32);
  }
  // What registers of the kernel hold now, those that were written.
  const std::map<kernel::RegisterId, ValueId>& values() const { return values_; }

 private:
  using Alu = AluOperation;

  [[noreturn]] void refuse(const kernel::Instruction& i, const std::string& why) const;
  ValueId number(std::int64_t value) { return code_.constant(value); }
  ValueId alu(Alu operation, ValueId a) { return code_.alu(operation, {a}); }
  ValueId alu(Alu operation, ValueId a, ValueId b) { return code_.alu(operation, {a, b}); }
  ValueId alu(Alu operation, ValueId a, ValueId b, ValueId c) {
    return code_.alu(operation, {a, b, c});
  }
  ValueId source(const kernel::Instruction& i, std::size_t index);
  ValueId value_of(const kernel::Instruction& i, const kernel::Operand& operand);
  ValueId symbol(const kernel::Instruction& i, const kernel::Operand& operand);
  ValueId special(const kernel::Instruction& i, kernel::SpecialRegister which);
  // Cut to the width of the type, and extended as it says.
  ValueId narrowed(ValueId value, kernel::Type type);
  ValueId narrowed(const kernel::Instruction& i, std::size_t index, kernel::Type type) {
    return narrowed(source(i, index), type);
  }
  void write(const kernel::Instruction& i, ValueId value, std::size_t destination = 0);
  ValueId active(const kernel::Instruction& i);  // mask and guard; kNoValue: all
  ValueId masked(const kernel::Instruction& i, ValueId address);

  ValueId arithmetic(const kernel::Instruction& i);
  ValueId multiply(const kernel::Instruction& i);
  ValueId divide(const kernel::Instruction& i);
  ValueId divide_unsigned(ValueId dividend, ValueId divisor, bool is_quotient);
  void compare(const kernel::Instruction& i);
  ValueId comparison(const kernel::Instruction& i, kernel::Type type);
  void shuffle(const kernel::Instruction& i);

  // kernel_bit_operations.cpp
  ValueId bits(const kernel::Instruction& i);
  ValueId extracted(const kernel::Instruction& i);
  ValueId inserted(const kernel::Instruction& i);
  ValueId ones(ValueId value);
  ValueId leading_zeros(const kernel::Instruction& i);
  ValueId reversed(const kernel::Instruction& i);
  ValueId joined(const kernel::Instruction& i);
  ValueId packed(const kernel::Instruction& i);
  void unpack(const kernel::Instruction& i);
  ValueId permuted(const kernel::Instruction& i);
  ValueId funnel(const kernel::Instruction& i);

  ValueId table(const kernel::Instruction& i);

  // kernel_carry_operations.cpp
  bool with_carry(const kernel::Instruction& i);
  ValueId upper_product(const kernel::Instruction& i);

  // kernel_warp_operations.cpp
  ValueId exchange_word(ValueId fiber);
  ValueId reduced(const kernel::Instruction& i, Operator op, ValueId leader, ValueId first,
                  ValueId value);
  ValueId first_of_warp(const kernel::Instruction& i);
  ValueId ballot(const kernel::Instruction& i, ValueId predicate);
  void vote(const kernel::Instruction& i);
  void match(const kernel::Instruction& i);
  void reduce_warp(const kernel::Instruction& i);
  void reduce_block(const kernel::Instruction& i);

  // kernel_special_functions.cpp
  ValueId real(double value);
  ValueId polynomial(ValueId x, std::span<const double> coefficients);
  ValueId nearest_word(ValueId x);
  ValueId special_function(const kernel::Instruction& i);
  ValueId sine(ValueId x, std::int64_t quarters);
  ValueId logarithm(ValueId x);
  ValueId exponential(ValueId x);
  ValueId flushed(const kernel::Instruction& i, ValueId single);

  // kernel_float_operations.cpp
  ValueId float_arithmetic(const kernel::Instruction& i);
  ValueId float_result(const kernel::Instruction& i, bool single);
  ValueId from_unsigned(const kernel::Instruction& i, bool single);
  ValueId to_unsigned(ValueId value);
  ValueId float_comparison(const kernel::Instruction& i, bool single);
  ValueId rounded(const kernel::Instruction& i, bool single);
  ValueId convert(const kernel::Instruction& i);

  // kernel_memory_operations.cpp
  ValueId generic(const kernel::Instruction& i);
  ValueId address(const kernel::Instruction& i, std::int64_t offset);
  ValueId address_in(const kernel::Instruction& i, kernel::Space space, ValueId doubled,
                     std::int64_t offset);
  void load(const kernel::Instruction& i);
  bool load_parameter(const kernel::Instruction& i);
  void store(const kernel::Instruction& i);
  void put_part(const kernel::Instruction& i, ValueId value, std::int64_t offset);

  // kernel_atomic_operations.cpp
  void atomic(const kernel::Instruction& i);
  void atomic_signed(const kernel::Instruction& i);
  void atomic_halves(const kernel::Instruction& i);
  void atomic_turn(const kernel::Instruction& i);
  ValueId new_value(const kernel::Instruction& i, ValueId old);
  ValueId combined(const kernel::Instruction& i, Operator op, ValueId value, ValueId place);
  void cut_to_32_bits(ValueId place);

  FiberCode& code_;
  KernelContext context_;
  std::map<kernel::RegisterId, ValueId> values_;
};

}  // namespace raddle::machine::tpa
