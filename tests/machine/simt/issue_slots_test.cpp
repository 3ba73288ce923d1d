// Every issue slot of every scheduler is counted once, under the cause that the kernel provokes.
#include <gtest/gtest.h>

#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {
namespace {

struct Example {
  const char* name;
  std::string ptx;
  std::uint32_t blocks, threads, n;
  const char* cause;  // which must be the largest but "issued" and "no resident warp"; null: any
};

std::string loop(std::string_view body) {
  return kernel_of(
      "  mov.u32 %r60, 0;\n  mov.f32 %f1, 0f3f800000;\n  mov.u32 %r11, tile;\nLOOP:\n" +
      std::string(body) +
      "\n  add.u32 %r60, %r60, 1;\n  setp.lt.u32 %p7, %r60, %r1;\n  @%p7 bra LOOP;\n"
      "  st.global.f32 [%rd2], %f1;\n");
}

std::vector<Example> examples() {
  return {
      {"dependent additions", loop(repeated(24, "add.f32 %f1, %f1, %f1;\n")), 15, 32, 30,
       "execution dependency (ALU)"},
      {"dependent roots", loop(repeated(8, "sqrt.approx.f32 %f1, %f1;\n")), 15, 32, 30,
       "short scoreboard (SFU)"},
      {"many roots", loop(repeated(8, "sqrt.approx.f32 %f2, %f1;\n")), 30, 512, 10,
       "math pipe throttle"},
      {"loads", loop("ld.volatile.global.f32 %f2, [%rd2];\n add.f32 %f1, %f1, %f2;\n"), 15, 64, 30,
       "long scoreboard (memory)"},
      {"shared loads", loop(repeated(8, "ld.shared.u32 %r11, [tile];\n")), 15, 32, 30,
       "short scoreboard (shared)"},
      {"conflicts",
       loop("and.b32 %r12, %r2, 31;\n shl.b32 %r12, %r12, 7;\n add.u32 %r12, %r12, %r11;\n" +
            repeated(8, "st.shared.u32 [%r12], %r2;\n")),
       15, 512, 10, "LG/MIO throttle (load/store unit)"},
      {"fences", loop("st.global.u32 [%rd2], %r2;\n membar.gl;\n"), 15, 64, 10, "membar"},
      {"one slow warp of a block",
       loop("setp.gt.u32 %p1, %r2, 31;\n @%p1 bra JOIN;\n" +
            repeated(40, "sqrt.approx.f32 %f1, %f1;\n") + "JOIN:\n bar.sync 0;\n"),
       15, 512, 5, "barrier"},
      {"long code", kernel_of(repeated(1500, "add.u32 %r10, %r2, %r3;\n")), 15, 32, 0,
       "no instruction"},
      {"divergence",
       loop("and.b32 %r10, %r2, 1;\n setp.eq.u32 %p1, %r10, 0;\n @%p1 bra EVEN;\n" +
            repeated(9, "add.f32 %f2, %f1, %f1;\n") + " bra JOIN;\nEVEN:\n" +
            repeated(9, "mul.f32 %f2, %f1, %f1;\n") + "JOIN:\n"),
       15, 64, 20, nullptr},
      {"atomics", loop("atom.global.add.u32 %r20, [%rd1], 1;\n"), 30, 64, 5, nullptr},
      {"one thread", kernel_of("st.global.u32 [%rd2], %r2;"), 1, 1, 0, nullptr},
  };
}

TEST(IssueSlots, SumExactlyToSchedulersTimesCyclesTimesCores) {
  for (const Example& example : examples()) {
    Fermi gpu(example.ptx);
    const LaunchResult result = gpu.run_k(example.blocks, example.threads, example.n, 1u << 14);
    ASSERT_TRUE(result.complete);
    double elapsed = 0;
    for (const Utilisation& unit : result.utilisation) {
      if (unit.name == "load/store unit") elapsed = unit.capacity / 15;
    }
    EXPECT_EQ(all_slots(result), elapsed * 15 * 2) << example.name;
    // The clocks stop at the end of a quantum, soon after the last block.
    EXPECT_GE(elapsed, static_cast<double>(result.cycles)) << example.name;
    EXPECT_LT(elapsed, static_cast<double>(result.cycles) + 32) << example.name;
  }
}

TEST(IssueSlots, ThatIssuedAreTheWarpInstructions) {
  for (const Example& example : examples()) {
    Fermi gpu(example.ptx);
    const LaunchResult result = gpu.run_k(example.blocks, example.threads, example.n, 1u << 14);
    EXPECT_EQ(stall(result, "issued") + stall(result, "divergence"),
              static_cast<double>(result.warp_instructions))
        << example.name;
  }
}

TEST(IssueSlots, NameTheCauseThatAKernelProvokes) {
  for (const Example& example : examples()) {
    if (example.cause == nullptr) continue;
    Fermi gpu(example.ptx);
    const LaunchResult result = gpu.run_k(example.blocks, example.threads, example.n, 1u << 14);
    const Stall* largest = nullptr;
    for (const Stall& share : result.stalls) {
      if (share.name == "issued" || share.name == "no resident warp") continue;
      if (largest == nullptr || share.cycles > largest->cycles) largest = &share;
    }
    EXPECT_EQ(largest->name, example.cause) << example.name;
  }
}

TEST(IssueSlots, OfADivergedWarpCountOnceAsItsOwnAndOnceAsDivergence) {
  for (const Example& example : examples()) {
    if (std::string_view(example.name) != "divergence") continue;
    Fermi gpu(example.ptx);
    const LaunchResult result = gpu.run_k(1, 32, 20);
    // Nine of each round are for the half that does not hold the lowest thread, and a branch.
    EXPECT_GE(stall(result, "divergence"), 20.0 * 9);
    EXPECT_LE(stall(result, "divergence"), 20.0 * 10);
    EXPECT_EQ(result.divergent_branches, 20U);
  }
}

TEST(IssueSlots, AreCountedForEachLineOfTheSource) {
  Fermi gpu(loop("ld.volatile.global.f32 %f2, [%rd2];\n add.f32 %f1, %f1, %f2;\n"));
  gpu.options().lines = true;
  const LaunchResult result = gpu.run_k(4, 64, 10);
  ASSERT_FALSE(result.lines.empty());
  std::uint64_t instructions = 0;
  for (const LineCost& line : result.lines) {
    instructions += line.warp_instructions;
    double sum = 0;
    for (const Stall& share : line.stalls) sum += share.cycles;
    EXPECT_EQ(sum, line.stall_cycles) << line.location;
  }
  EXPECT_EQ(instructions, result.warp_instructions);
}

TEST(IssueSlots, SumToTheSlotsThatThereAreWhenASchedulerIssuesEveryOtherCycle) {
  for (const char* interval : {"2", "3"}) {
    Fermi gpu(examples()[3].ptx, {std::string("core.issue_interval=") + interval});
    const LaunchResult result = gpu.run_k(15, 64, 10);
    double elapsed = 0;
    for (const Utilisation& unit : result.utilisation) {
      if (unit.name == "load/store unit") elapsed = unit.capacity / 15;
    }
    EXPECT_NEAR(all_slots(result), elapsed * 15 * 2 / std::stod(interval), 30) << interval;
    EXPECT_EQ(stall(result, "issued") + stall(result, "divergence"),
              static_cast<double>(result.warp_instructions));
  }
}

}  // namespace
}  // namespace raddle::machine::simt
