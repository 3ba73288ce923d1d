// Floating-point loops of all widths, in every direction of rounding, against the exact oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "exact_float.h"
#include "lane_check.h"

namespace raddle::kernel::exec {
namespace {

struct FloatForm {
  Type type = Type::kF32;
  Rounding rounding = Rounding::kNearestEven;
  bool flush = false;
  bool saturate = false;
  bool relu = false;

  std::string title(std::string_view word) const {
    return std::string(word) + "." + std::string(name_of(type)) + " " +
           std::string(name_of(rounding)) + (flush ? " ftz" : "") + (saturate ? " sat" : "") +
           (relu ? " relu" : "");
  }
  Instruction instruction(Opcode opcode) const {
    return instruction_of(opcode, type, [&](Instruction& i) {
      i.rounding = rounding;
      i.flush_to_zero = flush;
      i.saturate = saturate;
      i.relu = relu;
    });
  }
};

// Applies .ftz, .sat and .relu to the pattern of a result.
std::uint64_t finished(const FloatForm& form, std::uint64_t bits) {
  if (form.flush) bits = flushed_bits(form.type, bits);
  const Quad value = quad_of(form.type, bits);
  if (form.saturate) {
    if (!(value > 0)) return 0;
    return value > 1 ? round_exact(form.type, {1, 0}, Rounding::kNearestEven) : bits;
  }
  if (form.relu && value == value && !(value > 0)) return 0;
  return bits;
}
std::uint64_t operand(const FloatForm& form, std::uint64_t bits) {
  return form.flush ? flushed_bits(form.type, bits) : bits;
}

// The sum of operands that cancel exactly is +0, or -0 when rounding down.
Exact signed_zero(Exact exact, bool same_signs, Rounding rounding) {
  if (exact.value == 0 && exact.rest == 0 && !same_signs)
    exact.value = rounding == Rounding::kDown ? -Quad(0) : Quad(0);
  return exact;
}
bool minus(Quad value) { return __builtin_signbit(static_cast<double>(value)) != 0; }

using ExactFunction = std::function<Exact(Quad, Quad, Quad)>;
void check_exact(const FloatForm& form, const char* word, Opcode opcode, std::size_t sources,
                 const ExactFunction& f) {
  check_lanes({form.title(word),
               form.instruction(opcode),
               {form.type},
               std::vector<Type>(sources, form.type),
               [=](const Operands& o) -> Results {
                 Quad q[3];
                 for (int i = 0; i < 3; ++i)
                   q[i] = quad_of(form.type, operand(form, o[static_cast<std::size_t>(i)]));
                 return {
                     finished(form, round_exact(form.type, f(q[0], q[1], q[2]), form.rounding))};
               }});
}

void check_arithmetic(const FloatForm& form) {
  const Rounding r = form.rounding;
  check_exact(form, "add", Opcode::kAdd, 2, [=](Quad a, Quad b, Quad) {
    return signed_zero(exact_sum(a, b), minus(a) == minus(b), r);
  });
  check_exact(form, "sub", Opcode::kSub, 2, [=](Quad a, Quad b, Quad) {
    return signed_zero(exact_sum(a, -b), minus(a) != minus(b), r);
  });
  check_exact(form, "mul", Opcode::kMul, 2,
              [](Quad a, Quad b, Quad) { return exact_product(a, b); });
  check_exact(form, "fma", Opcode::kFma, 3, [=](Quad a, Quad b, Quad c) {
    return signed_zero(exact_fma(a, b, c), minus(a * b) == minus(c), r);
  });
}

const std::vector<Rounding> kRoundings{Rounding::kNearestEven, Rounding::kZero, Rounding::kDown,
                                       Rounding::kUp};

TEST(FloatLanes, ArithmeticRoundsOnceInEveryDirection) {
  for (Rounding rounding : kRoundings) {
    check_arithmetic({.type = Type::kF64, .rounding = rounding});
    for (const bool flush : {false, true}) {
      for (const bool saturate : {false, true}) {
        check_arithmetic(
            {.type = Type::kF32, .rounding = rounding, .flush = flush, .saturate = saturate});
      }
    }
  }
}

TEST(FloatLanes, DivisionReciprocalAndRootAreCorrectlyRounded) {
  for (Type type : {Type::kF32, Type::kF64}) {
    for (Rounding rounding : kRoundings) {
      for (const bool flush : {false, true}) {
        if (flush && type == Type::kF64) continue;
        const FloatForm form{.type = type, .rounding = rounding, .flush = flush};
        check_exact(form, "div", Opcode::kDiv, 2,
                    [](Quad a, Quad b, Quad) { return exact_quotient(a, b); });
        check_exact(form, "rcp", Opcode::kRcp, 1,
                    [](Quad a, Quad, Quad) { return exact_quotient(1, a); });
        check_exact(form, "sqrt", Opcode::kSqrt, 1,
                    [](Quad a, Quad, Quad) { return exact_root(a); });
      }
    }
  }
}

TEST(FloatLanes, SixteenBitFormatsRoundOnce) {
  for (Type type : {Type::kF16, Type::kBF16}) {
    for (const bool flush : {false, true}) {
      if (flush && type == Type::kBF16) continue;
      check_arithmetic({.type = type, .flush = flush});
      check_arithmetic({.type = type, .flush = flush, .saturate = true});
    }
    const FloatForm relu{.type = type, .relu = true};
    check_exact(relu, "fma", Opcode::kFma, 3, [](Quad a, Quad b, Quad c) {
      return signed_zero(exact_fma(a, b, c), minus(a * b) == minus(c), Rounding::kNearestEven);
    });
  }
}

TEST(FloatLanes, PackedHalvesWorkHalfByHalf) {
  for (Type pair : {Type::kF16x2, Type::kBF16x2}) {
    const Type half = pair == Type::kF16x2 ? Type::kF16 : Type::kBF16;
    auto both = [=](const Operands& o,
                    const std::function<std::uint64_t(const Operands&)>& f) -> Results {
      const Operands low{o[0] & 0xffff, o[1] & 0xffff, o[2] & 0xffff};
      const Operands high{o[0] >> 16, o[1] >> 16, o[2] >> 16};
      return {f(high) << 16 | f(low)};
    };
    auto sum = [=](const Operands& o) {
      const Quad a = quad_of(half, o[0]);
      const Quad b = quad_of(half, o[1]);
      return round_exact(half,
                         signed_zero(exact_sum(a, b), minus(a) == minus(b), Rounding::kNearestEven),
                         Rounding::kNearestEven);
    };
    auto fused = [=](const Operands& o) {
      const Quad p = quad_of(half, o[0]) * quad_of(half, o[1]);
      const Quad c = quad_of(half, o[2]);
      return round_exact(half,
                         signed_zero(exact_sum(p, c), minus(p) == minus(c), Rounding::kNearestEven),
                         Rounding::kNearestEven);
    };
    const std::string name(name_of(pair));
    check_lanes({"add." + name,
                 instruction_of(Opcode::kAdd, pair),
                 {pair},
                 {pair, pair},
                 [=](const Operands& o) { return both(o, sum); }});
    check_lanes({"fma." + name,
                 instruction_of(Opcode::kFma, pair),
                 {pair},
                 {pair, pair, pair},
                 [=](const Operands& o) { return both(o, fused); }});
  }
}

TEST(FloatLanes, BfloatFusedMultiplyAddIsNotFooledByAnAddendFarBelow) {
  // 1.0078125 * 1.0078125 = 1.01568603515625; plus a crumb that only one rounding can see at a tie.
  const auto bf16 = [](double v) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16};
  };
  LaneCase ties{
      "fma.bf16 at ties",
      instruction_of(Opcode::kFma, Type::kBF16),
      {Type::kBF16},
      {Type::kBF16, Type::kBF16, Type::kBF16},
      [](const Operands& o) -> Results {
        return {round_exact(Type::kBF16,
                            exact_fma(quad_of(Type::kBF16, o[0]), quad_of(Type::kBF16, o[1]),
                                      quad_of(Type::kBF16, o[2])),
                            Rounding::kNearestEven)};
      }};
  // 1.5 * 1.0390625 = 1.55859375 lies half-way between two bfloats.
  EXPECT_EQ(ties.oracle({bf16(1.5), bf16(1.0390625), bf16(0x1p-100)})[0], bf16(1.5625));
  EXPECT_EQ(ties.oracle({bf16(1.5), bf16(1.0390625), bf16(-0x1p-100)})[0], bf16(1.5546875));
  check_lanes(ties, 200);
}

TEST(FloatLanes, MinimumAndMaximumPreferNumbersAndTellZerosApart) {
  for (Type type : {Type::kF32, Type::kF64, Type::kF16, Type::kBF16}) {
    for (const bool propagate : {false, true}) {
      for (const bool flush : {false, true}) {
        if (flush && type != Type::kF32) continue;
        for (const bool maximum : {false, true}) {
          auto modify = [=](Instruction& i) {
            i.propagate_nan = propagate;
            i.flush_to_zero = flush;
          };
          const std::string name = std::string(maximum ? "max." : "min.") +
                                   std::string(name_of(type)) + (propagate ? " NaN" : "") +
                                   (flush ? " ftz" : "");
          check_lanes({name,
                       instruction_of(maximum ? Opcode::kMax : Opcode::kMin, type, modify),
                       {type},
                       {type, type},
                       [=](const Operands& o) -> Results {
                         const std::uint64_t a_bits = flush ? flushed_bits(type, o[0]) : o[0];
                         const std::uint64_t b_bits = flush ? flushed_bits(type, o[1]) : o[1];
                         const Quad a = quad_of(type, a_bits);
                         const Quad b = quad_of(type, b_bits);
                         if (a != a) return {propagate ? a_bits : b_bits};
                         if (b != b) return {propagate ? b_bits : a_bits};
                         const bool a_less = a < b || (a == b && minus(a) && !minus(b));
                         return {a_less != maximum ? a_bits : b_bits};
                       }});
        }
      }
    }
  }
}

TEST(FloatLanes, SignOperationsTouchTheSignAlone) {
  for (Type type : {Type::kF32, Type::kF64, Type::kF16, Type::kBF16}) {
    const std::uint64_t sign = std::uint64_t{1} << (size_of(type) * 8 - 1);
    const std::string name(name_of(type));
    check_lanes({"abs." + name,
                 instruction_of(Opcode::kAbs, type),
                 {type},
                 {type},
                 [=](const Operands& o) -> Results { return {o[0] & ~sign}; }});
    check_lanes({"neg." + name,
                 instruction_of(Opcode::kNeg, type),
                 {type},
                 {type},
                 [=](const Operands& o) -> Results { return {o[0] ^ sign}; }});
    if (size_of(type) < 4) continue;
    check_lanes({"copysign." + name,
                 instruction_of(Opcode::kCopysign, type),
                 {type},
                 {type, type},
                 [=](const Operands& o) -> Results { return {(o[1] & ~sign) | (o[0] & sign)}; }});
  }
}

TEST(FloatLanes, ClassesOfNumbers) {
  for (Type type : {Type::kF32, Type::kF64}) {
    const int fraction = type == Type::kF32 ? 23 : 52;
    const std::uint64_t infinity = type == Type::kF32 ? 0x7f800000u : 0x7ff0000000000000u;
    const std::uint64_t sign = std::uint64_t{1} << (size_of(type) * 8 - 1);
    for (Mode mode : {Mode::kFinite, Mode::kInfinite, Mode::kNumber, Mode::kNotANumber,
                      Mode::kNormal, Mode::kSubnormal}) {
      check_lanes({"testp." + std::string(name_of(mode)) + std::string(name_of(type)),
                   instruction_of(Opcode::kTestp, type, [=](Instruction& i) { i.mode = mode; }),
                   {Type::kPred},
                   {type},
                   [=](const Operands& o) -> Results {
                     const std::uint64_t magnitude = o[0] & ~sign;
                     switch (mode) {
                       case Mode::kFinite: return {magnitude < infinity};
                       case Mode::kInfinite: return {magnitude == infinity};
                       case Mode::kNumber: return {magnitude <= infinity};
                       case Mode::kNotANumber: return {magnitude > infinity};
                       case Mode::kNormal:
                         return {magnitude < infinity && magnitude >> fraction != 0};
                       default: return {magnitude != 0 && magnitude >> fraction == 0};
                     }
                   }});
    }
  }
}

TEST(FloatLanes, SpecialFunctionsStayWithinTheDocumentedError) {
  struct Row {
    const char* name;
    Opcode opcode;
    double (*exact)(double);
    double absolute;  // allowed error: absolute + relative * |exact|
    double relative;
    double low;  // where CUDA documents the bound
    double high;
  };
  const Row rows[] = {
      {"sin", Opcode::kSin, [](double x) { return std::sin(x); }, 0x1p-20, 0, -3.14159, 3.14159},
      {"cos", Opcode::kCos, [](double x) { return std::cos(x); }, 0x1p-20, 0, -3.14159, 3.14159},
      {"lg2", Opcode::kLg2, [](double x) { return std::log2(x); }, 0x1p-22, 0x1p-22, 1e-30, 1e30},
      {"ex2", Opcode::kEx2, [](double x) { return std::exp2(x); }, 0, 0x1p-22, -100, 100},
      {"tanh", Opcode::kTanh, [](double x) { return std::tanh(x); }, 0, 0x1p-10, -20, 20},
      {"rsqrt", Opcode::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 0, 0x1p-22, 1e-30, 1e30},
  };
  for (const Row& row : rows) {
    DecodedInstruction decoded;
    const Instruction instruction =
        instruction_of(row.opcode, Type::kF32, [](Instruction& i) { i.approximate = true; });
    decoded.ir = &instruction;
    decoded.source[0] = 0;
    decoded.destination[0] = 128;
    alignas(64) std::byte frame[256];
    auto* values = reinterpret_cast<float*>(frame);
    OperandSource operands(7);
    const LaneFunction function = select_lane_function(instruction, {4, 4});
    ASSERT_NE(function, nullptr);
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < kLanes; ++i) {
        const double share = static_cast<double>(operands.bits() >> 11) * 0x1p-53;
        const bool logarithmic = row.low > 0;
        values[i] = static_cast<float>(logarithmic ? row.low * std::pow(row.high / row.low, share)
                                                   : row.low + (row.high - row.low) * share);
      }
      function(decoded, frame, kAllLanes);
      for (int i = 0; i < kLanes; ++i) {
        const double exact = row.exact(static_cast<double>(values[i]));
        EXPECT_NEAR(static_cast<double>(values[32 + i]), exact,
                    row.absolute + row.relative * std::abs(exact))
            << row.name << " of " << values[i];
      }
    }
  }
}

}  // namespace
}  // namespace raddle::kernel::exec
