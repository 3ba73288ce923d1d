// Operations between the fibers of a warp or a block, through words of memory: a multioperation to
// a word that they share, or a store of one's own word and loads of the others'.
#include <fmt/format.h>

#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::Instruction;
using kernel::Mode;
using kernel::Type;
using enum AluOperation;

namespace {

constexpr std::int64_t kLanes = 32;

}  // namespace

// The exchange word of a fiber.
ValueId KernelOperations::exchange_word(ValueId fiber) {
  return alu(kAdd, alu(kShl, fiber, number(3)),
             number(static_cast<std::int64_t>(context_.memory.exchange)));
}

// What the fibers that take part make of `value`, beginning with `first`: three steps.
ValueId KernelOperations::reduced(const Instruction& i, Operator op, ValueId leader, ValueId first,
                                  ValueId value) {
  const ValueId place = masked(i, exchange_word(leader));
  code_.memory(MemoryOperation::kStore, Operator::kAdd, {first, place});
  code_.memory(MemoryOperation::kMulti, op, {value, place});
  return code_.memory(MemoryOperation::kLoad, Operator::kAdd, {place});
}

ValueId KernelOperations::first_of_warp(const Instruction& i) {
  return alu(kSub, code_.thread(), special(i, kernel::SpecialRegister::kLaneId));
}

// Lanes where the predicate holds below, those where it does not above.
ValueId KernelOperations::ballot(const Instruction& i, ValueId predicate) {
  const ValueId lane = special(i, kernel::SpecialRegister::kLaneId);
  const ValueId at = alu(kSel, predicate, lane, alu(kAdd, lane, number(kLanes)));
  return reduced(i, Operator::kOr, first_of_warp(i), number(0), alu(kShl, number(1), at));
}

void KernelOperations::vote(const Instruction& i) {
  const bool is_mask = i.opcode == kernel::Opcode::kActiveMask;
  const ValueId both = ballot(i, is_mask ? number(-1) : source(i, 0));
  const ValueId none_holds = alu(kSeq, narrowed(both, Type::kU32), number(0));
  const ValueId all_hold = alu(kSeq, alu(kShr, both, number(kLanes)), number(0));
  switch (is_mask ? Mode::kBallot : i.mode) {
    case Mode::kAll: return write(i, all_hold);
    case Mode::kAny: return write(i, alu(kXor, none_holds, number(-1)));
    case Mode::kUniform: return write(i, alu(kOr, none_holds, all_hold));
    default: return write(i, narrowed(both, Type::kU32));
  }
}

// Each fiber looks at the words of its warp one after the other.
void KernelOperations::match(const Instruction& i) {
  const ValueId present = ballot(i, number(-1));
  const ValueId own = narrowed(i, 0, i.type);
  const ValueId first = first_of_warp(i);
  code_.memory(MemoryOperation::kStore, Operator::kAdd,
               {own, masked(i, exchange_word(code_.thread()))});
  const auto fibers =
      static_cast<std::int64_t>(context_.launch.grid.count() * context_.launch.block.count());
  ValueId same = number(0);
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const ValueId other = alu(kMin, alu(kAdd, first, number(lane)), number(fibers - 1));
    const ValueId word =
        code_.memory(MemoryOperation::kLoad, Operator::kAdd, {masked(i, exchange_word(other))});
    const ValueId bit = number(std::int64_t{1} << lane);
    same = alu(kOr, same, alu(kAnd, alu(kSeq, word, own), bit));
  }
  same = alu(kAnd, same, present);
  if (i.mode == Mode::kAny) return write(i, same);
  const ValueId agree = alu(kSeq, same, present);
  write(i, alu(kAnd, agree, present));
  write(i, agree, 1);
}

void KernelOperations::reduce_warp(const Instruction& i) {
  const bool is_signed = has_sign(i.type);
  Operator op = Operator::kAdd;
  std::int64_t first = 0;
  switch (i.mode) {
    case Mode::kReduceAdd: break;
    case Mode::kReduceAnd:
      op = Operator::kAnd;
      first = -1;
      break;
    case Mode::kReduceOr: op = Operator::kOr; break;
    case Mode::kReduceMin:
      op = is_signed ? Operator::kMin : Operator::kMinU;
      first = is_signed ? INT64_MAX : -1;
      break;
    case Mode::kReduceMax:
      op = is_signed ? Operator::kMax : Operator::kMaxU;
      first = is_signed ? INT64_MIN : 0;
      break;
    default: refuse(i, "the active memory units have no exclusive or");
  }
  write(i, reduced(i, op, first_of_warp(i), number(first), narrowed(i, 0, i.type)));
}

// Those for which the predicate holds are counted below, all above.
void KernelOperations::reduce_block(const Instruction& i) {
  const auto threads = static_cast<std::int64_t>(context_.launch.block.count());
  const ValueId block = alu(kDiv, code_.thread(), number(threads));
  const ValueId holds = alu(kAnd,
                            i.sources.back().is_register() ? value_of(i, i.sources.back())
                                                           : source(i, i.sources.size() - 1),
                            number(1));
  const ValueId both = reduced(i, Operator::kAdd, alu(kMul, block, number(threads)), number(0),
                               alu(kAdd, holds, number(std::int64_t{1} << 32)));
  const ValueId count = narrowed(both, Type::kU32);
  switch (i.mode) {
    case Mode::kBarrierPopc: return write(i, count);
    case Mode::kBarrierAnd: return write(i, alu(kSeq, count, alu(kShr, both, number(32))));
    default: return write(i, alu(kSne, count, number(0)));
  }
}

}  // namespace raddle::machine::tpa
