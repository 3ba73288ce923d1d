// Atomics of kernels: multioperations and multiprefixes of the active memory units, and turns of
// the loops that stand for what they lack (atomic_loops.h).
#include <fmt/format.h>

#include "machine/tpa/atomic_loops.h"
#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::AtomicOp;
using kernel::Instruction;
using kernel::Type;
using enum AluOperation;

void KernelOperations::atomic(const Instruction& i) {
  if (is_in_loop(i)) return atomic_turn(i);
  const int bytes = kernel::size_of(i.type);
  if (bytes < 4) refuse(i, "atomics of less than 32 bits are not supported");
  if (i.atomic == AtomicOp::kExchange) return store(i);  // nobody wants the old value
  if (bytes == 8) return atomic_halves(i);
  if (i.type == Type::kS32 && (i.atomic == AtomicOp::kMin || i.atomic == AtomicOp::kMax))
    return atomic_signed(i);
  Operator op = Operator::kAdd;
  switch (i.atomic) {
    case AtomicOp::kAnd: op = Operator::kAnd; break;
    case AtomicOp::kOr: op = Operator::kOr; break;
    case AtomicOp::kMin: op = Operator::kMinU; break;
    case AtomicOp::kMax: op = Operator::kMaxU; break;
    default: break;
  }
  const ValueId place = masked(i, address(i, i.offset));
  const ValueId old = combined(i, op, narrowed(source(i, 1), Type::kU32), place);
  if (context_.cuts_sums && op == Operator::kAdd) cut_to_32_bits(place);
  write(i, old);
}

// The old value where it is wanted, by a multiprefix.
ValueId KernelOperations::combined(const Instruction& i, Operator op, ValueId value,
                                   ValueId place) {
  const bool wants_old = !i.destinations.empty() && i.destinations[0].is_register();
  return code_.memory(wants_old ? MemoryOperation::kPrefix : MemoryOperation::kMulti, op,
                      {value, place});
}

void KernelOperations::cut_to_32_bits(ValueId place) {
  code_.memory(MemoryOperation::kMulti, Operator::kAnd, {number(0xffffffff), place});
}

// The word gets its sign before and loses it afterwards: fibers with one target write the same.
void KernelOperations::atomic_signed(const Instruction& i) {
  const ValueId place = masked(i, address(i, i.offset));
  const ValueId before = code_.memory(MemoryOperation::kLoad, Operator::kAdd, {place});
  code_.memory(MemoryOperation::kStore, Operator::kAdd, {narrowed(before, Type::kS32), place});
  const Operator op = i.atomic == AtomicOp::kMin ? Operator::kMin : Operator::kMax;
  const ValueId old = combined(i, op, narrowed(source(i, 1), Type::kS32), place);
  cut_to_32_bits(place);
  write(i, old);
}

// 64 bits whose old value nobody wants: two words. Of a sum each fiber adds the carry that its own
// part of the lower word made, which the multiprefix tells.
void KernelOperations::atomic_halves(const Instruction& i) {
  const ValueId low = masked(i, address(i, i.offset));
  const ValueId high = masked(i, address(i, i.offset + 4));
  const ValueId value = source(i, 1);
  const ValueId lower = narrowed(value, Type::kU32);
  ValueId upper = alu(kShr, value, number(32));
  const auto multi = [&](Operator op, ValueId of, ValueId place) {
    code_.memory(MemoryOperation::kMulti, op, {of, place});
  };
  if (i.atomic != AtomicOp::kAdd) {
    const Operator op = i.atomic == AtomicOp::kAnd ? Operator::kAnd : Operator::kOr;
    multi(op, lower, low);
    return multi(op, upper, high);
  }
  const ValueId before = code_.memory(MemoryOperation::kPrefix, Operator::kAdd, {lower, low});
  const auto carries = [&](ValueId of) { return alu(kShr, of, number(32)); };
  const ValueId carry = alu(kSub, carries(alu(kAdd, before, lower)), carries(before));
  upper = alu(kAdd, upper, carry);
  cut_to_32_bits(low);
  multi(Operator::kAdd, upper, high);
  cut_to_32_bits(high);
}

ValueId KernelOperations::new_value(const Instruction& i, ValueId old) {
  const bool single = i.type == Type::kF32;
  const ValueId value =
      i.type == Type::kF32 || i.type == Type::kF64 ? source(i, 1) : narrowed(i, 1, i.type);
  if (single || i.type == Type::kF64) {
    switch (i.atomic) {
      case AtomicOp::kAdd: return alu(single ? kFloatAddSingle : kFloatAdd, old, value);
      case AtomicOp::kMin: return alu(single ? kFloatMinSingle : kFloatMin, old, value);
      case AtomicOp::kMax: return alu(single ? kFloatMaxSingle : kFloatMax, old, value);
      default: return value;
    }
  }
  const bool is_signed = has_sign(i.type);
  const ValueId was = narrowed(old, i.type);
  switch (i.atomic) {
    case AtomicOp::kAdd: return alu(kAdd, was, value);
    case AtomicOp::kAnd: return alu(kAnd, was, value);
    case AtomicOp::kOr: return alu(kOr, was, value);
    case AtomicOp::kXor: return alu(kXor, was, value);
    case AtomicOp::kMin: return alu(is_signed ? kMin : kMinU, was, value);
    case AtomicOp::kMax: return alu(is_signed ? kMax : kMaxU, was, value);
    case AtomicOp::kInc:
      return alu(kSel, alu(kSgeU, was, value), number(0), alu(kAdd, was, number(1)));
    case AtomicOp::kDec: {
      const ValueId wraps = alu(kOr, alu(kSeq, was, number(0)), alu(kSgtU, was, value));
      return alu(kSel, wraps, value, alu(kSub, was, number(1)));
    }
    case AtomicOp::kCompareSwap: return source(i, 2);
    case AtomicOp::kExchange: return value;
    default: refuse(i, fmt::format("atomic '{}' is not supported", name_of(i.atomic)));
  }
}

// All fibers that are left load the old value; each claims its address by writing its number to a
// word that the address selects, and the one whose number is there stores. Who compares and finds
// another value is done: it came before the one that stores.
void KernelOperations::atomic_turn(const Instruction& i) {
  const ValueId present = active(i);
  const bool is_wide = kernel::size_of(i.type) == 8;
  const auto at = [&](std::int64_t offset) { return address(i, i.offset + offset); };
  const auto load = [&](ValueId place) {
    const ValueId word =
        code_.memory(MemoryOperation::kLoad, Operator::kAdd, {alu(kAnd, place, present)});
    return narrowed(word, Type::kU32);
  };
  const ValueId place = at(0);
  ValueId old = load(place);
  if (is_wide) old = alu(kOr, old, alu(kShl, load(at(4)), number(32)));
  ValueId wants = present;
  if (i.atomic == AtomicOp::kCompareSwap) {
    const ValueId expected = is_wide ? source(i, 1) : narrowed(i, 1, Type::kU32);
    wants = alu(kAnd, present, alu(kSeq, old, expected));
  }
  const auto fibers =
      static_cast<std::int64_t>(context_.launch.grid.count() * context_.launch.block.count());
  const ValueId slot = alu(kMod, alu(kShr, place, number(3)), number(fibers));
  const ValueId claim = alu(kAnd, wants,
                            alu(kAdd, alu(kShl, slot, number(3)),
                                number(static_cast<std::int64_t>(context_.memory.exchange))));
  code_.memory(MemoryOperation::kStore, Operator::kAdd, {code_.thread(), claim});
  const ValueId winner = code_.memory(MemoryOperation::kLoad, Operator::kAdd, {claim});
  const ValueId won = alu(kAnd, wants, alu(kSeq, winner, code_.thread()));
  const ValueId made = new_value(i, old);
  code_.memory(MemoryOperation::kStore, Operator::kAdd,
               {narrowed(made, Type::kU32), alu(kAnd, place, won)});
  if (is_wide)
    code_.memory(MemoryOperation::kStore, Operator::kAdd,
                 {alu(kShr, made, number(32)), alu(kAnd, at(4), won)});
  const ValueId left = alu(kAnn, wants, won);
  if (i.destinations[0].is_register()) {
    const kernel::RegisterId target = i.destinations[0].index;
    const ValueId before = value_of(i, kernel::Operand::reg(target));
    values_[target] = alu(kSel, alu(kAnn, present, left), old, before);
  }
  values_[i.destinations[1].index] = left;
}

}  // namespace raddle::machine::tpa
