#include "kernel/text/modifiers.h"

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace raddle::kernel {
namespace {

struct ModeRange {
  Opcode opcode;
  Mode first;
  Mode last;
};

// The modes each opcode uses; the rest of the enumeration belongs to others.
constexpr ModeRange kModeRanges[] = {
    {Opcode::kShfl, Mode::kShuffleUp, Mode::kShuffleIndex},
    {Opcode::kVote, Mode::kAll, Mode::kBallot},
    {Opcode::kMatch, Mode::kAll, Mode::kAny},
    {Opcode::kBar, Mode::kBarrierSync, Mode::kBarrierOr},
    {Opcode::kPrmt, Mode::kPermuteF4e, Mode::kPermuteRc16},
    {Opcode::kShf, Mode::kFunnelLeftClamp, Mode::kFunnelRightWrap},
    {Opcode::kBmsk, Mode::kClamp, Mode::kWrap},
    {Opcode::kSzext, Mode::kClamp, Mode::kWrap},
    {Opcode::kBfind, Mode::kShiftAmount, Mode::kShiftAmount},
    {Opcode::kTestp, Mode::kFinite, Mode::kSubnormal},
    {Opcode::kDp2a, Mode::kLow, Mode::kHigh},
    {Opcode::kTex, Mode::kTexture1D, Mode::kTexture3DLevel},
    {Opcode::kSuld, Mode::kTexture1D, Mode::kTextureCube},
    {Opcode::kSust, Mode::kTexture1D, Mode::kTextureCube},
    {Opcode::kTxq, Mode::kQueryWidth, Mode::kQueryChannelType},
    {Opcode::kTld4, Mode::kGatherRed, Mode::kGatherAlpha},
    {Opcode::kRedux, Mode::kReduceAdd, Mode::kReduceXor},
    {Opcode::kCpAsyncWait, Mode::kCopyGroup, Mode::kCopyAll},
    {Opcode::kLdMatrix, Mode::kTransposed, Mode::kTransposed},
    {Opcode::kStMatrix, Mode::kTransposed, Mode::kTransposed},
    {Opcode::kMma, Mode::kM8N8K4, Mode::kM16N8K256},
};

bool is_plain_mode(Mode mode, Opcode opcode) {
  for (const ModeRange& range : kModeRanges) {
    if (range.opcode == opcode) return mode >= range.first && mode <= range.last;
  }
  return false;
}

bool is_surface_access(Opcode opcode) { return opcode == Opcode::kSuld || opcode == Opcode::kSust; }

bool has_carry(Opcode opcode) {
  return opcode == Opcode::kAdd || opcode == Opcode::kSub || opcode == Opcode::kMad;
}

// Calls `visit` with the member of the instruction that the field stands for.
template <typename AnyInstruction, typename Visitor>
auto visit_field(AnyInstruction& instruction, ModifierField field, Visitor visit) {
  switch (field) {
    case ModifierField::kToSpace: return visit(instruction.to_space);
    case ModifierField::kSynchronised: return visit(instruction.synchronised);
    case ModifierField::kOrder: return visit(instruction.order);
    case ModifierField::kScope: return visit(instruction.scope);
    case ModifierField::kSpace: return visit(instruction.space);
    case ModifierField::kNonCoherent: return visit(instruction.non_coherent);
    case ModifierField::kAtomic: return visit(instruction.atomic);
    case ModifierField::kCompare: return visit(instruction.compare);
    case ModifierField::kCombine: return visit(instruction.combine);
    case ModifierField::kPart: return visit(instruction.part);
    case ModifierField::kMode: return visit(instruction.mode);
    case ModifierField::kClampMode: return visit(instruction.clamp_mode);
    case ModifierField::kCarryIn: return visit(instruction.carry_in);
    case ModifierField::kCarryOut: return visit(instruction.carry_out);
    case ModifierField::kApproximate: return visit(instruction.approximate);
    case ModifierField::kRounding: return visit(instruction.rounding);
    case ModifierField::kUniform: return visit(instruction.uniform);
    case ModifierField::kFlushToZero: return visit(instruction.flush_to_zero);
    case ModifierField::kSaturate: return visit(instruction.saturate);
    case ModifierField::kPropagateNan: return visit(instruction.propagate_nan);
    case ModifierField::kRelu: return visit(instruction.relu);
    case ModifierField::kAElement: return visit(instruction.a_element);
    case ModifierField::kBElement: break;
  }
  return visit(instruction.b_element);
}

constexpr std::uint8_t value_count(bool) { return 2; }
constexpr std::uint8_t value_count(MemoryOrder) {
  return static_cast<std::uint8_t>(MemoryOrder::kSequential) + 1;
}
constexpr std::uint8_t value_count(Scope) { return static_cast<std::uint8_t>(Scope::kSystem) + 1; }
constexpr std::uint8_t value_count(Space) { return static_cast<std::uint8_t>(Space::kParam) + 1; }
constexpr std::uint8_t value_count(AtomicOp) {
  return static_cast<std::uint8_t>(AtomicOp::kComplete) + 1;
}
constexpr std::uint8_t value_count(Compare) { return static_cast<std::uint8_t>(Compare::kNan) + 1; }
constexpr std::uint8_t value_count(Combine) { return static_cast<std::uint8_t>(Combine::kXor) + 1; }
constexpr std::uint8_t value_count(MultiplyPart) {
  return static_cast<std::uint8_t>(MultiplyPart::kWide) + 1;
}
constexpr std::uint8_t value_count(Mode) { return static_cast<std::uint8_t>(Mode::kM16N8K256) + 1; }
constexpr std::uint8_t value_count(MatrixElement) {
  return static_cast<std::uint8_t>(MatrixElement::kE5M2) + 1;
}
constexpr std::uint8_t value_count(Rounding) {
  return static_cast<std::uint8_t>(Rounding::kNearestAway) + 1;
}

struct FieldEntry {
  std::string_view name;       // in braces
  std::string_view flag_text;  // after a dot; flags alone
};

constexpr FieldEntry kFields[] = {
    {"to_space", "to"},
    {"synchronised", "sync"},
    {"order", ""},
    {"scope", ""},
    {"space", ""},
    {"non_coherent", "nc"},
    {"atomic", ""},
    {"compare", ""},
    {"combine", ""},
    {"part", ""},
    {"mode", ""},
    {"clamp_mode", ""},
    {"carry_in", "cin"},
    {"carry_out", "cout"},
    {"approximate", "approx"},
    {"rounding", ""},
    {"uniform", "uni"},
    {"flush_to_zero", "ftz"},
    {"saturate", "sat"},
    {"propagate_nan", "NaN"},
    {"relu", "relu"},
    {"a_element", ""},
    {"b_element", ""},
};
static_assert(std::size(kFields) == kModifierFields);

}  // namespace

std::uint8_t modifier(const Instruction& instruction, ModifierField field) {
  return visit_field(instruction, field,
                     [](const auto& member) { return static_cast<std::uint8_t>(member); });
}

void set_modifier(Instruction& instruction, ModifierField field, std::uint8_t value) {
  visit_field(instruction, field, [&](auto& member) {
    member = static_cast<std::remove_reference_t<decltype(member)>>(value);
  });
}

std::uint8_t modifier_values(ModifierField field) {
  static const Instruction any;
  return visit_field(any, field, [](const auto& member) { return value_count(member); });
}

std::string_view modifier_text(ModifierField field, std::uint8_t value) {
  static const Instruction any;
  return visit_field(any, field, [&](const auto& member) -> std::string_view {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, bool>) {
      return kFields[static_cast<std::size_t>(field)].flag_text;
    } else {
      return name_of(static_cast<Member>(value));
    }
  });
}

std::string_view modifier_field_name(ModifierField field) {
  return kFields[static_cast<std::size_t>(field)].name;
}

bool is_plain_modifier(ModifierField field, std::uint8_t value, Opcode opcode) {
  switch (field) {
    case ModifierField::kSynchronised:
      return opcode != Opcode::kBar && group_of(opcode) == OpcodeGroup::kWarp;
    case ModifierField::kAtomic: return opcode == Opcode::kAtom;
    case ModifierField::kCompare:
    case ModifierField::kCombine: return opcode == Opcode::kSet || opcode == Opcode::kSetp;
    case ModifierField::kPart:
      return opcode == Opcode::kMul || opcode == Opcode::kMad || opcode == Opcode::kMul24 ||
             opcode == Opcode::kMad24;
    case ModifierField::kMode: return is_plain_mode(static_cast<Mode>(value), opcode);
    case ModifierField::kClampMode: {
      const Mode mode = static_cast<Mode>(value);
      return is_surface_access(opcode) && mode >= Mode::kSurfaceTrap && mode <= Mode::kSurfaceZero;
    }
    case ModifierField::kCarryIn:
    case ModifierField::kCarryOut: return has_carry(opcode);
    case ModifierField::kUniform: return group_of(opcode) == OpcodeGroup::kControl;
    case ModifierField::kAElement:
    case ModifierField::kBElement: return false;  // they look like types
    default: return true;
  }
}

std::optional<ModifierMatch> find_modifier(Opcode opcode, std::string_view text) {
  for (int i = 0; i < kModifierFields; ++i) {
    const auto field = static_cast<ModifierField>(i);
    for (std::uint8_t value = 1; value < modifier_values(field); ++value) {
      if (modifier_text(field, value) == text && is_plain_modifier(field, value, opcode)) {
        return ModifierMatch{field, value};
      }
    }
  }
  return std::nullopt;
}

}  // namespace raddle::kernel
