// One decoded instruction of the r5xx fragment processor: what the 192 bits of its word say, field
// by field. Assembler and compiler fill it, isa.h packs it into words and back, the machine
// executes it. A default-made instruction is the canonical empty one: both halves MAD, nothing
// written, unused sources reading the inline zero.
#pragma once

#include <array>
#include <cstdint>

namespace raddle::machine::overlay {

inline constexpr unsigned kMaxInstructions = 512;
inline constexpr unsigned kTemporaries = 128;
inline constexpr unsigned kConstants = 256;
inline constexpr unsigned kSamplers = 16;
inline constexpr unsigned kOutputs = 4;
// The depth output has a buffer of its own, after those of o0 to o3.
inline constexpr unsigned kDepthOutput = kOutputs;
inline constexpr unsigned kOutputBuffers = kOutputs + 1;
inline constexpr unsigned kBooleanConstants = 32;
inline constexpr unsigned kIntegerConstants = 32;

enum class InstructionType : std::uint8_t { kAlu, kOut, kFlow, kTex };

enum class VectorOp : std::uint8_t {
  kMad,
  kDp3,
  kDp4,
  kD2a,
  kMin,
  kMax,
  kReserved6,
  kCnd,
  kCmp,
  kFrc,
  kSop,
  kMdh,
  kMdv,
  kReserved13,
  kReserved14,
  kReserved15
};
enum class ScalarOp : std::uint8_t {
  kMad,
  kDp,
  kMin,
  kMax,
  kReserved4,
  kCnd,
  kCmp,
  kFrc,
  kEx2,
  kLn2,
  kRcp,
  kRsq,
  kSin,
  kCos,
  kMdh,
  kMdv
};
enum class TexOp : std::uint8_t { kNop, kLoad, kKill, kProject, kLodBias, kLod, kDxDy, kReserved7 };
enum class FlowOp : std::uint8_t {
  kJump,
  kLoop,
  kEndLoop,
  kRep,
  kEndRep,
  kBreakLoop,
  kBreakRep,
  kContinue
};

enum class Swizzle : std::uint8_t { kRed, kGreen, kBlue, kAlpha, kZero, kHalf, kOne, kUnused };
enum class SourceSelect : std::uint8_t { kSource0, kSource1, kSource2, kPresubtract };
enum class SourceModifier : std::uint8_t { kNone, kNegate, kAbsolute, kNegateAbsolute };
enum class Presubtract : std::uint8_t {
  kOneMinusTwiceSource0,
  kSource1MinusSource0,
  kSource1PlusSource0,
  kOneMinusSource0
};
// kCopy: the exact bits of a selected operand, without clamp; only MIN, MAX, CMP and CND.
enum class OutputModifier : std::uint8_t {
  kNone,
  kTimes2,
  kTimes4,
  kTimes8,
  kBy2,
  kBy4,
  kBy8,
  kCopy
};
// A comparison with zero.
enum class Comparison : std::uint8_t { kEqual, kLess, kGreaterEqual, kNotEqual };
enum class PredicateSelect : std::uint8_t {
  kNone,
  kPerChannel,
  kRed,
  kGreen,
  kBlue,
  kAlpha,
  kReserved6,
  kReserved7
};
enum class AddressOp : std::uint8_t { kNone, kPop, kPush, kReserved3 };
// What an instruction of flow control does to the branch counters of inactive pixels.
enum class BranchOp : std::uint8_t { kNone, kDecrement, kIncrement, kReserved3 };

// Channel masks: bit 0 red, 1 green, 2 blue (and 3 alpha, where a mask has four bits).
using ChannelMask = std::uint8_t;
inline constexpr ChannelMask kRgbMask = 7;
inline constexpr ChannelMask kRgbaMask = 15;

// One of the three register addresses of a half: a temporary, a constant, or a small unsigned float
// in the address itself (4 bits of exponent with bias 7, 3 of mantissa).
struct SourceAddress {
  static constexpr std::uint8_t kInline = 0x80;

  std::uint8_t address = kInline;
  bool is_constant = false;
  bool relative = false;  // add the loop register aL

  static constexpr SourceAddress temporary(std::uint8_t number, bool relative = false) {
    return {number, false, relative};
  }
  static constexpr SourceAddress constant(std::uint8_t number, bool relative = false) {
    return {number, true, relative};
  }
  static constexpr SourceAddress inline_float(std::uint8_t seven_bits) {
    return {static_cast<std::uint8_t>(kInline | seven_bits), false, false};
  }
  constexpr bool is_inline() const { return !is_constant && (address & kInline) != 0; }
  constexpr bool is_temporary() const { return !is_constant && (address & kInline) == 0; }
  bool operator==(const SourceAddress&) const = default;
};

// Which source an operand takes, in which order of channels. Source n is a pair: channels r, g, b
// come from the vector half's address n and channel a from the scalar half's, whichever half reads.
template <unsigned Channels>
struct Operand {
  SourceSelect select = SourceSelect::kSource0;
  std::array<Swizzle, Channels> swizzle{};
  SourceModifier modifier = SourceModifier::kNone;
  bool operator==(const Operand&) const = default;
};

struct VectorHalf {
  VectorOp op = VectorOp::kMad;
  std::array<SourceAddress, 3> sources{};
  Presubtract presubtract{};
  std::array<Operand<3>, 3> operands{};  // A, B, C
  std::uint8_t destination = 0;
  bool destination_relative = false;
  ChannelMask write_mask = 0;   // channels that go to the temporary
  ChannelMask output_mask = 0;  // OUT: channels to the output; ALU: predicate bits to rewrite
  std::uint8_t target = 0;      // OUT: the output; ALU: the predicate's Comparison
  OutputModifier output_modifier{};
  bool clamp = false;
  PredicateSelect predicate{};  // of TEX and flow control: of the whole instruction
  bool predicate_invert = false;
  bool operator==(const VectorHalf&) const = default;
};

struct ScalarHalf {
  ScalarOp op = ScalarOp::kMad;
  std::array<SourceAddress, 3> sources{};
  Presubtract presubtract{};
  std::array<Operand<1>, 3> operands{};
  std::uint8_t destination = 0;
  bool destination_relative = false;
  bool write_mask = false;
  bool output_mask = false;
  std::uint8_t target = 0;
  OutputModifier output_modifier{};
  bool clamp = false;
  PredicateSelect predicate{};
  bool predicate_invert = false;
  bool depth = false;  // the result goes to the depth output
  bool operator==(const ScalarHalf&) const = default;
};

// A register that a TEX reads, with the channels that serve as coordinates S, T, R, Q (0 to 3).
struct TexSource {
  std::uint8_t address = 0;
  bool relative = false;
  std::array<std::uint8_t, 4> channels{};
  bool operator==(const TexSource&) const = default;
};

struct TexPart {
  TexOp op = TexOp::kNop;
  std::uint8_t sampler = 0;
  bool acquire = false;
  bool ignore_uncovered = false;
  bool unscaled = false;  // coordinates are texels
  TexSource source;
  std::uint8_t destination = 0;
  bool destination_relative = false;
  std::array<std::uint8_t, 4> result_channels{};  // which returned channel goes to r, g, b, a
  TexSource dx, dy;
  bool operator==(const TexPart&) const = default;
};

struct FlowPart {
  FlowOp op = FlowOp::kJump;
  bool branch_else = false;
  bool jump_any = false;
  AddressOp address_op{};
  // A pixel wants the jump iff bit (ALU result << 2 | predicate << 1 | boolean constant) is set.
  std::uint8_t jump_function = 0;
  std::uint8_t pop_count = 0;
  BranchOp if_not_jumping{};
  BranchOp if_jumping{};
  bool ignore_uncovered = false;
  std::uint8_t boolean_constant = 0;
  std::uint8_t integer_constant = 0;
  std::uint16_t jump_address = 0;
  bool jump_global = false;
  bool operator==(const FlowPart&) const = default;
};

struct Instruction {
  InstructionType type = InstructionType::kAlu;
  bool texture_wait = false;    // wait for the texture semaphore
  bool write_inactive = false;  // write inactive pixels as well
  bool last = false;
  bool nop_after = false;
  bool alu_wait = false;
  std::uint8_t statistics = 0;
  bool writes_alu_result = false;
  bool alu_result_from_alpha = false;
  Comparison alu_result_test{};
  VectorHalf vector;  // of TEX and flow control: only predicate; of TEX also write_mask
  ScalarHalf scalar;  // of TEX: only write_mask
  TexPart tex;
  FlowPart flow;

  bool is_alu() const { return type == InstructionType::kAlu || type == InstructionType::kOut; }
  bool operator==(const Instruction&) const = default;
};

}  // namespace raddle::machine::overlay
