#include "machine/cgra/compile/memory_order.h"

#include <optional>
#include <unordered_map>

#include "kernel/analysis/def_use.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::MemoryOrder;
using kernel::Opcode;
using kernel::OpcodeGroup;
using kernel::Operand;
using kernel::RegisterId;
using kernel::Space;

namespace {

// What an instruction does to memory.
struct Effect {
  bool reads = false;
  bool writes = false;
  bool ordered = false;  // volatile, atomic, or a fence: stays in its place among all others
  Space space = Space::kGeneric;
  // The address: a register or symbol with an offset, if it is that simple.
  Operand base;
  std::uint32_t version = 0;  // how often the register has been written before
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

bool is_read_only(const Instruction& i) {
  return i.non_coherent || i.space == Space::kConst || i.space == Space::kParam;
}

std::optional<Effect> effect_of(const Instruction& i) {
  const OpcodeGroup group = group_of(i.opcode);
  if (group != OpcodeGroup::kMemory && group != OpcodeGroup::kTexture &&
      i.opcode != Opcode::kItReceiveLoad && i.opcode != Opcode::kCall)
    return std::nullopt;
  Effect effect;
  effect.space = group == OpcodeGroup::kTexture ? Space::kGlobal : i.space;
  switch (i.opcode) {
    case Opcode::kCall:  // the device library reads strings and hands out memory
    case Opcode::kFence: effect.ordered = effect.reads = effect.writes = true; return effect;
    case Opcode::kLd:
    case Opcode::kItReceiveLoad:
      if (is_read_only(i)) return std::nullopt;
      effect.reads = true;
      break;
    case Opcode::kSt: effect.writes = true; break;
    case Opcode::kAtom: effect.reads = effect.writes = effect.ordered = true; break;
    case Opcode::kCpAsync:
      effect.space = Space::kGeneric;
      effect.reads = effect.writes = true;
      break;
    case Opcode::kSuld: effect.reads = true; return effect;
    case Opcode::kSust: effect.writes = true; return effect;
    default: return std::nullopt;  // textures are read only
  }
  if (i.order != MemoryOrder::kWeak) effect.ordered = true;
  effect.base = i.sources[0];
  effect.offset = i.offset;
  const std::size_t elements = i.opcode == Opcode::kSt
                                   ? i.sources.size() - 1
                                   : std::max<std::size_t>(1, i.destinations.size());
  effect.bytes = static_cast<std::int64_t>(elements) * kernel::size_of(i.type);
  return effect;
}

bool spaces_meet(Space a, Space b) {
  return a == b || a == Space::kGeneric || b == Space::kGeneric || a == Space::kNone ||
         b == Space::kNone;
}

bool apart(const Effect& a, const Effect& b) {
  if (a.bytes == 0 || b.bytes == 0 || !(a.base == b.base) || a.version != b.version) return false;
  return a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
}

bool must_follow(const Effect& first, const Effect& second) {
  if (first.ordered && second.ordered) return true;
  const bool is_fence = first.bytes == 0 && first.ordered;
  const bool to_fence = second.bytes == 0 && second.ordered;
  if (is_fence || to_fence) return true;
  if (!first.writes && !second.writes) return false;
  return spaces_meet(first.space, second.space) && !apart(first, second);
}

}  // namespace

std::vector<std::vector<std::uint32_t>> find_memory_order(const std::vector<Instruction>& code) {
  std::vector<std::vector<std::uint32_t>> order(code.size());
  std::vector<std::pair<std::uint32_t, Effect>> earlier;
  std::unordered_map<RegisterId, std::uint32_t> writes;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    std::optional<Effect> effect = effect_of(code[i]);
    if (effect && effect->base.is_register()) effect->version = writes[effect->base.index];
    kernel::for_each_def(code[i], [&](RegisterId value) { ++writes[value]; });
    if (!effect) continue;
    for (const auto& [place, before] : earlier) {
      if (must_follow(before, *effect)) order[i].push_back(place);
    }
    earlier.emplace_back(i, *effect);
  }
  return order;
}

bool turns_may_overlap(const std::vector<Instruction>& code) {
  std::vector<Effect> effects;
  for (const Instruction& i : code) {
    if (const std::optional<Effect> effect = effect_of(i)) effects.push_back(*effect);
  }
  for (std::size_t a = 0; a < effects.size(); ++a) {
    if (effects[a].ordered) return false;
    for (std::size_t b = 0; b < a; ++b) {
      if ((effects[a].writes || effects[b].writes) &&
          spaces_meet(effects[a].space, effects[b].space))
        return false;
    }
  }
  return true;
}

}  // namespace raddle::machine::cgra
