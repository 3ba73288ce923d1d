// Section V of the sharing paper, mechanism by mechanism: what a pair shares, and what it does not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine/simt/gtx580.h"

namespace raddle::machine::simt {
namespace {

const std::vector<std::string> kNoStages{"sharing.stages.issue=0", "sharing.stages.dispatch=0",
                                         "sharing.stages.decode=0", "sharing.stages.shared=0",
                                         "sharing.stages.l1=0"};

std::vector<std::string> with(std::vector<std::string> settings,
                              const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

// --- V-B1: instruction buffers and reconvergence stacks in two banks

// Loads of zeroes that wait for each other, so that only more warps help; a word for each warp.
const char* const kChain = R"(
  and.b32 %r8, %r3, 0xffffffe0;
  mul.wide.u32 %rd4, %r8, 4;
  add.u64 %rd5, %rd1, %rd4;
  mov.u32 %r7, 0;
chain:
  ld.global.u32 %r6, [%rd5];
  cvt.u64.u32 %rd4, %r6;
  add.u64 %rd5, %rd5, %rd4;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, 20;
  @%p1 bra chain;
  add.u32 %r6, %r6, %r3;
  st.global.u32 [%rd2], %r6;)";

TEST(LentContexts, HoldWarpsThatWaitBesideTheOwn) {
  const auto run = [](const std::string& mode, const std::vector<std::string>& settings = {}) {
    Gtx580 gpu(kernel_of(kChain), mode, with({"l1.caches_global=false"}, settings));
    LaunchResult result = gpu.run_k(96, 512, 0, 96 * 512);
    for (std::uint32_t i = 0; const std::uint32_t word : gpu.words(96 * 512)) EXPECT_EQ(word, i++);
    return result;
  };
  const LaunchResult occ = run("occ"), alone = run("occ", {"sharing.lends.contexts=false"});
  EXPECT_EQ(occ.kernel_launch->occupancy.blocks_per_core, 6U);
  EXPECT_EQ(alone.kernel_launch->occupancy.blocks_per_core, 3U);
  EXPECT_LT(occ.cycles, alone.cycles * 4 / 5);
  // Blocks go to the SM's own contexts first: half of the warps are beyond them.
  EXPECT_NEAR(stat(occ, "sharing", "lent_instructions"),
              static_cast<double>(occ.warp_instructions) / 2,
              static_cast<double>(occ.warp_instructions) / 50);
  EXPECT_EQ(stat(alone, "sharing", "lent_instructions"), 0);
  // One bank is 24 contexts more: room for a fourth block.
  EXPECT_EQ(run("bal").kernel_launch->occupancy.blocks_per_core, 4U);
}

TEST(LentContexts, HaveReconvergenceStacksOfTheirOwn) {
  // Lanes leave a loop one after the other, and odd ones take another way through it.
  const std::string ptx = kernel_of(R"(
  and.b32 %r6, %r2, 31;
  mov.u32 %r7, 0;
  mov.u32 %r8, 0;
loop:
  and.b32 %r9, %r6, 1;
  setp.eq.u32 %p1, %r9, 0;
  @%p1 bra even;
  add.u32 %r8, %r8, 100;
  bra joined;
even:
  add.u32 %r8, %r8, 1;
joined:
  add.u32 %r7, %r7, 1;
  setp.le.u32 %p2, %r7, %r6;
  @%p2 bra loop;
  add.u32 %r8, %r8, %r3;
  st.global.u32 [%rd2], %r8;)");
  for (const char* mode : {"occ", "bal", "bigsm_occ"}) {
    Gtx580 gpu(ptx, mode);
    const LaunchResult result = gpu.run_k(96, 512, 0, 96 * 512);
    EXPECT_GT(stat(result, "sharing", "lent_instructions"), 0) << mode;
    const std::vector<std::uint32_t> words = gpu.words(96 * 512);
    for (std::uint32_t i = 0; i < words.size(); ++i) {
      const std::uint32_t lane = i % 32, each = lane % 2 == 1 ? 100 : 1;
      ASSERT_EQ(words[i], i + each * (lane + 1)) << mode << " " << i;
    }
  }
}

TEST(DummyStages, DecodedInstructionsTakeOneMoreToTheirBuffer) {
  // Nothing is buffered after a branch that is taken.
  const auto each_turn = [](const std::string& mode, const std::vector<std::string>& settings) {
    const auto cycles = [&](std::uint32_t turns) {
      Gtx580 gpu(kernel_of(R"(
loop:
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra loop;)"),
                 mode, settings);
      return static_cast<double>(gpu.run_k(1, 32, turns).cycles);
    };
    return (cycles(200) - cycles(40)) / 160;
  };
  const double baseline = each_turn("baseline", {});
  for (const char* mode : {"occ", "bal", "bigsm"}) {
    EXPECT_EQ(each_turn(mode, kNoStages), baseline) << mode;
    EXPECT_EQ(each_turn(mode, with(kNoStages, {"sharing.stages.decode=1"})), baseline + 1) << mode;
  }
  EXPECT_EQ(each_turn("half", {}), baseline);
}

// --- V-B2: registers, collectors, operands

TEST(MirroredOperands, TakeAWideWarpNoLongerThanANarrowOne) {
  // Registers 16 apart lie in one bank, of both SMs.
  std::string body = "  mov.u32 %r8, 1;\n";
  for (int i = 10; i < 50; ++i) body += fmt::format("  add.u32 %r{}, %r8, {};\n", i, i);
  for (int i = 0; i < 60; ++i)
    body += fmt::format("  mad.lo.u32 %r10, %r{}, %r{}, %r{};\n", 12 + i % 8, 28 + i % 8,
                        12 + i % 8 + 16);
  Gtx580 narrow(kernel_of(body), "baseline"), wide(kernel_of(body), "bigsm", kNoStages);
  const LaunchResult one = narrow.run_k(1, 32), two = wide.run_k(1, 64);
  EXPECT_EQ(two.thread_instructions, 2 * one.thread_instructions);
  EXPECT_EQ(two.warp_instructions, one.warp_instructions);
  EXPECT_EQ(stat(two, "registers", "bank_conflicts"), stat(one, "registers", "bank_conflicts"));
  EXPECT_EQ(two.cycles, one.cycles);
}

// Cycles that a kernel takes for each time more that the body is repeated, as long as all warps
// repeat it; what comes before, and the code's way into the caches, do not count.
double cycles_each_turn(const std::string& mode, const std::string& before, std::string_view body,
                        std::uint32_t blocks, const std::vector<std::string>& settings = {}) {
  const std::string ptx = kernel_of(before + "again:\n" + std::string(body) + R"(
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra again;)");
  const auto cycles = [&](std::uint32_t turns) {
    Gtx580 gpu(ptx, mode, with(kNoStages, settings));
    return static_cast<double>(gpu.run_k(blocks, 256, turns, 1u << 14).cycles);
  };
  return (cycles(24) - cycles(8)) / 16;
}

TEST(LentLanes, ComputeAsFastAsTheBaselineWhereOccHasHalfTheUnits) {
  // Additions that depend on nothing, of 48 warps on each of 16 SMs.
  std::string body;
  for (int i = 0; i < 100; ++i) body += fmt::format("  add.u32 %r{}, %r2, {};\n", 10 + i % 24, i);
  const double baseline = cycles_each_turn("baseline", "", body, 96);
  EXPECT_NEAR(cycles_each_turn("bigsm", "", body, 96) / baseline, 1, 0.05);
  // 96 warps on each of 8, with two units.
  const double least = 96 * 103 / 2.0;
  EXPECT_LT(baseline, 0.7 * least);
  EXPECT_GE(cycles_each_turn("occ", "", body, 96), least);
}

// --- V-B3: one load/store unit and one network interface

TEST(LoadStoreUnitOfAPair, TakesOnePassACycleForAllItsThreads) {
  const std::string before =
      "  shl.b32 %r6, %r2, 2;\n  mov.u32 %r7, tile;\n  add.u32 %r6, %r6, %r7;\n";
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += fmt::format("  ld.shared.u32 %r{}, [%r6+{}];\n", 10 + i % 24, 4 * i);
  // The threads of 64 warps on each of 8 SMs, 100 passes each. 16 SMs have half of that each.
  const double least = 64 * 100;
  EXPECT_LT(cycles_each_turn("baseline", before, body, 64), 0.7 * least);
  for (const char* mode : {"occ", "bigsm"}) {
    const double each = cycles_each_turn(mode, before, body, 64);
    EXPECT_GE(each, least) << mode;
    EXPECT_LT(each, 1.15 * least) << mode;
  }
}

TEST(NetworkInterfaceOfAPair, GivesOneFlitACycleToAllItsThreads) {
  // Lines of the L2, past the L1: a reply has four flits.
  const std::string_view body = R"(
  ld.global.u32 %r8, [%rd2];
  ld.global.u32 %r9, [%rd2+8192];
  ld.global.u32 %r10, [%rd2+16384];
  ld.global.u32 %r11, [%rd2+24576];)";
  const std::vector<std::string> settings{"device.cores=2", "l1.caches_global=false"};
  // Two SMs with 32 warps each, then all 64 on one.
  const double least = 64 * 4 * 4;
  EXPECT_LT(cycles_each_turn("baseline", "", body, 8, settings), 0.8 * least);
  for (const char* mode : {"occ", "bigsm"}) {
    const double each = cycles_each_turn(mode, "", body, 8, settings);
    EXPECT_GE(each, 0.99 * least) << mode;
    EXPECT_LT(each, 1.1 * least) << mode;
  }
}

// --- V-B4: synchronisation

TEST(BarriersOfAPair, HoldBlocksWithOwnAndLentWarpsTogether) {
  // Ten warps of 60 registers and more: every second block has warps on both sides.
  std::string body;
  for (int i = 10; i < 63; ++i) body += fmt::format("  add.u32 %r{0}, %r3, {0};\n", i);
  body += R"(
  shl.b32 %r6, %r2, 2;
  mov.u32 %r7, tile;
  add.u32 %r6, %r6, %r7;
  st.shared.u32 [%r6], %r3;
  bar.sync 0;
  add.u32 %r8, %r2, 160;
  rem.u32 %r8, %r8, 320;
  shl.b32 %r8, %r8, 2;
  add.u32 %r8, %r8, %r7;
  ld.shared.u32 %r9, [%r8];
)";
  for (int i = 10; i < 63; ++i) body += fmt::format("  add.u32 %r9, %r9, %r{};\n", i);
  Gtx580 gpu(kernel_of(body + "  st.global.u32 [%rd2], %r9;"), "occ");
  const LaunchResult result = gpu.run_k(48, 320, 0, 48 * 320);
  ASSERT_EQ(result.kernel_launch->occupancy.blocks_per_core, 3U);
  ASSERT_EQ(result.kernel_launch->occupancy.limited_by, "registers");
  EXPECT_GT(stat(result, "sharing", "lent_instructions"), 0);
  EXPECT_EQ(result.barriers, 48U * 10);
  std::uint32_t constants = 0;
  for (std::uint32_t i = 10; i < 63; ++i) constants += i;
  const std::vector<std::uint32_t> words = gpu.words(48 * 320);
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    const std::uint32_t partner = i / 320 * 320 + (i % 320 + 160) % 320;
    ASSERT_EQ(words[i], partner + 53 * i + constants) << i;
  }
}

}  // namespace
}  // namespace raddle::machine::simt
