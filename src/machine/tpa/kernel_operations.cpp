#include "machine/tpa/kernel_operations.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace raddle::machine::tpa {

using kernel::Compare;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Type;
using enum AluOperation;

namespace {

constexpr std::int64_t kLanes = 32;

}  // namespace

void KernelOperations::refuse(const Instruction& i, const std::string& why) const {
  context_.refuse(why, i.location);
  RADDLE_ASSERT(false);
  __builtin_unreachable();
}

ValueId KernelOperations::source(const Instruction& i, std::size_t index) {
  return value_of(i, i.sources[index]);
}

ValueId KernelOperations::value_of(const Instruction& i, const kernel::Operand& operand) {
  using Kind = kernel::Operand::Kind;
  switch (operand.kind) {
    case Kind::kImmediate: return number(static_cast<std::int64_t>(operand.bits));
    case Kind::kSymbol: return symbol(i, operand);
    case Kind::kSpecial: return special(i, operand.special);
    case Kind::kNone: return number(0);
    case Kind::kRegister: break;
  }
  const auto written = values_.find(operand.index);
  const std::uint32_t fixed = context_.fixed[operand.index];
  ValueId value = written != values_.end() ? written->second
                  : fixed == kNoRegister   ? number(0)  // never written
                                           : code_.in_register(fixed);
  if (operand.negated) value = alu(kSeq, value, number(0));
  return value;
}

ValueId KernelOperations::symbol(const Instruction& i, const kernel::Operand& operand) {
  const auto offset = static_cast<std::int64_t>(operand.bits);
  if (operand.symbol == kernel::SymbolKind::kLocal)
    return number(context_.function.locals[operand.index].offset + offset);
  if (operand.symbol == kernel::SymbolKind::kParameter)
    return number(context_.function.parameters[operand.index].offset + offset);
  if (operand.symbol == kernel::SymbolKind::kFunction)
    return number(static_cast<std::int64_t>(context_.program.code_address(
        context_.program.resolve_function(context_.launch.kernel.module, operand.index))));
  if (operand.symbol != kernel::SymbolKind::kVariable)
    refuse(i, "the address of an argument is not supported");
  const std::uint32_t module = context_.launch.kernel.module;
  if (context_.module.variables[operand.index].space == kernel::Space::kShared)
    return number(static_cast<std::int64_t>(context_.shared.offset(module, operand.index)) +
                  offset);
  return number(
      static_cast<std::int64_t>(context_.program.variable_address(module, operand.index)) + offset);
}

ValueId KernelOperations::special(const Instruction& i, kernel::SpecialRegister which) {
  using enum kernel::SpecialRegister;
  const kernel::exec::Dim3& block = context_.launch.block;
  const kernel::exec::Dim3& grid = context_.launch.grid;
  // Quotients and remainders of numbers that are not negative.
  const auto divided = [&](ValueId value, std::uint64_t by) {
    if (by == 1) return value;
    if (std::has_single_bit(by)) return alu(kShr, value, number(std::countr_zero(by)));
    return alu(kDiv, value, number(static_cast<std::int64_t>(by)));
  };
  const auto rest = [&](ValueId value, std::uint64_t by) {
    if (by == 1) return number(0);
    if (std::has_single_bit(by)) return alu(kAnd, value, number(static_cast<std::int64_t>(by - 1)));
    return alu(kMod, value, number(static_cast<std::int64_t>(by)));
  };
  const auto thread = [&] {
    return context_.launch.grid.count() == 1 ? code_.thread() : rest(code_.thread(), block.count());
  };
  const auto block_number = [&] { return divided(code_.thread(), block.count()); };
  const auto below = [&](ValueId lane) { return alu(kSub, alu(kShl, number(1), lane), number(1)); };
  // The last dimension needs no remainder.
  const auto last = [](std::uint32_t beyond) { return beyond == 1; };
  switch (which) {
    case kTidX: return last(block.y * block.z) ? thread() : rest(thread(), block.x);
    case kTidY: {
      const ValueId row = divided(thread(), block.x);
      return last(block.z) ? row : rest(row, block.y);
    }
    case kTidZ: return divided(thread(), std::uint64_t{block.x} * block.y);
    case kCtaidX: return last(grid.y * grid.z) ? block_number() : rest(block_number(), grid.x);
    case kCtaidY: {
      const ValueId row = divided(block_number(), grid.x);
      return last(grid.z) ? row : rest(row, grid.y);
    }
    case kCtaidZ: return divided(block_number(), std::uint64_t{grid.x} * grid.y);
    case kNtidX: return number(block.x);
    case kNtidY: return number(block.y);
    case kNtidZ: return number(block.z);
    case kNctaidX: return number(grid.x);
    case kNctaidY: return number(grid.y);
    case kNctaidZ: return number(grid.z);
    case kLaneId: return rest(thread(), kLanes);
    case kWarpId: return divided(thread(), kLanes);
    case kWarpSize: return number(kLanes);
    case kLanemaskEq: return alu(kShl, number(1), rest(thread(), kLanes));
    case kLanemaskLt: return below(rest(thread(), kLanes));
    case kLanemaskLe: return below(alu(kAdd, rest(thread(), kLanes), number(1)));
    case kLanemaskGt:
      return alu(kXor, below(alu(kAdd, rest(thread(), kLanes), number(1))), number(0xffffffff));
    case kLanemaskGe: return alu(kXor, below(rest(thread(), kLanes)), number(0xffffffff));
    default: refuse(i, fmt::format("'%{}' is not supported", name_of(which)));
  }
}

ValueId KernelOperations::narrowed(ValueId value, Type type) {
  const int bits = kernel::size_of(type) * 8;
  if (bits == 0 || bits == 64) return value;
  if (has_sign(type)) {
    const ValueId shift = number(64 - bits);
    return alu(kSar, alu(kShl, value, shift), shift);
  }
  return alu(kAnd, value, number((std::int64_t{1} << bits) - 1));
}

ValueId KernelOperations::guard(const Instruction& i) {
  kernel::Operand operand = kernel::Operand::reg(i.guard.predicate, i.guard.negated);
  return value_of(i, operand);
}

ValueId KernelOperations::active(const Instruction& i) {
  if (!i.guard.present()) return context_.mask;
  const ValueId own = guard(i);
  return context_.mask == kNoValue ? own : alu(kAnd, own, context_.mask);
}

ValueId KernelOperations::masked(const Instruction& i, ValueId address) {
  const ValueId mask = active(i);
  return mask == kNoValue ? address : alu(kAnd, address, mask);
}

void KernelOperations::write(const Instruction& i, ValueId value, std::size_t destination) {
  if (destination >= i.destinations.size()) return;
  const kernel::Operand& target = i.destinations[destination];
  if (!target.is_register()) return;
  if (i.guard.present()) {
    const ValueId old = value_of(i, kernel::Operand::reg(target.index));
    value = alu(kSel, guard(i), value, old);
  }
  values_[target.index] = value;
}

void KernelOperations::lower(const Instruction& i) {
  if (with_carry(i)) return;
  if (i.saturate && i.opcode != Opcode::kCvt && i.type != Type::kF32)
    refuse(i, "saturated arithmetic of integers is not supported");
  switch (i.opcode) {
    case Opcode::kMov: return write(i, source(i, 0));
    case Opcode::kCvta: return write(i, generic(i));
    case Opcode::kPack: return write(i, packed(i));
    case Opcode::kUnpack: return unpack(i);
    case Opcode::kSelp: return write(i, alu(kSel, source(i, 2), source(i, 0), source(i, 1)));
    case Opcode::kCvt: return write(i, convert(i));
    case Opcode::kSetp: return compare(i);
    case Opcode::kLd: return load(i);
    case Opcode::kSt: return store(i);
    case Opcode::kAtom: return atomic(i);
    case Opcode::kShfl: return shuffle(i);
    // Steps are in order: what others did before is done.
    case Opcode::kBar:
      if (i.mode == kernel::Mode::kBarrierPopc || i.mode == kernel::Mode::kBarrierAnd ||
          i.mode == kernel::Mode::kBarrierOr)
        reduce_block(i);
      return;
    case Opcode::kVote:
    case Opcode::kActiveMask: return vote(i);
    case Opcode::kMatch: return match(i);
    case Opcode::kRedux: return reduce_warp(i);
    case Opcode::kWarpSync:
    case Opcode::kFence:
    case Opcode::kNanosleep:
    case Opcode::kBrkpt:
    case Opcode::kPrefetch: return;
    case Opcode::kCall: refuse(i, "the device library (printf, malloc, assert) is not supported");
    case Opcode::kLdMatrix:
    case Opcode::kStMatrix: refuse(i, "matrices over the threads of a warp are not supported");
    default:
      if (group_of(i.opcode) == kernel::OpcodeGroup::kTexture)
        refuse(i, "textures and surfaces are not supported");
      return write(i, arithmetic(i));
  }
}

ValueId KernelOperations::arithmetic(const Instruction& i) {
  if (i.type == Type::kF32 || i.type == Type::kF64) return float_arithmetic(i);
  if (i.type == Type::kF16 || i.type == Type::kBF16 || i.type == Type::kF16x2 ||
      i.type == Type::kBF16x2)
    refuse(i, "half precision is not supported");
  const auto plain = [&](Alu operation) { return alu(operation, source(i, 0), source(i, 1)); };
  const auto ordered = [&](Alu operation) {
    return alu(operation, narrowed(i, 0, i.type), narrowed(i, 1, i.type));
  };
  const bool is_signed = has_sign(i.type);
  switch (i.opcode) {
    case Opcode::kAdd: return plain(kAdd);
    case Opcode::kSub: return plain(kSub);
    case Opcode::kAnd: return plain(kAnd);
    case Opcode::kOr: return plain(kOr);
    case Opcode::kXor: return plain(kXor);
    case Opcode::kNot: return alu(kXor, source(i, 0), number(-1));
    case Opcode::kNeg: return alu(kSub, number(0), source(i, 0));
    case Opcode::kAbs: {
      const ValueId value = narrowed(i, 0, i.type);
      return alu(kMax, value, alu(kSub, number(0), value));
    }
    case Opcode::kMin: return ordered(is_signed ? kMin : kMinU);
    case Opcode::kMax: return ordered(is_signed ? kMax : kMaxU);
    case Opcode::kShl: return alu(kShl, source(i, 0), narrowed(i, 1, Type::kU32));
    case Opcode::kShr:
      return alu(is_signed ? kSar : kShr, narrowed(i, 0, i.type), narrowed(i, 1, Type::kU32));
    case Opcode::kMul:
    case Opcode::kMad: return multiply(i);
    case Opcode::kDiv:
    case Opcode::kRem: return divide(i);
    default: return bits(i);
  }
}

ValueId KernelOperations::multiply(const Instruction& i) {
  const bool is_signed = has_sign(i.type);
  const bool is_wide = kernel::size_of(i.type) == 8;
  ValueId product = kNoValue;
  if (i.part == kernel::MultiplyPart::kLow || i.part == kernel::MultiplyPart::kNone) {
    product = alu(kMul, source(i, 0), source(i, 1));
  } else {
    if (is_wide) return upper_product(i);
    product = alu(kMul, narrowed(i, 0, i.type), narrowed(i, 1, i.type));
    if (i.part == kernel::MultiplyPart::kHigh)
      product =
          alu(is_signed ? kSar : kShr, product, number(std::int64_t{8} * kernel::size_of(i.type)));
  }
  return i.opcode == Opcode::kMad ? alu(kAdd, product, source(i, 2)) : product;
}

// By zero a quotient is all ones and a remainder the dividend; the machine would stop.
ValueId KernelOperations::divide(const Instruction& i) {
  const ValueId dividend = narrowed(i, 0, i.type);
  const ValueId divisor = narrowed(i, 1, i.type);
  const bool is_quotient = i.opcode == Opcode::kDiv;
  if (i.type == Type::kU64 || i.type == Type::kB64)
    return divide_unsigned(dividend, divisor, is_quotient);
  const auto constant = code_.constant_of(divisor);
  if (constant && *constant != 0) return alu(is_quotient ? kDiv : kMod, dividend, divisor);
  const ValueId safe = alu(kSel, divisor, divisor, number(1));
  const ValueId result = alu(is_quotient ? kDiv : kMod, dividend, safe);
  return alu(kSel, divisor, result, is_quotient ? number(-1) : dividend);
}

// Unsigned words by signed division: of half the dividend, doubled, then one more where the rest
// still holds the divisor. A divisor with the upper bit set goes once or not at all.
ValueId KernelOperations::divide_unsigned(ValueId dividend, ValueId divisor, bool is_quotient) {
  const ValueId is_large = alu(kSlt, divisor, number(0));
  const ValueId safe =
      alu(kSel, alu(kOr, is_large, alu(kSeq, divisor, number(0))), number(1), divisor);
  const ValueId half = alu(kShl, alu(kDiv, alu(kShr, dividend, number(1)), safe), number(1));
  const ValueId guess = alu(kSel, is_large, number(0), half);
  const ValueId rest = alu(kSub, dividend, alu(kMul, guess, divisor));
  const ValueId more = alu(kSgeU, rest, divisor);  // -1 or 0
  if (is_quotient) {
    const ValueId quotient = alu(kSub, guess, more);
    return alu(kSel, divisor, quotient, number(-1));
  }
  return alu(kSel, divisor, alu(kSub, rest, alu(kAnd, more, divisor)), dividend);
}

ValueId KernelOperations::comparison(const Instruction& i, Type type) {
  if (type == Type::kF32 || type == Type::kF64) return float_comparison(i, type == Type::kF32);
  const ValueId a = narrowed(i, 0, type);
  const ValueId b = narrowed(i, 1, type);
  const bool is_signed = has_sign(type);
  switch (i.compare) {
    case Compare::kEq: return alu(kSeq, a, b);
    case Compare::kNe: return alu(kSne, a, b);
    case Compare::kLt: return alu(is_signed ? kSlt : kSltU, a, b);
    case Compare::kLe: return alu(is_signed ? kSle : kSleU, a, b);
    case Compare::kGt: return alu(is_signed ? kSgt : kSgtU, a, b);
    case Compare::kGe: return alu(is_signed ? kSge : kSgeU, a, b);
    case Compare::kLo: return alu(kSltU, a, b);
    case Compare::kLs: return alu(kSleU, a, b);
    case Compare::kHi: return alu(kSgtU, a, b);
    case Compare::kHs: return alu(kSgeU, a, b);
    default: refuse(i, "this comparison is not supported");
  }
}

void KernelOperations::compare(const Instruction& i) {
  const ValueId holds = comparison(i, i.type);
  const auto combined = [&](ValueId value) {
    switch (i.combine) {
      case kernel::Combine::kAnd: return alu(kAnd, value, source(i, 2));
      case kernel::Combine::kOr: return alu(kOr, value, source(i, 2));
      case kernel::Combine::kXor: return alu(kXor, value, source(i, 2));
      case kernel::Combine::kNone: break;
    }
    return value;
  };
  const ValueId first = combined(holds);
  const ValueId second =
      i.destinations.size() > 1 ? combined(alu(kXor, holds, number(-1))) : kNoValue;
  write(i, first);
  if (second != kNoValue) write(i, second, 1);
}

// Through a word of memory for each fiber: one step to write it, one to read another's.
void KernelOperations::shuffle(const Instruction& i) {
  const ValueId lane = special(i, kernel::SpecialRegister::kLaneId);
  const ValueId first = alu(kSub, code_.thread(), lane);
  const auto own = [&](ValueId fiber) { return exchange_word(fiber); };
  const ValueId value = source(i, 0);
  const ValueId amount = alu(kAnd, source(i, 1), number(31));
  const ValueId bounds = source(i, 2);
  const ValueId segment = alu(kAnd, alu(kShr, bounds, number(8)), number(31));
  const ValueId clamp = alu(kAnd, bounds, number(31));
  const ValueId fixed = alu(kAnd, lane, segment);
  const ValueId most = alu(kOr, fixed, alu(kAnn, clamp, segment));
  ValueId from = kNoValue;
  ValueId inside = kNoValue;
  switch (i.mode) {
    case kernel::Mode::kShuffleUp:
      from = alu(kSub, lane, amount);
      inside = alu(kSge, from, most);
      break;
    case kernel::Mode::kShuffleDown:
      from = alu(kAdd, lane, amount);
      inside = alu(kSle, from, most);
      break;
    case kernel::Mode::kShuffleButterfly:
      from = alu(kXor, lane, amount);
      inside = alu(kSle, from, most);
      break;
    default: from = alu(kOr, fixed, alu(kAnn, amount, segment)); inside = alu(kSle, from, most);
  }
  code_.memory(MemoryOperation::kStore, Operator::kAdd, {value, masked(i, own(code_.thread()))});
  const ValueId other = alu(kAdd, first, alu(kSel, inside, from, lane));
  const ValueId read =
      code_.memory(MemoryOperation::kLoad, Operator::kAdd, {masked(i, own(other))});
  write(i, read);
  write(i, inside, 1);
}

}  // namespace raddle::machine::tpa
