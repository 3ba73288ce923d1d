// Warps of 64 lanes, on pairs of multiprocessors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine/simt/gtx580.h"

namespace raddle::machine::simt {
namespace {

LaunchResult run_wide(const std::string& body, std::uint32_t threads,
                      std::vector<std::uint32_t>& words, std::uint32_t n = 0) {
  Gtx580 gpu(kernel_of(body), "bigsm");
  const LaunchResult result = gpu.run_k(1, threads, n);
  EXPECT_TRUE(result.complete);
  words = gpu.words(threads);
  return result;
}

TEST(WideWarp, IssuesOnceForSixtyFourLanes) {
  std::vector<std::uint32_t> words;
  const LaunchResult result = run_wide("  st.global.u32 [%rd2], %r3;\n", 128, words);
  EXPECT_EQ(result.thread_instructions, result.warp_instructions * 64);
  EXPECT_EQ(stat(result, "sharing", "half_instructions"), 0);
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(words[i], i);
}

TEST(WideWarp, TakesTheLastThirtyTwoThreadsOfABlockAlone) {
  std::vector<std::uint32_t> words;
  const LaunchResult result = run_wide("  st.global.u32 [%rd2], %r3;\n", 96, words);
  EXPECT_EQ(result.warp_instructions, result.thread_instructions / 96 * 2);
  for (std::uint32_t i = 0; i < 96; ++i) EXPECT_EQ(words[i], i);
}

TEST(WideWarp, HalvesThatGoDifferentWaysMeetAgain) {
  std::vector<std::uint32_t> words;
  const LaunchResult result = run_wide(R"(
  setp.lt.u32 %p1, %r2, 32;
  @%p1 bra low;
  add.u32 %r6, %r3, 1000;
  bra both;
low:
  add.u32 %r6, %r3, 2000;
both:
  add.u32 %r6, %r6, 1;
  st.global.u32 [%rd2], %r6;)",
                                       64, words);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(words[i], i + (i < 32 ? 2001 : 1001));
  EXPECT_EQ(result.divergent_branches, 1U);
  // One way has two instructions, the other one or two; the rest is executed together.
  EXPECT_LE(stat(result, "sharing", "half_instructions"), 4);
  EXPECT_GT(stat(result, "sharing", "half_instructions"), 1);
  EXPECT_GT(stall(result, "divergence"), 0);
}

TEST(WideWarp, LoopsOfDifferentLengthsEndTogether) {
  std::vector<std::uint32_t> words;
  const LaunchResult result = run_wide(R"(
  shr.u32 %r6, %r2, 5;
  mad.lo.u32 %r6, %r6, 20, 10;
  mov.u32 %r7, 0;
loop:
  add.u32 %r7, %r7, 3;
  sub.u32 %r6, %r6, 1;
  setp.ne.u32 %p1, %r6, 0;
  @%p1 bra loop;
  add.u32 %r7, %r7, 1;
  st.global.u32 [%rd2], %r7;)",
                                       64, words);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(words[i], (i < 32 ? 10 : 30) * 3 + 1U);
  EXPECT_EQ(stat(result, "sharing", "half_instructions"), 20 * 4);
}

TEST(WideWarp, WarpSizeVotesAndShufflesStayThirtyTwoWide) {
  std::vector<std::uint32_t> words;
  run_wide(R"(
  setp.gt.u32 %p1, %r2, 40;
  vote.sync.ballot.b32 %r6, %p1, -1;
  mov.u32 %r8, %laneid;
  shfl.sync.idx.b32 %r7, %r2, 3, 31, -1;
  add.u32 %r9, WARP_SZ, %r8;
  shl.b32 %r10, %r7, 8;
  popc.b32 %r6, %r6;
  shl.b32 %r6, %r6, 16;
  add.u32 %r9, %r9, %r10;
  add.u32 %r9, %r9, %r6;
  st.global.u32 [%rd2], %r9;)",
           64, words);
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t ballot = i < 32 ? 0 : 23;  // threads 41 to 63
    EXPECT_EQ(words[i], 32 + i % 32 + ((i / 32 * 32 + 3) << 8) + (ballot << 16)) << i;
  }
}

TEST(WideWarp, CoalescesOverAllItsLanes) {
  // 64 halfwords fill one line.
  const std::string body = R"(
  mul.wide.u32 %rd4, %r2, 2;
  add.u64 %rd4, %rd1, %rd4;
  ld.global.u16 %r6, [%rd4];
  st.global.u32 [%rd2], %r6;)";
  const auto accesses = [&](const std::string& mode) {
    Gtx580 gpu(kernel_of(body), mode);
    return stat(gpu.run_k(1, 64), "load/store unit", "accesses");
  };
  // Parameters are two accesses of each warp; the store takes two lines in either case.
  EXPECT_EQ(accesses("baseline"), 2 * 2 + 2 + 2);
  EXPECT_EQ(accesses("bigsm"), 2 + 1 + 2);
}

TEST(WideWarp, SharesWordsOfSharedMemoryBetweenItsHalves) {
  const auto passes = [](const std::string& mode, std::uint32_t shift) {
    // All lanes read one word, or each its own.
    Gtx580 gpu(kernel_of(fmt::format(R"(
  shl.b32 %r6, %r2, 2;
  shr.u32 %r6, %r6, {};
  mov.u32 %r7, tile;
  add.u32 %r6, %r6, %r7;
  ld.shared.u32 %r8, [%r6];)",
                                     shift)),
               mode);
    return stat(gpu.run_k(1, 64), "load/store unit", "shared_passes");
  };
  constexpr std::uint32_t kOneWord = 31, kOwnWords = 0;
  EXPECT_EQ(passes("baseline", kOneWord), 2);
  EXPECT_EQ(passes("bigsm", kOneWord), 1);
  EXPECT_EQ(passes("baseline", kOwnWords), 2);
  EXPECT_EQ(passes("bigsm", kOwnWords), 2);
}

TEST(WideWarp, BarriersCountEachHalf) {
  // The lower half writes before a barrier that each half reaches at a place of its own.
  std::vector<std::uint32_t> words;
  const LaunchResult result = run_wide(R"(
  shl.b32 %r6, %r2, 2;
  mov.u32 %r7, tile;
  add.u32 %r6, %r6, %r7;
  setp.ge.u32 %p1, %r2, 32;
  @%p1 bra high;
  add.u32 %r8, %r2, 7;
  st.shared.u32 [%r6], %r8;
  bar.sync 1, 64;
  bra done;
high:
  bar.sync 1, 64;
  ld.shared.u32 %r8, [%r6+-128];
done:
  st.global.u32 [%rd2], %r8;)",
                                       64, words);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(words[i], i % 32 + 7);
  EXPECT_EQ(result.barriers, 2U);
}

TEST(WideWarp, AHalfThatSpinsLetsTheOtherGoOn) {
  // The loop of the upper half stands before what the lower half does to end it.
  for (const bool upper_waits : {true, false}) {
    std::vector<std::uint32_t> words;
    run_wide(std::string(upper_waits ? "  setp.lt.u32 %p1, %r2, 32;\n"
                                     : "  setp.ge.u32 %p1, %r2, 32;\n") +
                 R"(
  @%p1 bra writer;
spin:
  ld.volatile.global.u32 %r6, [%rd1+512];
  setp.eq.u32 %p2, %r6, 0;
  @%p2 bra spin;
  st.global.u32 [%rd2], %r6;
  bra done;
writer:
  st.volatile.global.u32 [%rd1+512], 5;
  st.global.u32 [%rd2], 6;
done:)",
             64, words);
    for (std::uint32_t i = 0; i < 64; ++i) {
      const bool waits = (i >= 32) == upper_waits;
      EXPECT_EQ(words[i], waits ? 5U : 6U) << i;
    }
  }
}

TEST(WideWarp, HalvesHandWorkToEachOtherThroughSharedMemory) {
  // Ping-pong between the first threads of the halves.
  std::vector<std::uint32_t> words;
  run_wide(R"(
  mov.u32 %r7, tile;
  and.b32 %r8, %r2, 31;
  setp.ne.u32 %p3, %r8, 0;
  @%p3 bra done;
  setp.eq.u32 %p4, %r2, 0;
  @!%p4 bra ready;
  st.volatile.shared.u32 [%r7], 0;
ready:
  bar.sync 1, 64;
  shr.u32 %r9, %r2, 5;
  mov.u32 %r10, 0;
turn:
  ld.volatile.shared.u32 %r6, [%r7];
  and.b32 %r11, %r6, 1;
  setp.ne.u32 %p1, %r11, %r9;
  @%p1 bra turn;
  add.u32 %r6, %r6, 1;
  st.volatile.shared.u32 [%r7], %r6;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, 20;
  @%p2 bra turn;
  st.global.u32 [%rd2], %r6;
  bra end;
done:
  bar.sync 1, 64;
end:)",
           64, words);
  EXPECT_EQ(words[0], 39U);
  EXPECT_EQ(words[32], 40U);
}

TEST(WideWarp, AtomicsOfBothHalvesCount) {
  Gtx580 gpu(kernel_of("  atom.global.add.u32 %r6, [%rd1], 1;\n  atom.global.add.u32 %r6, [%rd1], "
                       "1;\n"),
             "bigsm_occ");
  EXPECT_TRUE(gpu.run_k(20, 160).complete);
  EXPECT_EQ(gpu.words(1)[0], 20U * 160 * 2);
}

}  // namespace
}  // namespace raddle::machine::simt
