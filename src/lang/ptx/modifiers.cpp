#include "lang/ptx/modifiers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <vector>

namespace raddle::ptx {
namespace {

using kernel::AtomicOp;
using kernel::Combine;
using kernel::Compare;
using kernel::MemoryOrder;
using kernel::Mode;
using kernel::MultiplyPart;
using kernel::Rounding;
using kernel::Scope;
using kernel::Space;
using kernel::Type;

struct Row {
  std::string_view word;
  Group group;
  std::uint8_t value = 1;

  constexpr Row(std::string_view w, Group g) : word(w), group(g) {}
  template <typename Enum>
  constexpr Row(std::string_view w, Group g, Enum v)
      : word(w), group(g), value(static_cast<std::uint8_t>(v)) {}
};

constexpr Row kRows[] = {
    {"global", Group::kSpace, Space::kGlobal},
    {"shared", Group::kSpace, Space::kShared},
    {"shared::cta", Group::kSpace, Space::kShared},
    {"local", Group::kSpace, Space::kLocal},
    {"const", Group::kSpace, Space::kConst},
    {"param", Group::kSpace, Space::kParam},
    {"param::entry", Group::kSpace, Space::kParam},
    {"param::func", Group::kSpace, Space::kParam},
    {"rn", Group::kRounding, Rounding::kNearestEven},
    {"rz", Group::kRounding, Rounding::kZero},
    {"rm", Group::kRounding, Rounding::kDown},
    {"rp", Group::kRounding, Rounding::kUp},
    {"rni", Group::kIntegerRounding, Rounding::kNearestInt},
    {"rzi", Group::kIntegerRounding, Rounding::kZeroInt},
    {"rmi", Group::kIntegerRounding, Rounding::kDownInt},
    {"rpi", Group::kIntegerRounding, Rounding::kUpInt},
    {"approx", Group::kApproximate},
    {"full", Group::kFullRange},
    {"ftz", Group::kFlushToZero},
    {"sat", Group::kSaturate},
    {"NaN", Group::kNan},
    {"relu", Group::kRelu},
    {"eq", Group::kCompare, Compare::kEq},
    {"ne", Group::kCompare, Compare::kNe},
    {"lt", Group::kCompare, Compare::kLt},
    {"le", Group::kCompare, Compare::kLe},
    {"gt", Group::kCompare, Compare::kGt},
    {"ge", Group::kCompare, Compare::kGe},
    {"lo", Group::kCompare, Compare::kLo},
    {"ls", Group::kCompare, Compare::kLs},
    {"hi", Group::kCompare, Compare::kHi},
    {"hs", Group::kCompare, Compare::kHs},
    {"equ", Group::kCompare, Compare::kEqu},
    {"neu", Group::kCompare, Compare::kNeu},
    {"ltu", Group::kCompare, Compare::kLtu},
    {"leu", Group::kCompare, Compare::kLeu},
    {"gtu", Group::kCompare, Compare::kGtu},
    {"geu", Group::kCompare, Compare::kGeu},
    {"num", Group::kCompare, Compare::kNum},
    {"nan", Group::kCompare, Compare::kNan},
    {"and", Group::kCombine, Combine::kAnd},
    {"or", Group::kCombine, Combine::kOr},
    {"xor", Group::kCombine, Combine::kXor},
    {"lo", Group::kPart, MultiplyPart::kLow},
    {"hi", Group::kPart, MultiplyPart::kHigh},
    {"wide", Group::kPart, MultiplyPart::kWide},
    {"lo", Group::kHalf, MultiplyPart::kLow},
    {"hi", Group::kHalf, MultiplyPart::kHigh},
    {"lo", Group::kByteHalf, Mode::kLow},
    {"hi", Group::kByteHalf, Mode::kHigh},
    {"add", Group::kAtomic, AtomicOp::kAdd},
    {"min", Group::kAtomic, AtomicOp::kMin},
    {"max", Group::kAtomic, AtomicOp::kMax},
    {"inc", Group::kAtomic, AtomicOp::kInc},
    {"dec", Group::kAtomic, AtomicOp::kDec},
    {"and", Group::kAtomic, AtomicOp::kAnd},
    {"or", Group::kAtomic, AtomicOp::kOr},
    {"xor", Group::kAtomic, AtomicOp::kXor},
    {"exch", Group::kAtomic, AtomicOp::kExchange},
    {"cas", Group::kAtomic, AtomicOp::kCompareSwap},
    {"noftz", Group::kNoFlush},
    {"weak", Group::kOrder, MemoryOrder::kWeak},
    {"volatile", Group::kOrder, MemoryOrder::kVolatile},
    {"mmio", Group::kOrder, MemoryOrder::kVolatile},
    {"relaxed", Group::kOrder, MemoryOrder::kRelaxed},
    {"acquire", Group::kOrder, MemoryOrder::kAcquire},
    {"release", Group::kOrder, MemoryOrder::kRelease},
    {"acq_rel", Group::kOrder, MemoryOrder::kAcquireRelease},
    {"sc", Group::kOrder, MemoryOrder::kSequential},
    {"cta", Group::kScope, Scope::kBlock},
    {"gpu", Group::kScope, Scope::kDevice},
    {"sys", Group::kScope, Scope::kSystem},
    {"cta", Group::kFenceLevel, Scope::kBlock},
    {"gl", Group::kFenceLevel, Scope::kDevice},
    {"sys", Group::kFenceLevel, Scope::kSystem},
    {"v2", Group::kVector, 2},
    {"v4", Group::kVector, 4},
    {"ca", Group::kCacheOperator},
    {"cg", Group::kCacheOperator},
    {"cs", Group::kCacheOperator},
    {"lu", Group::kCacheOperator},
    {"cv", Group::kCacheOperator},
    {"wb", Group::kCacheOperator},
    {"wt", Group::kCacheOperator},
    {"L1::evict_normal", Group::kCacheHint},
    {"L1::evict_unchanged", Group::kCacheHint},
    {"L1::evict_first", Group::kCacheHint},
    {"L1::evict_last", Group::kCacheHint},
    {"L1::no_allocate", Group::kCacheHint},
    {"L2::evict_normal", Group::kCacheHint},
    {"L2::evict_first", Group::kCacheHint},
    {"L2::evict_last", Group::kCacheHint},
    {"L2::evict_unchanged", Group::kCacheHint},
    {"L2::64B", Group::kCacheHint},
    {"L2::128B", Group::kCacheHint},
    {"L2::256B", Group::kCacheHint},
    {"L2::cache_hint", Group::kCachePolicy},
    {"cc", Group::kCarryOut},
    {"nc", Group::kNonCoherent},
    {"uni", Group::kUniform},
    {"sync", Group::kSync},
    {"to", Group::kTo},
    {"up", Group::kShuffle, Mode::kShuffleUp},
    {"down", Group::kShuffle, Mode::kShuffleDown},
    {"bfly", Group::kShuffle, Mode::kShuffleButterfly},
    {"idx", Group::kShuffle, Mode::kShuffleIndex},
    {"all", Group::kVote, Mode::kAll},
    {"any", Group::kVote, Mode::kAny},
    {"uni", Group::kVote, Mode::kUniform},
    {"ballot", Group::kVote, Mode::kBallot},
    {"all", Group::kMatch, Mode::kAll},
    {"any", Group::kMatch, Mode::kAny},
    {"add", Group::kReduction, Mode::kReduceAdd},
    {"min", Group::kReduction, Mode::kReduceMin},
    {"max", Group::kReduction, Mode::kReduceMax},
    {"and", Group::kReduction, Mode::kReduceAnd},
    {"or", Group::kReduction, Mode::kReduceOr},
    {"xor", Group::kReduction, Mode::kReduceXor},
    {"popc", Group::kBarrierReduction, Mode::kBarrierPopc},
    {"and", Group::kBarrierReduction, Mode::kBarrierAnd},
    {"or", Group::kBarrierReduction, Mode::kBarrierOr},
    {"aligned", Group::kAligned},
    {"f4e", Group::kPermute, Mode::kPermuteF4e},
    {"b4e", Group::kPermute, Mode::kPermuteB4e},
    {"rc8", Group::kPermute, Mode::kPermuteRc8},
    {"ecl", Group::kPermute, Mode::kPermuteEcl},
    {"ecr", Group::kPermute, Mode::kPermuteEcr},
    {"rc16", Group::kPermute, Mode::kPermuteRc16},
    {"l", Group::kFunnelDirection, 0},
    {"r", Group::kFunnelDirection, 1},
    {"clamp", Group::kClampOrWrap, Mode::kClamp},
    {"wrap", Group::kClampOrWrap, Mode::kWrap},
    {"shiftamt", Group::kShiftAmount, Mode::kShiftAmount},
    {"finite", Group::kTestKind, Mode::kFinite},
    {"infinite", Group::kTestKind, Mode::kInfinite},
    {"number", Group::kTestKind, Mode::kNumber},
    {"notanumber", Group::kTestKind, Mode::kNotANumber},
    {"normal", Group::kTestKind, Mode::kNormal},
    {"subnormal", Group::kTestKind, Mode::kSubnormal},
    {"1d", Group::kGeometry, Mode::kTexture1D},
    {"2d", Group::kGeometry, Mode::kTexture2D},
    {"3d", Group::kGeometry, Mode::kTexture3D},
    {"a1d", Group::kGeometry, Mode::kTextureArray1D},
    {"a2d", Group::kGeometry, Mode::kTextureArray2D},
    {"cube", Group::kGeometry, Mode::kTextureCube},
    {"2d", Group::kPlane},
    {"level", Group::kLevel},
    {"trap", Group::kSurfaceClamp, Mode::kSurfaceTrap},
    {"clamp", Group::kSurfaceClamp, Mode::kSurfaceClamp},
    {"zero", Group::kSurfaceClamp, Mode::kSurfaceZero},
    {"width", Group::kQuery, Mode::kQueryWidth},
    {"height", Group::kQuery, Mode::kQueryHeight},
    {"depth", Group::kQuery, Mode::kQueryDepth},
    {"channel_order", Group::kQuery, Mode::kQueryChannelOrder},
    {"channel_data_type", Group::kQuery, Mode::kQueryChannelType},
    {"r", Group::kGather, Mode::kGatherRed},
    {"g", Group::kGather, Mode::kGatherGreen},
    {"b", Group::kGather, Mode::kGatherBlue},
    {"a", Group::kGather, Mode::kGatherAlpha},
    {"L1", Group::kCacheLevel},
    {"L2", Group::kCacheLevel},
};

struct Unsupported {
  std::string_view word;
  std::string_view reason;
};
constexpr Unsupported kUnsupported[] = {
    {"shared::cluster", "thread-block clusters"},
    {"cluster", "thread-block clusters"},
    {"xorsign", "minimum and maximum with the sign of a product"},
    {"satfinite", "8-bit floating-point formats"},
    {"rs", "stochastic rounding"},
    {"oob", "fused multiply-add with out-of-bounds operands"},
    {"v8", "vectors of more than four elements"},
    {"grad", "texture gradients"},
    {"base", "texture base levels"},
    {"acube", "arrays of cube textures"},
    {"2dms", "multi-sample textures"},
    {"a2dms", "multi-sample textures"},
    {"array_size", "this texture query"},
    {"num_mipmap_levels", "this texture query"},
    {"num_samples", "this texture query"},
    {"normalized_coords", "this texture query"},
    {"force_unnormalized_coords", "this texture query"},
    {"filter_mode", "this texture query"},
    {"addr_mode_0", "this texture query"},
    {"addr_mode_1", "this texture query"},
    {"addr_mode_2", "this texture query"},
    {"memory_layout", "this texture query"},
    {"multimem", "multicast memory"},
    {"async", "asynchronous stores and reductions"},
    {"unified", "unified loads"},
};

constexpr std::string_view kUnsupportedTypes[] = {
    "b128",   "tf32",   "e4m3",   "e5m2",   "e4m3x2", "e5m2x2", "ue8m0x2",
    "e2m1x2", "e2m3x2", "e3m2x2", "e4m3x4", "e5m2x4", "u16x2",  "s16x2",
    "u8x4",   "s8x4",   "f32x2",  "b1",     "u4",     "s4",     "b4",
};

using ModifierMap = std::unordered_map<std::string_view, std::vector<Modifier>>;

const ModifierMap& modifier_map() {
  static const ModifierMap map = [] {
    ModifierMap result;
    for (const Row& row : kRows) result[row.word].push_back({row.group, row.value});
    return result;
  }();
  return map;
}

}  // namespace

std::span<const Modifier> find_modifiers(std::string_view word) {
  const auto found = modifier_map().find(word);
  if (found == modifier_map().end()) return {};
  return found->second;
}

std::optional<std::string_view> unsupported_modifier(std::string_view word) {
  const auto found = std::find_if(std::begin(kUnsupported), std::end(kUnsupported),
                                  [&](const Unsupported& row) { return row.word == word; });
  if (found == std::end(kUnsupported)) return std::nullopt;
  return found->reason;
}

void apply_modifier(Modifier modifier, kernel::Instruction& instruction, ExtraModifiers& extra) {
  extra.seen |= set_of(modifier.group);
  switch (modifier.group) {
    case Group::kSpace: instruction.space = static_cast<Space>(modifier.value); return;
    case Group::kRounding:
    case Group::kIntegerRounding:
      instruction.rounding = static_cast<Rounding>(modifier.value);
      return;
    case Group::kApproximate:
    case Group::kFullRange: instruction.approximate = true; return;
    case Group::kFlushToZero: instruction.flush_to_zero = true; return;
    case Group::kSaturate: instruction.saturate = true; return;
    case Group::kNan: instruction.propagate_nan = true; return;
    case Group::kRelu: instruction.relu = true; return;
    case Group::kCompare: instruction.compare = static_cast<Compare>(modifier.value); return;
    case Group::kCombine: instruction.combine = static_cast<Combine>(modifier.value); return;
    case Group::kPart:
    case Group::kHalf: instruction.part = static_cast<MultiplyPart>(modifier.value); return;
    case Group::kAtomic: instruction.atomic = static_cast<AtomicOp>(modifier.value); return;
    case Group::kOrder: instruction.order = static_cast<MemoryOrder>(modifier.value); return;
    case Group::kScope:
    case Group::kFenceLevel: instruction.scope = static_cast<Scope>(modifier.value); return;
    case Group::kVector: extra.vector = modifier.value; return;
    case Group::kCachePolicy: extra.cache_policy = true; return;
    case Group::kCarryOut: instruction.carry_out = true; return;
    case Group::kNonCoherent: instruction.non_coherent = true; return;
    case Group::kUniform: instruction.uniform = true; return;
    case Group::kSync: instruction.synchronised = true; return;
    case Group::kTo: instruction.to_space = true; return;
    case Group::kFunnelDirection: extra.funnel_right = modifier.value != 0; return;
    case Group::kLevel: extra.level = true; return;
    case Group::kSurfaceClamp: instruction.clamp_mode = static_cast<Mode>(modifier.value); return;
    case Group::kByteHalf:
    case Group::kShuffle:
    case Group::kVote:
    case Group::kMatch:
    case Group::kReduction:
    case Group::kBarrierReduction:
    case Group::kPermute:
    case Group::kClampOrWrap:
    case Group::kShiftAmount:
    case Group::kTestKind:
    case Group::kGeometry:
    case Group::kQuery:
    case Group::kGather: instruction.mode = static_cast<Mode>(modifier.value); return;
    case Group::kNoFlush:
    case Group::kCacheOperator:
    case Group::kCacheHint:
    case Group::kAligned:
    case Group::kCacheLevel:
    case Group::kPlane: return;  // these say how, not what
  }
}

std::string list_words(GroupSet groups) {
  std::vector<std::string_view> words;
  for (const Row& row : kRows) {
    if (contains(groups, row.group)) words.push_back(row.word);
  }
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += ".";
    text += words[i];
  }
  return text;
}

std::optional<Type> find_type(std::string_view word) {
  // Every instruction asks, so the lengths and first letters that no type has are ruled out first.
  if (word.size() < 2 || word.size() > 6) return std::nullopt;
  if (word[0] != 'b' && word[0] != 's' && word[0] != 'u' && word[0] != 'f' && word[0] != 'p')
    return std::nullopt;
  return kernel::type_from_name(word);
}

bool is_unsupported_type(std::string_view word) {
  return std::find(std::begin(kUnsupportedTypes), std::end(kUnsupportedTypes), word) !=
         std::end(kUnsupportedTypes);
}

}  // namespace raddle::ptx
