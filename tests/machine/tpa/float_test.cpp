// Floating point: what every operation gives, against the host's own arithmetic, and what its
// latency costs.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "machine/tpa/isa.h"
#include "tpa_fixture.h"

namespace raddle::machine::tpa {
namespace {

using Limits = std::numeric_limits<double>;
using SingleLimits = std::numeric_limits<float>;

const std::vector<double> kDoubles = {0.0,
                                      -0.0,
                                      1.0,
                                      -1.5,
                                      0.1,
                                      3e300,
                                      -7e-310,
                                      1e19,
                                      -123456.789,
                                      Limits::infinity(),
                                      -Limits::infinity(),
                                      Limits::quiet_NaN()};
const std::vector<float> kSingles = {0.0F,
                                     -0.0F,
                                     1.0F,
                                     -1.5F,
                                     0.1F,
                                     3e38F,
                                     -7e-42F,
                                     1e19F,
                                     -1234.56F,
                                     SingleLimits::infinity(),
                                     -SingleLimits::infinity(),
                                     SingleLimits::quiet_NaN()};

Word word(double value) {
  return std::isnan(value) ? 0x7ff8000000000000U : std::bit_cast<Word>(value);
}
Word word(float value) {
  return std::isnan(value) ? 0x7fc00000U : Word{std::bit_cast<std::uint32_t>(value)};
}
Word truth(bool value) { return value ? ~Word{0} : 0; }

Word result(const std::string& name, Word a, Word b = 0, Word c = 0) {
  const Mnemonic* mnemonic = find_mnemonic(name);
  EXPECT_NE(mnemonic, nullptr) << name;
  return alu_result(static_cast<AluOperation>(mnemonic->operation), a, b, c);
}

template <class T>
void expect_operations(const std::vector<T>& values, const std::string& suffix) {
  const auto zero_aware_min = [](T a, T b) {
    if (a == 0 && b == 0) return std::signbit(a) ? a : b;
    return std::fmin(a, b);
  };
  const auto zero_aware_max = [](T a, T b) {
    if (a == 0 && b == 0) return std::signbit(a) ? b : a;
    return std::fmax(a, b);
  };
  for (const T a : values) {
    EXPECT_EQ(result("FSQRT" + suffix, word(a)), word(std::sqrt(a))) << a;
    for (const T b : values) {
      const auto gives = [&](const char* name) { return result(name + suffix, word(a), word(b)); };
      EXPECT_EQ(gives("FADD"), word(a + b)) << a << " " << b;
      EXPECT_EQ(gives("FSUB"), word(a - b)) << a << " " << b;
      EXPECT_EQ(gives("FMUL"), word(a * b)) << a << " " << b;
      EXPECT_EQ(gives("FDIV"), word(a / b)) << a << " " << b;
      EXPECT_EQ(gives("FMIN"), word(zero_aware_min(a, b))) << a << " " << b;
      EXPECT_EQ(gives("FMAX"), word(zero_aware_max(a, b))) << a << " " << b;
      EXPECT_EQ(gives("FSEQ"), truth(a == b)) << a << " " << b;
      EXPECT_EQ(gives("FSNE"), truth(!(a == b))) << a << " " << b;
      EXPECT_EQ(gives("FSLT"), truth(std::isless(a, b))) << a << " " << b;
      EXPECT_EQ(gives("FSLE"), truth(std::islessequal(a, b))) << a << " " << b;
      for (const T c : values) {
        EXPECT_EQ(result("FMA" + suffix, word(a), word(b), word(c)), word(std::fma(a, b, c)))
            << a << " " << b << " " << c;
      }
    }
  }
}

TEST(TpaFloat, OperationsOnDoublesAreThoseOfIeee754) { expect_operations(kDoubles, ""); }

TEST(TpaFloat, OperationsOnSinglesAreThoseOfIeee754) { expect_operations(kSingles, "S"); }

TEST(TpaFloat, ConversionsRoundOnceAndSaturate) {
  EXPECT_EQ(result("CWD", static_cast<Word>(-3)), word(-3.0));
  // Rounded to a double first, this would come out as 2^54.
  EXPECT_EQ(result("CWS", (Word{1} << 54) + (Word{1} << 30) + 1), word(0x1.000002p54F));
  EXPECT_EQ(result("CDW", word(-2.9)), static_cast<Word>(-2));
  EXPECT_EQ(result("CDW", word(1e30)), ~Word{0} >> 1);
  EXPECT_EQ(result("CDW", word(-1e30)), Word{1} << 63);
  EXPECT_EQ(result("CDW", word(Limits::quiet_NaN())), 0U);
  EXPECT_EQ(result("CSW", word(2.9F)), 2U);
  EXPECT_EQ(result("CSD", word(0.1F)), word(static_cast<double>(0.1F)));
  EXPECT_EQ(result("CDS", word(0.1)), word(0.1F));
}

TEST(TpaFloat, ExecutorAndFrontendAgreeWithTheTable) {
  const Outcome done = run_text(
      ".shared A 2 = 1.5, -2.25\n.shared F 1 = 0.1f\n.shared R 4\n"
      "OP0 A OP1 8 LLDS0 O0 LWB0 N0\n"
      "OP0 A+8 LLDS0 O0 LFMUL1 R0,N0 LFSQRT2 R0 LWB1 L1 LWB2 L2\n"
      "OP0 R OP1 R1 OP2 1 LWB33 O2 STD0 O1,O0 STCF\n"
      "OP0 R+8 OP1 R2 STD0 O1,O0 STCF\n"
      "OP0 F LDD0 O0 CSD5 M0 WB0 A5 RT1 STCF\n"
      "OP0 R+16 RD0 STD0 B0,O0 STCF\n"
      "OP0 R+24 OP1 1.5 OP2 -0.5 FADD0 O1,O2 STD0 A0,O0 STCF\n");
  EXPECT_EQ(done.fault(), "none");
  EXPECT_EQ(done.words("R"), (Words{word(1.5 * -2.25), word(std::sqrt(1.5)),
                                    word(static_cast<double>(0.1F)), word(1.0)}));
}

// N fibers that store what one ALU made of a slot.
std::string stores(const std::string& operation) {
  return ".shared A 64\nOP0 A OP1 3 OP2 64 OP3 1.0 LWB33 O2 SHL0 FID,O1 ADD1 O0,A0 " + operation +
         "2 O3,O3 STD0 A2,A1 STCF\n";
}

TEST(TpaFloat, OperationBeforeTheMemoryUnitDelaysTheWaveByWhatItIsLonger) {
  const std::uint64_t integer = run_text(stores("ADD")).cycles();
  EXPECT_EQ(run_text(stores("FSLT")).cycles(), integer);
  EXPECT_EQ(run_text(stores("FADD")).cycles(), integer + 2);
  EXPECT_EQ(run_text(stores("FADD"), {"tpa", {"float.arithmetic_cycles=1"}, {}, {}}).cycles(),
            integer);
  EXPECT_EQ(run_text(stores("FDIV")).cycles(), integer + 31);
}

// A value that the memory unit does not read is made while it works; the next line waits for it.
std::string beside(const std::string& operation) {
  return ".shared A 64\nOP0 A OP1 3 OP2 64 OP3 1.0 LWB33 O2 SHL0 FID,O1 ADD1 O0,A0 " + operation +
         "2 O3,O3 LDD0 A1 WB0 A2 WB1 M0 RT2 STCF\nRD0 ADD0 B0,B0 WB0 A0 STCF\n";
}

TEST(TpaFloat, OperationBesideTheMemorySegmentCostsNothingUnlessItIsLonger) {
  const std::uint64_t integer = run_text(beside("ADD")).cycles();
  EXPECT_EQ(run_text(beside("FDIV")).cycles(), integer);
  EXPECT_EQ(run_text(beside("FDIV"), {"tpa", {"float.divide_cycles=114"}, {}, {}}).cycles(),
            integer);
  EXPECT_EQ(run_text(beside("FDIV"), {"tpa", {"float.divide_cycles=124"}, {}, {}}).cycles(),
            integer + 10);
}

TEST(TpaFloat, OperationAfterTheMemoryUnitDelaysWhoeverReadsIt) {
  const auto text = [](const std::string& operation) {
    return ".shared A 64\nOP0 A OP1 3 OP2 64 OP3 1.0 LWB33 O2 SHL0 FID,O1 ADD1 O0,A0 LDD0 A1 " +
           operation + "5 M0,O3 WB0 A5 RT1 STCF\nRD0 ADD0 B0,B0 WB0 A0 STCF\n";
  };
  EXPECT_EQ(run_text(text("FMUL")).cycles(), run_text(text("MUL")).cycles() + 2);
}

TEST(TpaFloat, FrontendTakesItsLatencyEachTime) {
  const auto text = [](const std::string& operation) {
    return "OP0 1.0 " + operation + "0 O0,O0 LWB0 L0\nOP0 1.0 " + operation + "0 O0,R0 LWB0 L0\n";
  };
  EXPECT_EQ(run_text(text("LFADD")).cycles(), run_text(text("LADD")).cycles() + 4);
}

TEST(TpaFloat, TakesEnergyOfFloatingPointUnits) {
  const auto energy = [](const std::string& operation) {
    double total = 0;
    for (const Share& part : run_text(stores(operation)).run.result.energy)
      if (part.name == "units") total += part.value;
    return total;
  };
  EXPECT_GT(energy("FMUL"), energy("FMULS"));
  EXPECT_GT(energy("FMULS"), energy("FSLTS"));
}

}  // namespace
}  // namespace raddle::machine::tpa
