#include "lang/cg/words/emit_alu.h"

#include <algorithm>

#include "base/error.h"

namespace raddle::cg {
namespace {

namespace overlay = machine::overlay;
using overlay::ScalarOp;
using overlay::SourceAddress;
using overlay::SourceModifier;
using overlay::Swizzle;
using overlay::VectorOp;

constexpr std::uint8_t kAlpha = 3;
constexpr std::size_t kA = 0, kB = 1, kC = 2;

// Which of the processor's operands A, B, C each operand of an operation is.
std::array<std::vector<std::size_t>, 3> places_of(IrOp op) {
  switch (op) {
    case IrOp::kMov: return {{{kA, kB}, {}, {}}};
    case IrOp::kAdd: return {{{kA}, {kC}, {}}};
    case IrOp::kMdh:
    case IrOp::kMdv: return {{{kA, kC}, {}, {}}};
    default: return {{{kA}, {kB}, {kC}}};
  }
}

VectorOp vector_op(const LirOp& op) {
  switch (op.op) {
    case IrOp::kMov:
    case IrOp::kMax: return VectorOp::kMax;
    case IrOp::kDot:
      return op.width == 4 ? VectorOp::kDp4 : op.width == 3 ? VectorOp::kDp3 : VectorOp::kD2a;
    case IrOp::kMin: return VectorOp::kMin;
    case IrOp::kMdh: return VectorOp::kMdh;
    case IrOp::kMdv: return VectorOp::kMdv;
    case IrOp::kCmp: return VectorOp::kCmp;
    case IrOp::kFrc: return VectorOp::kFrc;
    default: return is_scalar_only(op.op) ? VectorOp::kSop : VectorOp::kMad;
  }
}

ScalarOp scalar_op(const LirOp& op) {
  switch (op.op) {
    case IrOp::kMov:
    case IrOp::kMax: return ScalarOp::kMax;
    case IrOp::kDot: return ScalarOp::kDp;
    case IrOp::kMin: return ScalarOp::kMin;
    case IrOp::kMdh: return ScalarOp::kMdh;
    case IrOp::kMdv: return ScalarOp::kMdv;
    case IrOp::kCmp: return ScalarOp::kCmp;
    case IrOp::kFrc: return ScalarOp::kFrc;
    case IrOp::kEx2: return ScalarOp::kEx2;
    case IrOp::kLn2: return ScalarOp::kLn2;
    case IrOp::kRcp: return ScalarOp::kRcp;
    case IrOp::kRsq: return ScalarOp::kRsq;
    case IrOp::kSin: return ScalarOp::kSin;
    case IrOp::kCos: return ScalarOp::kCos;
    default: return ScalarOp::kMad;
  }
}

overlay::OutputModifier modifier_of(int scale) {
  using overlay::OutputModifier;
  constexpr OutputModifier kModifiers[] = {OutputModifier::kBy8,    OutputModifier::kBy4,
                                           OutputModifier::kBy2,    OutputModifier::kNone,
                                           OutputModifier::kTimes2, OutputModifier::kTimes4,
                                           OutputModifier::kTimes8};
  return kModifiers[scale + 3];
}

SourceModifier modifier_of(const LirOperand& operand) {
  if (operand.absolute)
    return operand.negate ? SourceModifier::kNegateAbsolute : SourceModifier::kAbsolute;
  return operand.negate ? SourceModifier::kNegate : SourceModifier::kNone;
}

Swizzle swizzle_of(const ReadLane& lane) {
  if (lane.is_register) return static_cast<Swizzle>(lane.channel);
  if (lane.lane == Lane::kZero) return Swizzle::kZero;
  return lane.lane == Lane::kHalf ? Swizzle::kHalf : Swizzle::kOne;
}

overlay::Presubtract presubtract_of(Before before) {
  if (before == Before::kOneMinus) return overlay::Presubtract::kOneMinusSource0;
  if (before == Before::kDifference) return overlay::Presubtract::kSource1MinusSource0;
  return overlay::Presubtract::kSource1PlusSource0;
}

class Word {
 public:
  Word(const Bundle& bundle, const PlacementOf& placements)
      : bundle_(bundle), placements_(placements), operands_(operands_of(bundle, placements)) {
    const auto chosen = choose_sources(operands_);
    RADDLE_ASSERT(chosen.has_value());
    sources_ = *chosen;
  }

  overlay::Instruction make() {
    for (std::size_t i = 0; i < 3; ++i) {
      word_.vector.sources[i] = address(sources_.vector[i]);
      word_.scalar.sources[i] = address(sources_.scalar[i]);
    }
    if (sources_.vector_before) word_.vector.presubtract = presubtract_of(*sources_.vector_before);
    if (sources_.scalar_before) word_.scalar.presubtract = presubtract_of(*sources_.scalar_before);
    if (bundle_.vector) vector_half(*bundle_.vector);
    if (bundle_.scalar) scalar_half(*bundle_.scalar);
    return word_;
  }

 private:
  SourceAddress address(const std::optional<LirPlace>& place) const {
    if (!place) return {};
    if (place->kind == LirPlace::Kind::kConstant)
      return SourceAddress::constant(static_cast<std::uint8_t>(place->index));
    return SourceAddress::temporary(static_cast<std::uint8_t>(placements_[place->index].number));
  }

  // Red for what has no channel of its own yet: tests.
  std::uint8_t channel_of(const LirOp& op, unsigned lane, bool is_vector) const {
    if (op.target == Target::kResult || op.target == Target::kPredicate)
      return is_vector ? 0 : kAlpha;
    if (op.target == Target::kOutput) return op.components[lane];
    return placements_[op.index].channel[op.components[lane]];
  }

  void vector_half(const HalfOp& half) {
    const LirOp& op = *half.op;
    overlay::VectorHalf& vector = word_.vector;
    vector.op = vector_op(op);
    vector.output_modifier = modifier_of(op.scale);
    vector.clamp = op.saturate;
    if (!is_scalar_only(op.op)) {
      const auto places = places_of(op.op);
      for (unsigned s = 0; s < op.operand_count(); ++s) {
        for (const std::size_t at : places[s]) {
          auto& operand = vector.operands[at];
          operand.select = static_cast<overlay::SourceSelect>(sources_.select[s]);
          operand.modifier = modifier_of(op.operands[s]);
          operand.swizzle.fill(Swizzle::kZero);
          const std::vector<ReadLane>& lanes = operands_.operands[s].lanes;
          for (unsigned i = 0; i < lanes.size(); ++i) {
            const unsigned channel = op.op == IrOp::kDot ? i : channel_of(op, half.lanes[i], true);
            operand.swizzle[channel] = swizzle_of(lanes[i]);
          }
        }
      }
    }
    constants(op, vector.operands);
    for (unsigned i = 0; i < half.count; ++i) {
      const unsigned bit = 1U << channel_of(op, half.lanes[i], true);
      write(op, bit, vector.write_mask, vector.output_mask);
    }
    target(op, vector, false);
  }

  void scalar_half(const HalfOp& half) {
    const LirOp& op = *half.op;
    overlay::ScalarHalf& scalar = word_.scalar;
    scalar.op = scalar_op(op);
    scalar.output_modifier = modifier_of(op.scale);
    scalar.clamp = op.saturate;
    const auto places = places_of(op.op);
    for (unsigned s = 0; s < op.operand_count(); ++s) {
      const std::vector<ReadLane>& lanes = operands_.operands[3 + s].lanes;
      if (lanes.empty()) continue;
      for (const std::size_t at : places[s]) {
        auto& operand = scalar.operands[at];
        operand.select = static_cast<overlay::SourceSelect>(sources_.select[3 + s]);
        operand.modifier = modifier_of(op.operands[s]);
        operand.swizzle[0] = swizzle_of(lanes[0]);
      }
    }
    constants(op, scalar.operands);
    for (unsigned i = 0; i < half.count; ++i) {
      if (channel_of(op, half.lanes[i], false) != kAlpha) continue;
      std::uint8_t written = 0;
      std::uint8_t output = 0;
      write(op, 1, written, output);
      scalar.write_mask = written != 0;
      scalar.depth = op.target == Target::kOutput && op.index == overlay::kDepthOutput;
      scalar.output_mask = output != 0 && !scalar.depth;
    }
    target(op, scalar, true);
  }

  // Operands that are the same for every use: 1 in a sum, -1 in a difference of neighbours, -0 in a
  // product, which changes nothing.
  template <typename Operands>
  static void constants(const LirOp& op, Operands& operands) {
    const bool is_difference = op.op == IrOp::kMdh || op.op == IrOp::kMdv;
    if (op.op == IrOp::kAdd || is_difference) operands[kB].swizzle.fill(Swizzle::kOne);
    if (is_difference) operands[kB].modifier = SourceModifier::kNegate;
    const bool is_pair = op.op == IrOp::kDot && op.width == 2;
    if (op.op != IrOp::kMul && !is_pair) return;
    operands[kC].swizzle.fill(Swizzle::kZero);
    operands[kC].modifier = SourceModifier::kNegate;
  }

  static void write(const LirOp& op, unsigned bit, std::uint8_t& registers, std::uint8_t& outputs) {
    if (op.target == Target::kRegister) registers = static_cast<std::uint8_t>(registers | bit);
    if (op.target == Target::kOutput || op.target == Target::kPredicate)
      outputs = static_cast<std::uint8_t>(outputs | bit);
  }

  template <typename Half>
  void target(const LirOp& op, Half& half, bool is_scalar) {
    if (op.target == Target::kRegister)
      half.destination = static_cast<std::uint8_t>(placements_[op.index].number);
    if (op.target == Target::kOutput) {
      word_.type = overlay::InstructionType::kOut;
      if (op.index != overlay::kDepthOutput) half.target = static_cast<std::uint8_t>(op.index);
    }
    if (op.target == Target::kResult) {
      word_.writes_alu_result = true;
      word_.alu_result_from_alpha = is_scalar;
      word_.alu_result_test = overlay::Comparison::kGreaterEqual;
    }
    if (op.target == Target::kPredicate)
      half.target = static_cast<std::uint8_t>(overlay::Comparison::kGreaterEqual);
    if (op.predicate != 0) {
      half.predicate = overlay::PredicateSelect::kAlpha;
      half.predicate_invert = op.predicate < 0;
    }
  }

  const Bundle& bundle_;
  const PlacementOf& placements_;
  BundleOperands operands_;
  Sources sources_;
  overlay::Instruction word_;
};

}  // namespace

overlay::Instruction alu_word(const Bundle& bundle, const PlacementOf& placements) {
  return Word(bundle, placements).make();
}

}  // namespace raddle::cg
