// What happens in which cycle, and that every cycle is explained.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "tpa_fixture.h"

namespace raddle::machine::tpa {
namespace {

constexpr std::uint64_t kSegment = 113;  // of machines/tpa.toml
constexpr std::uint64_t kDepth = kSegment + 16;

// N fibers that refer to nothing.
std::string idle_lines(int count) {
  std::string text = ".param N 1600\nOP0 N LWB33 O0\n";
  for (int i = 0; i < count; ++i) text += "OP0 1 ADD0 FID,O0 STCF\n";
  return text;
}

TEST(Synchronisation, CostsExactlyOneCycleAStep) {
  const std::uint64_t ten = run_text(idle_lines(10)).cycles();
  EXPECT_EQ(run_text(idle_lines(11)).cycles() - ten, 1600 / 16 + 1);
  EXPECT_EQ(run_text(idle_lines(20)).cycles() - ten, 10 * (1600 / 16 + 1));
}

TEST(Synchronisation, CostsNothingOnAnIdealMemory) {
  const TpaSetup ideal{"tpa", {"memory.ideal=true"}, {}, {}};
  EXPECT_EQ(run_text(idle_lines(11), ideal).cycles() - run_text(idle_lines(10), ideal).cycles(),
            1600 / 16);
}

TEST(Synchronisation, ShareOfMatrixProductsIsThePapers) {
  // Claim 11: 16 x 16 has 256 fibers on a backend.
  const std::string text = ".param N 16\nOP0 N*N*N LWB33 O0\nOP0 1 ADD0 FID,O0 STCF\n";
  EXPECT_DOUBLE_EQ(run_text(text).stat("program", "synchronisation share"), 1.0 / 256);
}

TEST(Backends, TakeAsLongAsTheOneWithMostFibers) {
  TpaSetup setup;
  setup.parameters["N"] = 1601;
  const std::uint64_t ten = run_text(idle_lines(10), setup).cycles();
  EXPECT_EQ(run_text(idle_lines(11), setup).cycles() - ten, 101 + 1);
}

TEST(Backends, WaitForRegistersThatAreStillInThePipeline) {
  const std::string write = "OP0 32 OP1 5 LWB33 O0 ADD0 FID,O1 WB0 A0 RT1 STCF\n";
  const std::string read = "RD0 ADD0 FID,B0 WB0 A0 RT1 STCF\n";
  const std::uint64_t once = run_text(write + read).cycles();
  EXPECT_EQ(run_text(write + read + read).cycles() - once, kDepth);
  const std::string other = "OP0 1600 LWB33 O0 ADD0 FID,O0 RT1 STCF\n";
  EXPECT_EQ(run_text(write + read + other).cycles() - once, 100 + 1) << "reads nothing";
}

TEST(StepCache, LetsOneReferenceOfABackendToAnAddressThrough) {
  const Outcome outcome =
      run_text(".shared _x_ 4 = 7\n.param N 320\nOP0 _x_ OP1 N LWB33 O1 LDD0 O0 STCF\n");
  EXPECT_EQ(outcome.stat("network", "references"), 16);
  EXPECT_EQ(outcome.stat("step cache", "hits"), 320 - 16);
}

TEST(StepCache, ForgetsAtTheEndOfTheStep) {
  const std::string line = "OP0 _x_ OP1 320 LWB33 O1 LDD0 O0 STCF\n";
  EXPECT_EQ(run_text(".shared _x_\n" + line + line).stat("network", "references"), 32);
}

TEST(StepCache, DropsSecondWriteToSameAddressWithinStep) {
  // Of each backend the first fiber wins, of the backends the lowest; or the highest.
  const std::string text = ".shared _x_\nOP0 _x_ OP1 320 LWB33 O1 STD0 FID,O0 STCF\n";
  const Outcome lowest = run_text(text);
  EXPECT_EQ(lowest.words("_x_")[0], 0u);
  EXPECT_EQ(lowest.stat("network", "references"), 16);
  EXPECT_EQ(run_text(text, {"tpa", {"memory.winner=highest"}, {}, {}}).words("_x_")[0], 300u);
}

TEST(Memory, KeepsABackendsFirstWriteWhereTheStepCacheHasForgottenIt) {
  // 3000 words are more than the lines of a step cache, and each backend writes each of them twice.
  const std::string text =
      ".shared _x_ 3000\nOP0 _x_ OP1 96000 OP2 3000 OP3 3 LWB33 O1 MOD0 FID,O2 SHL1 A0,O3 ADD2 "
      "O0,A1 STD0 FID,A2 STCF\n";
  const Outcome lowest = run_text(text);
  const Outcome highest = run_text(text, {"tpa", {"memory.winner=highest"}, {}, {}});
  EXPECT_GT(lowest.stat("network", "references"), 16 * 3000);
  Words first(3000), last(3000);
  std::iota(first.begin(), first.end(), 0);
  std::iota(last.begin(), last.end(), 90000);
  EXPECT_EQ(lowest.words("_x_"), first);
  EXPECT_EQ(highest.words("_x_"), last);
}

TEST(StepCache, GivesTheSameForTheSameSeedAndMissesMoreWhenItIsSmall) {
  const std::string text =
      ".shared _x_ 4096\nOP0 _x_ OP1 65536 OP2 4095 OP3 3 LWB33 O1 AND0 FID,O2 SHL1 A0,O3 ADD2 "
      "O0,A1 LDD0 A2 STCF\nOP0 _x_ OP2 2047 OP3 3 AND0 FID,O2 SHL1 A0,O3 ADD2 O0,A1 LDD0 A2 STCF\n";
  const double misses = run_text(text).stat("step cache", "misses");
  EXPECT_EQ(run_text(text).stat("step cache", "misses"), misses);
  EXPECT_NE(run_text(text, {"tpa", {"step_cache.seed=9"}, {}, {}}).stat("step cache", "misses"),
            misses);
  EXPECT_GT(run_text(text, {"tpa", {"step_cache.lines=64"}, {}, {}}).stat("step cache", "misses"),
            misses);
}

TEST(StepCache, PutsWordsAtStridesIntoOneSetOrIntoMany) {
  // 16 words 256 apart: one set of four lines by their lowest bits, sixteen with the next ones.
  const std::string text =
      ".shared _x_ 4096\nOP0 _x_ OP1 512 OP2 15 OP3 11 LWB33 O1 AND0 FID,O2 SHL1 A0,O3 ADD2 O0,A1 "
      "LDD0 A2 STCF\n";
  const auto references = [&](const std::string& index) {
    return run_text(text, {"tpa", {"step_cache.index=" + index}, {}, {}})
        .stat("network", "references");
  };
  EXPECT_EQ(references("xor"), 16 * 16);
  EXPECT_GT(references("modulo"), 16 * 24);
}

TEST(StepCache, FindsManyAddressesAsItFindsEach) {
  for (const std::uint32_t ways : {1U, 2U, 4U, 8U}) {
    StepCache one(64, ways, 3, ways == 4);
    StepCache many(64, ways, 3, ways == 4);
    std::mt19937_64 random(ways);
    for (int step = 0; step < 20; ++step) {
      one.start_step();
      many.start_step();
      Words addresses;
      for (int i = 0; i < 200; ++i)
        addresses.push_back(i % 5 == 4 ? addresses.back() : kWordBytes * (1 + random() % 150));
      std::vector<std::size_t> hits, hits_of_many;
      for (std::size_t i = 0; i < addresses.size(); ++i)
        if (one.look_up(StepCache::key_of(addresses[i], ReferenceKind::kWrite, 0)).hit)
          hits.push_back(i);
      many.look_up_all(addresses.data(), addresses.size(), ReferenceKind::kWrite,
                       [&](std::size_t i) { hits_of_many.push_back(i); });
      EXPECT_EQ(hits_of_many, hits);
    }
    EXPECT_EQ(many.stats().hits, one.stats().hits);
    EXPECT_EQ(many.stats().misses, one.stats().misses);
    EXPECT_EQ(many.stats().evictions, one.stats().evictions);
    EXPECT_GT(one.stats().evictions, 0u);
  }
}

TEST(Backends, AccountForTheirCyclesWhereAFaultEndsTheRun) {
  // Fiber 1500 of backend 15 has no word to load.
  const Outcome outcome = run_text(
      ".shared _A_ 1600\nOP0 _A_ OP1 3 OP2 1600 OP3 1500 OP4 40 LWB33 O2 SEQ0 FID,O3 SHL1 FID,O1 "
      "ADD2 O0,A1 SHL3 A0,O4 ADD4 A2,A3 LDD0 A4 STCF\n");
  EXPECT_FALSE(outcome.run.result.complete);
  for (const Backend& backend : outcome.run.memory.processor->backends())
    EXPECT_EQ(backend.cycles.sum(), Cycle(outcome.cycles()));
}

TEST(ActiveMemory, ServesOneReferenceToAModuleACycle) {
  const std::string text =
      ".param N 1600\n.shared _x_\nOP0 _x_ OP1 N OP2 1 LWB33 O1 MADD0 O2,O0 STCF\n";
  TpaSetup twice;
  twice.parameters["N"] = 3200;
  const Outcome outcome = run_text(text);
  EXPECT_EQ(outcome.words("_x_")[0], 1600u);
  EXPECT_EQ(run_text(text, twice).cycles() - outcome.cycles(), 1600u);
}

TEST(Memory, IsReadAsItWasBeforeTheStep) {
  // Two flows exchange two arrays in one step: one reads what the other writes.
  const std::string text =
      ".shared _X_ 50\n.shared _Y_ 50\n.shared _Z_ 50\n.fill _X_ iota:100\n"
      "OP0 50 FORK reader,O0\nOP0 50 FORK writer,O0\nJOIN\nEXIT\n"
      "reader: OP0 _X_ OP1 3 SHL0 FID,O1 ADD1 O0,A0 LDD0 A1 WB0 M0 RT1 STCF\n"
      "OP0 _Z_ OP1 3 RD0 SHL0 FID,O1 ADD1 O0,A0 STD0 B0,A1 RT1 STCF\nEXIT\n"
      "writer: OP0 _X_ OP1 3 OP2 0 SHL0 FID,O1 ADD1 O0,A0 STD0 O2,A1 STCF\nEXIT\n";
  for (const char* order : {"reader", "writer"}) {
    std::string swapped = text;
    if (std::string(order) == "writer") {
      swapped.replace(swapped.find("reader,"), 7, "writer,");
      swapped.replace(swapped.rfind("writer,O0"), 7, "reader,");
    }
    const Outcome outcome = run_text(swapped);
    ASSERT_EQ(outcome.fault(), "none");
    EXPECT_EQ(outcome.words("_Z_")[49], 149u) << order;
    EXPECT_EQ(outcome.words("_X_")[49], 0u);
  }
}

TEST(Flows, RunSideBySideAndJoin) {
  // 100 flows of different thickness, each adds one for each of its fibers.
  const std::string text =
      ".shared _n_\nOP0 100 LWB1 O0\n"
      "loop: OP0 1 LSUB0 R1,O0 LWB1 L0 FORK child,R1\nBNZ R1,loop\nJOIN\n"
      "OP0 _n_ LLDS0 O0 LWB2 N0\nOP0 _n_ OP1 1000000 LADD0 R2,O1 LSTS0 L0,O0\nEXIT\n"
      "child: OP0 _n_ OP1 1 MADD0 O1,O0 STCF\nEXIT\n";
  for (const char* frontends : {"frontend.count=1", "frontend.count=4"}) {
    const Outcome outcome = run_text(text, {"tpa", {frontends}, {}, {}});
    ASSERT_EQ(outcome.fault(), "none");
    EXPECT_EQ(outcome.words("_n_")[0], 1'000'000u + 100 * 101 / 2);
    EXPECT_EQ(outcome.stat("program", "most flows"), 101);
    EXPECT_EQ(outcome.steps(), 1u);
  }
}

TEST(Flows, TellAFaultOfOneBesideTheOthersWork) {
  // Two flows share each step; the second one's frontend divides by zero, or a fiber of it does.
  const std::string line = "OP0 1 ADD0 FID,O0 STCF\n";
  const std::string fork =
      "OP0 5 FORK other,O0\n" + line + line + line + "JOIN\nHALT\nother: " + line;
  EXPECT_EQ(run_text(fork + "OP0 0 LDIV0 R1,O0\n").fault(),
            "test.tpa:8: division by zero, by the frontend");
  EXPECT_EQ(run_text(fork + "OP0 0 DIV0 FID,O0 WB0 A0 RT1 STCF\n").fault(),
            "test.tpa:8: fiber 0: division by zero");
}

TEST(Flows, MayNotBeMoreThanTheBufferHolds) {
  const Outcome outcome = run_text(
      "OP0 200 LWB1 O0\nloop: OP0 1 LSUB0 R1,O0 LWB1 L0 FORK child,R1\nBNZ R1,loop\nJOIN\nEXIT\n"
      "child: OP0 1 ADD0 FID,O0 STCF\n");
  EXPECT_EQ(outcome.fault(),
            "test.tpa:4: more than 128 flows at once, those that wait for others included: the TCF "
            "buffers are full (frontend.flows)");
}

TEST(Mapping, InterleavedFibersComputeTheSame) {
  const std::string text =
      ".param N 333\n.shared _A_ N\nOP0 N OP1 1 LWB33 O0 LWB34 O1\n"
      "OP0 _A_ OP1 3 SHL0 FID,O1 ADD1 O0,A0 STD0 FID,A1 WB0 FID RT1 STCF\n"
      "OP0 _A_ OP1 3 RD0 SHL0 FID,O1 ADD1 O0,A0 MADD0 B0,A1 RT1 STCF\n";
  const Outcome outcome = run_text(text);
  ASSERT_EQ(outcome.fault(), "none");
  for (Word i = 0; i < 333; ++i) EXPECT_EQ(outcome.words("_A_")[i], 2 * i);
  EXPECT_THAT(
      run_text("OP0 9 OP1 1 OP2 64 LWB33 O0 LWB34 O1\nOP0 64 RD0 BMADD0 B0,O0 STCF\n").fault(),
      testing::HasSubstr("need the stacked mapping"));
}

TEST(FiberRegisters, SurviveAnotherThicknessAndBack) {
  const Outcome outcome = run_text(
      ".shared _A_ 100\nOP0 100 LWB33 O0 WB1 FID RT2 STCF\nOP0 7 LWB33 O0 WB0 FID RT2 STCF\n"
      "OP0 100 OP1 3 OP2 _A_ LWB33 O0 RD1 SHL0 FID,O1 ADD1 O2,A0 STD0 B1,A1 RT2 STCF\n");
  for (Word i = 0; i < 100; ++i) EXPECT_EQ(outcome.words("_A_")[i], i);
}

TEST(Frontends, LoopCallAndKeepTheirMemory) {
  // Sum of 1 … 10 by a function that is called in a loop, kept in frontend memory.
  const Outcome outcome = run_text(
      ".shared _s_\n.local sum\nOP0 10 LWB1 O0\nloop: JSR add\nOP0 1 LSUB0 R1,O0 LWB1 L0 BNZ "
      "L0,loop\nOP0 sum LLDD0 O0 LWB2 N0\nOP0 _s_ LSTS0 R2,O0\nEXIT\n"
      "add: OP0 sum LLDD0 O0 LADD1 N0,R1 LWB2 L1\nOP0 sum LSTD0 R2,O0 JR R31\n");
  EXPECT_EQ(outcome.words("_s_")[0], 55u);
  EXPECT_EQ(outcome.words("sum")[0], 55u);
}

TEST(Frontends, ReceiveWhatFiberZeroReplies) {
  const Outcome outcome = run_text(
      ".shared _s_ 2\nOP0 50 OP1 7 LWB33 O0 ADD0 FID,O1 RPL A0 STCF\nOP0 _s_ LRCV0 LWB1 N0\n"
      "OP0 _s_ LSTS0 R1,O0\n");
  EXPECT_EQ(outcome.words("_s_")[0], 7u);
  EXPECT_GE(outcome.cycles(), kDepth);
}

TEST(Frontends, TakeOneCycleForALineOfASequentialLoop) {
  // Claims 6 and 26: a minimum costs N cycles and some.
  const auto sequential = [](int count) {
    TpaSetup setup;
    setup.parameters["N"] = count;
    return run_text(
               ".param N 64\n.local a N\nOP0 a OP1 N*8 LADD0 O0,O1 LWB1 O0 LWB3 L0\n"
               "l: OP0 8 LADD0 R1,O0 LLDD0 R1 LMIN1 R2,N0 LSNE2 L0,R3 LWB1 L0 LWB2 L1 BNZ L2,l\n",
               setup)
        .cycles();
  };
  EXPECT_EQ(sequential(20000) - sequential(10000), 10000u);
}

TEST(FixedThreads, TakeAllTheirSlotsForEveryInstruction) {
  // Claim 13: an instruction of a CESM takes 129 cycles, however few threads have work.
  const TpaSetup cesm{"cesm", {}, {}, {}};
  const std::string line = "OP0 1 ADD0 FID,O0 STCF\n";
  for (const char* thickness : {"OP0 1 LWB33 O0\n", "OP0 2048 LWB33 O0\n"}) {
    const std::string start = thickness + line;
    EXPECT_EQ(run_text(start + line, cesm).cycles() - run_text(start, cesm).cycles(), 129u);
    EXPECT_EQ(run_text(start + "OP0 1 LWB2 O0\n", cesm).cycles() - run_text(start, cesm).cycles(),
              129u)
        << "common instructions, too";
  }
  const std::string thick = "OP0 4096 LWB33 O0\n" + line;
  EXPECT_EQ(run_text(thick + line, cesm).cycles() - run_text(thick, cesm).cycles(),
            2 * 128 + 1 + 128 * 64)
      << "threads are exchanged at 64 cycles each";
}

TEST(Accounts, EveryUnitsCyclesSumToTheRuns) {
  const std::vector<std::string> programs{
      idle_lines(3), ".shared _x_\nOP0 _x_ OP1 999 OP2 1 LWB33 O1 MPADD0 O2,O0 WB0 M0 RT1 STCF\n",
      "OP0 _m_ OP1 100 LWB33 O1 RD0 BFMIN0 B0,O0 STCF\nOP0 16 LWB1 O0\nl: OP0 1 LSUB0 R1,O0 LRCV0 "
      "LMIN1 N0,R2 LWB1 L0 LWB2 L1 BNZ L0,l\nOP0 _m_ LSTS0 R2,O0\n.shared _m_\n"};
  for (const std::string& text : programs) {
    for (const char* machine : {"tpa", "cesm"}) {
      const Outcome outcome = run_text(text, {machine, {}, {}, {}});
      const Processor& processor = *outcome.run.memory.processor;
      for (const Backend& backend : processor.backends())
        EXPECT_EQ(backend.cycles.sum(), Cycle(outcome.cycles()));
      for (const FrontClock& clock : processor.clocks())
        EXPECT_EQ(clock.cycles.sum(), Cycle(outcome.cycles()));
      double slots = 0;
      for (const Stall& share : outcome.run.result.stalls) slots += share.cycles;
      EXPECT_EQ(slots, static_cast<double>(outcome.cycles()) * 16);
    }
  }
}

TEST(Energy, ChargesScratchpadsAndTheirAlusWithLittle) {
  const Outcome outcome = run_text(
      ".param N 65536\n.shared _A_ N\n.shared _m_\nOP0 _A_ OP1 3 OP2 N OP3 _m_ LWB33 O2 SHL0 "
      "FID,O1 "
      "ADD1 O0,A0 MLMIN0 O3,A1 WB0 M0 RT1 STCF\nOP0 _m_ RD0 EMMIN0 B0,O0 RT1 STCF\n");
  EXPECT_GT(outcome.stat("scratchpad", "energy overhead"), 0);
  EXPECT_LT(outcome.stat("scratchpad", "energy overhead"), 0.05);
  EXPECT_NEAR(outcome.stat("scratchpad", "memory overhead"), 0.0051, 0.0001);  // claim 32
  EXPECT_EQ(outcome.run.result.energy_set, "circuit");
}

struct FaultCase {
  const char* name;
  const char* text;
  const char* message;
};
class Faults : public testing::TestWithParam<FaultCase> {};
TEST_P(Faults, SayWhatAndWhere) {
  EXPECT_EQ(run_text(GetParam().text).fault(), GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    Program, Faults,
    testing::Values(
        FaultCase{"misaligned", "OP0 12 OP1 3 LWB33 O1 LDD0 O0 STCF\n",
                  "test.tpa:1: address 12 of shared memory is not a multiple of 8, by fiber 0"},
        FaultCase{"outside", "OP0 67108864 OP1 3 LWB33 O1 ADD0 FID,O0 LDD0 O0 STCF\n",
                  "test.tpa:1: address 67108864 lies outside of shared memory, which has 67108864 "
                  "bytes, by fiber 0"},
        FaultCase{"division", "OP0 9 OP1 4 LWB33 O0 SUB0 FID,O1 DIV1 FID,A0 STCF\n",
                  "test.tpa:1: fiber 4: division by zero"},
        FaultCase{"front_division", "OP0 9 LDIV0 O0,R1 LWB2 L0\n",
                  "test.tpa:1: division by zero, by the frontend"},
        FaultCase{"thickness", "OP0 -5 LWB33 O0\n", "test.tpa:1: thickness -5 is out of range"},
        FaultCase{"register", "RT2 STCF\nRD2 ADD0 B2,FID STCF\n",
                  "test.tpa:2: RD2, but fibers have 2 registers (RT2)"},
        FaultCase{"receive", "LRCV0\n",
                  "test.tpa:1: LRCV waits on the return channel, and no RPL is pending"},
        FaultCase{"jump", "OP0 77 JR O0\n", "test.tpa:1: jump target 77 is outside the program"},
        FaultCase{"two_targets",
                  "OP0 64 OP1 90 OP2 3 LWB33 O1 SHL0 FID,O2 ADD1 A0,O0 BFADD0 FID,A1 STCF\n",
                  "test.tpa:1: a backend-frontend multioperation takes one target; found 64 "
                  "and 72, by fiber 1"},
        FaultCase{"not_begun", "OP0 64 EMPADD0 FID,O0 STCF\n",
                  "test.tpa:1: the multiprefix to address 64 was not begun by this flow's backend, "
                  "by fiber 0"}),
    [](const auto& fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace raddle::machine::tpa
