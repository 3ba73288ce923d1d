// One operation of the kernel IR. An instruction is plain data: an opcode (opcodes.def says what
// each does), a type, the modifiers PTX would write after the dot, operands, and the place in the
// user's source that it comes from. There is one IR instruction for one PTX instruction, so that
// counts mean what a GPU programmer expects.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/type.h"

namespace raddle::kernel {

enum class Opcode : std::uint8_t {
#define RADDLE_OPCODE(enumerator, text, group, sentence) enumerator,
#include "kernel/opcodes.def"
#undef RADDLE_OPCODE
};

// What kind of work an opcode is, before its type is known.
enum class OpcodeGroup : std::uint8_t {
  kMove,
  kConvert,
  kArithmetic,
  kSpecial,
  kCompare,
  kLogic,
  kMemory,
  kTexture,
  kWarp,
  kBarrier,
  kControl,
  kInterThread,
};

std::string_view name_of(Opcode opcode);
std::string_view sentence_of(Opcode opcode);
OpcodeGroup group_of(Opcode opcode);
std::optional<Opcode> opcode_from_name(std::string_view name);

// clang-format off: tables, several names to a line
// Address spaces. kGeneric addresses are resolved when they are used.
enum class Space : std::uint8_t { kNone, kGeneric, kGlobal, kShared, kLocal, kConst, kParam };
enum class Rounding : std::uint8_t { kNone, kNearestEven, kZero, kDown, kUp, kNearestInt, kZeroInt, kDownInt, kUpInt, kNearestAway };
enum class Compare : std::uint8_t {
  kNone, kEq, kNe, kLt, kLe, kGt, kGe, kLo, kLs, kHi, kHs,        // lo…hs are the unsigned spellings
  kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan,                 // true also for unordered operands; both numbers; any NaN
};
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };
enum class MultiplyPart : std::uint8_t { kNone, kLow, kHigh, kWide };
enum class AtomicOp : std::uint8_t { kNone, kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange, kCompareSwap,
  kArrive, kArriveDrop, kExpect, kComplete };  // mbarrier (memory_barrier.h): arrive, arrive and expect fewer from now on, expect bytes, count them
enum class MemoryOrder : std::uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcquireRelease, kSequential };
enum class Scope : std::uint8_t { kNone, kBlock, kDevice, kSystem };

// What does not fit the enumerations above and belongs to one opcode alone.
enum class Mode : std::uint8_t {
  kNone,
  kShuffleUp, kShuffleDown, kShuffleButterfly, kShuffleIndex,                      // shfl
  kAll, kAny, kUniform, kBallot,                                                   // vote; match uses all and any
  kBarrierSync, kBarrierArrive, kBarrierPopc, kBarrierAnd, kBarrierOr,             // bar
  kPermuteF4e, kPermuteB4e, kPermuteRc8, kPermuteEcl, kPermuteEcr, kPermuteRc16,   // prmt
  kFunnelLeftClamp, kFunnelLeftWrap, kFunnelRightClamp, kFunnelRightWrap,          // shf
  kClamp, kWrap,                                                                   // bmsk, szext
  kShiftAmount,                                                                    // bfind
  kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal,                   // testp
  kLow, kHigh,                                                                     // dp2a
  kTexture1D, kTexture2D, kTexture3D, kTextureArray1D, kTextureArray2D, kTextureCube,   // tex, suld, sust
  kTexture1DLevel, kTexture2DLevel, kTexture3DLevel,                               // tex with an explicit mip level
  kQueryWidth, kQueryHeight, kQueryDepth, kQueryChannelOrder, kQueryChannelType,   // txq
  kGatherRed, kGatherGreen, kGatherBlue, kGatherAlpha,                             // tld4
  kSurfaceTrap, kSurfaceClamp, kSurfaceZero,                                       // suld, sust: out-of-range handling in `clamp_mode`
  kReduceAdd, kReduceMin, kReduceMax, kReduceAnd, kReduceOr, kReduceXor,           // redux
  kCopyGroup, kCopyAll,                                                            // cp.async.wait
  kTransposed,                                                                     // ldmatrix, stmatrix
  kM8N8K4, kM8N8K16, kM8N8K32, kM8N8K128,                                          // mma
  kM16N8K4, kM16N8K8, kM16N8K16, kM16N8K32, kM16N8K64, kM16N8K128, kM16N8K256,
};

// What the matrices A and B of an mma are made of. B1 comes with what takes the place of the product.
enum class MatrixElement : std::uint8_t {
  kNone, kF16, kBF16, kTF32, kF64, kS8, kU8, kS4, kU4, kB1Xor, kB1And, kE4M3, kE5M2,
};

// Special registers of PTX; each is read by a `mov`.
enum class SpecialRegister : std::uint8_t {
  kTidX, kTidY, kTidZ, kNtidX, kNtidY, kNtidZ, kCtaidX, kCtaidY, kCtaidZ, kNctaidX, kNctaidY, kNctaidZ,
  kLaneId, kWarpId, kNWarpId, kWarpSize, kSmId, kNSmId, kGridId,
  kLanemaskEq, kLanemaskLe, kLanemaskLt, kLanemaskGe, kLanemaskGt,
  kClock, kClockHi, kClock64, kGlobalTimer, kGlobalTimerLo, kGlobalTimerHi,
  kDynamicSharedSize, kTotalSharedSize, kEnvReg,
};
// clang-format on
std::string_view name_of(SpecialRegister special);  // "tid.x", "laneid" …
std::optional<SpecialRegister> special_register_from_name(std::string_view name);

std::string_view name_of(Space space);
std::string_view name_of(Rounding rounding);
std::string_view name_of(Compare compare);
std::string_view name_of(Combine combine);
std::string_view name_of(MultiplyPart part);
std::string_view name_of(AtomicOp op);
std::string_view name_of(MemoryOrder order);
std::string_view name_of(Scope scope);
std::string_view name_of(Mode mode);
std::string_view name_of(MatrixElement element);

using RegisterId = std::uint32_t;
using BlockId = std::uint32_t;
inline constexpr std::uint32_t kNoId = 0xffffffffu;

// What a symbol operand points at; `index` counts within the list named in the comment.
enum class SymbolKind : std::uint8_t {
  kVariable,     // Module::variables (global, const, shared, texture references)
  kFunction,     // Module::functions
  kLocal,        // Function::locals
  kParameter,    // Function::parameters
  kReturnValue,  // Function::return_values
  kCallSlot,     // Function::call_slots
};

struct Operand {
  enum class Kind : std::uint8_t { kNone, kRegister, kImmediate, kSymbol, kSpecial };

  Kind kind = Kind::kNone;
  SymbolKind symbol = SymbolKind::kVariable;
  SpecialRegister special = SpecialRegister::kTidX;
  bool negated = false;     // predicates only: !%p
  std::uint32_t index = 0;  // register id or symbol index
  std::uint64_t bits =
      0;  // immediate: the value's bits in its type; symbol: byte offset added to its address

  static Operand none() { return {}; }
  static Operand reg(RegisterId id, bool negated = false) {
    Operand operand;
    operand.kind = Kind::kRegister;
    operand.index = id;
    operand.negated = negated;
    return operand;
  }
  static Operand immediate(std::uint64_t bits) {
    Operand operand;
    operand.kind = Kind::kImmediate;
    operand.bits = bits;
    return operand;
  }
  static Operand symbol_address(SymbolKind symbol, std::uint32_t index,
                                std::uint64_t byte_offset = 0) {
    Operand operand;
    operand.kind = Kind::kSymbol;
    operand.symbol = symbol;
    operand.index = index;
    operand.bits = byte_offset;
    return operand;
  }
  static Operand special_register(SpecialRegister special) {
    Operand operand;
    operand.kind = Kind::kSpecial;
    operand.special = special;
    return operand;
  }
  bool is_register() const { return kind == Kind::kRegister; }
  bool operator==(const Operand&) const = default;
};

// Guard predicate: the lanes in which the instruction takes effect.
struct Guard {
  RegisterId predicate = kNoId;
  bool negated = false;
  bool present() const { return predicate != kNoId; }
  bool operator==(const Guard&) const = default;
};

// The static part of an inter-thread operation.
struct InterThread {
  std::uint32_t channel = 0;
  std::array<std::int32_t, 3> delta{};  // producer = consumer + delta, by dimension of the block
  std::uint32_t window = 0;             // 0: the whole block
  bool operator==(const InterThread&) const = default;
};

// What a call passes: call slots of the caller (Function::call_slots), in order.
struct CallInfo {
  std::vector<std::uint32_t> arguments;
  std::vector<std::uint32_t> returns;
  std::uint32_t prototype = kNoId;  // indirect calls: Module::prototypes
  bool operator==(const CallInfo&) const = default;
};

struct Instruction {
  Opcode opcode = Opcode::kMov;
  Type type = Type::kNone;
  Type source_type = Type::kNone;  // cvt, set, slct, dp4a, tex (coordinate type): the second type
  Space space = Space::kNone;
  Rounding rounding = Rounding::kNone;
  Compare compare = Compare::kNone;
  Combine combine = Combine::kNone;
  MultiplyPart part = MultiplyPart::kNone;
  AtomicOp atomic = AtomicOp::kNone;
  MemoryOrder order = MemoryOrder::kWeak;
  Scope scope = Scope::kNone;
  Mode mode = Mode::kNone;
  Mode clamp_mode = Mode::kNone;                   // surfaces only
  MatrixElement a_element = MatrixElement::kNone;  // mma only
  MatrixElement b_element = MatrixElement::kNone;
  bool flush_to_zero = false;  // .ftz
  bool saturate = false;       // .sat
  bool approximate = false;    // .approx and .full
  bool propagate_nan = false;  // .NaN
  bool relu = false;           // .relu
  bool carry_in = false;       // addc, subc, madc
  bool carry_out = false;      // .cc
  bool to_space = false;       // cvta.to
  bool uniform = false;        // .uni: all active lanes agree
  bool synchronised = false;   // .sync forms of shfl, vote, match
  bool non_coherent = false;   // ld.global.nc
  Guard guard;
  std::uint32_t location = 0;         // Module::locations
  std::int64_t offset = 0;            // memory operations: added to the address in src0
  std::vector<Operand> destinations;  // registers, or none() where PTX writes _
  std::vector<Operand> sources;
  std::vector<BlockId> targets;  // bra, brx
  CallInfo call;
  InterThread inter_thread;

  bool operator==(const Instruction&) const = default;
};

// bra, brx, ret, exit, trap: such an instruction is the last of its block, guarded or not. Where
// its guard fails, control falls into the next block.
bool ends_block(const Instruction& instruction);

// clang-format off: tables, several names to a line
// What an instruction counts as in results and energy tables.
enum class InstructionClass : std::uint8_t {
  kInteger, kFloat32, kFloat64, kFloat16, kSpecial, kConvert, kMove, kCompare, kLogic,
  kLoad, kStore, kAtomic, kTexture, kWarp, kBarrier, kControl, kInterThread, kOther,
};
// clang-format on
inline constexpr int kInstructionClasses = static_cast<int>(InstructionClass::kOther) + 1;
InstructionClass class_of(const Instruction& instruction);
std::string_view name_of(InstructionClass instruction_class);  // "integer", "float32" …

}  // namespace raddle::kernel
