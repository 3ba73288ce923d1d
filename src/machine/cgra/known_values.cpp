#include "machine/cgra/known_values.h"

#include <algorithm>

#include "kernel/type.h"

namespace raddle::machine::cgra {

using kernel::Combine;
using kernel::Compare;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::RegisterId;

namespace {

// Of a comparison and its opposite, one and the same.
Compare either_of(Compare compare, bool is_float) {
  switch (compare) {
    case Compare::kNe: return is_float ? compare : Compare::kEq;
    case Compare::kGe: return is_float ? compare : Compare::kLt;
    case Compare::kGt: return is_float ? compare : Compare::kLe;
    case Compare::kHs: return Compare::kLo;
    case Compare::kHi: return Compare::kLs;
    case Compare::kNeu: return Compare::kEq;
    case Compare::kGeu: return Compare::kLt;
    case Compare::kGtu: return Compare::kLe;
    case Compare::kLeu: return Compare::kGt;
    case Compare::kLtu: return Compare::kGe;
    case Compare::kNan: return Compare::kNum;
    default: return compare;
  }
}

}  // namespace

RegisterId KnownValues::first_name(RegisterId value) const {
  const auto same = same_.find(value);
  return same == same_.end() ? value : same->second;
}

Instruction KnownValues::key_of(const Instruction& instruction) const {
  Instruction key = instruction;
  key.destinations.clear();
  key.location = 0;
  for (Operand& source : key.sources) {
    if (source.is_register()) source.index = first_name(source.index);
  }
  if (key.opcode == Opcode::kSetp && key.combine == Combine::kNone)
    key.compare = either_of(key.compare, kernel::is_float(key.type));
  return key;
}

std::optional<std::uint32_t> KnownValues::find(const Instruction& instruction) const {
  const Instruction key = key_of(instruction);
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) {
    return known.instruction == key && known.results == instruction.destinations.size();
  });
  return found == known_.end() ? std::nullopt : std::optional(found->node);
}

void KnownValues::add(const Instruction& instruction, std::uint32_t node) {
  known_.push_back({key_of(instruction), instruction.destinations.size(), node});
}

void KnownValues::add_wire(const Instruction& wire) {
  if (wire.guard.present() || wire.destinations.size() != 1 || !wire.destinations[0].is_register())
    return;
  const Operand& source = wire.sources[0];
  if (!source.is_register() || wire.opcode == Opcode::kNot) return;
  const RegisterId result = wire.destinations[0].index;
  const RegisterId from = first_name(source.index);
  if (wire.opcode != Opcode::kCvt) {
    same_[result] = from;
    return;
  }
  const int before = kernel::size_of(wire.source_type), after = kernel::size_of(wire.type);
  const auto wide = widened_.find(from);
  if (after > before) {
    widened_[result] = {from, before};
  } else if (wide != widened_.end() && after == wide->second.bytes) {
    same_[result] = wide->second.from;
  }
}

void KnownValues::forget(RegisterId value) {
  std::erase_if(known_, [&](const Known& known) {
    return std::any_of(
        known.instruction.sources.begin(), known.instruction.sources.end(),
        [&](const Operand& source) { return source.is_register() && source.index == value; });
  });
  std::erase_if(same_,
                [&](const auto& pair) { return pair.first == value || pair.second == value; });
  std::erase_if(widened_,
                [&](const auto& pair) { return pair.first == value || pair.second.from == value; });
}

}  // namespace raddle::machine::cgra
