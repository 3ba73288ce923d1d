// Operations of kernels on bits and fields, made of the ALUs' shifts and logic.
#include <fmt/format.h>

#include <vector>

#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::Instruction;
using kernel::Mode;
using kernel::Opcode;
using kernel::Type;
using enum AluOperation;

ValueId KernelOperations::bits(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kBfe: return extracted(i);
    case Opcode::kBfi: return inserted(i);
    case Opcode::kPopc: return ones(narrowed(i, 0, i.type));
    case Opcode::kClz: return leading_zeros(i);
    case Opcode::kBrev: return reversed(i);
    case Opcode::kPrmt: return permuted(i);
    case Opcode::kShf: return funnel(i);
    case Opcode::kLop3: return table(i);
    case Opcode::kCnot: return alu(kAnd, alu(kSeq, narrowed(i, 0, i.type), number(0)), number(1));
    case Opcode::kSad: {
      const ValueId a = narrowed(i, 0, i.type);
      const ValueId b = narrowed(i, 1, i.type);
      const bool is_signed = has_sign(i.type);
      const ValueId greater = alu(is_signed ? kMax : kMaxU, a, b);
      const ValueId lesser = alu(is_signed ? kMin : kMinU, a, b);
      return alu(kAdd, alu(kSub, greater, lesser), source(i, 2));
    }
    default: refuse(i, fmt::format("'{}' is not supported", name_of(i.opcode)));
  }
}

// Shifted down, then cut to its length by shifting up and down again; a field of no bits is 0.
ValueId KernelOperations::extracted(const Instruction& i) {
  const bool is_signed = has_sign(i.type);
  const Alu down = is_signed ? kSar : kShr;
  const auto amount = [&](std::size_t index) { return alu(kAnd, source(i, index), number(255)); };
  const ValueId field = alu(down, narrowed(i, 0, i.type), amount(1));
  const ValueId unused = alu(kSub, number(64), alu(kMin, amount(2), number(64)));
  return alu(down, alu(kShl, field, unused), unused);
}

ValueId KernelOperations::inserted(const Instruction& i) {
  const ValueId position = alu(kAnd, source(i, 2), number(255));
  const ValueId length = alu(kMin, alu(kAnd, source(i, 3), number(255)), number(64));
  const ValueId field = alu(kShr, number(-1), alu(kSub, number(64), length));
  const ValueId mask = alu(kShl, field, position);
  const ValueId moved = alu(kAnd, alu(kShl, source(i, 0), position), mask);
  return alu(kOr, alu(kAnn, source(i, 1), mask), moved);
}

// Sums of neighbours: of pairs, of fours, of bytes, then of all bytes by a product.
ValueId KernelOperations::ones(ValueId value) {
  const auto down = [&](ValueId of, int by) { return alu(kShr, of, number(by)); };
  const ValueId pairs = number(0x5555555555555555);
  const ValueId fours = number(0x3333333333333333);
  value = alu(kSub, value, alu(kAnd, down(value, 1), pairs));
  value = alu(kAdd, alu(kAnd, value, fours), alu(kAnd, down(value, 2), fours));
  value = alu(kAnd, alu(kAdd, value, down(value, 4)), number(0x0f0f0f0f0f0f0f0f));
  return down(alu(kMul, value, number(0x0101010101010101)), 56);
}

// All bits below the highest one are set, too, and counted.
ValueId KernelOperations::leading_zeros(const Instruction& i) {
  const int size = kernel::size_of(i.type) * 8;
  ValueId value = narrowed(i, 0, size == 64 ? Type::kU64 : Type::kU32);
  for (int by = 1; by < size; by *= 2) value = alu(kOr, value, alu(kShr, value, number(by)));
  return alu(kSub, number(size), ones(value));
}

// Neighbours are exchanged, then pairs, and so on to halves of the word.
ValueId KernelOperations::reversed(const Instruction& i) {
  constexpr std::uint64_t kMasks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                      0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  ValueId value = source(i, 0);
  int by = 1;
  for (const std::uint64_t bits : kMasks) {
    const ValueId mask = number(static_cast<std::int64_t>(bits));
    const ValueId lower = alu(kAnd, alu(kShr, value, number(by)), mask);
    value = alu(kOr, lower, alu(kShl, alu(kAnd, value, mask), number(by)));
    by *= 2;
  }
  return kernel::size_of(i.type) == 8 ? value : alu(kShr, value, number(32));
}

// {source 1, source 0} as one word.
ValueId KernelOperations::joined(const Instruction& i) {
  return alu(kOr, alu(kShl, source(i, 1), number(32)), narrowed(i, 0, Type::kU32));
}

// Equal parts of a word, the lowest first.
ValueId KernelOperations::packed(const Instruction& i) {
  const auto size = static_cast<std::int64_t>(kernel::size_of(i.type) * 8 / i.sources.size());
  const ValueId part = number((std::int64_t{1} << size) - 1);
  ValueId result = number(0);
  for (std::size_t s = 0; s < i.sources.size(); ++s) {
    const ValueId shift = number(size * static_cast<std::int64_t>(s));
    result = alu(kOr, result, alu(kShl, alu(kAnd, source(i, s), part), shift));
  }
  return result;
}

// All parts are taken before the first is written: a destination may be the source.
void KernelOperations::unpack(const Instruction& i) {
  const auto size = static_cast<std::int64_t>(kernel::size_of(i.type) * 8 / i.destinations.size());
  const ValueId part = number((std::int64_t{1} << size) - 1);
  const ValueId whole = source(i, 0);
  std::vector<ValueId> parts;
  for (std::size_t d = 0; d < i.destinations.size(); ++d) {
    const ValueId shift = number(size * static_cast<std::int64_t>(d));
    parts.push_back(alu(kAnd, alu(kShr, whole, shift), part));
  }
  for (std::size_t d = 0; d < parts.size(); ++d) write(i, parts[d], d);
}

// An OR of the rows of the truth table that give a one.
ValueId KernelOperations::table(const Instruction& i) {
  const ValueId inputs[] = {source(i, 0), source(i, 1), source(i, 2)};
  const auto rows = static_cast<std::uint32_t>(i.sources[3].bits);
  ValueId result = number(0);
  for (unsigned row = 0; row < 8; ++row) {
    if ((rows >> row & 1) == 0) continue;
    ValueId term = number(-1);
    for (unsigned k = 0; k < 3; ++k)
      term = alu((row >> (2 - k) & 1) != 0 ? kAnd : kAnn, term, inputs[k]);
    result = alu(kOr, result, term);
  }
  return result;
}

// Each digit of the selector picks a byte; its upper bit asks for the byte's sign instead.
ValueId KernelOperations::permuted(const Instruction& i) {
  if (i.mode != Mode::kNone) refuse(i, "modes of 'prmt' are not supported");
  const ValueId all = joined(i);
  const ValueId selector = source(i, 2);
  ValueId result = number(0);
  for (int at = 0; at < 4; ++at) {
    const ValueId digit = alu(kShr, selector, number(std::int64_t{4} * at));
    const ValueId shift = alu(kShl, alu(kAnd, digit, number(7)), number(3));
    ValueId byte = alu(kShr, all, shift);
    const ValueId sign = alu(kSar, alu(kShl, byte, number(56)), number(63));
    byte = alu(kAnd, alu(kSel, alu(kAnd, digit, number(8)), sign, byte), number(255));
    result = alu(kOr, result, alu(kShl, byte, number(std::int64_t{8} * at)));
  }
  return result;
}

ValueId KernelOperations::funnel(const Instruction& i) {
  const bool wraps = i.mode == Mode::kFunnelLeftWrap || i.mode == Mode::kFunnelRightWrap;
  const bool is_left = i.mode == Mode::kFunnelLeftWrap || i.mode == Mode::kFunnelLeftClamp;
  const ValueId amount = wraps ? alu(kAnd, source(i, 2), number(31))
                               : alu(kMinU, narrowed(i, 2, Type::kU32), number(32));
  const ValueId shifted = alu(is_left ? kShl : kShr, joined(i), amount);
  return is_left ? alu(kShr, shifted, number(32)) : shifted;
}

}  // namespace raddle::machine::tpa
