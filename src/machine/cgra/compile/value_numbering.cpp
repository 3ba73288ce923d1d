#include "machine/cgra/compile/value_numbering.h"

#include <algorithm>

#include "kernel/opposite_comparison.h"
#include "kernel/type.h"

namespace raddle::machine::cgra {

using kernel::Combine;
using kernel::Compare;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::RegisterId;

namespace {

// The same one for a comparison and its opposite.
Compare either_of(Compare compare, bool is_float) {
  return std::min(compare, opposite_of(compare, is_float));
}

}  // namespace

RegisterId ValueNumbering::first_name(RegisterId value) const {
  const auto same = same_.find(value);
  return same == same_.end() ? value : same->second;
}

Instruction ValueNumbering::key_of(const Instruction& instruction) const {
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

std::optional<std::uint32_t> ValueNumbering::find(const Instruction& instruction) const {
  const Instruction key = key_of(instruction);
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) {
    return known.instruction == key && known.results == instruction.destinations.size();
  });
  return found == known_.end() ? std::nullopt : std::optional(found->node);
}

void ValueNumbering::add(const Instruction& instruction, std::uint32_t node) {
  known_.push_back({key_of(instruction), instruction.destinations.size(), node});
}

void ValueNumbering::add_wire(const Instruction& wire) {
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

void ValueNumbering::forget(RegisterId value) {
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
