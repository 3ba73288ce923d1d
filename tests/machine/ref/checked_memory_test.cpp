// What checked mode knows of local memory and of the device's heap, and what permissive mode lets
// pass as a card does.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

// --- local memory

// Thread t stores to word index + t of an array of 9 words that another one follows, and to the
// same word of its caller's array through a generic pointer; `late` reads where a callee's array
// was.
constexpr std::string_view kLocal = R"(
.func (.param .b64 gone) callee(.param .b64 array, .param .b32 index) {
  .local .align 4 .b8 own[16];
  .reg .b32 %r<4>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [array];
  ld.param.u32 %r1, [index];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.u32 [%rd3], %r1;
  mov.u64 %rd4, own;
  st.local.u32 [%rd4+12], 7;
  cvta.local.u64 %rd5, %rd4;
  st.param.b64 [gone], %rd5;
  ret;
}
.visible .entry store(.param .u32 index) {
  .local .align 4 .b8 first[36];
  .local .align 16 .b8 second[16];
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u32 %r1, [index];
  mov.u32 %r2, %tid.x;
  add.u32 %r2, %r1, %r2;
  mul.wide.u32 %rd1, %r2, 4;
  mov.u64 %rd2, first;
  add.s64 %rd3, %rd2, %rd1;
  st.local.u32 [%rd3], %r2;
  ret;
}
.visible .entry pass(.param .u32 index, .param .u32 late) {
  .local .align 4 .b8 array[32];
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u32 %r1, [index];
  mov.u64 %rd1, array;
  cvta.local.u64 %rd2, %rd1;
  { .param .b64 a; .param .b32 b; .param .b64 r;
    st.param.b64 [a], %rd2; st.param.b32 [b], %r1;
    call.uni (r), callee, (a, b);
    ld.param.b64 %rd3, [r]; }
  ld.param.u32 %r2, [late];
  setp.eq.u32 %p, %r2, 0;
  @%p bra DONE;
  ld.u32 %r3, [%rd3];
DONE:
  ret;
}
)";

TEST(LocalChecks, AnArrayEndsWhereItsDeclarationSays) {
  Launcher launcher(module_of(kLocal));
  launcher.options().check = true;
  EXPECT_EQ(launcher.run("store", {1, 1, 1}, {9, 1, 1}, {0}).fault_count, 0u);
  const LaunchResult over = launcher.run("store", {1, 1, 1}, {9, 1, 1}, {1});
  ASSERT_EQ(over.fault_count, 1u);
  EXPECT_EQ(over.faults[0].kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(over.faults[0].message, "out-of-bounds local store of 4 bytes at 0x24");
  EXPECT_EQ(over.faults[0].thread.x, 8u);
}

TEST(LocalChecks, TheNextArrayIsReachedOnlyWhereItBegins) {
  Launcher launcher(module_of(kLocal));
  launcher.options().check = true;
  // Words 9 to 11 lie between the arrays, 12 to 15 are the second one.
  const LaunchResult result = launcher.run("store", {1, 1, 1}, {8, 1, 1}, {9});
  ASSERT_EQ(result.fault_count, 4u);
  EXPECT_EQ(result.faults[2].thread.x, 2u);
  EXPECT_EQ(result.faults[3].thread.x, 7u);
}

TEST(LocalChecks, ACalleeMayUseItsCallersArraysAndNoMore) {
  Launcher launcher(module_of(kLocal));
  launcher.options().check = true;
  EXPECT_EQ(launcher.run("pass", {1, 1, 1}, {32, 1, 1}, {7, 0}).fault_count, 0u);
  const LaunchResult over = launcher.run("pass", {1, 1, 1}, {1, 1, 1}, {8, 0});
  ASSERT_EQ(over.fault_count, 1u);
  EXPECT_EQ(over.faults[0].message, "out-of-bounds local store of 4 bytes at 0x20");
}

TEST(LocalChecks, AnArrayIsGoneWhenItsFunctionReturned) {
  Launcher launcher(module_of(kLocal));
  launcher.options().check = true;
  const LaunchResult result = launcher.run("pass", {1, 1, 1}, {1, 1, 1}, {0, 1});
  ASSERT_EQ(result.fault_count, 1u);
  EXPECT_THAT(result.faults[0].message,
              ::testing::StartsWith("out-of-bounds local load of 4 bytes at 0x"));
}

TEST(LocalChecks, PermissiveModeReachesTheWordNextDoor) {
  Launcher launcher(module_of(kLocal));
  EXPECT_EQ(launcher.run("store", {1, 1, 1}, {32, 1, 1}, {1}).fault_count, 0u);
  EXPECT_EQ(launcher.run("pass", {1, 1, 1}, {1, 1, 1}, {8, 1}).fault_count, 0u);
}

// --- the heap

// Gets 16 bytes, says where they are, and frees them `offset` bytes further on, once or twice.
constexpr std::string_view kHeap = R"(
.extern .func (.param .b64 r) malloc(.param .b64 bytes);
.extern .func free(.param .b64 place);
.visible .entry heap(.param .u64 out, .param .u32 offset, .param .u32 twice) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  { .param .b64 b; .param .b64 r;
    st.param.b64 [b], 16; call.uni (r), malloc, (b); ld.param.b64 %rd2, [r]; }
  st.global.u64 [%rd1], %rd2;
  ld.param.u32 %r1, [offset];
  cvt.u64.u32 %rd3, %r1;
  add.s64 %rd3, %rd2, %rd3;
  .loc 1 5 1
  { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }
  ld.param.u32 %r2, [twice];
  setp.eq.u32 %p, %r2, 0;
  @%p bra DONE;
  .loc 1 7 1
  { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }
DONE:
  ret;
}
.visible .entry free_this(.param .u64 place) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [place];
  { .param .b64 p; st.param.b64 [p], %rd1; call.uni free, (p); }
  ret;
}
.file 1 "kernel.cu"
)";

class HeapChecks : public ::testing::Test {
 protected:
  HeapChecks() : launcher_(module_of(kHeap)) {
    launcher_.options().check = true;
    launcher_.memory().keep_released(true);
    out_ = launcher_.buffer(std::vector<std::uint64_t>{0});
  }
  LaunchResult run(std::uint32_t offset, std::uint32_t twice) {
    return launcher_.run("heap", {1, 1, 1}, {1, 1, 1}, {out_, offset, twice});
  }
  std::uint64_t place() const { return launcher_.read<std::uint64_t>(out_, 1)[0]; }

  Launcher launcher_;
  std::uint64_t out_ = 0;
};

TEST_F(HeapChecks, FreeingWhatMallocGaveIsRight) {
  EXPECT_EQ(run(0, 0).fault_count, 0u);
  EXPECT_EQ(launcher_.memory().find(place()), nullptr);
  EXPECT_EQ(launcher_.run("free_this", {1, 1, 1}, {1, 1, 1}, {0}).fault_count, 0u)
      << "a null pointer may be freed";
}

TEST_F(HeapChecks, FreeingTwiceIsReportedWithTheSecondLine) {
  const LaunchResult result = run(0, 1);
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.fault_count, 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kUseAfterFree);
  EXPECT_EQ(result.faults[0].message,
            fmt::format("free of {:#x}, which was already freed", place()));
  EXPECT_EQ(result.faults[0].location, "kernel.cu:7");
}

TEST_F(HeapChecks, FreeingTheMiddleOfAnAllocationIsReportedAndFreesNothing) {
  const LaunchResult result = run(4, 0);
  ASSERT_EQ(result.fault_count, 1u);
  EXPECT_EQ(result.faults[0].message,
            fmt::format("free of {:#x}, 4 bytes into the 16-byte allocation at {:#x}", place() + 4,
                        place()));
  EXPECT_EQ(result.faults[0].location, "kernel.cu:5");
  EXPECT_NE(launcher_.memory().find(place()), nullptr);
}

TEST_F(HeapChecks, FreeingWhatTheHostAllocatedOrNobodyDidIsReported) {
  const auto message = [&](std::uint64_t address) {
    return launcher_.run("free_this", {1, 1, 1}, {1, 1, 1}, {address}).faults.at(0).message;
  };
  EXPECT_EQ(message(out_),
            fmt::format("free of {:#x}, which malloc in a kernel did not return", out_));
  EXPECT_NE(launcher_.memory().find(out_), nullptr);
  EXPECT_EQ(message(0x1000), "free of 0x1000, where nothing was allocated");
}

TEST_F(HeapChecks, PermissiveModeLetsABadFreePassAndStaysSound) {
  launcher_.options().check = false;
  EXPECT_EQ(run(0, 1).fault_count, 0u);
  EXPECT_EQ(run(4, 1).fault_count, 0u);
  const kernel::Allocation* kept = launcher_.memory().find(place());
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->bytes, 16u);
}

// --- shared memory

// Thread t adds the word `distance` after its own in an array of 32 words.
constexpr std::string_view kShared = R"(
.visible .entry neighbour(.param .u64 out, .param .u32 distance) {
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 words[128];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [distance];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, words;
  shl.b32 %r4, %r2, 2;
  add.u32 %r3, %r3, %r4;
  add.u32 %r5, %r2, 1;
  st.shared.u32 [%r3], %r5;
  shl.b32 %r1, %r1, 2;
  add.u32 %r6, %r3, %r1;
  ld.shared.u32 %r7, [%r6];
  st.shared.u32 [%r6], 99;
  mov.u32 %r4, %ctaid.x;
  mad.lo.u32 %r4, %r4, 32, %r2;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

TEST(SharedChecks, PermissiveModeReachesTheRestOfTheLastUnitWhichIsZeroForEveryBlock) {
  Launcher launcher(module_of(kShared), {"multiprocessors=1", "max_blocks_per_multiprocessor=1"});
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(64, 5));
  const LaunchResult result = launcher.run("neighbour", {2, 1, 1}, {32, 1, 1}, {out, 16});
  EXPECT_EQ(result.fault_count, 0u);
  EXPECT_EQ(result.kernel_launch->static_shared_bytes, 128u);
  const auto values = launcher.read<std::uint32_t>(out, 64);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(values[i], i % 32 < 16 ? i % 32 + 17 : 0) << i;
}

TEST(SharedChecks, PermissiveModeEndsWithTheLastUnit) {
  Launcher launcher(module_of(kShared));
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(32));
  EXPECT_EQ(launcher.run("neighbour", {1, 1, 1}, {32, 1, 1}, {out, 32}).fault_count, 0u);
  const LaunchResult result = launcher.run("neighbour", {1, 1, 1}, {32, 1, 1}, {out, 33});
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.faults.at(0).message, "out-of-bounds shared load of 4 bytes at 0x100");
  EXPECT_EQ(result.faults[0].thread.x, 31u);
}

TEST(SharedChecks, CheckedModeEndsWithTheArray) {
  Launcher launcher(module_of(kShared));
  launcher.options().check = checks_from_text("memory");
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(32));
  const LaunchResult result = launcher.run("neighbour", {1, 1, 1}, {32, 1, 1}, {out, 16});
  EXPECT_EQ(result.fault_count, 32u) << "16 loads and 16 stores";
  EXPECT_EQ(result.faults.at(0).message, "out-of-bounds shared load of 4 bytes at 0x80");
  EXPECT_EQ(result.faults[0].thread.x, 16u);
}

}  // namespace
}  // namespace raddle::machine::ref
