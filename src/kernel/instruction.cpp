#include "kernel/instruction.h"

#include <cstddef>
#include <iterator>
#include <unordered_map>

namespace raddle::kernel {
namespace {

struct OpcodeEntry {
  std::string_view name;
  OpcodeGroup group;
  std::string_view sentence;
};

constexpr OpcodeEntry kOpcodes[] = {
#define RADDLE_OPCODE(enumerator, text, group, sentence) {text, OpcodeGroup::group, sentence},
#include "kernel/opcodes.def"
#undef RADDLE_OPCODE
};

constexpr std::string_view kSpecialNames[] = {
    "tid.x",
    "tid.y",
    "tid.z",
    "ntid.x",
    "ntid.y",
    "ntid.z",
    "ctaid.x",
    "ctaid.y",
    "ctaid.z",
    "nctaid.x",
    "nctaid.y",
    "nctaid.z",
    "laneid",
    "warpid",
    "nwarpid",
    "WARP_SZ",
    "smid",
    "nsmid",
    "gridid",
    "lanemask_eq",
    "lanemask_le",
    "lanemask_lt",
    "lanemask_ge",
    "lanemask_gt",
    "clock",
    "clock_hi",
    "clock64",
    "globaltimer",
    "globaltimer_lo",
    "globaltimer_hi",
    "dynamic_smem_size",
    "total_smem_size",
    "envreg",
};
static_assert(std::size(kSpecialNames) == static_cast<std::size_t>(SpecialRegister::kEnvReg) + 1);

constexpr std::string_view kSpaceNames[] = {"",      "generic", "global", "shared",
                                            "local", "const",   "param"};
static_assert(std::size(kSpaceNames) == static_cast<std::size_t>(Space::kParam) + 1);

constexpr std::string_view kRoundingNames[] = {"",    "rn",  "rz",  "rm",  "rp",
                                               "rni", "rzi", "rmi", "rpi", "rna"};
static_assert(std::size(kRoundingNames) == static_cast<std::size_t>(Rounding::kNearestAway) + 1);

constexpr std::string_view kCompareNames[] = {"",    "eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                              "lo",  "ls",  "hi",  "hs",  "equ", "neu", "ltu",
                                              "leu", "gtu", "geu", "num", "nan"};
static_assert(std::size(kCompareNames) == static_cast<std::size_t>(Compare::kNan) + 1);

constexpr std::string_view kCombineNames[] = {"", "and", "or", "xor"};
static_assert(std::size(kCombineNames) == static_cast<std::size_t>(Combine::kXor) + 1);

constexpr std::string_view kPartNames[] = {"", "lo", "hi", "wide"};
static_assert(std::size(kPartNames) == static_cast<std::size_t>(MultiplyPart::kWide) + 1);

constexpr std::string_view kAtomicNames[] = {
    "",    "add",  "min", "max",    "inc",         "dec",       "and",        "or",
    "xor", "exch", "cas", "arrive", "arrive_drop", "expect_tx", "complete_tx"};
static_assert(std::size(kAtomicNames) == static_cast<std::size_t>(AtomicOp::kComplete) + 1);

constexpr std::string_view kOrderNames[] = {"weak",    "volatile", "relaxed", "acquire",
                                            "release", "acq_rel",  "sc"};
static_assert(std::size(kOrderNames) == static_cast<std::size_t>(MemoryOrder::kSequential) + 1);

constexpr std::string_view kScopeNames[] = {"", "cta", "gpu", "sys"};
static_assert(std::size(kScopeNames) == static_cast<std::size_t>(Scope::kSystem) + 1);

// The grouping follows the enumeration: a line for each opcode that has modes.
constexpr std::string_view kModeNames[] = {
    "",
    "up",
    "down",
    "bfly",
    "idx",
    "all",
    "any",
    "uni",
    "ballot",
    "sync",
    "arrive",
    "red.popc",
    "red.and",
    "red.or",
    "f4e",
    "b4e",
    "rc8",
    "ecl",
    "ecr",
    "rc16",
    "l.clamp",
    "l.wrap",
    "r.clamp",
    "r.wrap",
    "clamp",
    "wrap",
    "shiftamt",
    "finite",
    "infinite",
    "number",
    "notanumber",
    "normal",
    "subnormal",
    "lo",
    "hi",
    "1d",
    "2d",
    "3d",
    "a1d",
    "a2d",
    "cube",
    "level.1d",
    "level.2d",
    "level.3d",
    "width",
    "height",
    "depth",
    "channel_order",
    "channel_data_type",
    "r",
    "g",
    "b",
    "a",
    "trap",
    "clamp",
    "zero",
    "add",
    "min",
    "max",
    "and",
    "or",
    "xor",
    "group",
    "all",
    "trans",
    "m8n8k4",
    "m8n8k16",
    "m8n8k32",
    "m8n8k128",
    "m16n8k4",
    "m16n8k8",
    "m16n8k16",
    "m16n8k32",
    "m16n8k64",
    "m16n8k128",
    "m16n8k256",
};
static_assert(std::size(kModeNames) == static_cast<std::size_t>(Mode::kM16N8K256) + 1);

constexpr std::string_view kElementNames[] = {"",   "f16", "bf16",  "tf32",  "f64",  "s8",  "u8",
                                              "s4", "u4",  "b1xor", "b1and", "e4m3", "e5m2"};
static_assert(std::size(kElementNames) == static_cast<std::size_t>(MatrixElement::kE5M2) + 1);

constexpr std::string_view kClassNames[] = {
    "integer", "float32", "float64", "float16", "special",      "convert",
    "move",    "compare", "logic",   "load",    "store",        "atomic",
    "texture", "warp",    "barrier", "control", "inter_thread", "other",
};
static_assert(std::size(kClassNames) == kInstructionClasses);

template <typename Enum, std::size_t n>
std::string_view look_up(const std::string_view (&names)[n], Enum value) {
  return names[static_cast<std::size_t>(value)];
}

InstructionClass class_by_type(Type type) {
  switch (type) {
    case Type::kF64: return InstructionClass::kFloat64;
    case Type::kF32: return InstructionClass::kFloat32;
    case Type::kF16:
    case Type::kBF16:
    case Type::kF16x2:
    case Type::kBF16x2: return InstructionClass::kFloat16;
    default: return InstructionClass::kInteger;
  }
}

InstructionClass class_of_memory(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLd:
    case Opcode::kLdMatrix:
    case Opcode::kCpAsync: return InstructionClass::kLoad;
    case Opcode::kStMatrix:
    case Opcode::kSt: return InstructionClass::kStore;
    case Opcode::kAtom: return InstructionClass::kAtomic;
    default:  // fence, prefetch, cp.async.wait move no data of their own
      return InstructionClass::kOther;
  }
}

}  // namespace

std::string_view name_of(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)].name; }
std::string_view sentence_of(Opcode opcode) {
  return kOpcodes[static_cast<std::size_t>(opcode)].sentence;
}
OpcodeGroup group_of(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)].group; }

std::optional<Opcode> opcode_from_name(std::string_view name) {
  static const std::unordered_map<std::string_view, Opcode> by_name = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (std::size_t i = 0; i < std::size(kOpcodes); ++i)
      map.emplace(kOpcodes[i].name, static_cast<Opcode>(i));
    return map;
  }();
  const auto found = by_name.find(name);
  if (found == by_name.end()) return std::nullopt;
  return found->second;
}

std::string_view name_of(SpecialRegister special) { return look_up(kSpecialNames, special); }

std::optional<SpecialRegister> special_register_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kSpecialNames); ++i) {
    if (kSpecialNames[i] == name) return static_cast<SpecialRegister>(i);
  }
  // PTX numbers its environment registers; all of them read as zero here.
  if (name.starts_with("envreg")) {
    const std::string_view digits = name.substr(6);
    if (digits.size() <= 2 && digits.find_first_not_of("0123456789") == std::string_view::npos) {
      return SpecialRegister::kEnvReg;
    }
  }
  return std::nullopt;
}

std::string_view name_of(Space space) { return look_up(kSpaceNames, space); }
std::string_view name_of(Rounding rounding) { return look_up(kRoundingNames, rounding); }
std::string_view name_of(Compare compare) { return look_up(kCompareNames, compare); }
std::string_view name_of(Combine combine) { return look_up(kCombineNames, combine); }
std::string_view name_of(MultiplyPart part) { return look_up(kPartNames, part); }
std::string_view name_of(AtomicOp op) { return look_up(kAtomicNames, op); }
std::string_view name_of(MemoryOrder order) { return look_up(kOrderNames, order); }
std::string_view name_of(Scope scope) { return look_up(kScopeNames, scope); }
std::string_view name_of(Mode mode) { return look_up(kModeNames, mode); }
std::string_view name_of(MatrixElement element) { return look_up(kElementNames, element); }
std::string_view name_of(InstructionClass instruction_class) {
  return look_up(kClassNames, instruction_class);
}

bool ends_block(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kBra:
    case Opcode::kBrx:
    case Opcode::kRet:
    case Opcode::kExit:
    case Opcode::kTrap: return true;
    default: return false;
  }
}

InstructionClass class_of(const Instruction& instruction) {
  switch (group_of(instruction.opcode)) {
    case OpcodeGroup::kMove: return InstructionClass::kMove;
    case OpcodeGroup::kConvert: return InstructionClass::kConvert;
    case OpcodeGroup::kArithmetic: return class_by_type(instruction.type);
    case OpcodeGroup::kSpecial: return InstructionClass::kSpecial;
    case OpcodeGroup::kCompare: return InstructionClass::kCompare;
    case OpcodeGroup::kLogic: return InstructionClass::kLogic;
    case OpcodeGroup::kMemory: return class_of_memory(instruction.opcode);
    case OpcodeGroup::kTexture: return InstructionClass::kTexture;
    case OpcodeGroup::kWarp: return InstructionClass::kWarp;
    case OpcodeGroup::kBarrier: return InstructionClass::kBarrier;
    case OpcodeGroup::kControl: return InstructionClass::kControl;
    case OpcodeGroup::kInterThread: return InstructionClass::kInterThread;
  }
  return InstructionClass::kOther;
}

}  // namespace raddle::kernel
