// CUDA kernels as thick control flow: they leave in memory what the reference machine leaves, and
// what cannot run is refused with its construct.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::tpa {
namespace {

using ref::Launcher;
using ref::module_of;
using Words = std::vector<std::uint32_t>;

struct Case {
  std::string ptx;
  Dim3 grid{4, 1, 1};
  Dim3 block{64, 1, 1};
  Words in;
  std::size_t out = 0;  // words
};

Words random_words(std::size_t count) {
  std::mt19937 bits(7);
  const std::vector<std::uint32_t> corners = {0,          1,          2,          31,
                                              33,         0x7fffffff, 0x80000000, 0xffffffff,
                                              0x3f800000, 0xbf000000, 0x7f800000, 0xff800000};
  Words words(count);
  for (std::uint32_t& word : words) {
    word = bits() % 3 == 0 ? corners[bits() % corners.size()] : static_cast<std::uint32_t>(bits());
  }
  return words;
}

// Of kernel k(in, out, n).
Words result_on(const std::string& machine, const Case& c) {
  Launcher launcher(module_of(c.ptx), {}, machine);
  const std::uint64_t in = launcher.buffer(c.in);
  const std::uint64_t out = launcher.buffer(Words(c.out));
  const LaunchResult result = launcher.run("k", c.grid, c.block, {in, out, c.in.size()});
  EXPECT_TRUE(result.complete) << machine;
  EXPECT_EQ(result.fault_count, 0u) << machine;
  return launcher.read<std::uint32_t>(out, c.out);
}

void expect_same(const Case& c) { EXPECT_EQ(result_on("tpa", c), result_on("ref", c)) << c.ptx; }

const char* const kHead = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %d<32>; .reg .f64 %g<16>;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r31, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;       // the thread
  mul.wide.u32 %d3, %r4, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.u32 %r5, [%d4]; ld.global.u32 %r6, [%d4+1024];
)";
const char* const kTail = "st.global.u32 [%d5], %r20; ret; }\n";

// One thread for each word; the operation's operands are %r5 and %r6, its result %r20.
Case operation(const std::string& body) {
  Case c;
  c.ptx = kHead + body + kTail;
  c.in = random_words(512);
  c.out = 256;
  return c;
}

class TpaKernelOperation : public testing::TestWithParam<const char*> {};

TEST_P(TpaKernelOperation, GivesWhatTheReferenceMachineGives) {
  expect_same(operation(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Integers, TpaKernelOperation,
    testing::Values(
        "add.s32 %r20, %r5, %r6;", "sub.u32 %r20, %r5, %r6;", "mul.lo.s32 %r20, %r5, %r6;",
        "mul.hi.s32 %r20, %r5, %r6;", "mul.hi.u32 %r20, %r5, %r6;", "mul24.lo.s32 %r20, %r5, %r6;",
        "mul24.hi.s32 %r20, %r5, %r6;", "mul24.hi.u32 %r20, %r5, %r6;",
        "mad24.lo.u32 %r20, %r5, %r6, %r4;", "mad.lo.s32 %r20, %r5, %r6, %r4;",
        "div.s32 %r20, %r5, %r6;", "div.u32 %r20, %r5, %r6;", "rem.s32 %r20, %r5, %r6;",
        "rem.u32 %r20, %r5, %r6;", "min.s32 %r20, %r5, %r6;", "min.u32 %r20, %r5, %r6;",
        "max.s32 %r20, %r5, %r6;", "max.u32 %r20, %r5, %r6;", "and.b32 %r20, %r5, %r6;",
        "or.b32 %r20, %r5, %r6;", "xor.b32 %r20, %r5, %r6;", "not.b32 %r20, %r5;",
        "neg.s32 %r20, %r5;", "abs.s32 %r20, %r5;", "shl.b32 %r20, %r5, %r6;",
        "shr.u32 %r20, %r5, %r6;", "shr.s32 %r20, %r5, %r6;",
        "setp.lt.s32 %p1, %r5, %r6; selp.u32 %r20, %r5, %r6, %p1;",
        "setp.lt.u32 %p1, %r5, %r6; selp.u32 %r20, 1, 2, %p1;",
        "setp.ge.s32 %p1, %r5, %r6; @%p1 mov.u32 %r6, 3; @!%p1 add.u32 %r6, %r6, 9; mov.u32 %r20, "
        "%r6;",
        "setp.eq.u32 %p1, %r5, 1; setp.gt.and.s32 %p2, %r6, 0, %p1; selp.u32 %r20, 1, 2, %p2;",
        "setp.ne.u32 %p1|%p2, %r5, %r6; selp.u32 %r20, 5, 6, %p2;",
        "cvt.u16.u32 %h1, %r5; cvt.u32.u16 %r20, %h1;",
        "cvt.u16.u32 %h1, %r5; cvt.s32.s16 %r20, %h1;",
        "cvt.u16.u32 %h1, %r5; cvt.u16.u32 %h2, %r6; mul.lo.s16 %h3, %h1, %h2; cvt.u32.u16 %r20, "
        "%h3;",
        "cvt.u16.u32 %h1, %r5; cvt.u16.u32 %h2, %r6; mul.hi.s16 %h3, %h1, %h2; cvt.u32.u16 %r20, "
        "%h3;",
        "cvt.u16.u32 %h1, %r5; cvt.u16.u32 %h2, %r6; max.s16 %h3, %h1, %h2; cvt.u32.u16 %r20, %h3;",
        "cvt.u16.u32 %h1, %r5; shr.s16 %h3, %h1, 3; cvt.u32.u16 %r20, %h3;",
        "cvt.u16.u32 %h1, %r5; cvt.u16.u32 %h2, %r6; div.u16 %h3, %h1, %h2; cvt.u32.u16 %r20, %h3;",
        "mul.wide.s32 %d6, %r5, %r6; shr.s64 %d7, %d6, 17; cvt.u32.u64 %r20, %d7;",
        "cvt.s64.s32 %d6, %r5; cvt.s64.s32 %d7, %r6; setp.lt.s64 %p1, %d6, %d7; selp.u32 %r20, 1, "
        "2, %p1;",
        "ld.global.u64 %d6, [%d1+8]; st.global.u64 [%d2+1016], %d6; mov.u32 %r20, 3;",
        "ld.global.s32 %d6, [%d4]; shr.s64 %d7, %d6, 30; cvt.u32.u64 %r20, %d7;",
        "ld.global.u32 %d6, [%d4]; shr.s64 %d7, %d6, 30; cvt.u32.u64 %r20, %d7;",
        "ld.global.v2.u32 {%r7, %r8}, [%d1+16]; add.u32 %r20, %r7, %r8;",
        "cvt.u64.u32 %d8, %r4; add.s64 %d9, %d1, %d8; ld.global.u8 %r20, [%d9+3];",
        "cvt.u64.u32 %d8, %r4; add.s64 %d9, %d1, %d8; ld.global.s8 %r20, [%d9];",
        "mul.wide.u32 %d8, %r4, 2; add.s64 %d9, %d1, %d8; ld.global.s16 %h1, [%d9]; cvt.s32.s16 "
        "%r20, %h1;",
        "mov.b64 %d6, {%r5, %r6}; shr.u64 %d7, %d6, 11; mov.b64 {%r7, %r8}, %d7; xor.b32 %r20, "
        "%r7, %r8;",
        "mov.b32 {%h1, %h2}, %r5; mov.b32 %r20, {%h2, %h1};", "ld.u32 %r20, [%d4];",
        "popc.b32 %r20, %r5;", "clz.b32 %r20, %r5;", "brev.b32 %r20, %r5;",
        "prmt.b32 %r20, %r5, %r6, %r4;", "sad.s32 %r20, %r5, %r6, %r4;",
        "sad.u32 %r20, %r5, %r6, %r4;", "shf.l.wrap.b32 %r20, %r5, %r6, %r4;",
        "shf.r.clamp.b32 %r20, %r5, %r6, %r4;", "shf.l.clamp.b32 %r20, %r5, %r6, %r4;",
        "bfi.b32 %r20, %r5, %r6, 5, 9;", "bfi.b32 %r20, %r5, %r6, %r4, 40;",
        "cvt.u64.u32 %d6, %r5; cvt.s64.s32 %d7, %r6; div.u64 %d8, %d7, %d6; cvt.u32.u64 %r20, "
        "%d8;",
        "cvt.s64.s32 %d6, %r5; cvt.s64.s32 %d7, %r6; rem.u64 %d8, %d7, %d6; cvt.u32.u64 %r20, "
        "%d8;",
        "cvt.s64.s32 %d6, %r5; popc.b64 %r7, %d6; clz.b64 %r8, %d6; mad.lo.u32 %r20, %r7, 100, "
        "%r8;",
        "bfe.u32 %r20, %r5, %r6, 7;", "bfe.s32 %r20, %r5, 5, %r6;", "bfe.u32 %r20, %r5, 28, 9;",
        "bfe.s32 %r20, %r5, 28, 9;", "bfe.u32 %r20, %r5, 3, 0;"));

INSTANTIATE_TEST_SUITE_P(
    Floats, TpaKernelOperation,
    testing::Values(
        "mov.b32 %f1, %r5; cvt.sat.f32.f32 %f2, %f1; mov.b32 %r20, %f2;",
        "cvt.rn.f32.s32 %f1, %r5; mul.f32 %f1, %f1, 0f32000000; cvt.rni.s32.f32 %r20, %f1;",
        "cvt.rn.f32.s32 %f1, %r5; mul.f32 %f1, %f1, 0f32000000; cvt.rpi.u32.f32 %r20, %f1;",
        "cvt.rn.f32.s32 %f1, %r5; mul.f32 %f1, %f1, 0f32000000; cvt.rmi.s32.f32 %r20, %f1;",
        "cvt.rn.f32.s32 %f1, %r5; mul.f32 %f1, %f1, 0f32000000; cvt.rni.f32.f32 %f2, %f1; mov.b32 "
        "%r20, %f2;",
        "cvt.rn.f32.s32 %f1, %r5; mul.f32 %f1, %f1, 0f32000000; cvt.rpi.f32.f32 %f2, %f1; mov.b32 "
        "%r20, %f2;",
        "mov.b32 %f1, %r5; cvt.rni.s32.f32 %r20, %f1;",
        "mov.b32 %f1, %r5; cvt.rmi.f32.f32 %f2, %f1; mov.b32 %r20, %f2;",
        "mov.b32 %f1, %r5; cvt.rzi.f32.f32 %f2, %f1; mov.b32 %r20, %f2;",
        "cvt.rn.f64.s32 %g1, %r5; mul.f64 %g1, %g1, 0d3f50000000000000; cvt.rpi.f64.f64 %g2, %g1; "
        "cvt.rn.f32.f64 %f2, %g2; mov.b32 %r20, %f2;",
        "cvt.rn.f32.s32 %f1, %r5; mov.b32 %r20, %f1;",
        "cvt.rn.f32.u32 %f1, %r5; mov.b32 %r20, %f1;",
        "cvt.rn.f64.s32 %g1, %r5; cvt.rn.f32.f64 %f1, %g1; mov.b32 %r20, %f1;",
        "cvt.rn.f32.s32 %f1, %r5; cvt.rn.f32.s32 %f2, %r6; add.f32 %f3, %f1, %f2; mov.b32 %r20, "
        "%f3;",
        "cvt.rn.f32.s32 %f1, %r5; cvt.rn.f32.s32 %f2, %r6; fma.rn.f32 %f3, %f1, %f2, %f1; mov.b32 "
        "%r20, %f3;",
        "cvt.rn.f32.s32 %f1, %r5; cvt.rn.f32.s32 %f2, %r4; div.rn.f32 %f3, %f1, 0f40400000; "
        "mov.b32 "
        "%r20, %f3;",
        "cvt.rn.f32.u32 %f1, %r5; sqrt.rn.f32 %f3, %f1; mov.b32 %r20, %f3;",
        "mov.b32 %f1, %r5; cvt.rzi.s32.f32 %r20, %f1;",
        "mov.b32 %f1, %r5; cvt.rzi.u32.f32 %r20, %f1;",
        "mov.b32 %f1, %r5; mov.b32 %f2, %r6; setp.ltu.f32 %p1, %f1, %f2; selp.u32 %r20, 1, 2, %p1;",
        "mov.b32 %f1, %r5; mov.b32 %f2, %r6; setp.ne.f32 %p1, %f1, %f2; selp.u32 %r20, 1, 2, %p1;",
        "mov.b32 %f1, %r5; mov.b32 %f2, %r6; setp.nan.f32 %p1, %f1, %f2; selp.u32 %r20, 1, 2, %p1;",
        "mov.b32 %f1, %r5; neg.f32 %f2, %f1; abs.f32 %f3, %f2; mov.b32 %r20, %f3;",
        "cvt.rn.f64.s32 %g1, %r5; cvt.rn.f64.s32 %g2, %r6; mul.f64 %g3, %g1, %g2; max.f64 %g4, "
        "%g3, "
        "%g1; cvt.rzi.s32.f64 %r20, %g4;"));

TEST(TpaKernel, LetsThreadsDivergeInBranchesAndNestedLoops) {
  Case c;
  c.ptx = std::string(kHead) + R"(
  and.b32 %r7, %r5, 15; mov.u32 %r20, 0; mov.u32 %r8, 0;
  setp.eq.u32 %p1, %r7, 3; @%p1 bra DONE;
OUTER:
  mov.u32 %r9, 0;
INNER:
  add.u32 %r20, %r20, %r9; add.u32 %r9, %r9, 1;
  setp.lt.u32 %p2, %r9, %r8; @%p2 bra INNER;
  and.b32 %r10, %r20, 1; setp.eq.u32 %p3, %r10, 0; @%p3 bra EVEN;
  mad.lo.u32 %r20, %r20, 3, 1; bra NEXT;
EVEN:
  add.u32 %r20, %r20, %r7;
NEXT:
  add.u32 %r8, %r8, 1; setp.lt.u32 %p4, %r8, %r7; @%p4 bra OUTER;
DONE:
)" + kTail;
  c.in = random_words(512);
  c.out = 256;
  expect_same(c);
}

TEST(TpaKernel, KeepsSharedMemoryApartByBlockAndBarriersByTheOrderOfSteps) {
  Case c;
  c.ptx = std::string(kHead) + R"(
  .shared .align 4 .b8 cells[256];
  mov.u32 %r7, cells; shl.b32 %r8, %r3, 2; add.u32 %r9, %r7, %r8;
  st.shared.u32 [%r9], %r5; bar.sync 0;
  mov.u32 %r10, 32;
ROUND:
  setp.ge.u32 %p1, %r3, %r10; @%p1 bra SKIP;
  shl.b32 %r11, %r10, 2; add.u32 %r12, %r9, %r11;
  ld.shared.u32 %r13, [%r12]; ld.shared.u32 %r14, [%r9]; add.u32 %r14, %r14, %r13;
  st.shared.u32 [%r9], %r14;
SKIP:
  bar.sync 0; shr.u32 %r10, %r10, 1; setp.ne.u32 %p2, %r10, 0; @%p2 bra ROUND;
  ld.shared.u32 %r20, [cells];
)" + kTail;
  c.in = random_words(512);
  c.out = 256;
  expect_same(c);
}

TEST(TpaKernel, StoresPartsOfWordsWithoutDisturbingTheirNeighbours) {
  Case c;
  c.ptx = std::string(kHead) + R"(
  cvt.u64.u32 %d6, %r4; add.s64 %d7, %d2, %d6; st.global.u8 [%d7], %r5;
  mul.wide.u32 %d8, %r4, 2; add.s64 %d9, %d2, %d8; cvt.u16.u32 %h1, %r6;
  and.b32 %r7, %r4, 1; setp.eq.u32 %p1, %r7, 0; @%p1 st.global.u16 [%d9+256], %h1;
  ret; }
)";
  c.in = random_words(512);
  c.out = 192;
  expect_same(c);
}

TEST(TpaKernel, MakesMultioperationsOfAtomics) {
  Case c;
  c.ptx = std::string(kHead) + R"(
  and.b32 %r7, %r5, 7; mul.wide.u32 %d6, %r7, 4; add.s64 %d7, %d2, %d6;
  red.global.add.u32 [%d7], %r6;
  red.global.or.b32 [%d7+32], %r6;
  red.global.max.u32 [%d7+64], 5;
  ret; }
)";
  c.in = random_words(512);
  c.out = 64;
  c.ptx.replace(c.ptx.find("red.global.max.u32 [%d7+64], 5;"), 31, "");
  expect_same(c);
}

TEST(TpaKernel, CutsSumsThatMinimaAndMaximaSee) {
  Case c;
  c.ptx = std::string(kHead) +
          "and.b32 %r7, %r5, 7; mul.wide.u32 %d6, %r7, 4; add.s64 %d7, %d2, %d6;\n"
          "red.global.add.u32 [%d7], 0x70000001; red.global.max.u32 [%d7], 5; ret; }\n";
  c.in = random_words(512);
  c.out = 8;
  expect_same(c);
}

TEST(TpaKernel, FindsTheRegionOfAGenericAddress) {
  Case c;
  c.ptx = std::string(kHead) + R"(
  .shared .align 4 .b8 cells[256];
  .local .align 4 .b8 own[16];
  mov.u64 %d6, cells; cvta.shared.u64 %d7, %d6; mul.wide.u32 %d8, %r3, 4; add.s64 %d9, %d7, %d8;
  mov.u64 %d10, own; cvta.local.u64 %d11, %d10; st.u32 [%d11+4], %r6;
  st.u32 [%d9], %r5; bar.sync 0;
  and.b32 %r7, %r3, 3; setp.eq.u32 %p1, %r7, 0; setp.eq.u32 %p2, %r7, 1;
  selp.b64 %d12, %d9, %d4, %p1; add.s64 %d13, %d11, 4; selp.b64 %d12, %d13, %d12, %p2;
  ld.u32 %r20, [%d12];
)" + kTail;
  c.in = random_words(512);
  c.out = 256;
  expect_same(c);
}

TEST(TpaKernel, GivesEachThreadAnOldValueOfItsOwn) {
  Case c;
  c.ptx = std::string(kHead) +
          "atom.global.add.u32 %r20, [%d2+1024], 1; mul.wide.u32 %d6, %r20, 4; add.s64 %d5, %d2, "
          "%d6; mov.u32 %r20, 77;" +
          kTail;
  c.in = random_words(512);
  c.out = 257;
  Words expected(256, 77);
  expected.push_back(256);
  EXPECT_EQ(result_on("tpa", c), expected);
}

TEST(TpaKernel, ShufflesThroughMemory) {
  for (const char* mode : {"up.b32 %r20|%p1, %r5, 3, 0", "down.b32 %r20|%p1, %r5, 5, 31",
                           "bfly.b32 %r20|%p1, %r5, 9, 31", "idx.b32 %r20|%p1, %r5, %r6, 0x181f"}) {
    expect_same(operation(std::string("and.b32 %r6, %r6, 31; shfl.sync.") + mode +
                          ", 0xffffffff; @%p1 xor.b32 %r20, %r20, 1;"));
  }
}

TEST(TpaKernel, HasGridsAndBlocksOfThreeDimensions) {
  Case c = operation(
      "mov.u32 %r7, %tid.y; mov.u32 %r8, %tid.z; mov.u32 %r9, %ctaid.y; mov.u32 %r10, %ctaid.z;\n"
      "mad.lo.u32 %r20, %r7, 10, %r3; mad.lo.u32 %r20, %r8, 100, %r20;\n"
      "mad.lo.u32 %r20, %r9, 1000, %r20; mad.lo.u32 %r20, %r10, 10000, %r20;\n"
      "mad.lo.u32 %r20, %r1, 100000, %r20;\n"
      "mov.u32 %r11, %nctaid.x; mov.u32 %r12, %nctaid.y; mov.u32 %r13, %ntid.y;\n"
      "mad.lo.u32 %r14, %r10, %r12, %r9; mad.lo.u32 %r14, %r14, %r11, %r1;\n"
      "mad.lo.u32 %r15, %r8, %r13, %r7; mad.lo.u32 %r15, %r15, %r2, %r3;\n"
      "mad.lo.u32 %r14, %r14, 30, %r15; mul.wide.u32 %d6, %r14, 4; add.s64 %d5, %d2, %d6;");
  c.grid = {2, 3, 1};
  c.block = {3, 5, 2};
  expect_same(c);
  c.grid = {1, 2, 4};
  expect_same(c);
}

TEST(TpaKernel, CostsAsManyCyclesInManySmallBlocksAsInFewLargeOnes) {
  const auto cycles = [](Dim3 grid, Dim3 block) {
    const Case c = operation("add.u32 %r20, %r5, %r6;");
    Launcher launcher(module_of(c.ptx), {}, "tpa");
    const std::uint64_t in = launcher.buffer(random_words(2048));
    const std::uint64_t out = launcher.buffer(Words(1024));
    return launcher.run("k", grid, block, {in, out, 0}).cycles;
  };
  EXPECT_EQ(cycles({32, 1, 1}, {32, 1, 1}), cycles({1, 1, 1}, {1024, 1, 1}));
}

TEST(TpaKernel, PaysForBothSidesOfADivergentBranch) {
  const auto cycles = [](const char* condition) {
    const std::string work =
        "mul.lo.u32 %r20, %r20, %r5; ld.global.u32 %r7, [%d4]; xor.b32 %r20, "
        "%r20, %r7;";
    const Case c = operation(std::string("mov.u32 %r20, 1; setp.eq.u32 %p1, ") + condition +
                             "; @%p1 bra A;" + work + "bra B; A:" + work + work + "B:");
    Launcher launcher(module_of(c.ptx), {}, "tpa");
    const std::uint64_t in = launcher.buffer(random_words(8192));
    const std::uint64_t out = launcher.buffer(Words(4096));
    return launcher.run("k", {64, 1, 1}, {64, 1, 1}, {in, out, 0}).cycles;
  };
  // All fibers go through both sides, whoever takes part.
  EXPECT_EQ(cycles("%r3, 0"), cycles("%r31, 1"));
}

LaunchResult run_branch(const char* condition, const std::string& yes, const std::string& no) {
  const Case c = operation(std::string("mov.u32 %r20, 1; setp.eq.u32 %p1, ") + condition +
                           "; @%p1 bra A;" + no + "bra B; A:" + yes + "B:");
  Launcher launcher(module_of(c.ptx), {}, "tpa");
  const std::uint64_t in = launcher.buffer(random_words(8192));
  const std::uint64_t out = launcher.buffer(Words(4096));
  return launcher.run("k", {64, 1, 1}, {64, 1, 1}, {in, out, 1});
}

double cycles_of(const LaunchResult& result, const std::string& cause) {
  for (const Stall& stall : result.stalls)
    if (stall.name == cause) return stall.cycles;
  ADD_FAILURE() << "no " << cause;
  return 0;
}

TEST(TpaKernel, ShowsWhatDivergenceCosts) {
  const std::string work =
      "mul.lo.u32 %r20, %r20, %r5; ld.global.u32 %r7, [%d4]; xor.b32 %r20, "
      "%r20, %r7;";
  const LaunchResult all = run_branch("%r31, 1", work, work);    // every thread takes A
  const LaunchResult few = run_branch("%r3, 0", work, work);     // one of 64 does
  const LaunchResult half = run_branch("%r3, %r3", work, work);  // A again
  ASSERT_EQ(all.cycles, few.cycles);
  EXPECT_EQ(cycles_of(all, "divergence"), cycles_of(half, "divergence"));
  // Both sides have the same lines: in each case every fiber is masked on one of them.
  EXPECT_GT(cycles_of(all, "divergence"), 0);
  EXPECT_EQ(cycles_of(all, "issued") + cycles_of(all, "divergence"),
            cycles_of(few, "issued") + cycles_of(few, "divergence"));
  EXPECT_EQ(all.thread_instructions, static_cast<std::uint64_t>(cycles_of(all, "issued")));
  double sum = 0;
  for (const Stall& stall : all.stalls) sum += stall.cycles;
  EXPECT_EQ(sum, 16.0 * static_cast<double>(all.cycles));
}

// A side of one fiber in 64 is masked 63 times as often as one of 63 fibers.
TEST(TpaKernel, CountsTheFibersThatAreMasked) {
  const std::string nothing = "mov.u32 %r20, 5;";
  std::string work;
  for (int i = 0; i < 8; ++i) work += "ld.global.u32 %r7, [%d4]; mad.lo.u32 %r20, %r20, %r7, %r5;";
  const double without = cycles_of(run_branch("%r3, 0", nothing, nothing), "divergence");
  const double one = cycles_of(run_branch("%r3, 0", work, nothing), "divergence");
  const double others = cycles_of(run_branch("%r3, 0", nothing, work), "divergence");
  EXPECT_DOUBLE_EQ(one - without, 63 * (others - without));
}

struct Refusal {
  const char* instruction;
  const char* message;
};

class TpaKernelRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(TpaKernelRefusal, NamesTheConstruct) {
  const Case c = operation(GetParam().instruction);
  Launcher launcher(module_of(c.ptx), {}, "tpa");
  const std::uint64_t in = launcher.buffer(c.in);
  const std::uint64_t out = launcher.buffer(Words(c.out));
  for (const bool asks : {true, false}) {
    try {
      if (asks) {
        launcher.check(launcher.launch_of("k", c.grid, c.block, {in, out, 0}));
      } else {
        launcher.run("k", c.grid, c.block, {in, out, 0});
      }
      FAIL() << "it was not refused";
    } catch (const Error& error) {
      const std::string text = error.full_text();
      EXPECT_NE(
          text.find(std::string("machine 'tpa' cannot run kernel 'k': ") + GetParam().message),
          std::string::npos)
          << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TpaKernelRefusal,
    testing::Values(Refusal{"cvt.u16.u32 %h1, %r5; atom.global.cas.b16 %h2, [%d5], %h1, %h1;",
                            "atomics of less than 32 bits are not supported"},
                    Refusal{"redux.sync.xor.b32 %r20, %r5, 0xffffffff;",
                            "the active memory units have no exclusive or"},
                    Refusal{"mov.b32 %f1, %r5; add.rz.f32 %f2, %f1, %f1; mov.b32 %r20, %f2;",
                            "rounding other than to the nearest is not supported"},
                    Refusal{"add.sat.s32 %r20, %r5, %r6;",
                            "saturated arithmetic of integers is not supported"},
                    Refusal{"mov.u32 %r20, %clock;", "'%clock' is not supported"},
                    Refusal{"trap;", "'trap' is not supported"}));

TEST(TpaKernel, SaysHowMuchMemoryItNeeds) {
  const Case c = operation("mov.u32 %r20, 1;");
  Launcher launcher(module_of(c.ptx), {"memory.bytes=65536"}, "tpa");
  const std::uint64_t in = launcher.buffer(Words(32768));
  try {
    launcher.run("k", {4, 1, 1}, {64, 1, 1}, {in, in, 0});
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.full_text();
    EXPECT_EQ(text.substr(0, 17), "kernel 'k' needs ");
    EXPECT_EQ(text.substr(text.find(" bytes")),
              " bytes of shared memory on 'tpa', which has 65536: four bytes of device memory take "
              "a word\nhint: raise it with --set memory.bytes=…");
  }
}

TEST(TpaKernel, NeedsTheBackendFrontendTechnique) {
  EXPECT_TRUE(traits_of(load_parameters("tpa")).takes(ProgramForm::kKernels));
  for (const char* name : {"tpa-baseline", "cesm"})
    EXPECT_FALSE(traits_of(load_parameters(name)).takes(ProgramForm::kKernels)) << name;
  const ParameterTable without = load_parameters("tpa", {"multioperations.optimised=false"});
  EXPECT_THROW(make_kernel_machine(without), Error);
}

}  // namespace
}  // namespace raddle::machine::tpa
