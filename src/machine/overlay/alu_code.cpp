#include "machine/overlay/alu_code.h"

#include <algorithm>

#include "machine/overlay/isa.h"

namespace raddle::machine::overlay {
namespace {

constexpr Lanes kZeroLanes{0, 0, 0, 0};
constexpr Lanes kHalfLanes{0.5F, 0.5F, 0.5F, 0.5F};
constexpr Lanes kOneLanes{1, 1, 1, 1};

template <class Function>
Lanes each(Function function) {
  Lanes result;
  for (unsigned i = 0; i < kBatchThreads; ++i) result[i] = function(i);
  return result;
}

inline const Lanes& pick(const std::array<const Lanes*, 4>& source, Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::kHalf: return kHalfLanes;
    case Swizzle::kOne: return kOneLanes;
    case Swizzle::kZero:
    case Swizzle::kUnused: return kZeroLanes;
    default: return *source[static_cast<unsigned>(swizzle)];
  }
}

inline Lanes modified(const Lanes& value, SourceModifier modifier) {
  if (modifier == SourceModifier::kNone) [[likely]]
    return value;
  switch (modifier) {
    case SourceModifier::kNone: break;
    case SourceModifier::kNegate: return each([&](unsigned i) { return -value[i]; });
    case SourceModifier::kAbsolute: return each([&](unsigned i) { return std::fabs(value[i]); });
    case SourceModifier::kNegateAbsolute:
      return each([&](unsigned i) { return -std::fabs(value[i]); });
  }
  return value;
}

template <class Unit>
void output_modifier(Lanes& value, OutputModifier modifier, bool clamp) {
  static constexpr std::array<float, 7> kFactors = {1, 2, 4, 8, 0.5F, 0.25F, 0.125F};
  if (modifier == OutputModifier::kCopy) return;
  if (modifier != OutputModifier::kNone) {
    const float factor = kFactors[static_cast<unsigned>(modifier)];
    value = each([&](unsigned i) { return Unit::tidy(value[i] * factor); });
  }
  if (clamp) value = each([&](unsigned i) { return clamp_unit(value[i]); });
}

ThreadMask compared(const Lanes& value, Comparison test) {
  ThreadMask mask = 0;
  for (unsigned i = 0; i < kBatchThreads; ++i) {
    bool holds = false;
    switch (test) {
      case Comparison::kEqual: holds = value[i] == 0; break;
      case Comparison::kLess: holds = value[i] < 0; break;
      case Comparison::kGreaterEqual: holds = value[i] >= 0; break;
      case Comparison::kNotEqual: holds = value[i] != 0; break;
    }
    mask |= static_cast<ThreadMask>(holds ? 1U << i : 0U);
  }
  return mask;
}

ThreadMask guarded(const BatchState& batch, PredicateSelect select, bool invert, unsigned channel) {
  ThreadMask mask = kAllThreads;
  switch (select) {
    case PredicateSelect::kPerChannel: mask = batch.predicates[channel]; break;
    case PredicateSelect::kRed:
    case PredicateSelect::kGreen:
    case PredicateSelect::kBlue:
    case PredicateSelect::kAlpha: mask = batch.predicates[static_cast<unsigned>(select) - 2]; break;
    default: return mask;
  }
  return invert ? static_cast<ThreadMask>(~mask & kAllThreads) : mask;
}

void blend(Lanes& place, const Lanes& value, ThreadMask mask) {
  for (unsigned i = 0; i < kBatchThreads; ++i) {
    if (((mask >> i) & 1U) != 0) place[i] = value[i];
  }
}

void blend(ThreadMask& place, ThreadMask value, ThreadMask mask) {
  place = static_cast<ThreadMask>((place & ~mask) | (value & mask));
}

}  // namespace

AluCode::AluCode(const Instruction& word) : word_(word) {
  const auto prepare = [](const SourceAddress& address) {
    Source source;
    source.relative = address.relative;
    source.number = address.address;
    if (address.is_constant) {
      source.kind = Source::Kind::kConstant;
    } else if (address.is_temporary()) {
      source.kind = Source::Kind::kTemporary;
    } else {
      source.value.fill(inline_value(address.address));
    }
    return source;
  };
  for (unsigned i = 0; i < 3; ++i) {
    vector_sources_[i] = prepare(word.vector.sources[i]);
    scalar_sources_[i] = prepare(word.scalar.sources[i]);
    uses_presubtract_ = uses_presubtract_ ||
                        word.vector.operands[i].select == SourceSelect::kPresubtract ||
                        word.scalar.operands[i].select == SourceSelect::kPresubtract;
  }
  const bool writes_vector = word.vector.write_mask != 0 || word.vector.output_mask != 0 ||
                             (word.writes_alu_result && !word.alu_result_from_alpha);
  const bool writes_scalar = word.scalar.write_mask || word.scalar.output_mask ||
                             word.scalar.depth ||
                             (word.writes_alu_result && word.alu_result_from_alpha);
  // A half counts if something is written of it, or the other takes part of it: DP4 and SOP the
  // scalar half, DP the vector half.
  computes_vector_ = writes_vector || (writes_scalar && word.scalar.op == ScalarOp::kDp);
  computes_scalar_ =
      writes_scalar ||
      (computes_vector_ && (word.vector.op == VectorOp::kDp4 || word.vector.op == VectorOp::kSop));
  modifies_vector_ = word.vector.output_modifier != OutputModifier::kNone || word.vector.clamp;
}

void AluCode::find_sources(const BatchState& batch, std::span<const Lanes> constants,
                           Sources& sources) const {
  const auto lanes_of = [&](const Source& source, unsigned channel) -> const Lanes* {
    if (source.kind == Source::Kind::kInline) return &source.value;
    const bool is_constant = source.kind == Source::Kind::kConstant;
    // Addresses wrap, as the seven or eight bits of an address do.
    const unsigned count = is_constant ? kConstants : batch.register_count;
    unsigned number = source.number;
    if (source.relative) {
      const unsigned range = is_constant ? kConstants : kTemporaries;
      number = (number + static_cast<unsigned>(batch.flow.al)) % range;
    }
    if (number >= count) return &kZeroLanes;
    return (is_constant ? constants.data() : batch.registers) + number * 4 + channel;
  };
  for (unsigned slot = 0; slot < 3; ++slot) {
    const Lanes* rgb = lanes_of(vector_sources_[slot], 0);
    const bool is_single =
        vector_sources_[slot].kind == Source::Kind::kInline || rgb == &kZeroLanes;
    for (unsigned c = 0; c < 3; ++c) sources[slot][c] = is_single ? rgb : rgb + c;
    sources[slot][3] = lanes_of(scalar_sources_[slot], 3);
  }
}

template <class Unit>
void AluCode::presubtract(Sources& sources, std::array<Lanes, 4>& space) const {
  for (unsigned c = 0; c < 4; ++c) {
    const Lanes& s0 = *sources[0][c];
    const Lanes& s1 = *sources[1][c];
    switch (c == 3 ? word_.scalar.presubtract : word_.vector.presubtract) {
      case Presubtract::kOneMinusTwiceSource0:
        space[c] = each([&](unsigned i) { return Unit::add(1, -2 * s0[i]); });
        break;
      case Presubtract::kSource1MinusSource0:
        space[c] = each([&](unsigned i) { return Unit::add(s1[i], -s0[i]); });
        break;
      case Presubtract::kSource1PlusSource0:
        space[c] = each([&](unsigned i) { return Unit::add(s1[i], s0[i]); });
        break;
      case Presubtract::kOneMinusSource0:
        space[c] = each([&](unsigned i) { return Unit::add(1, -s0[i]); });
        break;
    }
    sources[3][c] = &space[c];
  }
}

// Operands as [A, B, C][r, g, b, a].
template <class Unit>
void AluCode::vector_half(const std::array<std::array<Lanes, 4>, 3>& operands,
                          AluResult& result) const {
  const auto& [a, b, c] = operands;
  const auto fill = [&](const Lanes& value) {
    for (unsigned channel = 0; channel < 3; ++channel) result.channels[channel] = value;
  };
  const auto per_channel = [&](auto function) {
    for (unsigned channel = 0; channel < 3; ++channel) {
      result.channels[channel] = each([&](unsigned i) { return function(channel, i); });
    }
  };
  const auto first_two = [&](unsigned i) { return Unit::dot2(a[0][i], b[0][i], a[1][i], b[1][i]); };
  switch (word_.vector.op) {
    case VectorOp::kMad:
      return per_channel(
          [&](unsigned k, unsigned i) { return Unit::mad(a[k][i], b[k][i], c[k][i]); });
    case VectorOp::kDp3:
      return fill(each([&](unsigned i) { return Unit::mad(a[2][i], b[2][i], first_two(i)); }));
    case VectorOp::kDp4:
      return fill(each([&](unsigned i) {
        return Unit::add(first_two(i), Unit::dot2(a[2][i], b[2][i], a[3][i], b[3][i]));
      }));
    case VectorOp::kD2a:
      return fill(each([&](unsigned i) { return Unit::add(first_two(i), c[2][i]); }));
    case VectorOp::kMin:
      return per_channel([&](unsigned k, unsigned i) { return min_of(a[k][i], b[k][i]); });
    case VectorOp::kMax:
      return per_channel([&](unsigned k, unsigned i) { return max_of(a[k][i], b[k][i]); });
    case VectorOp::kCnd:
      return per_channel(
          [&](unsigned k, unsigned i) { return c[k][i] > 0.5F ? a[k][i] : b[k][i]; });
    case VectorOp::kCmp:
      return per_channel([&](unsigned k, unsigned i) { return c[k][i] >= 0 ? a[k][i] : b[k][i]; });
    case VectorOp::kFrc:
      return per_channel([&](unsigned k, unsigned i) { return Unit::frc(a[k][i]); });
    case VectorOp::kSop: return fill(result.channels[3]);
    // Threads of a 2x2 batch: 0 upper left, 1 upper right, 2 lower left, 3 lower right.
    case VectorOp::kMdh:
      return per_channel(
          [&](unsigned k, unsigned i) { return Unit::mad(a[k][i & ~1U], b[k][i], c[k][i | 1U]); });
    case VectorOp::kMdv:
      return per_channel(
          [&](unsigned k, unsigned i) { return Unit::mad(a[k][i & ~2U], b[k][i], c[k][i | 2U]); });
    default: return fill(kZeroLanes);
  }
}

template <class Unit>
void AluCode::scalar_half(const std::array<std::array<Lanes, 4>, 3>& operands,
                          AluResult& result) const {
  const Lanes& a = operands[0][3];
  const Lanes& b = operands[1][3];
  const Lanes& c = operands[2][3];
  Lanes& out = result.channels[3];
  switch (word_.scalar.op) {
    case ScalarOp::kMad: out = each([&](unsigned i) { return Unit::mad(a[i], b[i], c[i]); }); break;
    case ScalarOp::kDp: out = result.channels[0]; break;
    case ScalarOp::kMin: out = each([&](unsigned i) { return min_of(a[i], b[i]); }); break;
    case ScalarOp::kMax: out = each([&](unsigned i) { return max_of(a[i], b[i]); }); break;
    case ScalarOp::kCnd: out = each([&](unsigned i) { return c[i] > 0.5F ? a[i] : b[i]; }); break;
    case ScalarOp::kCmp: out = each([&](unsigned i) { return c[i] >= 0 ? a[i] : b[i]; }); break;
    case ScalarOp::kFrc: out = each([&](unsigned i) { return Unit::frc(a[i]); }); break;
    case ScalarOp::kEx2: out = each([&](unsigned i) { return Unit::ex2(a[i]); }); break;
    case ScalarOp::kLn2: out = each([&](unsigned i) { return Unit::ln2(a[i]); }); break;
    case ScalarOp::kRcp: out = each([&](unsigned i) { return Unit::rcp(a[i]); }); break;
    case ScalarOp::kRsq: out = each([&](unsigned i) { return Unit::rsq(a[i]); }); break;
    case ScalarOp::kSin: out = each([&](unsigned i) { return Unit::sin(a[i]); }); break;
    case ScalarOp::kCos: out = each([&](unsigned i) { return Unit::cos(a[i]); }); break;
    case ScalarOp::kMdh:
      out = each([&](unsigned i) { return Unit::mad(a[i & ~1U], b[i], c[i | 1U]); });
      break;
    case ScalarOp::kMdv:
      out = each([&](unsigned i) { return Unit::mad(a[i & ~2U], b[i], c[i | 2U]); });
      break;
    case ScalarOp::kReserved4: out = kZeroLanes; break;
  }
}

void AluCode::finish(AluResult& result, const BatchState& batch) const {
  const ThreadMask active = word_.write_inactive ? kAllThreads : batch.flow.active;
  for (unsigned c = 0; c < 3; ++c) {
    result.written[c] =
        active & guarded(batch, word_.vector.predicate, word_.vector.predicate_invert, c);
  }
  result.written[3] =
      active & guarded(batch, word_.scalar.predicate, word_.scalar.predicate_invert, 3);
  const auto destination = [&](unsigned number, bool relative) {
    if (relative) number = (number + static_cast<unsigned>(batch.flow.al)) % kTemporaries;
    return static_cast<std::uint16_t>(number);
  };
  result.destination = {destination(word_.vector.destination, word_.vector.destination_relative),
                        destination(word_.scalar.destination, word_.scalar.destination_relative)};
}

template <class Unit>
AluResult AluCode::compute(const BatchState& batch, std::span<const Lanes> constants) const {
  Sources sources;
  find_sources(batch, constants, sources);
  std::array<Lanes, 4> presubtracted;
  if (uses_presubtract_) presubtract<Unit>(sources, presubtracted);
  std::array<std::array<Lanes, 4>, 3> operands;
  AluResult result;
  if (computes_vector_) {
    for (unsigned o = 0; o < 3; ++o) {
      const auto& vector = word_.vector.operands[o];
      const auto& source = sources[static_cast<unsigned>(vector.select)];
      for (unsigned c = 0; c < 3; ++c) {
        operands[o][c] = modified(pick(source, vector.swizzle[c]), vector.modifier);
      }
    }
  }
  if (computes_scalar_) {
    for (unsigned o = 0; o < 3; ++o) {
      const auto& scalar = word_.scalar.operands[o];
      operands[o][3] = modified(
          pick(sources[static_cast<unsigned>(scalar.select)], scalar.swizzle[0]), scalar.modifier);
    }
  }
  // One half may copy what the other computed: SOP from the scalar half, DP from the vector half.
  const bool scalar_first = word_.vector.op == VectorOp::kSop;
  if (computes_scalar_ && scalar_first) scalar_half<Unit>(operands, result);
  if (computes_vector_) vector_half<Unit>(operands, result);
  if (computes_scalar_ && !scalar_first) scalar_half<Unit>(operands, result);
  if (computes_vector_ && modifies_vector_) {
    for (unsigned c = 0; c < 3; ++c) {
      output_modifier<Unit>(result.channels[c], word_.vector.output_modifier, word_.vector.clamp);
    }
  }
  if (computes_scalar_)
    output_modifier<Unit>(result.channels[3], word_.scalar.output_modifier, word_.scalar.clamp);
  finish(result, batch);
  return result;
}

AluResult AluCode::execute(const BatchState& batch, std::span<const Lanes> constants,
                           const FloatOptions& options) const {
  if (options.zero_wins) {
    if (options.fused) {
      return options.flush_denormals ? compute<FloatUnit<true, true, true>>(batch, constants)
                                     : compute<FloatUnit<true, false, true>>(batch, constants);
    }
    return options.flush_denormals ? compute<FloatUnit<false, true, true>>(batch, constants)
                                   : compute<FloatUnit<false, false, true>>(batch, constants);
  }
  if (options.fused) {
    return options.flush_denormals ? compute<FloatUnit<true, true, false>>(batch, constants)
                                   : compute<FloatUnit<true, false, false>>(batch, constants);
  }
  return options.flush_denormals ? compute<FloatUnit<false, true, false>>(batch, constants)
                                 : compute<FloatUnit<false, false, false>>(batch, constants);
}

void AluCode::write_register(const AluResult& result, BatchState& batch) const {
  for (unsigned c = 0; c < 4; ++c) {
    const bool writes =
        c == 3 ? word_.scalar.write_mask : ((word_.vector.write_mask >> c) & 1U) != 0;
    const unsigned number = result.destination[c == 3 ? 1 : 0];
    if (!writes || number >= batch.register_count) continue;
    blend(batch.registers[number * 4 + c], result.channels[c], result.written[c]);
  }
}

// Predicates and the ALU result.
void AluCode::write_tests(const AluResult& result, BatchState& batch) const {
  for (unsigned c = 0; c < 4; ++c) {
    const bool writes =
        c == 3 ? word_.scalar.output_mask : ((word_.vector.output_mask >> c) & 1U) != 0;
    if (!writes) continue;
    const auto test = static_cast<Comparison>(c == 3 ? word_.scalar.target : word_.vector.target);
    blend(batch.predicates[c], compared(result.channels[c], test), result.written[c]);
  }
  if (!word_.writes_alu_result) return;
  const unsigned from = word_.alu_result_from_alpha ? 3 : 0;
  blend(batch.alu_result, compared(result.channels[from], word_.alu_result_test),
        result.written[from]);
}

void AluCode::write(const AluResult& result, BatchState& batch) const {
  write_register(result, batch);
  if (word_.type == InstructionType::kAlu) return write_tests(result, batch);
  for (unsigned c = 0; c < 4; ++c) {
    const bool writes =
        c == 3 ? word_.scalar.output_mask : ((word_.vector.output_mask >> c) & 1U) != 0;
    const unsigned target = c == 3 ? word_.scalar.target : word_.vector.target;
    if (writes) blend(batch.outputs[target * 4 + c], result.channels[c], result.written[c]);
  }
  if (word_.scalar.depth) blend(batch.depth, result.channels[3], result.written[3]);
}

}  // namespace raddle::machine::overlay
