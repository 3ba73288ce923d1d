#include "machine/simt/thread_strides.h"

#include <algorithm>
#include <cstdlib>

namespace raddle::machine::simt {

namespace {

using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using Kind = ThreadStride::Kind;

constexpr ThreadStride kUniform{Kind::kKnown, 0, false};
constexpr ThreadStride kUnknown{Kind::kUnknown, 0, false};

// Beyond this an address is as good as any other.
constexpr std::int64_t kMaxStride = std::int64_t{1} << 40;

ThreadStride known(std::int64_t x, bool by_row) {
  return std::abs(x) > kMaxStride ? kUnknown : ThreadStride{Kind::kKnown, x, by_row};
}

ThreadStride sum(const ThreadStride& a, const ThreadStride& b, std::int64_t sign = 1) {
  if (a.kind == Kind::kUnset || b.kind == Kind::kUnset) return {};
  if (a.kind == Kind::kUnknown || b.kind == Kind::kUnknown) return kUnknown;
  return known(a.x + sign * b.x, a.by_row || b.by_row);
}

ThreadStride times(const ThreadStride& a, std::int64_t factor) {
  if (a.kind != Kind::kKnown) return a;
  if (std::abs(factor) > kMaxStride / (std::abs(a.x) + 1)) return kUnknown;
  return known(a.x * factor, a.by_row);
}

// Chooses between two that may take each other's place: the one that moves with its thread.
ThreadStride either(const ThreadStride& a, const ThreadStride& b) {
  if (a.kind == Kind::kUnset) return b;
  if (b.kind == Kind::kUnset) return a;
  if (a.kind == Kind::kUnknown || b.kind == Kind::kUnknown) return kUnknown;
  return known(std::abs(a.x) >= std::abs(b.x) ? a.x : b.x, a.by_row || b.by_row);
}

std::int64_t value_of(const Operand& immediate) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(immediate.bits));
}

}  // namespace

ThreadStrides::ThreadStrides(const kernel::Function& function)
    : registers_(function.registers.size()) {
  // Strides settle at once where values are defined before they are used; loops take another turn.
  // What still changes then is not a stride.
  constexpr int kTurns = 4;
  for (int turn = 0; turn < kTurns; ++turn) {
    bool changed = false;
    for (const kernel::Block& block : function.blocks) {
      for (const Instruction& instruction : block.instructions) {
        const ThreadStride result = of_result(instruction);
        for (const Operand& destination : instruction.destinations) {
          if (!destination.is_register()) continue;
          ThreadStride& place = registers_[destination.index];
          const ThreadStride next = either(place, result);
          changed = changed || !(next == place);
          place = turn + 1 == kTurns && !(next == place) ? kUnknown : next;
        }
      }
    }
    if (!changed) break;
  }
}

ThreadStride ThreadStrides::of(const Operand& operand) const {
  if (operand.is_register()) return registers_[operand.index];
  if (operand.kind != Operand::Kind::kSpecial) return kUniform;
  switch (operand.special) {
    case kernel::SpecialRegister::kTidX:
    case kernel::SpecialRegister::kLaneId: return known(1, false);
    case kernel::SpecialRegister::kTidY:
    case kernel::SpecialRegister::kTidZ: return known(0, true);
    default: return kUniform;
  }
}

ThreadStride ThreadStrides::product(const Operand& a, const Operand& b) const {
  if (b.kind == Operand::Kind::kImmediate) return times(of(a), value_of(b));
  if (a.kind == Operand::Kind::kImmediate) return times(of(b), value_of(a));
  const ThreadStride first = of(a);
  const ThreadStride second = of(b);
  if (first.kind == Kind::kUnset || second.kind == Kind::kUnset) return {};
  if (first.uniform() && second.kind == Kind::kKnown && second.x == 0) return second;
  if (second.uniform() && first.kind == Kind::kKnown && first.x == 0) return first;
  return kUnknown;
}

ThreadStride ThreadStrides::of_result(const Instruction& instruction) const {
  const std::vector<Operand>& sources = instruction.sources;
  const auto source = [&](std::size_t i) { return of(sources[i]); };
  switch (instruction.opcode) {
    case Opcode::kMov:
    case Opcode::kCvt:
    case Opcode::kCvta: return source(0);
    case Opcode::kAdd:
    case Opcode::kOr: return sum(source(0), source(1));
    case Opcode::kSub: return sum(source(0), source(1), -1);
    case Opcode::kMul:
    case Opcode::kMul24: return product(sources[0], sources[1]);
    case Opcode::kMad:
    case Opcode::kMad24: return sum(product(sources[0], sources[1]), source(2));
    case Opcode::kShl:
      if (sources[1].kind == Operand::Kind::kImmediate && sources[1].bits < 32)
        return times(source(0), std::int64_t{1} << sources[1].bits);
      break;
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kSelp: return either(source(0), source(1));
    default: break;
  }
  // The same for all threads if all that it is made of is; so is what lies at one address.
  for (const Operand& operand : sources) {
    const ThreadStride stride = of(operand);
    if (stride.kind == Kind::kUnset) return {};
    if (!stride.uniform()) return kUnknown;
  }
  return kUniform;
}

}  // namespace raddle::machine::simt
