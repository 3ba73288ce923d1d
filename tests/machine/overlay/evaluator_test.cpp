// What instructions do, apart from when: arithmetic against plain C++, and threads that disagree.
#include "machine/overlay/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/error.h"
#include "machine/overlay/small_run.h"

namespace raddle::machine::overlay {
namespace {

using ::testing::ElementsAre;

// One ALU word with A in c0, B in c1 and C in c2, the result of thread 0.
Float4 alu(const std::string& word, const Float4& a, const Float4& b = {}, const Float4& c = {},
           const EvaluationOptions& options = {}) {
  SmallRun run(word + "\nEND\n", 1);
  run.constant(0, a).constant(1, b).constant(2, c);
  return run.evaluated(options).output(0);
}

TEST(Evaluator, ComputesEachVectorOperation) {
  const Float4 a{1.5F, -2, 3, 4}, b{2, 5, -7, 0.5F}, c{10, 0.75F, -0.0F, 100};
  EXPECT_EQ(alu("MAD o0 c0 c1 c2\nmad o0 c0 c1 c2", a, b, c), (Float4{13, -9.25F, -21, 102}));
  EXPECT_EQ(alu("DP3 o0 c0 c1\ndp o0", a, b), (Float4{-28, -28, -28, -28}));
  EXPECT_EQ(alu("DP4 o0 c0 c1", a, b), (Float4{-26, -26, -26, 0}));
  EXPECT_EQ(alu("D2A o0 c0 c1 c2", a, b, {0, 0, 6, 0})[0], -1);
  EXPECT_EQ(alu("MIN o0 c0 c1\nmin o0 c0 c1", a, b), (Float4{1.5F, -2, -7, 0.5F}));
  EXPECT_EQ(alu("MAX o0 c0 c1\nmax o0 c0 c1", a, b), (Float4{2, 5, 3, 4}));
  EXPECT_EQ(alu("CND o0 c0 c1 c2\ncnd o0 c0 c1 0.5", a, b, c), (Float4{1.5F, -2, -7, 0.5F}));
  EXPECT_EQ(alu("CMP o0 c0 c1 -c2\ncmp o0 c0 c1 c2", a, b, c), (Float4{2, 5, 3, 4}));
  EXPECT_EQ(alu("FRC o0 c0\nfrc o0 -c0.r", a), (Float4{0.5F, 0, 0, 0.5F}));
  EXPECT_EQ(alu("SOP o0\nrcp o0 c0.a", a), (Float4{0.25F, 0.25F, 0.25F, 0.25F}));
}

TEST(Evaluator, ComputesEachScalarFunctionWithinHalfAUlp) {
  const auto of = [](const char* op, float value) {
    return alu(std::string(op) + " o0 c0.r", {value, 0, 0, 0})[3];
  };
  EXPECT_EQ(of("ex2", 0.3F), static_cast<float>(std::exp2(static_cast<double>(0.3F))));
  EXPECT_EQ(of("ln2", 5.5F), static_cast<float>(std::log2(5.5)));
  EXPECT_EQ(of("rcp", 3), 1.0F / 3);
  EXPECT_EQ(of("rsq", 16), 0.25F);
  EXPECT_EQ(of("sin", 0.25F), 1);
  EXPECT_NEAR(of("cos", 0.5F), -1, 1e-7);
}

TEST(Evaluator, AppliesSwizzlesModifiersPresubtractAndOutputModifiers) {
  const Float4 a{1, 2, 3, 4}, b{10, 20, 30, 40};
  EXPECT_EQ(alu("MOV o0 c0.bag\nmov o0 c0.r", a), (Float4{3, 4, 2, 1}));
  EXPECT_EQ(alu("MOV o0 c0.0h1\nmov o0 1", a), (Float4{0, 0.5F, 1, 1}));
  EXPECT_EQ(alu("MOV o0 -|c0|\nmov o0 -c0", {-1, 2, -3, -4}), (Float4{-1, -2, -3, 4}));
  EXPECT_EQ(alu("MOV o0 (1-2*c0)\nmov o0 (1-c0)", a), (Float4{-1, -3, -5, -3}));
  EXPECT_EQ(alu("MOV o0 (c1-c0)\nmov o0 (c1+c0)", a, b), (Float4{9, 18, 27, 44}));
  EXPECT_EQ(alu("MOV_x4 o0 c0\nmov_d8 o0 c0", a), (Float4{4, 8, 12, 0.5F}));
  EXPECT_EQ(alu("MOV_sat o0 c0\nmov_sat o0 c0", {0.25F, -1, 7, std::nanf("")}),
            (Float4{0.25F, 0, 1, 0}));
  EXPECT_EQ(alu("MOV_x2_sat o0 c0", {0.25F, 0.75F, -1, 0}), (Float4{0.5F, 1, 0, 0}));
  EXPECT_EQ(alu("MOV o0 1.5", a)[0], 1.5F);
}

TEST(Evaluator, RoundsProductsUnlessFused) {
  const float x = 1 + std::exp2(-12.0F);
  const Float4 a{x, x, x, x}, c{-(x * x), 0, 0, 0};
  EXPECT_EQ(alu("MAD o0 c0 c0 c2", a, {}, c)[0], 0);
  EvaluationOptions fused;
  fused.floats.fused = true;
  EXPECT_EQ(alu("MAD o0 c0 c0 c2", a, {}, c, fused)[0], std::exp2(-24.0F));
}

TEST(Evaluator, FlushesDenormalsInArithmeticButNotInCopies) {
  const Float4 tiny{1e-40F, -1e-40F, 0, 0};
  EvaluationOptions kept;
  kept.floats.flush_denormals = false;
  EXPECT_EQ(alu("MAD o0 c0 1 0", tiny)[0], 0);
  EXPECT_EQ(alu("MAD o0 c0 1 0", tiny, {}, {}, kept)[0], 1e-40F);
  EXPECT_EQ(alu("MOV o0 c0", tiny), tiny);
  EXPECT_EQ(alu("MAD o0 c0 c1 0", {1e-30F, 0, 0, 0}, {1e-10F, 0, 0, 0})[0], 0);
}

TEST(Evaluator, ZeroTimesInfinityIsZeroOnlyWhenAsked) {
  const Float4 infinite{INFINITY, 0, 0, 0};
  EvaluationOptions zero_wins;
  zero_wins.floats.zero_wins = true;
  EXPECT_TRUE(std::isnan(alu("MAD o0 c0 c1 1", infinite)[0]));
  EXPECT_EQ(alu("MAD o0 c0 c1 1", infinite, {}, {}, zero_wins)[0], 1);
}

TEST(Evaluator, LoadsTexelsByCoordinatesAndPermutesThem) {
  SmallRun run("TEX r1 r0.gr s2.abgr\nTEX r2.g r0.rg s2\nMOV o0 r1\nmov o0 r2.g\nEND\n", 2, 2);
  run.input(2, 2, {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}});
  run.evaluated();
  EXPECT_EQ(run.output(1, 0), (Float4{12, 11, 10, 6}));  // texel (0, 1); green of (1, 0)
  EXPECT_EQ(run.output(0, 1), (Float4{8, 7, 6, 10}));
}

TEST(Evaluator, ClampsCoordinatesToTheEdgeOrFaultsWhenLinear) {
  const std::string program = "MAD r1.r r0 1 -2.0\nTEX r2 r1.rg s0\nMOV o0 r2\nEND\n";
  SmallRun run(program, 4);
  run.input(0, 4, {{10, 0, 0, 0}, {11, 0, 0, 0}, {12, 0, 0, 0}, {13, 0, 0, 0}});
  EXPECT_THAT(run.evaluated().reds(), ElementsAre(10, 10, 10, 11));
  run.configuration.samplers[0].addressing = Addressing::kLinear;
  try {
    run.evaluated();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(), "t.ctm:2: a TEX reads texel (-2, 0) of s0, which has 4x1");
  }
}

TEST(Evaluator, RepeatsAndMirrorsBuffers) {
  SmallRun run("MAD r1.r r0 1 -3.0\nTEX r2 r1.rg s0\nMOV o0 r2\nEND\n", 9);
  run.input(0, 3, {{10, 0, 0, 0}, {11, 0, 0, 0}, {12, 0, 0, 0}});
  run.configuration.samplers[0].addressing = Addressing::kRepeat;
  EXPECT_THAT(run.evaluated().reds(), ElementsAre(10, 11, 12, 10, 11, 12, 10, 11, 12));
  run.configuration.samplers[0].addressing = Addressing::kMirror;
  EXPECT_THAT(run.evaluated().reds(), ElementsAre(12, 11, 10, 10, 11, 12, 12, 11, 10));
}

TEST(Evaluator, TakesBlackOutsideABufferWithABorder) {
  SmallRun run("MAD r1.r r0 1 -1.0\nTEX r2 r1.rg s0\nMOV o0 r2\nEND\n", 4);
  run.input(0, 2, {{8, 1, 1, 1}, {16, 1, 1, 1}});
  run.configuration.samplers[0].addressing = Addressing::kBorder;
  EXPECT_THAT(run.evaluated().reds(), ElementsAre(0, 8, 16, 0));
  EXPECT_EQ(run.output(0), (Float4{}));
  // Half of each of the four around a corner: what lies outside counts as 0.
  run.configuration.samplers[0].filter = Filter::kBilinear;
  EXPECT_THAT(run.evaluated().reds(), ElementsAre(0, 2, 6, 4));
}

TEST(Evaluator, WeightsTheFourTexelsAroundAPoint) {
  // At (x, 0.75): a quarter of the second row, for texels have their centres at 0.5.
  SmallRun run("MAD r1.rg r0.r00 1 c0.rg0\nTEX r2 r1.rg s0\nMOV o0 r2\nEND\n", 3);
  run.input(0, 2, {{8, 0, 0, 0}, {16, 0, 0, 0}, {32, 0, 0, 0}, {64, 0, 0, 0}});
  run.constant(0, {0.25F, 0.75F, 0, 0});
  run.configuration.samplers[0].filter = Filter::kBilinear;
  // x = 0.25: left of the first centre; 1.25: three quarters of the second column; 2.25: outside.
  EXPECT_THAT(run.evaluated().reds(),
              ElementsAre(0.75F * 8 + 0.25F * 32,
                          0.75F * (0.25F * 8 + 0.75F * 16) + 0.25F * (0.25F * 32 + 0.75F * 64),
                          0.75F * 16 + 0.25F * 64));
}

TEST(Evaluator, PredicatesGuardWritesOfEachChannel) {
  // x < 2 in p.r; p.g always; p.b never.
  const std::string program =
      "MAD _ r0.r10 1 c0 pred<0\n"
      "MOV r1 7.0\n"
      "(p) MOV r1 9.0\n"
      "(!p.r) mov r1 5.0\n"
      "MOV o0 r1\nmov o0 r1\nEND\n";
  SmallRun run(program, 4);
  run.constant(0, {-2, -2, 1, 0});
  run.evaluated();
  EXPECT_EQ(run.output(1), (Float4{9, 9, 7, 0}));
  EXPECT_EQ(run.output(2), (Float4{7, 9, 7, 5}));
}

// The thread's number in r1.r, with the ALU result telling whether it is at least c0.r.
std::string branch(const std::string& body) { return "MOV r1 r0\n" + body + "MOV o0 r2\nEND\n"; }

TEST(Evaluator, ThreadsTakeTheirOwnSidesOfNestedBranches) {
  const std::string program = branch(
      "MAD _ r1 1 -2.0 result.r>=0\n"
      "IF\n"
      "  MAD _ r1 1 -3.0 result.r>=0\n"
      "  IF\n    MOV r2 3.0\n  ELSE\n    MOV r2 2.0\n  ENDIF\n"
      "  ADD r2 r2 8.0\n"
      "ELSE\n"
      "  MAD _ r1 1 -1 result.r>=0\n"
      "  IF\n    MOV r2 1\n  ENDIF\n"
      "  ADD r2 r2 4.0\n"
      "ENDIF\n"
      "ADD r2 r2 16.0\n");
  EXPECT_THAT(SmallRun(program).evaluated().reds(), ElementsAre(20, 21, 26, 27));
}

TEST(Evaluator, LoopsRunPerThreadWithBreakAndContinue) {
  // Adds 1 in each pass until the pass's number reaches the thread's; odd passes are left early.
  const std::string program = branch(
      "REP i0\n"
      "  MAD _ r3 1 -r1 result.r>=0\n"
      "  IF\n    BRK\n  ENDIF\n"
      "  ADD r3 r3 1\n"
      "  ADD r2 r2 8.0\n"
      "  FRC_x2 r4 r5\n"
      "  MAD r5 r5 1 0.5\n"
      "  MOV _ -r4 result.r<0\n"
      "  IF\n    CONT\n  ENDIF\n"
      "  ADD r2 r2 1\n"
      "ENDREP\n");
  SmallRun run(".int i0 10\n" + program);
  EXPECT_THAT(run.evaluated().reds(), ElementsAre(0, 9, 17, 26));
}

TEST(Evaluator, LoopRegisterIndexesConstantsAndRegisters) {
  SmallRun run(
      ".int i3 3 10 2\n.temporaries 40\n"
      "LOOP i3\n  ADD r1 r1 c[aL+1]\n  MOV r[aL+20] c[aL+1]\nENDLOOP\n"
      "MOV o0.r r1\nMOV o0.g r32\nMOV o0.b r34\nEND\n",
      1);
  run.constant(11, {1, 1, 1, 1}).constant(13, {2, 2, 2, 2}).constant(15, {4, 4, 4, 4});
  EXPECT_EQ(run.evaluated().output(0), (Float4{7, 2, 4, 0}));
}

TEST(Evaluator, ALoopOfNoPassesIsSkipped) {
  EXPECT_THAT(SmallRun(".int i0 0\nMOV r2 5.0\nLOOP i0\nMOV r2 1\nENDLOOP\nMOV o0 r2\nEND", 1)
                  .evaluated()
                  .reds(),
              ElementsAre(5));
}

TEST(Evaluator, ThreadsDisagreeInsideACalledFunction) {
  const std::string program =
      "MOV r1 r0\n"
      "MAD _ r1 1 -1 result.r>=0\n"
      "IF\n  CALL f\nENDIF\n"
      "CALL f\n"
      "MOV o0 r2\nEND\n"
      "f:\n"
      "MAD _ r1 1 -3.0 result.r>=0\n"
      "IF\n  ADD r2 r2 4.0\nELSE\n  ADD r2 r2 1\nENDIF\n"
      "RET\n";
  EXPECT_THAT(SmallRun(program).evaluated().reds(), ElementsAre(1, 2, 2, 8));
}

TEST(Evaluator, ABreakInsideOneSideWaitsForTheOther) {
  // Thread 3 breaks in the first pass; others go on and reach the ELSE side in the same pass.
  const std::string program = branch(
      "REP i0\n"
      "  MAD _ r1 1 -3.0 result.r>=0\n"
      "  IF\n    ADD r2 r2 c9\n    BRK\n  ELSE\n    ADD r2 r2 1\n  ENDIF\n"
      "  ADD r2 r2 8.0\n"
      "ENDREP\n"
      "ADD r2 r2 0.5\n");
  SmallRun run(".int i0 2\n.const c9 100\n" + program);
  EXPECT_THAT(run.evaluated().reds(), ElementsAre(18.5F, 18.5F, 18.5F, 100.5F));
}

TEST(Evaluator, KilledThreadsWriteNothing) {
  SmallRun run("MAD r1 r0 1 -2.0\nTEXKILL r1.rrrr\nMOV o0 1\nEND\n");
  for (Float4& texel : run.memory) texel = {-5, 0, 0, 0};
  EXPECT_THAT(run.evaluated().reds(), ElementsAre(-5, -5, 1, 1));
}

TEST(Evaluator, ProjectiveLoadsDivideByQ) {
  const std::vector<Float4> texels = {{10, 0, 0, 0}, {11, 0, 0, 0}, {12, 0, 0, 0}, {13, 0, 0, 0}};
  // x*2 / 4: two threads to a texel; Q is the fourth channel named.
  SmallRun run("MAD r1 r0 2.0 0\nmov r1 4.0\nTXP r2 r1.rgra s0\nMOV o0 r2\nEND\n");
  EXPECT_THAT(run.input(0, 4, texels).evaluated().reds(), ElementsAre(10, 10, 11, 11));
  // Nothing by nothing is no number, which counts as 0; something by nothing is far outside.
  SmallRun nothing("MOV r1 r0.rrr\nmov r1 0\nTXP r2 r1.rgra s0\nMOV o0 r2\nEND\n");
  EXPECT_THAT(nothing.input(0, 4, texels).evaluated().reds(), ElementsAre(10, 13, 13, 13));
}

TEST(Evaluator, LevelsBiasesAndDerivativesChooseAmongOneLevel) {
  const std::vector<Float4> texels = {{10, 0, 0, 0}, {11, 0, 0, 0}, {12, 0, 0, 0}, {13, 0, 0, 0}};
  for (const char* load : {"TEX r2 r0.rg s0", "TXB r2 r0.rgbr s0", "TXL r2 r0.rgbr s0",
                           "TXD r2 r0.rg s0 r0.rg r0.gr"}) {
    SmallRun run(std::string(load) + "\nMOV o0 r2\nEND\n");
    EXPECT_THAT(run.input(0, 4, texels).evaluated().reds(), ElementsAre(10, 11, 12, 13)) << load;
  }
}

TEST(Evaluator, WritesTheDepthToABufferOfItsOwn) {
  SmallRun run("MAD o0 r0 1 1\nmad _ r0.r 0.5 0 depth\nEND\n");
  run.evaluated();
  EXPECT_EQ(run.output(3), (Float4{4, 1, 1, 0}));
  EXPECT_EQ(run.output(3, 0, kDepthOutput), (Float4{1.5, 1.5, 1.5, 1}));
  // Alone, with a predicate, and of threads that are not killed.
  SmallRun alone("MAD r1 r0 1 -2.0 pred.r>=0\n--\n(p.r) mov _ r0.r depth\nEND\n");
  alone.evaluated();
  EXPECT_EQ(alone.output(1, 0, kDepthOutput)[0], 0);
  EXPECT_EQ(alone.output(2, 0, kDepthOutput)[0], 2);
  SmallRun killed("MAD r1 r0 1 -2.0\nTEXKILL r1.rrrr\nmov _ 1 depth\nEND\n");
  killed.evaluated();
  EXPECT_EQ(killed.output(1, 0, kDepthOutput), (Float4{}));
  EXPECT_EQ(killed.output(2, 0, kDepthOutput)[0], 1);
}

TEST(Evaluator, NeighboursOfSquareBatchesAreReadByMdhAndMdv) {
  EvaluationOptions squares;
  squares.squares = true;
  // right minus left, lower minus upper
  SmallRun run("MAD r1 r0 4.0 0\n--\nMDH o0.r -r1.r 1 r1.r\nMDV o0.g -r1.g 1 r1.g\nEND\n", 2, 2);
  run.evaluated(squares);
  EXPECT_EQ(run.output(1, 1)[0], 4);
  EXPECT_EQ(run.output(0, 0)[1], 4);
  EXPECT_THROW(run.evaluated(), Error);
}

TEST(Evaluator, SaysWhatItCannotRun) {
  const auto message = [](const std::string& program) -> std::string {
    try {
      SmallRun(program).evaluated();
    } catch (const Error& error) {
      return error.full_text();
    }
    return "no error";
  };
  EXPECT_EQ(message("TEX r1 r0 s0 [TEX_INST=7]\nEND"), "t.ctm:1: this TEX operation is reserved");
  EXPECT_EQ(message(".name s3 image\nNOP\nTEX r1 r0 s3\nEND"),
            "t.ctm:3: the program reads 'image' (s3), which has no buffer\n"
            "hint: give it one: s3=FILE");
  EXPECT_EQ(
      message("MDH r1 r0 r0 r0\nEND"),
      "t.ctm:1: MDH and MDV need batches of 2x2 threads\nhint: run with --set batch.shape=auto");
  EXPECT_EQ(message("RET\nNOP\nEND"), "t.ctm:1: a return without a call");
  EXPECT_EQ(message("f:\nCALL f\nNOP\nEND"),
            "t.ctm:2: calls are nested deeper than the address stack");
  EXPECT_EQ(message("FC [FC_OP=2 JUMP_FUNC=255 JUMP_ANY=1]\nNOP\nEND"),
            "t.ctm:1: the end of a loop, or a break, outside a loop");
}

}  // namespace
}  // namespace raddle::machine::overlay
