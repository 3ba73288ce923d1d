#include "kernel/operand_rules.h"

#include <array>
#include <iterator>
#include <string_view>
#include <vector>

namespace raddle::kernel {
namespace {

// Letters for roles: T typed, S source typed, W wide, U word, P predicate, D data, E source data, Q
// part, M movable, A address, G pointer (generic or not), H handle, C coordinate, F callee, V vote,
// R reduction, K constant. A letter may be followed by `?` (optional) or `*` (optional, and any
// number).
struct Pattern {
  Opcode opcode;
  std::string_view destinations;
  std::string_view sources;
};

constexpr Pattern kPatterns[] = {
    {Opcode::kMov, "T", "M"},
    {Opcode::kPack, "T", "QQ*"},
    {Opcode::kUnpack, "QQ*", "T"},
    {Opcode::kCvt, "D", "EE?"},
    {Opcode::kCvta, "T", "G"},
    {Opcode::kIsSpace, "P", "A"},
    {Opcode::kSelp, "T", "TTP"},
    {Opcode::kSlct, "T", "TTS"},
    {Opcode::kPrmt, "U", "UUU"},
    {Opcode::kAdd, "TP?", "TTP?"},
    {Opcode::kSub, "TP?", "TTP?"},
    {Opcode::kMul, "W", "TT"},
    {Opcode::kMad, "WP?", "TTWP?"},
    {Opcode::kFma, "T", "TTT"},
    {Opcode::kMul24, "T", "TT"},
    {Opcode::kMad24, "T", "TTT"},
    {Opcode::kSad, "T", "TTT"},
    {Opcode::kDiv, "T", "TT"},
    {Opcode::kRem, "T", "TT"},
    {Opcode::kAbs, "T", "T"},
    {Opcode::kNeg, "T", "T"},
    {Opcode::kMin, "T", "TT"},
    {Opcode::kMax, "T", "TT"},
    {Opcode::kDp4a, "U", "UUU"},
    {Opcode::kDp2a, "U", "UUU"},
    {Opcode::kRcp, "T", "T"},
    {Opcode::kSqrt, "T", "T"},
    {Opcode::kRsqrt, "T", "T"},
    {Opcode::kSin, "T", "T"},
    {Opcode::kCos, "T", "T"},
    {Opcode::kLg2, "T", "T"},
    {Opcode::kEx2, "T", "T"},
    {Opcode::kTanh, "T", "T"},
    {Opcode::kTestp, "P", "T"},
    {Opcode::kCopysign, "T", "TT"},
    {Opcode::kSet, "T", "SSP?"},
    {Opcode::kSetp, "PP?", "TTP?"},
    {Opcode::kAnd, "T", "TT"},
    {Opcode::kOr, "T", "TT"},
    {Opcode::kXor, "T", "TT"},
    {Opcode::kNot, "T", "T"},
    {Opcode::kCnot, "T", "T"},
    {Opcode::kLop3, "T", "TTTK"},
    {Opcode::kShl, "T", "TU"},
    {Opcode::kShr, "T", "TU"},
    {Opcode::kShf, "T", "TTU"},
    {Opcode::kPopc, "U", "T"},
    {Opcode::kClz, "U", "T"},
    {Opcode::kBfind, "U", "T"},
    {Opcode::kFns, "U", "UUU"},
    {Opcode::kBrev, "T", "T"},
    {Opcode::kBfe, "T", "TUU"},
    {Opcode::kBfi, "T", "TTUU"},
    {Opcode::kBmsk, "U", "UU"},
    {Opcode::kSzext, "T", "TU"},
    {Opcode::kLd, "DD*", "A"},
    {Opcode::kSt, "", "ADD*"},
    {Opcode::kAtom, "T?", "ATT?"},
    {Opcode::kPrefetch, "", "A"},
    {Opcode::kFence, "", ""},
    {Opcode::kCpAsync, "", "AAU*"},
    {Opcode::kCpAsyncWait, "", "K?"},
    {Opcode::kLdMatrix, "UU*", "A"},
    {Opcode::kStMatrix, "", "AUU*"},
    {Opcode::kTex, "DD*", "HC*"},
    {Opcode::kTld4, "DD*", "HC*"},
    {Opcode::kTxq, "U", "HC*"},
    {Opcode::kSuld, "DD*", "HC*"},
    {Opcode::kSust, "", "HC*"},  // coordinates, then data of any size
    {Opcode::kShfl, "TP?", "TUUU?"},
    {Opcode::kVote, "V", "PU?"},
    {Opcode::kMatch, "UP?", "TU"},
    {Opcode::kRedux, "T", "TU"},
    {Opcode::kActiveMask, "U", ""},
    {Opcode::kMma, "TT*", "TT*"},
    {Opcode::kMovMatrix, "U", "U"},
    {Opcode::kWarpSync, "", "U"},
    {Opcode::kBra, "", ""},
    {Opcode::kBrx, "", "U"},
    {Opcode::kCall, "", "F"},
    {Opcode::kRet, "", ""},
    {Opcode::kExit, "", ""},
    {Opcode::kTrap, "", ""},
    {Opcode::kBrkpt, "", ""},
    {Opcode::kNanosleep, "", "U"},
    {Opcode::kBar, "R?", "U?U?P?"},
    {Opcode::kPhi, "T", "T*"},
    {Opcode::kItTag, "", "T"},
    {Opcode::kItReceiveConst, "T", "T"},
    {Opcode::kItReceiveLoad, "T", "AP"},
};

constexpr std::string_view kLetters = "TSWUPDEQMAGHCFVRK";  // in the order of OperandRole

constexpr std::size_t kOpcodeCount = static_cast<std::size_t>(Opcode::kItReceiveLoad) + 1;
static_assert(std::size(kPatterns) == kOpcodeCount, "every opcode has a row");

struct Rules {
  std::vector<OperandRule> destinations;
  std::vector<OperandRule> sources;
};

std::vector<OperandRule> read_pattern(std::string_view pattern) {
  std::vector<OperandRule> rules;
  for (const char letter : pattern) {
    if (letter == '?' || letter == '*') {
      rules.back().optional = true;
      rules.back().repeated = letter == '*';
    } else {
      rules.push_back({static_cast<OperandRole>(kLetters.find(letter))});
    }
  }
  return rules;
}

const Rules& rules_of(Opcode opcode) {
  static const std::array<Rules, kOpcodeCount> table = [] {
    std::array<Rules, kOpcodeCount> rules;
    for (const Pattern& pattern : kPatterns) {
      rules[static_cast<std::size_t>(pattern.opcode)] = {read_pattern(pattern.destinations),
                                                         read_pattern(pattern.sources)};
    }
    return rules;
  }();
  return table[static_cast<std::size_t>(opcode)];
}

Type doubled(Type type) {
  switch (type) {
    case Type::kS16: return Type::kS32;
    case Type::kU16:
    case Type::kB16: return Type::kU32;
    case Type::kS32: return Type::kS64;
    case Type::kU32:
    case Type::kB32: return Type::kU64;
    default: return type;
  }
}

Type part_type(const Instruction& instruction) {
  const std::size_t parts = instruction.opcode == Opcode::kPack ? instruction.sources.size()
                                                                : instruction.destinations.size();
  const auto whole = static_cast<std::size_t>(size_of(instruction.type));
  const std::size_t bytes = parts == 0 || whole % parts != 0 ? 0 : whole / parts;
  switch (bytes) {
    case 1: return Type::kB8;
    case 2: return Type::kB16;
    case 4: return Type::kB32;
    default: return Type::kNone;
  }
}

}  // namespace

std::span<const OperandRule> destination_rules(Opcode opcode) {
  return rules_of(opcode).destinations;
}
std::span<const OperandRule> source_rules(Opcode opcode) { return rules_of(opcode).sources; }

const OperandRule* rule_at(std::span<const OperandRule> rules, std::size_t index) {
  if (index < rules.size()) return &rules[index];
  if (!rules.empty() && rules.back().repeated) return &rules.back();
  return nullptr;
}

Type operand_type(const Instruction& instruction, OperandRole role) {
  switch (role) {
    case OperandRole::kTyped:
    case OperandRole::kData:
    case OperandRole::kMovable:
    case OperandRole::kPointer: return instruction.type;
    case OperandRole::kSourceTyped:
    case OperandRole::kSourceData: return instruction.source_type;
    case OperandRole::kWide:
      return instruction.part == MultiplyPart::kWide ? doubled(instruction.type) : instruction.type;
    case OperandRole::kWord:
    case OperandRole::kConstant: return Type::kU32;
    case OperandRole::kPredicate: return Type::kPred;
    case OperandRole::kPart: return part_type(instruction);
    case OperandRole::kVote: return instruction.mode == Mode::kBallot ? Type::kB32 : Type::kPred;
    case OperandRole::kReduction:
      return instruction.mode == Mode::kBarrierPopc ? Type::kU32 : Type::kPred;
    case OperandRole::kCoordinate:
      return size_of(instruction.source_type) == 4 ? instruction.source_type : Type::kNone;
    case OperandRole::kHandle: return Type::kU64;
    case OperandRole::kAddress:
    case OperandRole::kCallee: return Type::kNone;
  }
  return Type::kNone;
}

Type destination_type(const Instruction& instruction, std::size_t index) {
  const OperandRule* rule = rule_at(destination_rules(instruction.opcode), index);
  return rule == nullptr ? Type::kNone : operand_type(instruction, rule->role);
}

Type source_type(const Instruction& instruction, std::size_t index) {
  const OperandRule* rule = rule_at(source_rules(instruction.opcode), index);
  return rule == nullptr ? Type::kNone : operand_type(instruction, rule->role);
}

bool takes_address(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLd:
    case Opcode::kSt:
    case Opcode::kAtom:
    case Opcode::kPrefetch:
    case Opcode::kCpAsync:
    case Opcode::kLdMatrix:
    case Opcode::kStMatrix:
    case Opcode::kItReceiveLoad: return true;
    default: return false;
  }
}

}  // namespace raddle::kernel
