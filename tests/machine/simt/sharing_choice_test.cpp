// sharing=auto: which mode launches get, each for the reason that the rule is there for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine/simt/gtx580.h"

namespace raddle::machine::simt {
namespace {

// "bigsm (why)" of the launch.
std::string choice_of(const LaunchResult& result) {
  const std::optional<SharingDecision>& sharing = result.kernel_launch->sharing;
  return sharing ? sharing->mode + " (" + sharing->reason + ")" : "none";
}

// 24 additions on what each thread loads from its own word.
std::string computing_kernel() {
  std::string body = "  ld.global.u32 %r6, [%rd2];\n";
  for (int i = 0; i < 24; ++i) body += fmt::format("  add.u32 %r6, %r6, {};\n", i);
  return kernel_of(body + "  st.global.u32 [%rd2], %r6;\n");
}

std::string chosen(const std::string& ptx, std::uint32_t blocks, std::uint32_t threads,
                   std::vector<std::string> settings = {}) {
  Gtx580 gpu(ptx, "auto", std::move(settings));
  return choice_of(gpu.run_k(blocks, threads, 0, blocks * threads + 1024));
}

constexpr const char* kSpare = "half (a grid that half of the SMs have slots to spare for)";

TEST(SharingChoice, ASmallGridLeavesHalfOfTheMultiprocessorsAsleep) {
  EXPECT_EQ(chosen(computing_kernel(), 8, 512), kSpare);  // a block on each that is awake
  // Up to 10 warps on each: an addition's result takes 10 cycles, and there are two schedulers.
  EXPECT_EQ(chosen(computing_kernel(), 16, 128), kSpare);
  EXPECT_NE(chosen(computing_kernel(), 17, 128), kSpare);
}

TEST(SharingChoice, ASmallGridDoesNotChangeTheModeThatItFinds) {
  Gtx580 gpu(computing_kernel(), "auto");
  gpu.run_k(64, 512, 0, 64 * 512);
  EXPECT_EQ(choice_of(gpu.run_k(8, 128, 0, 64 * 512)),
            "bigsm_occ (too small a grid to change the mode for)");
}

TEST(SharingChoice, ASmallGridOfLongThreadsIsWorthAChange) {
  // Three loops within each other, each of which is taken to turn several times.
  Gtx580 gpu(kernel_of(R"(
  ld.global.u32 %r6, [%rd2];
  mov.u32 %r7, 0;
outer:
  mov.u32 %r8, 0;
middle:
  mov.u32 %r9, 0;
inner:
  add.u32 %r6, %r6, %r9;
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p1, %r9, 2;
  @%p1 bra inner;
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p1, %r8, 2;
  @%p1 bra middle;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, 2;
  @%p1 bra outer;
  st.global.u32 [%rd2], %r6;
)"),
             "auto");
  const std::string before = choice_of(gpu.run_k(64, 512, 0, 64 * 512));
  EXPECT_TRUE(before.starts_with("bigsm")) << before;
  EXPECT_EQ(choice_of(gpu.run_k(8, 128, 0, 64 * 512)), kSpare);
}

TEST(SharingChoice, SmallBlocksDoNotFillWideWarps) {
  EXPECT_EQ(chosen(computing_kernel(), 128, 16),
            "baseline (blocks of 16 threads would leave wide warps empty)");
}

TEST(SharingChoice, KernelsThatComputeGetWideWarps) {
  EXPECT_EQ(chosen(computing_kernel(), 64, 512),
            "bigsm_occ (bound by issue, which wide warps keep)");
}

TEST(SharingChoice, BlocksThatDoNotFitOntoWideMultiprocessorsStayInTheBaseline) {
  EXPECT_EQ(chosen(computing_kernel(), 256, 128), "baseline (wide SMs hold 0.50 times the warps)");
}

TEST(SharingChoice, ScatteredAccessesKeepAllLoadStoreUnits) {
  // Each thread loads an index and what lies there.
  std::string body = "  ld.global.u32 %r6, [%rd2];\n";
  for (int i = 0; i < 4; ++i)
    body += "  cvt.u64.u32 %rd4, %r6;\n  add.u64 %rd4, %rd2, %rd4;\n  ld.global.u32 %r6, [%rd4];\n";
  const std::string choice = chosen(kernel_of(body + "  st.global.u32 [%rd2], %r6;\n"), 64, 512);
  EXPECT_TRUE(choice.starts_with("baseline (scattered accesses,")) << choice;
}

TEST(SharingChoice, ModesThatAreAskedForAreNotChosen) {
  EXPECT_EQ(chosen(computing_kernel(), 64, 512, {"sharing.kernel.k=occ"}), "none");
  Gtx580 gpu(computing_kernel(), "occ");
  EXPECT_EQ(choice_of(gpu.run_k(64, 512, 0, 64 * 512)), "none");
}

TEST(SharingChoice, ALaunchIsWhatTheChosenModeWouldMakeOfIt) {
  Gtx580 chooses(computing_kernel(), "auto");
  Gtx580 told(computing_kernel(), "bigsm_occ");
  const LaunchResult a = chooses.run_k(64, 512, 0, 64 * 512);
  const LaunchResult b = told.run_k(64, 512, 0, 64 * 512);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(chooses.words(64 * 512), told.words(64 * 512));
}

}  // namespace
}  // namespace raddle::machine::simt
