// Races that --check finds, each beside the same program with what orders it, where it finds none.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<FaultKind> kinds(const LaunchResult& result) {
  std::vector<FaultKind> kinds;
  for (const Fault& fault : result.faults) kinds.push_back(fault.kind);
  return kinds;
}

std::string with(std::string_view pattern, const std::string& name, const std::string& value) {
  std::string text(pattern);
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
    text.replace(at, name.size(), value);
  return text;
}

LaunchResult check(const std::string& body, Dim3 grid, Dim3 block, std::size_t words = 4096) {
  Launcher launcher(module_of(".file 1 \"k.cu\"\n" + body));
  launcher.options().check = checks_from_text("race");
  const std::uint64_t memory = launcher.buffer(std::vector<std::uint32_t>(words));
  return launcher.run("k", grid, block, {memory});
}

// %r1: the thread; %rd1: global memory; shared memory is `s`.
std::string entry(const std::string& body) {
  return ".visible .entry k(.param .u64 memory) {\n"
         "  .shared .align 8 .b8 s[8192];\n"
         "  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
         "  .reg .f32 %f<4>;\n"
         "  ld.param.u64 %rd1, [memory];\n"
         "  mov.u32 %r1, %tid.x; mov.u64 %rd2, s;\n"
         "  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;\n" +
         body + "  ret;\n}\n";
}

// Each thread stores its number and then loads what the thread DELTA further stored.
std::string pass_on(const std::string& sync, const std::string& delta) {
  const std::string body = R"(
  .loc 1 12 5
  st.shared.u32 [%rd4], %r1;
  SYNC
  add.u32 %r2, %r1, DELTA; mov.u32 %r3, %ntid.x; rem.u32 %r2, %r2, %r3;
  mul.wide.u32 %rd6, %r2, 4; add.u64 %rd7, %rd2, %rd6;
  .loc 1 14 5
  ld.shared.u32 %r4, [%rd7];
)";
  return entry(with(with(body, "SYNC", sync), "DELTA", delta));
}

TEST(Races, ALoadAfterAnothersStoreNeedsABarrier) {
  const LaunchResult result = check(pass_on("", "32"), {1, 1, 1}, {64, 1, 1});
  // Warp 1 finds what warp 0 stored, and stores what warp 0 loaded.
  ASSERT_THAT(kinds(result), ElementsAre(FaultKind::kRace, FaultKind::kRace));
  EXPECT_EQ(result.fault_count, 64u);
  const Fault& overwritten = result.faults[0];
  EXPECT_EQ(overwritten.message,
            "race between threads of a block: load and store of shared memory at 0x80 are not "
            "ordered");
  EXPECT_EQ(overwritten.location, "k.cu:12");
  EXPECT_EQ(overwritten.count, 32u);
  EXPECT_THAT(overwritten.details,
              ElementsAre("load of 0 by block (0,0,0), thread (0,0,0) at k.cu:14",
                          "store of 32 by block (0,0,0), thread (32,0,0) at k.cu:12",
                          "hint: __syncthreads() between the two orders them"));
  const Fault& read = result.faults[1];
  EXPECT_THAT(read.details, ElementsAre("store of 0 by block (0,0,0), thread (0,0,0) at k.cu:12",
                                        "load of 0 by block (0,0,0), thread (32,0,0) at k.cu:14",
                                        "hint: __syncthreads() between the two orders them"));
}

TEST(Races, ABarrierOrdersTheBlock) {
  EXPECT_THAT(kinds(check(pass_on("bar.sync 0;", "32"), {4, 1, 1}, {128, 1, 1})), IsEmpty());
}

TEST(Races, LanesOfAWarpNeedSyncwarp) {
  const LaunchResult result = check(pass_on("", "1"), {1, 1, 1}, {32, 1, 1});
  ASSERT_THAT(kinds(result), ElementsAre(FaultKind::kWarpRace));
  EXPECT_EQ(result.fault_count, 32u);
  EXPECT_EQ(result.faults[0].message,
            "warp-synchronous race between lanes of a warp: store and load of shared memory at 0x4 "
            "are not ordered");
  EXPECT_THAT(kinds(check(pass_on("bar.warp.sync -1;", "1"), {1, 1, 1}, {32, 1, 1})), IsEmpty());
}

TEST(Races, AShuffleOrdersItsLanes) {
  EXPECT_THAT(
      kinds(check(pass_on("shfl.sync.idx.b32 %r5, %r1, 0, 31, -1;", "1"), {1, 1, 1}, {32, 1, 1})),
      IsEmpty());
}

TEST(Races, ASyncOfHalfAWarpOrdersThatHalf) {
  const std::string half =
      "setp.lt.u32 %p1, %r1, 16; selp.b32 %r6, 65535, -65536, %p1; bar.warp.sync %r6;";
  const LaunchResult result = check(pass_on(half, "1"), {1, 1, 1}, {32, 1, 1});
  ASSERT_THAT(kinds(result), ElementsAre(FaultKind::kWarpRace));
  EXPECT_EQ(result.fault_count, 2u);  // lanes 15 and 31 load from the other half
}

TEST(Races, StoresOfOneInstructionToOnePlaceAreToldApartByTheirValues) {
  const LaunchResult same =
      check(entry("mov.u32 %r2, 1; st.global.u32 [%rd1], %r2;"), {1, 1, 1}, {32, 1, 1});
  ASSERT_THAT(kinds(same), ElementsAre(FaultKind::kSameValueRace));
  EXPECT_EQ(same.fault_count, 31u);
  const LaunchResult different = check(entry("st.global.u32 [%rd1], %r1;"), {1, 1, 1}, {32, 1, 1});
  ASSERT_THAT(kinds(different), ElementsAre(FaultKind::kRace));
  EXPECT_EQ(different.faults[0].details[0], "store of 0 by block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(different.faults[0].details[1], "store of 1 by block (0,0,0), thread (1,0,0)");
}

TEST(Races, BytesOfOneWordAreApart) {
  const std::string bytes =
      entry("cvt.u64.u32 %rd6, %r1; add.u64 %rd7, %rd1, %rd6; st.global.u8 [%rd7], %r1;");
  EXPECT_THAT(kinds(check(bytes, {1, 1, 1}, {128, 1, 1})), IsEmpty());
  const std::string overlapping = entry(
      "cvt.u64.u32 %rd6, %r1; add.u64 %rd7, %rd1, %rd6; st.global.u8 [%rd7], %r1;\n"
      "setp.eq.u32 %p1, %r1, 64; @%p1 ld.global.u32 %r2, [%rd1];");
  const LaunchResult result = check(overlapping, {1, 1, 1}, {128, 1, 1});
  EXPECT_THAT(kinds(result), ElementsAre(FaultKind::kRace));
}

TEST(Races, AtomicsDoNotRaceWithEachOtherButWithPlainAccesses) {
  EXPECT_THAT(kinds(check(entry("red.global.add.u32 [%rd1], 1;"), {4, 1, 1}, {64, 1, 1})),
              IsEmpty());
  const LaunchResult result = check(
      entry("red.shared.add.u32 [%rd2], 1; ld.shared.u32 %r2, [%rd2];"), {1, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(result.faults.empty());
  EXPECT_THAT(kinds(result), testing::Contains(FaultKind::kRace));
}

// Warps 0 and 1, and warps 2 and 3, meet at barriers of their own.
TEST(Races, ABarrierOfSomeWarpsOrdersThoseAlone) {
  const std::string pairs = "shr.u32 %r6, %r1, 6; add.u32 %r6, %r6, 1; bar.sync %r6, 64;";
  const std::string within =
      pass_on(pairs + "and.b32 %r7, %r1, 64; xor.b32 %r8, %r1, 32; sub.u32 %r8, %r8, %r1;", "%r8");
  EXPECT_THAT(kinds(check(within, {1, 1, 1}, {128, 1, 1})), IsEmpty());
  EXPECT_THAT(kinds(check(pass_on(pairs, "64"), {1, 1, 1}, {128, 1, 1})),
              testing::Contains(FaultKind::kRace));
}

// Warp 0 stores and arrives, warp 1 waits and loads.
TEST(Races, AnArrivalOrdersWhatCameBeforeIt) {
  const std::string producer = R"(
  setp.lt.u32 %p1, %r1, 32;
  @!%p1 bra CONSUME;
  st.shared.u32 [%rd4], %r1;
  bar.arrive 1, 64;
  AFTER
  bra DONE;
CONSUME:
  bar.sync 1, 64;
  ld.shared.u32 %r2, [%rd4+-128];
DONE:
)";
  EXPECT_THAT(kinds(check(entry(with(producer, "AFTER", "")), {1, 1, 1}, {64, 1, 1})), IsEmpty());
  EXPECT_THAT(kinds(check(entry(with(producer, "AFTER", "st.shared.u32 [%rd4], 7;")), {1, 1, 1},
                          {64, 1, 1})),
              ElementsAre(FaultKind::kRace));
}

TEST(Races, BlocksThatShareAWordRace) {
  const std::string share = R"(
  mov.u32 %r2, %ctaid.x;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 st.global.u32 [%rd1], %r2;
)";
  const LaunchResult result = check(entry(share), {3, 1, 1}, {32, 1, 1});
  ASSERT_THAT(kinds(result), ElementsAre(FaultKind::kRace));
  EXPECT_EQ(result.fault_count, 2u);
  EXPECT_EQ(result.faults[0].message,
            "race between blocks: store and store of global memory at 0x200000100000 are not "
            "ordered");
  EXPECT_EQ(result.faults[0].block, (Dim3{1, 0, 0}));
  // Shared memory is each block's own, and one launch comes after the other.
  EXPECT_THAT(kinds(check(entry("st.shared.u32 [%rd4], %r1;"), {3, 1, 1}, {64, 1, 1})), IsEmpty());
  Launcher launcher(module_of(entry("st.global.u32 [%rd5], %r1;")));
  launcher.options().check = checks_from_text("race");
  const std::uint64_t memory = launcher.buffer(std::vector<std::uint32_t>(64));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(launcher.run("k", {1, 1, 1}, {64, 1, 1}, {memory}).fault_count, 0u);
}

// Each thread stores its part; the block that is last to count itself adds up all parts.
std::string last_block(const std::string& fence, const std::string& barrier) {
  const std::string body = R"(
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd6, %r4, 4; add.u64 %rd7, %rd1, %rd6;
  st.global.u32 [%rd7+256], %r4;
  FENCE
  BARRIER
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra COUNTED;
  atom.global.add.u32 %r5, [%rd1], 1;
  st.shared.u32 [%rd2], %r5;
COUNTED:
  bar.sync 0;
  ld.shared.u32 %r6, [%rd2];
  setp.ne.u32 %p2, %r6, 3;
  @%p2 bra DONE;
  ld.global.u32 %r7, [%rd5+256];
  ld.global.u32 %r8, [%rd5+512];
DONE:
)";
  return entry(with(with(body, "FENCE", fence), "BARRIER", barrier));
}

TEST(Races, AFenceAndAnAtomicHandResultsToTheLastBlock) {
  const auto find = [](const std::string& fence, const std::string& barrier) {
    return kinds(check(last_block(fence, barrier), {4, 1, 1}, {64, 1, 1}));
  };
  EXPECT_THAT(find("membar.gl;", "bar.sync 0;"), IsEmpty());
  // Without a fence nothing is handed on, with one for the block nothing to other blocks, and
  // without the barrier only what the thread itself stored.
  EXPECT_THAT(find("", "bar.sync 0;"), testing::Contains(FaultKind::kRace));
  EXPECT_THAT(find("membar.cta;", "bar.sync 0;"), testing::Contains(FaultKind::kRace));
  EXPECT_THAT(find("membar.gl;", ""), testing::Contains(FaultKind::kRace));
}

// One thread of each warp adds to a word under a lock.
std::string locked(const std::string& fence) {
  const std::string body = R"(
  and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0;
  @%p1 bra DONE;
TRY:
  atom.shared.cas.b32 %r3, [%rd2], 0, 1;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra TRY;
  ld.shared.u32 %r4, [%rd2+4];
  add.u32 %r4, %r4, 1;
  st.shared.u32 [%rd2+4], %r4;
  FENCE
  atom.shared.exch.b32 %r5, [%rd2], 0;
DONE:
)";
  return entry(with(body, "FENCE", fence));
}

TEST(Races, ALockNeedsAFenceBeforeItIsFreed) {
  EXPECT_THAT(kinds(check(locked("membar.cta;"), {1, 1, 1}, {128, 1, 1})), IsEmpty());
  EXPECT_THAT(kinds(check(locked(""), {1, 1, 1}, {128, 1, 1})),
              testing::Contains(FaultKind::kRace));
}

TEST(Races, VolatileAccessesRaceWithinAWarpAlone) {
  const std::string step =
      "ld.volatile.shared.u32 %r2, [%rd4+DISTANCE]; st.volatile.shared.u32 [%rd4], %r2;";
  EXPECT_THAT(kinds(check(entry(with(step, "DISTANCE", "64")), {1, 1, 1}, {32, 1, 1})),
              ElementsAre(FaultKind::kWarpRace));
  EXPECT_THAT(kinds(check(entry(with(step, "DISTANCE", "128")), {1, 1, 1}, {64, 1, 1})), IsEmpty());
}

// What one thread frees, malloc gives to the next.
TEST(Races, MemoryOfTheHeapHasANewOwnerAfterFree) {
  const std::string heap =
      ".extern .func (.param .b64 r) malloc(.param .b64 bytes);\n"
      ".extern .func free(.param .b64 place);\n" +
      entry(R"(
  { .param .b64 b; .param .b64 r;
    st.param.b64 [b], 16; call.uni (r), malloc, (b); ld.param.b64 %rd6, [r]; }
  st.global.u32 [%rd6], %r1;
  { .param .b64 p; st.param.b64 [p], %rd6; call.uni free, (p); }
)");
  Launcher launcher(module_of(heap));
  launcher.options().check = checks_from_text("race");
  const std::uint64_t memory = launcher.buffer(std::vector<std::uint32_t>(64));
  EXPECT_THAT(kinds(launcher.run("k", {2, 1, 1}, {64, 1, 1}, {memory})), IsEmpty());
}

TEST(Races, RunsWithoutChecksSayNothing) {
  Launcher launcher(module_of(pass_on("", "32")));
  const std::uint64_t memory = launcher.buffer(std::vector<std::uint32_t>(64));
  EXPECT_EQ(launcher.run("k", {1, 1, 1}, {64, 1, 1}, {memory}).fault_count, 0u);
}

}  // namespace
}  // namespace raddle::machine::ref
