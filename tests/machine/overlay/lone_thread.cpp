#include "machine/overlay/lone_thread.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace raddle::machine::overlay {
namespace {

class LoneThread {
 public:
  LoneThread(const Configuration& configuration, const std::vector<Float4>& memory, bool flush)
      : configuration_(configuration), memory_(memory), flush_(flush), registers_(kTemporaries) {}

  LoneResult run(std::uint32_t x, std::uint32_t y) {
    registers_[0] = {static_cast<float>(x), static_cast<float>(y), 0, 0};
    const Shader& shader = configuration_.shader;
    std::size_t at = shader.start;
    for (unsigned steps = 0; at < shader.code.size(); ++steps) {
      if (steps > 1'000'000) throw std::runtime_error("does not end");
      const bool is_end = at == shader.end;
      at = step(shader.code[at], at);
      if (is_end) break;
    }
    return result_;
  }

 private:
  // --- numbers -------------------------------------------------------------------------------------
  float flushed(float x) const {
    return flush_ && std::fabs(x) < FLT_MIN ? std::copysign(0.0F, x) : x;
  }
  float times(float a, float b) const { return flushed(flushed(a) * flushed(b)); }
  float plus(float a, float b) const { return flushed(flushed(a) + flushed(b)); }
  float narrowed(double x) const { return flushed(static_cast<float>(x)); }
  static bool test(Comparison comparison, float x) {
    switch (comparison) {
      case Comparison::kEqual: return x == 0;
      case Comparison::kLess: return x < 0;
      case Comparison::kGreaterEqual: return x >= 0;
      case Comparison::kNotEqual: return x != 0;
    }
    return false;
  }

  // --- operands ------------------------------------------------------------------------------------
  Float4 at_address(const SourceAddress& address) const {
    if (address.is_inline()) {
      const int exponent = (address.address >> 3) & 15;
      const int mantissa = address.address & 7;
      const float value = exponent == 0
                              ? static_cast<float>(mantissa) / 8 * 0x1p-6F
                              : std::ldexp(1 + static_cast<float>(mantissa) / 8, exponent - 7);
      return {value, value, value, value};
    }
    const int offset = address.relative ? al_ : 0;
    if (address.is_constant) {
      return configuration_.constants[static_cast<unsigned>(address.address + offset) % kConstants];
    }
    return registers_[static_cast<unsigned>(address.address + offset) % kTemporaries];
  }

  // Source 0, 1, 2 and the presubtracted one: r, g, b of the vector half's address, a of the
  // scalar half's.
  Float4 source(const Instruction& word, unsigned slot) const {
    if (slot < 3) {
      Float4 value = at_address(word.vector.sources[slot]);
      value[3] = at_address(word.scalar.sources[slot])[3];
      return value;
    }
    const Float4 first = source(word, 0);
    const Float4 second = source(word, 1);
    Float4 value;
    for (unsigned c = 0; c < 4; ++c) {
      switch (c == 3 ? word.scalar.presubtract : word.vector.presubtract) {
        case Presubtract::kOneMinusTwiceSource0: value[c] = plus(1, -2 * first[c]); break;
        case Presubtract::kSource1MinusSource0: value[c] = plus(second[c], -first[c]); break;
        case Presubtract::kSource1PlusSource0: value[c] = plus(second[c], first[c]); break;
        case Presubtract::kOneMinusSource0: value[c] = plus(1, -first[c]); break;
      }
    }
    return value;
  }

  static float modified(float x, SourceModifier modifier) {
    if (modifier == SourceModifier::kAbsolute || modifier == SourceModifier::kNegateAbsolute)
      x = std::fabs(x);
    const bool negates =
        modifier == SourceModifier::kNegate || modifier == SourceModifier::kNegateAbsolute;
    return negates ? -x : x;
  }

  static float swizzled(const Float4& value, Swizzle swizzle) {
    if (swizzle <= Swizzle::kAlpha) return value[static_cast<unsigned>(swizzle)];
    return swizzle == Swizzle::kHalf ? 0.5F : swizzle == Swizzle::kOne ? 1.0F : 0.0F;
  }

  // Operand A, B or C: r, g, b as the vector half sees it, a as the scalar half does.
  Float4 operand(const Instruction& word, unsigned number) const {
    const auto& vector = word.vector.operands[number];
    const auto& scalar = word.scalar.operands[number];
    const Float4 from = source(word, static_cast<unsigned>(vector.select));
    Float4 value;
    for (unsigned c = 0; c < 3; ++c)
      value[c] = modified(swizzled(from, vector.swizzle[c]), vector.modifier);
    value[3] =
        modified(swizzled(source(word, static_cast<unsigned>(scalar.select)), scalar.swizzle[0]),
                 scalar.modifier);
    return value;
  }

  // --- ALU -----------------------------------------------------------------------------------------
  float scalar_value(ScalarOp op, float a, float b, float c, float dot) const {
    const double wide = static_cast<double>(flushed(a));
    switch (op) {
      case ScalarOp::kMad: return plus(times(a, b), c);
      case ScalarOp::kDp: return dot;
      case ScalarOp::kMin: return a < b ? a : b;
      case ScalarOp::kMax: return a >= b ? a : b;
      case ScalarOp::kCnd: return c > 0.5F ? a : b;
      case ScalarOp::kCmp: return c >= 0 ? a : b;
      case ScalarOp::kFrc: return flushed(flushed(a) - std::floor(flushed(a)));
      case ScalarOp::kEx2: return narrowed(std::exp2(wide));
      case ScalarOp::kLn2: return narrowed(std::log2(wide));
      case ScalarOp::kRcp: return narrowed(1 / wide);
      case ScalarOp::kRsq: return narrowed(1 / std::sqrt(wide));
      case ScalarOp::kSin: return narrowed(std::sin(wide * (2 * std::numbers::pi)));
      case ScalarOp::kCos: return narrowed(std::cos(wide * (2 * std::numbers::pi)));
      default: throw std::runtime_error("no operation for one thread");
    }
  }

  float vector_value(VectorOp op, const Float4& a, const Float4& b, const Float4& c, unsigned k,
                     float scalar) const {
    const auto product = [&](unsigned i) { return times(a[i], b[i]); };
    switch (op) {
      case VectorOp::kDp3: return plus(plus(product(0), product(1)), product(2));
      case VectorOp::kDp4: return plus(plus(product(0), product(1)), plus(product(2), product(3)));
      case VectorOp::kD2a: return plus(plus(product(0), product(1)), c[2]);
      case VectorOp::kSop: return scalar;
      case VectorOp::kMad: return scalar_value(ScalarOp::kMad, a[k], b[k], c[k], 0);
      case VectorOp::kMin: return scalar_value(ScalarOp::kMin, a[k], b[k], c[k], 0);
      case VectorOp::kMax: return scalar_value(ScalarOp::kMax, a[k], b[k], c[k], 0);
      case VectorOp::kCnd: return scalar_value(ScalarOp::kCnd, a[k], b[k], c[k], 0);
      case VectorOp::kCmp: return scalar_value(ScalarOp::kCmp, a[k], b[k], c[k], 0);
      case VectorOp::kFrc: return scalar_value(ScalarOp::kFrc, a[k], b[k], c[k], 0);
      default: throw std::runtime_error("no operation for one thread");
    }
  }

  float finished(float x, OutputModifier modifier, bool clamp) const {
    static constexpr float kFactors[] = {1, 2, 4, 8, 0.5F, 0.25F, 0.125F};
    if (modifier == OutputModifier::kCopy) return x;
    if (modifier != OutputModifier::kNone)
      x = flushed(x * kFactors[static_cast<unsigned>(modifier)]);
    return clamp ? (x > 0 ? std::min(x, 1.0F) : 0.0F) : x;
  }

  bool allows(PredicateSelect select, bool invert, unsigned channel) const {
    if (select == PredicateSelect::kNone || select > PredicateSelect::kAlpha) return true;
    const unsigned from =
        select == PredicateSelect::kPerChannel ? channel : static_cast<unsigned>(select) - 2;
    return predicates_[from] != invert;
  }

  void alu(const Instruction& word) {
    const Float4 a = operand(word, 0), b = operand(word, 1), c = operand(word, 2);
    const bool copies = word.vector.op == VectorOp::kSop;
    const float dot = copies ? 0 : vector_value(word.vector.op, a, b, c, 0, 0);
    const float scalar = scalar_value(word.scalar.op, a[3], b[3], c[3], dot);
    Float4 value;
    for (unsigned k = 0; k < 3; ++k) {
      value[k] = finished(vector_value(word.vector.op, a, b, c, k, scalar),
                          word.vector.output_modifier, word.vector.clamp);
    }
    value[3] = finished(scalar, word.scalar.output_modifier, word.scalar.clamp);
    std::array<bool, 4> allowed;
    for (unsigned k = 0; k < 4; ++k) {
      allowed[k] = k == 3 ? allows(word.scalar.predicate, word.scalar.predicate_invert, 3)
                          : allows(word.vector.predicate, word.vector.predicate_invert, k);
    }
    for (unsigned k = 0; k < 4; ++k) {
      if (!allowed[k]) continue;
      const bool is_scalar = k == 3;
      const bool writes = is_scalar ? word.scalar.write_mask : (word.vector.write_mask >> k) & 1;
      const bool reports = is_scalar ? word.scalar.output_mask : (word.vector.output_mask >> k) & 1;
      const unsigned target = is_scalar ? word.scalar.target : word.vector.target;
      if (writes) write(word, is_scalar, k, value[k]);
      if (reports && word.type == InstructionType::kOut) result_.outputs[target][k] = value[k];
      if (reports && word.type == InstructionType::kAlu)
        predicates_[k] = test(static_cast<Comparison>(target), value[k]);
    }
    if (word.type == InstructionType::kOut && word.scalar.depth && allowed[3])
      result_.depth = value[3];
    const unsigned from = word.alu_result_from_alpha ? 3 : 0;
    if (word.type == InstructionType::kAlu && word.writes_alu_result && allowed[from])
      alu_result_ = test(word.alu_result_test, value[from]);
  }

  void write(const Instruction& word, bool is_scalar, unsigned channel, float value) {
    const unsigned number = is_scalar ? word.scalar.destination : word.vector.destination;
    const bool relative =
        is_scalar ? word.scalar.destination_relative : word.vector.destination_relative;
    registers_[(number + static_cast<unsigned>(relative ? al_ : 0)) % kTemporaries][channel] =
        value;
  }

  // --- TEX -----------------------------------------------------------------------------------------
  static std::int64_t clamped(float coordinate, std::uint32_t side) {
    if (!(coordinate > 0)) return 0;
    return std::min<std::int64_t>(static_cast<std::int64_t>(std::min(coordinate, 1e9F)), side - 1);
  }

  void tex(const Instruction& word) {
    if (!allows(word.vector.predicate, word.vector.predicate_invert, 0)) return;
    const TexPart& tex = word.tex;
    const auto shifted = [&](unsigned number, bool relative) {
      return (number + static_cast<unsigned>(relative ? al_ : 0)) % kTemporaries;
    };
    const Float4 from = registers_[shifted(tex.source.address, tex.source.relative)];
    Float4 place;
    for (unsigned c = 0; c < 4; ++c) place[c] = from[tex.source.channels[c]];
    if (tex.op == TexOp::kNop) return;
    if (tex.op == TexOp::kKill) {
      for (const float coordinate : place) result_.is_killed = result_.is_killed || coordinate < 0;
      return;
    }
    if (tex.op == TexOp::kProject) {
      place[0] /= place[3];
      place[1] /= place[3];
    }
    const SamplerRegister& sampler = configuration_.samplers[tex.sampler];
    if (!tex.unscaled) {
      place[0] *= static_cast<float>(sampler.width);
      place[1] *= static_cast<float>(sampler.height);
    }
    const auto offset = static_cast<std::uint64_t>(clamped(place[0], sampler.width) +
                                                   clamped(place[1], sampler.height) *
                                                       static_cast<std::int64_t>(sampler.width));
    const Float4& texel = memory_[sampler.base + offset];
    Float4& target = registers_[shifted(tex.destination, tex.destination_relative)];
    for (unsigned c = 0; c < 4; ++c) {
      const bool writes = c == 3 ? word.scalar.write_mask : (word.vector.write_mask >> c) & 1;
      if (writes) target[c] = texel[tex.result_channels[c]];
    }
  }

  // --- flow control --------------------------------------------------------------------------------
  struct Loop {
    int left;
    int outer_al;
    int step;
    bool has_al;
  };

  bool wants(const Instruction& word) const {
    const PredicateSelect select = word.vector.predicate;
    bool predicate = false;
    if (select != PredicateSelect::kNone && select <= PredicateSelect::kAlpha) {
      predicate =
          predicates_[select == PredicateSelect::kPerChannel ? 0
                                                             : static_cast<unsigned>(select) - 2];
    }
    predicate = predicate != word.vector.predicate_invert;
    const bool boolean = (configuration_.booleans >> word.flow.boolean_constant) & 1;
    const unsigned row = (alu_result_ ? 4U : 0U) | (predicate ? 2U : 0U) | (boolean ? 1U : 0U);
    return (word.flow.jump_function >> row) & 1;
  }

  void leave_loop() {
    if (loops_.empty()) throw std::runtime_error("not in a loop");
    if (loops_.back().has_al) al_ = loops_.back().outer_al;
    loops_.pop_back();
  }

  std::size_t flow(const Instruction& word, std::size_t at) {
    const FlowPart& part = word.flow;
    switch (part.op) {
      case FlowOp::kJump:
        // Who comes to an ELSE has had its turn.
        if (!part.branch_else && !wants(word)) return at + 1;
        if (part.address_op == AddressOp::kPush) calls_.push_back(at + 1);
        if (part.address_op == AddressOp::kPop) {
          if (calls_.empty()) throw std::runtime_error("not in a function");
          const std::size_t back = calls_.back();
          calls_.pop_back();
          return back;
        }
        return part.jump_address;
      case FlowOp::kLoop:
      case FlowOp::kRep: {
        const LoopConstant& loop = configuration_.loops[part.integer_constant];
        if (loop.count == 0) return part.jump_address;
        const bool has_al = part.op == FlowOp::kLoop;
        loops_.push_back({loop.count, al_, loop.step, has_al});
        if (has_al) al_ = loop.first;
        return at + 1;
      }
      case FlowOp::kEndLoop:
      case FlowOp::kEndRep: {
        if (loops_.empty()) throw std::runtime_error("not in a loop");
        Loop& loop = loops_.back();
        if (loop.has_al) al_ += loop.step;
        if (--loop.left > 0) return part.jump_address;
        leave_loop();
        return at + 1;
      }
      case FlowOp::kBreakLoop:
      case FlowOp::kBreakRep:
        if (!wants(word)) return at + 1;
        leave_loop();
        return part.jump_address;
      case FlowOp::kContinue: return wants(word) ? part.jump_address : at + 1;
    }
    return at + 1;
  }

  std::size_t step(const Instruction& word, std::size_t at) {
    if (word.type == InstructionType::kFlow) return flow(word, at);
    if (word.type == InstructionType::kTex) {
      tex(word);
    } else {
      alu(word);
    }
    return at + 1;
  }

  const Configuration& configuration_;
  const std::vector<Float4>& memory_;
  bool flush_;
  std::vector<Float4> registers_;
  std::array<bool, 4> predicates_{};
  bool alu_result_ = false;
  int al_ = 0;
  std::vector<Loop> loops_;
  std::vector<std::size_t> calls_;
  LoneResult result_;
};

}  // namespace

LoneResult run_alone(const Configuration& configuration, const std::vector<Float4>& memory,
                     std::uint32_t x, std::uint32_t y, bool flush_denormals) {
  return LoneThread(configuration, memory, flush_denormals).run(x, y);
}

}  // namespace raddle::machine::overlay
