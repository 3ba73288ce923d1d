// What lent parts are worth, and that launches get the configuration that they ask for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine/simt/gtx580.h"

namespace raddle::machine::simt {
namespace {

// A chain of loads through memory, with so many registers that are needed to the end.
std::string chain_with_registers(int registers) {
  std::string body;
  for (int number = 10; number < 10 + registers; ++number)
    body += fmt::format("  add.u32 %r{0}, %r3, {0};\n", number);
  body += R"(
  mov.u32 %r7, 0;
chain:
  ld.global.u32 %r6, [%rd2];
  cvt.u64.u32 %rd4, %r6;
  add.u64 %rd2, %rd2, %rd4;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, 24;
  @%p1 bra chain;
)";
  for (int i = 1; i < registers; ++i) body += fmt::format("  xor.b32 %r10, %r10, %r{};\n", 10 + i);
  return kernel_of(body + "  st.global.u32 [%rd2], %r10;\n");
}

TEST(LentRegisters, PayInOccAndBigSmButNotInBal) {
  const std::string ptx = chain_with_registers(48);
  // Blocks that need the whole register file of an SM, or nearly so.
  const auto run = [&](const std::string& mode, std::vector<std::string> settings = {}) {
    settings.emplace_back("l1.caches_global=false");  // so that latency is what counts
    Gtx580 gpu(ptx, mode, std::move(settings));
    return gpu.run_k(32, 512, 0, 32 * 512);
  };
  const LaunchResult half = run("half");
  ASSERT_GE(half.kernel_launch->registers_per_thread, 49U);
  ASSERT_EQ(half.kernel_launch->occupancy.blocks_per_core, 1U);
  ASSERT_EQ(half.kernel_launch->occupancy.limited_by, "registers");
  const LaunchResult occ = run("occ");
  EXPECT_EQ(occ.kernel_launch->occupancy.blocks_per_core, 2U);
  EXPECT_LT(occ.cycles, half.cycles * 3 / 4);
  EXPECT_GT(stat(occ, "sharing", "lent_instructions"), 0);
  const LaunchResult wide = run("bigsm");
  EXPECT_EQ(wide.kernel_launch->occupancy.blocks_per_core, 2U);
  EXPECT_LT(wide.cycles, half.cycles * 3 / 4);
  const LaunchResult bal = run("bal");
  EXPECT_EQ(bal.kernel_launch->occupancy.blocks_per_core, 1U);
  EXPECT_EQ(stat(bal, "sharing", "lent_instructions"), 0);
  EXPECT_EQ(run("occ", {"sharing.lends.registers=false"}).kernel_launch->occupancy.blocks_per_core,
            1U);
}

TEST(LentSharedMemory, LetsAnotherBlockInWhoseAccessesGoToLentBanks) {
  const std::string ptx = kernel_of(R"(
  shl.b32 %r6, %r2, 2;
  mov.u32 %r7, dyn;
  add.u32 %r6, %r6, %r7;
  st.shared.u32 [%r6+30000], %r3;
  bar.sync 0;
  ld.shared.u32 %r8, [%r6+30000];
  st.global.u32 [%rd2], %r8;)",
                                    ".extern .shared .align 16 .b8 dyn[];\n");
  const auto run = [&](const std::string& mode, std::vector<std::string> settings = {}) {
    Gtx580 gpu(ptx, mode, std::move(settings));
    const std::uint64_t words = gpu.buffer(std::vector<std::uint32_t>(16 * 256, 0));
    const LaunchResult result = gpu.run("k", {16, 1, 1}, {256, 1, 1}, {words, 0}, 40000);
    const auto numbers = gpu.read<std::uint32_t>(words, 16 * 256);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
    return result;
  };
  EXPECT_EQ(run("baseline").kernel_launch->occupancy.blocks_per_core, 1U);
  const LaunchResult occ = run("occ");
  EXPECT_EQ(occ.kernel_launch->occupancy.blocks_per_core, 2U);
  EXPECT_GT(stat(occ, "sharing", "lent_shared_passes"), 0);
  EXPECT_LT(stat(occ, "sharing", "lent_shared_passes"),
            stat(occ, "load/store unit", "shared_passes"));
  const LaunchResult none = run("occ", {"sharing.lends.shared=false"});
  EXPECT_EQ(none.kernel_launch->occupancy.blocks_per_core, 1U);
  EXPECT_EQ(stat(none, "sharing", "lent_shared_passes"), 0);
  EXPECT_EQ(run("bal").kernel_launch->occupancy.blocks_per_core, 1U);  // 72 KB hold one, too
}

// Reads so many lines again and again, one warp on each SM that works.
LaunchResult reads_lines_again(const std::string& mode, std::uint32_t lines,
                               std::vector<std::string> settings = {}) {
  const std::string ptx = kernel_of(R"(
  mul.lo.u32 %r6, %r2, 128;
  cvt.u64.u32 %rd4, %r6;
  add.u64 %rd4, %rd1, %rd4;
  mov.u32 %r7, 0;
again:
  mov.u32 %r8, 0;
  mov.u64 %rd5, %rd4;
next:
  ld.global.u32 %r9, [%rd5];
  add.u64 %rd5, %rd5, 4096;
  add.u32 %r8, %r8, 32;
  setp.lt.u32 %p1, %r8, %r1;
  @%p1 bra next;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, 8;
  @%p1 bra again;)");
  Gtx580 gpu(ptx, mode, std::move(settings));
  return gpu.run_k(1, 32, lines, 64 * 1024);
}
std::uint64_t l1_misses(const LaunchResult& result) {
  for (const MemoryTraffic& level : result.memory) {
    if (level.level == "L1") return level.misses;
  }
  return 0;
}

TEST(LentL1, HoldsWhatTheOwnCannot) {
  // 192 lines are 24 KB: beyond 16 KB, within 32.
  EXPECT_GT(l1_misses(reads_lines_again("baseline", 192)), 600U);
  const LaunchResult occ = reads_lines_again("occ", 192);
  EXPECT_LT(l1_misses(occ), 400U);
  EXPECT_GT(stat(occ, "sharing", "lent_l1_accesses"), 192 * 8 / 3);
  EXPECT_LT(l1_misses(reads_lines_again("bigsm", 192)), 400U);
  EXPECT_GT(l1_misses(reads_lines_again("occ", 192, {"sharing.lends.l1=false"})), 600U);
}

TEST(LentL1, OneBankOfItServesATrio) {
  const LaunchResult bal = reads_lines_again("bal", 160);
  EXPECT_EQ(stat(bal, "sharing", "lent_l1_bytes"), 8192);
  // A third of the lines, as it has a third of the arrays.
  EXPECT_NEAR(stat(bal, "sharing", "lent_l1_accesses"), 160 * 8 / 3.0, 160);
  EXPECT_LT(l1_misses(bal), l1_misses(reads_lines_again("baseline", 160)));
}

double each(const std::string& mode, std::string_view before, std::string_view body,
            std::vector<std::string> settings = {}) {
  const auto cycles = [&](int times) {
    Gtx580 gpu(kernel_of(std::string(before) + repeated(times, body)), mode, settings);
    return static_cast<double>(gpu.run_k(1, 32).cycles);
  };
  return (cycles(200) - cycles(40)) / 160;
}

TEST(DummyStages, MakeADependentInstructionWaitLonger) {
  const std::string_view add = "  add.u32 %r6, %r6, %r2;\n";
  const double baseline = each("baseline", "", add);
  EXPECT_EQ(each("half", "", add), baseline);
  EXPECT_NEAR(each("occ", "", add) - baseline, 2, 0.3);    // issue and dispatch
  EXPECT_NEAR(each("bigsm", "", add) - baseline, 1, 0.3);  // issue alone
  EXPECT_NEAR(each("occ", "", add, {"sharing.stages.issue=0", "sharing.stages.dispatch=3"}),
              baseline + 3, 0.3);
}

TEST(DummyStages, LieBeforeSharedMemoryAndTheL1) {
  const std::string before = "  mov.u32 %r6, tile;\n";
  const std::string_view shared = "  ld.shared.u32 %r7, [%r6];\n  add.u32 %r6, %r6, %r7;\n";
  const std::vector<std::string> alone{"sharing.stages.issue=0", "sharing.stages.dispatch=0",
                                       "sharing.stages.decode=0"};
  EXPECT_NEAR(each("occ", before, shared, alone) - each("baseline", before, shared), 1, 0.3);
  const std::string_view global =
      "  ld.global.u32 %r7, [%rd1];\n  cvt.u64.u32 %rd4, %r7;\n  add.u64 %rd1, %rd1, %rd4;\n";
  EXPECT_NEAR(each("occ", "", global, alone) - each("baseline", "", global), 1, 0.3);
}

TEST(DummyStages, CostNothingWhereThereAreNone) {
  const std::vector<std::string> none{"sharing.stages.issue=0", "sharing.stages.dispatch=0",
                                      "sharing.stages.decode=0", "sharing.stages.shared=0",
                                      "sharing.stages.l1=0"};
  const std::string ptx = chain_with_registers(4);
  Gtx580 baseline(ptx, "baseline"), occ(ptx, "occ", none);
  EXPECT_EQ(baseline.run_k(1, 64).cycles, occ.run_k(1, 64).cycles);
}

TEST(SharingLaunches, BlocksGoToActiveAndLeftOverMultiprocessorsAlone) {
  const std::string ptx = kernel_of("  mov.u32 %r6, %smid;\n  st.global.u32 [%rd2], %r6;\n");
  const auto places = [&](const std::string& mode) {
    Gtx580 gpu(ptx, mode);
    EXPECT_TRUE(gpu.run_k(32, 32).complete);
    std::vector<bool> used(16);
    for (const std::uint32_t sm : gpu.words(32 * 32)) used.at(sm) = true;
    return used;
  };
  const std::vector<bool> occ = places("occ");
  for (std::size_t sm = 0; sm < 16; ++sm) EXPECT_EQ(occ[sm], sm % 2 == 0) << sm;
  const std::vector<bool> bal = places("bal");
  for (std::size_t sm = 0; sm < 16; ++sm) EXPECT_EQ(bal[sm], sm % 3 != 1) << sm;
}

TEST(SharingLaunches, BlocksOfAMultiprocessorDoNotGrow) {
  Gtx580 gpu(kernel_of(""), "bigsm_occ");
  const LaunchResult result = gpu.run_k(100, 64);
  EXPECT_EQ(result.kernel_launch->occupancy.blocks_per_core, 8U);
  EXPECT_EQ(result.kernel_launch->occupancy.limited_by, "blocks");
}

TEST(SharingLaunches, SlotsAreThoseOfMultiprocessorsThatWork) {
  for (const auto& [mode, awake] : {std::pair{"baseline", 16}, {"half", 8}, {"bal", 11}}) {
    Gtx580 gpu(chain_with_registers(4), mode);
    const LaunchResult result = gpu.run_k(40, 128, 0, 40 * 128);
    EXPECT_EQ(all_slots(result), static_cast<double>(result.cycles) * 2 * awake) << mode;
  }
}

// Kernels a and b do the same work without touching DRAM.
const std::string kTwoKernels = [] {
  const std::string body = R"(() {
  .reg .b32 %r<4>; .reg .pred %p<2>;
  mov.u32 %r1, 0;
loop:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 200;
  @%p1 bra loop;
  ret;
}
)";
  return ".visible .entry a" + body + ".visible .entry b" + body;
}();

TEST(SharingLaunches, EachKernelHasItsOwnMode) {
  Gtx580 gpu(ref::module_of(kTwoKernels), "occ",
             {"sharing.kernel.a=bigsm", "sharing.kernel.b=baseline"});
  const LaunchResult a = gpu.run("a", {64, 1, 1}, {128, 1, 1}, {});
  EXPECT_EQ(stat(a, "sharing", "configuration"), 4);
  EXPECT_EQ(stat(a, "sharing", "warp_lanes"), 64);
  const LaunchResult b = gpu.run("b", {64, 1, 1}, {128, 1, 1}, {});
  for (const sim::StatValue& value : b.stats) EXPECT_NE(value.component, "sharing");
}

TEST(SharingLaunches, ModesLeaveNothingBehind) {
  // Launches of a before and after b are the same whatever b shares. Where b shares nothing, what
  // schedulers and fetch remember lives on, and may move an issue by a cycle.
  const auto cycles_of_a = [](const std::string& mode_of_b) {
    // Another mode begins with empty caches, and so may every launch.
    Gtx580 gpu(ref::module_of(kTwoKernels), "baseline",
               {"sharing.kernel.b=" + mode_of_b, "l1.launch_flushes=all"});
    std::vector<std::uint64_t> cycles;
    for (const char* kernel : {"a", "a", "b", "a", "b", "a"}) {
      const LaunchResult result = gpu.run(kernel, {64, 1, 1}, {128, 1, 1}, {});
      EXPECT_TRUE(result.complete);
      EXPECT_EQ(result.thread_instructions, 64U * 128 * (3 * 200 + 1));
      if (*kernel == 'a') cycles.push_back(result.cycles);
    }
    return cycles;
  };
  const std::vector<std::uint64_t> expected = cycles_of_a("half");
  for (const char* mode : {"occ", "bal", "bigsm", "bigsm_occ"})
    EXPECT_EQ(cycles_of_a(mode), expected) << mode;
  EXPECT_NEAR(static_cast<double>(cycles_of_a("baseline")[2]), static_cast<double>(expected[2]), 8);
}

TEST(SharingLaunches, ALaunchIsTheSameWhateverModeThatSharesWasBefore) {
  // Once the code is in the L2, nothing but the mode decides.
  const auto cycles_of_a = [](const std::string& mode, const std::string& before) {
    Gtx580 gpu(ref::module_of(kTwoKernels), "baseline",
               {"sharing.kernel.a=" + mode, "sharing.kernel.b=" + before});
    gpu.run("a", {64, 1, 1}, {128, 1, 1}, {});
    gpu.run("b", {64, 1, 1}, {128, 1, 1}, {});
    return gpu.run("a", {64, 1, 1}, {128, 1, 1}, {}).cycles;
  };
  const std::vector<std::string> modes{"baseline", "half", "occ", "bal", "bigsm", "bigsm_occ"};
  const std::set<std::string> modes_without_sharing{"baseline", "half"};
  for (const std::string& mode : modes) {
    std::vector<std::uint64_t> cycles;
    for (const std::string& before : modes) {
      const bool nothing_is_shared =
          modes_without_sharing.contains(mode) && modes_without_sharing.contains(before);
      if (before != mode && !nothing_is_shared) cycles.push_back(cycles_of_a(mode, before));
    }
    EXPECT_EQ(cycles, std::vector<std::uint64_t>(cycles.size(), cycles[0])) << mode;
  }
}

TEST(SharingLaunches, MultiprocessorsThatAChangeDoesNotTouchKeepTheirCaches) {
  // A block on each multiprocessor.
  const auto misses_of_a = [](const std::string& mode_of_a, const std::string& mode_of_b) {
    Gtx580 gpu(ref::module_of(kTwoKernels), "baseline",
               {"sharing.kernel.a=" + mode_of_a, "sharing.kernel.b=" + mode_of_b});
    for (const char* kernel : {"a", "b"}) gpu.run(kernel, {16, 1, 1}, {128, 1, 1}, {});
    return stat(gpu.run("a", {16, 1, 1}, {128, 1, 1}, {}), "instruction cache", "misses");
  };
  const double all = misses_of_a("baseline", "occ");
  EXPECT_GE(all, 16);
  EXPECT_EQ(misses_of_a("baseline", "baseline"), 0);
  EXPECT_EQ(misses_of_a("half", "baseline"), 0);
  EXPECT_EQ(misses_of_a("baseline", "half"), all / 2) << "of those that slept";
}

TEST(SharingLaunches, WhatOneModeStoredTheNextOneReads) {
  // Global words go through shared and local memory; neighbours in the block are read, too.
  const std::string ptx = ref::module_of(R"(
.visible .entry MODE(.param .u64 buffer) {
  .reg .b32 %r<16>; .reg .b64 %rd<8>;
  .shared .align 16 .b8 tile[1024];
  .local .align 4 .b8 own[64];
  ld.param.u64 %rd1, [buffer];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 256, %r1;
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r4, [%rd3];
  st.local.u32 [own+8], %r4;
  mov.u32 %r5, tile;
  shl.b32 %r6, %r1, 2;
  add.u32 %r7, %r5, %r6;
  st.shared.u32 [%r7], %r4;
  bar.sync 0;
  xor.b32 %r8, %r6, 512;
  add.u32 %r9, %r5, %r8;
  ld.shared.u32 %r10, [%r9];
  ld.local.u32 %r11, [own+8];
  mad.lo.u32 %r12, %r11, 3, %r10;
  st.global.u32 [%rd3], %r12;
  ret;
})");
  const std::vector<std::string> modes{"baseline", "occ", "bigsm", "bal", "half", "bigsm_occ"};
  std::string kernels;
  std::vector<std::string> settings;
  for (const std::string& mode : modes) {
    std::string text = ptx;
    text.replace(text.find("MODE"), 4, "in_" + mode);
    kernels += kernels.empty() ? text : text.substr(text.find(".visible"));
    settings.push_back(fmt::format("sharing.kernel.in_{0}={0}", mode));
  }
  constexpr std::uint32_t kBlocks = 80;
  std::vector<std::uint32_t> expected(kBlocks * 256);
  for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i * 7;
  Gtx580 gpu(kernels, "baseline", settings);
  const std::uint64_t words = gpu.buffer(expected);
  for (int round = 0; round < 2; ++round) {
    for (const std::string& mode : modes) {
      ASSERT_TRUE(gpu.run("in_" + mode, {kBlocks, 1, 1}, {256, 1, 1}, {words}).complete);
      const std::vector<std::uint32_t> before = expected;
      for (std::uint32_t i = 0; i < expected.size(); ++i)
        expected[i] = 3 * before[i] + before[i ^ 128];
      ASSERT_EQ(gpu.read<std::uint32_t>(words, expected.size()), expected) << mode;
    }
  }
}

TEST(SharingLaunches, ANameThatNoKernelHasIsRemarkedOn) {
  Gtx580 gpu(ref::module_of(kTwoKernels), "baseline",
             {"sharing.kernel.a=occ", "sharing.kernel.b=bal", "sharing.kernel.bb=bigsm"});
  EXPECT_TRUE(gpu.machine().remarks().empty());  // nothing was launched
  gpu.run("a", {1, 1, 1}, {32, 1, 1}, {});
  const std::vector<Error> remarks = gpu.machine().remarks();
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_EQ(remarks[0].full_text(), "sharing.kernel.b: kernel 'b' was never launched");
  EXPECT_EQ(remarks[1].full_text(),
            "sharing.kernel.bb: the program has no kernel 'bb'\nhint: its kernels: a, b");
  gpu.run("b", {1, 1, 1}, {32, 1, 1}, {});
  EXPECT_EQ(gpu.machine().remarks().size(), 1U);
}

TEST(SharingLaunches, AnotherModeWaitsForKernelsInFlight) {
  Gtx580 gpu(ref::module_of(kTwoKernels), "baseline", {"sharing.kernel.b=bigsm"});
  const auto results = gpu.run_together({{gpu.launch_of("a", {4, 1, 1}, {64, 1, 1}, {}), 0},
                                         {gpu.launch_of("b", {4, 1, 1}, {64, 1, 1}, {}), 1}});
  ASSERT_TRUE(results[0] && results[1]);
  EXPECT_GE(results[1]->start_cycle, results[0]->cycles);
}

TEST(SharingLaunches, GiveTheSameForAnyNumberOfHostThreads) {
  for (const char* mode : {"occ", "bigsm"}) {
    std::vector<std::uint64_t> cycles;
    for (const unsigned threads : {1U, 2U}) {
      Gtx580 gpu(chain_with_registers(8), mode);
      gpu.options().host_threads = threads;
      cycles.push_back(gpu.run_k(40, 192, 0, 40 * 192).cycles);
    }
    EXPECT_EQ(cycles[0], cycles[1]) << mode;
  }
}

TEST(SharingLaunches, CooperativeBlocksMustAllFindRoom) {
  Gtx580 gpu(ref::module_of(kTwoKernels), "half");
  Launch launch = gpu.launch_of("a", {24, 1, 1}, {1024, 1, 1}, {});
  EXPECT_NO_THROW(gpu.check(launch));
  launch.cooperative = true;
  try {
    gpu.check(launch);
    ADD_FAILURE() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), std::string("kernel 'a' cannot be launched cooperatively: only 8 of 24 "
                                        "blocks can be resident at once "
                                        "when SMs share as 'half'"));
    EXPECT_EQ(error.hint(), "launch it with --set sharing=baseline");
  }
  launch.grid = {8, 1, 1};
  EXPECT_NO_THROW(gpu.check(launch));
}

// Table III: per SM and second.
TEST(SharingPower, SleepersAreWithoutWhatTheModeSwitchesOff) {
  const auto watts = [](const std::string& mode, std::string_view part,
                        std::vector<std::string> settings = {}) {
    Gtx580 gpu(chain_with_registers(4), mode, std::move(settings));
    const LaunchResult result = gpu.run_k(40, 128, 0, 40 * 128);
    return energy_of(result, part) * 1e-12 / result.seconds;
  };
  EXPECT_NEAR(watts("baseline", "static: SIMD"), 16 * 0.038, 1e-6);
  EXPECT_NEAR(watts("baseline", "static: sharing wires"), 0, 1e-9);
  EXPECT_NEAR(watts("occ", "static: SIMD"), 8 * 0.038, 1e-6);
  EXPECT_NEAR(watts("occ", "static: registers"), 16 * 0.228586, 1e-6);
  EXPECT_NEAR(watts("occ", "static: front end"), 16 * 0.06783, 1e-6);
  EXPECT_NEAR(watts("occ", "static: sharing wires"), 16 * 0.0385416, 1e-6);
  EXPECT_NEAR(watts("bal", "static: load/store"), 11 * 0.911, 1e-6);
  EXPECT_NEAR(watts("bal", "static: sharing wires"), 15 * 0.0385416, 1e-6);
  EXPECT_NEAR(watts("bigsm", "static: SIMD"), 16 * 0.038, 1e-6);
  EXPECT_NEAR(watts("bigsm", "static: front end"), 8 * 0.06783, 1e-6);
  EXPECT_NEAR(watts("bigsm_occ", "static: front end"), 16 * 0.06783, 1e-6);
  EXPECT_NEAR(watts("half", "static: registers"), 8 * 0.228586, 1e-6);
  EXPECT_NEAR(watts("half", "static: sharing wires"), 0, 1e-9);
  EXPECT_NEAR(watts("occ", "static: undifferentiated", {"sharing.off.occ=simd"}), 16 * 1.571, 1e-6);
  EXPECT_NEAR(watts("baseline", "static: sharing wires", {"sharing.baseline_wires=true"}),
              16 * 0.0385416, 1e-6);
}

TEST(SharingPower, NeedsPowerByPart) {
  try {
    Gtx580 gpu(kernel_of(""), "occ", {"energy=card"});
    ADD_FAILURE() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              std::string("the energy set 'card' gives the power of an SM only as a total; "
                          "sharing needs it by part"));
    EXPECT_EQ(error.hint(), "--set energy=circuit or --set energy=card-parts");
  }
}

}  // namespace
}  // namespace raddle::machine::simt
