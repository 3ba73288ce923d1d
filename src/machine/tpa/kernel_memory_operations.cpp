// Loads and stores of kernels: four bytes of device memory are a word.
#include <fmt/format.h>

#include <cstring>

#include "kernel/address_map.h"
#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::Instruction;
using kernel::Type;
using enum AluOperation;

// To a generic address, or from one.
ValueId KernelOperations::generic(const Instruction& i) {
  std::uint64_t window = 0;
  if (i.space == kernel::Space::kShared) window = kernel::kSharedWindow;
  if (i.space == kernel::Space::kLocal) window = kernel::kLocalWindow;
  if (i.space == kernel::Space::kParam) window = kernel::kParamWindow;
  if (window == 0) return source(i, 0);
  return alu(i.to_space ? kSub : kAdd, source(i, 0), number(static_cast<std::int64_t>(window)));
}

// The word that holds the bytes at this address: twice as far from its region's beginning. Of a
// generic address each fiber chooses the region.
ValueId KernelOperations::address(const Instruction& i, std::int64_t offset) {
  const ValueId given = narrowed(i, 0, Type::kB64);
  const auto doubled = [&](ValueId value) { return alu(kShl, value, number(1)); };
  if (i.space != kernel::Space::kGeneric) return address_in(i, i.space, doubled(given), offset);
  ValueId place = address_in(i, kernel::Space::kGlobal, doubled(given), offset);
  const auto or_in = [&](kernel::Space space, std::uint64_t window) {
    const ValueId within = alu(kSub, given, number(static_cast<std::int64_t>(window)));
    const ValueId is_there = alu(kSltU, within, number(kernel::kWindowBytes));
    place = alu(kSel, is_there, address_in(i, space, doubled(within), offset), place);
  };
  if (context_.shared_bytes > 0) or_in(kernel::Space::kShared, kernel::kSharedWindow);
  if (context_.local_bytes > 0) or_in(kernel::Space::kLocal, kernel::kLocalWindow);
  if (context_.has_parameter_pointers) or_in(kernel::Space::kParam, kernel::kParamWindow);
  return place;
}

ValueId KernelOperations::address_in(const Instruction& i, kernel::Space space, ValueId doubled,
                                     std::int64_t offset) {
  const KernelMemory& memory = context_.memory;
  const auto base = [](Word address) { return static_cast<std::int64_t>(address); };
  switch (space) {
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
                                ? alu(kShr, code_.thread(), number(std::countr_zero(count)))
                                : alu(kDiv, code_.thread(), number(base(count)));
      return alu(kAdd, within, alu(kMul, block, number(base(2 * context_.shared_bytes))));
    }
    case kernel::Space::kLocal: {
      const ValueId own = alu(kMul, code_.thread(), number(base(2 * context_.local_bytes)));
      return alu(kAdd, alu(kAdd, doubled, number(base(memory.local) + 2 * offset)), own);
    }
    case kernel::Space::kParam:
      return alu(kAdd, doubled, number(base(memory.parameters) + 2 * offset));
    default: refuse(i, "an access to this memory space is not supported");
  }
}

// A parameter at a known place is a constant.
bool KernelOperations::load_parameter(const Instruction& i) {
  const auto known = code_.constant_of(source(i, 0));
  const auto bytes = static_cast<std::size_t>(kernel::size_of(i.type));
  if (!known) return false;
  auto at = static_cast<std::uint64_t>(*known + i.offset);
  if (at + bytes * i.destinations.size() > context_.launch.parameters.size()) return false;
  for (std::size_t d = 0; d < i.destinations.size(); ++d, at += bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, context_.launch.parameters.data() + at, bytes);
    write(i, narrowed(number(static_cast<std::int64_t>(word)), i.type), d);
  }
  return true;
}

void KernelOperations::load(const Instruction& i) {
  if (i.space == kernel::Space::kParam && load_parameter(i)) return;
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
      // A wider register holds all of the extended value.
      const kernel::Operand& target = i.destinations[d];
      const bool is_wide = target.is_register() &&
                           kernel::size_of(context_.function.registers[target.index].type) == 8;
      const ValueId loaded = word(address(i, offset));
      write(i, is_wide ? narrowed(loaded, i.type) : loaded, d);
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

// A part of a word: a multioperation clears it, a second one sets its bits, so that fibers which
// write other parts of the word in the same steps do not disturb each other.
void KernelOperations::put_part(const Instruction& i, ValueId value, std::int64_t offset) {
  const ValueId place = address(i, offset);
  const ValueId shift = alu(kShl, alu(kAnd, place, number(7)), number(2));
  const ValueId word = masked(i, alu(kAnn, place, number(7)));
  const int bits = kernel::size_of(i.type) * 8;
  const ValueId part = number((std::int64_t{1} << bits) - 1);
  const ValueId kept = alu(kXor, alu(kShl, part, shift), number(-1));
  code_.memory(MemoryOperation::kMulti, Operator::kAnd, {kept, word});
  code_.memory(MemoryOperation::kMulti, Operator::kOr,
               {alu(kShl, alu(kAnd, value, part), shift), word});
}

void KernelOperations::store(const Instruction& i) {
  const int bytes = kernel::size_of(i.type);
  const auto put = [&](ValueId value, std::int64_t offset) {
    code_.memory(MemoryOperation::kStore, Operator::kAdd,
                 {narrowed(value, Type::kU32), masked(i, address(i, offset))});
  };
  for (std::size_t s = 1; s < i.sources.size(); ++s) {
    const std::int64_t offset = i.offset + static_cast<std::int64_t>(s - 1) * bytes;
    const ValueId value = source(i, s);
    if (bytes < 4) {
      put_part(i, value, offset);
      continue;
    }
    put(value, offset);
    if (bytes == 8) put(alu(kShr, value, number(32)), offset + 4);
  }
}

}  // namespace raddle::machine::tpa
