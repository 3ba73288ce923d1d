// The words that PTX writes after the dots of an instruction. A word belongs to one or more groups
// (`.and` combines predicates in setp, and is an operation in atom), and a form of an instruction
// says which groups it takes; so a word has one meaning in one instruction. What the reader knows
// and does not support is in the same table, with the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernel/instruction.h"

namespace raddle::ptx {

enum class Group : std::uint8_t {
  kSpace,
  kRounding,         // rn rz rm rp
  kIntegerRounding,  // rni rzi rmi rpi
  kApproximate,
  kFullRange,  // full: div alone
  kFlushToZero,
  kSaturate,
  kNan,
  kRelu,
  kCompare,
  kCombine,
  kPart,      // lo hi wide
  kHalf,      // lo hi
  kByteHalf,  // dp2a's lo hi
  kAtomic,
  kNoFlush,  // noftz
  kOrder,
  kScope,
  kFenceLevel,  // membar's cta gl sys
  kVector,
  kCacheOperator,
  kCacheHint,    // eviction priorities and prefetch sizes, any number of them
  kCachePolicy,  // L2::cache_hint: one more operand
  kCarryOut,
  kNonCoherent,
  kUniform,
  kSync,
  kTo,
  kShuffle,
  kVote,
  kMatch,
  kReduction,
  kBarrierReduction,
  kAligned,
  kPermute,
  kFunnelDirection,
  kClampOrWrap,
  kShiftAmount,
  kTestKind,
  kGeometry,
  kPlane,  // tld4 gathers from 2d alone
  kLevel,
  kSurfaceClamp,
  kQuery,
  kGather,
  kCacheLevel,  // prefetch's L1 and L2
};

using GroupSet = std::uint64_t;
constexpr GroupSet set_of(Group group) { return GroupSet{1} << static_cast<int>(group); }
constexpr GroupSet operator|(Group a, Group b) { return set_of(a) | set_of(b); }
constexpr GroupSet operator|(GroupSet a, Group b) { return a | set_of(b); }
constexpr bool contains(GroupSet groups, Group group) { return (groups & set_of(group)) != 0; }

// What modifiers say beyond the fields of a kernel instruction.
struct ExtraModifiers {
  int vector = 1;
  bool funnel_right = false;
  bool cache_policy = false;  // one more operand: the policy
  bool level = false;         // tex.level: one more operand
  GroupSet seen = 0;
};

struct Modifier {
  Group group;
  std::uint8_t value;  // of the enumeration that the group stands for
};

// The meanings of a word without its dot, empty if no instruction has it.
std::span<const Modifier> find_modifiers(std::string_view word);
// Why a word is not supported ("thread-block clusters"), if it is one that PTX has and Raddle does
// not.
std::optional<std::string_view> unsupported_modifier(std::string_view word);
void apply_modifier(Modifier modifier, kernel::Instruction& instruction, ExtraModifiers& extra);
// ".lo, .hi or .wide": the words of the groups, for messages.
std::string list_words(GroupSet groups);

// Types by their name without the dot, and the types that PTX has and Raddle does not.
std::optional<kernel::Type> find_type(std::string_view word);
bool is_unsupported_type(std::string_view word);

}  // namespace raddle::ptx
