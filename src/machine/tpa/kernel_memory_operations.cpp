// Loads, stores and atomics of kernels: four bytes of device memory are a word.
#include <fmt/format.h>

#include <cstring>

#include "kernel/address_map.h"
#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::AtomicOp;
using kernel::Instruction;
using kernel::Type;
using enum AluOperation;

// The word that holds the bytes at this address: twice as far from its region's beginning.
ValueId KernelOperations::address(const Instruction& i, std::int64_t offset) {
  const ValueId doubled = alu(kShl, narrowed(i, 0, Type::kB64), number(1));
  const KernelMemory& memory = context_.memory;
  const auto base = [](Word address) { return static_cast<std::int64_t>(address); };
  switch (i.space) {
    case kernel::Space::kGlobal:
    case kernel::Space::kConst: {
      const auto start = static_cast<std::int64_t>(2 * kernel::kGlobalBase);
      return alu(kAdd, doubled, number(base(memory.global) + 2 * offset - start));
    }
    case kernel::Space::kShared: {
      const ValueId within = alu(kAdd, doubled, number(base(memory.shared) + 2 * offset));
      const std::uint64_t count = context_.launch.block.count();
      if (context_.launch.grid.count() == 1) return within;
      const ValueId block = std::has_single_bit(count)
                                ? alu(kShr, code_.fiber_id(), number(std::countr_zero(count)))
                                : alu(kDiv, code_.fiber_id(), number(base(count)));
      return alu(kAdd, within, alu(kMul, block, number(base(2 * context_.shared_bytes))));
    }
    case kernel::Space::kLocal: {
      const ValueId own = alu(kMul, code_.fiber_id(), number(base(2 * context_.local_bytes)));
      return alu(kAdd, alu(kAdd, doubled, number(base(memory.local) + 2 * offset)), own);
    }
    default: refuse(i, "an access by a generic address is not supported");
  }
}

void KernelOperations::load_parameter(const Instruction& i) {
  const kernel::Operand& place = i.sources[0];
  if (place.kind != kernel::Operand::Kind::kSymbol ||
      place.symbol != kernel::SymbolKind::kParameter)
    refuse(i, "parameters at computed addresses are not supported");
  std::uint64_t at = context_.function.parameters[place.index].offset + place.bits +
                     static_cast<std::uint64_t>(i.offset);
  const auto bytes = static_cast<std::size_t>(kernel::size_of(i.type));
  for (std::size_t d = 0; d < i.destinations.size(); ++d, at += bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, context_.launch.parameters.data() + at, bytes);
    write(i, narrowed(number(static_cast<std::int64_t>(word)), i.type), d);
  }
}

void KernelOperations::load(const Instruction& i) {
  if (i.space == kernel::Space::kParam) return load_parameter(i);
  const int bytes = kernel::size_of(i.type);
  const auto word = [&](ValueId place) {
    return code_.memory(MemoryOperation::kLoad, Operator::kAdd, {masked(i, place)});
  };
  for (std::size_t d = 0; d < i.destinations.size(); ++d) {
    const std::int64_t offset = i.offset + static_cast<std::int64_t>(d) * bytes;
    if (bytes == 8) {
      const ValueId low = narrowed(word(address(i, offset)), Type::kU32);
      const ValueId high = word(address(i, offset + 4));
      write(i, alu(kOr, low, alu(kShl, high, number(32))), d);
    } else if (bytes == 4) {
      write(i, word(address(i, offset)), d);
    } else {
      // The bytes of a word lie at even addresses: twice their place in it.
      const ValueId place = address(i, offset);
      const ValueId within = alu(kAnd, place, number(7));
      const ValueId whole = word(alu(kAnn, place, number(7)));
      const ValueId shifted = alu(kShr, whole, alu(kShl, within, number(2)));
      write(i, narrowed(shifted, i.type), d);
    }
  }
}

void KernelOperations::store(const Instruction& i) {
  const int bytes = kernel::size_of(i.type);
  if (bytes < 4)
    refuse(i, fmt::format("a store of {} {} is not supported: a word of memory has no parts", bytes,
                          bytes == 1 ? "byte" : "bytes"));
  const auto put = [&](ValueId value, std::int64_t offset) {
    code_.memory(MemoryOperation::kStore, Operator::kAdd,
                 {narrowed(value, Type::kU32), masked(i, address(i, offset))});
  };
  for (std::size_t s = 1; s < i.sources.size(); ++s) {
    const std::int64_t offset = i.offset + static_cast<std::int64_t>(s - 1) * bytes;
    const ValueId value = source(i, s);
    put(value, offset);
    if (bytes == 8) put(alu(kShr, value, number(32)), offset + 4);
  }
}

// A multioperation of the active memory units; a multiprefix where the old value is wanted.
void KernelOperations::atomic(const Instruction& i) {
  if (i.type == Type::kF32 || i.type == Type::kF64)
    refuse(i, "the active memory units have no floating-point atomics");
  if (kernel::size_of(i.type) != 4) refuse(i, "atomics of other than 32 bits are not supported");
  ValueId value = source(i, 1);
  Operator op = Operator::kAdd;
  switch (i.atomic) {
    case AtomicOp::kAdd: break;
    case AtomicOp::kAnd: op = Operator::kAnd; break;
    case AtomicOp::kOr: op = Operator::kOr; break;
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      if (i.type == Type::kS32)
        refuse(i, "signed atomic minima and maxima of 32 bits are not supported");
      op = i.atomic == AtomicOp::kMin ? Operator::kMinU : Operator::kMaxU;
      break;
    default:
      refuse(i, fmt::format("the active memory units have no atomic '{}'", name_of(i.atomic)));
  }
  value = narrowed(value, Type::kU32);
  const bool wants_old = !i.destinations.empty() && i.destinations[0].is_register();
  const ValueId old = code_.memory(wants_old ? MemoryOperation::kPrefix : MemoryOperation::kMulti,
                                   op, {value, masked(i, address(i, i.offset))});
  if (wants_old) write(i, old);
}

}  // namespace raddle::machine::tpa
