// What CUDA kernels do together on a flow, and what the ALUs lack: atomics by turns, votes,
// carries, special functions, calls.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::tpa {
namespace {

using ref::Launcher;
using ref::module_of;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kThreads = 192;

// Of kernel k(in, out): thread %r4 has its word of `in` in %r5 and the addresses %d4 and %d5 of its
// words; 64 words of zeros, then 64 of ones, begin at [%d6].
std::string kernel_of(const std::string& body, const std::string& before = "") {
  return before + R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 common) {
  .reg .pred %p<8>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %d<32>; .reg .f64 %g<16>;
  .shared .align 8 .b8 together[64];
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d6, [common];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %d3, %r4, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.u32 %r5, [%d4]; mov.u32 %r20, 0;
)" + body +
         R"(
  st.global.u32 [%d5], %r20; ret; }
)";
}

struct Left {
  Words out, common;
  bool operator==(const Left&) const = default;
};

Left left_by(const std::string& machine, const std::string& ptx) {
  Launcher launcher(module_of(ptx), {}, machine);
  Words in(kThreads);
  for (std::uint32_t i = 0; i < kThreads; ++i)
    in[i] = i % 5 == 0 ? 0x80000000U + i * 2654435761U : i * 40503U;
  Words common(128, 0);
  for (std::size_t i = 64; i < 128; ++i) common[i] = ~std::uint32_t{0};
  const std::uint64_t in_at = launcher.buffer(in);
  const std::uint64_t out_at = launcher.buffer(Words(kThreads));
  const std::uint64_t common_at = launcher.buffer(common);
  const LaunchResult result =
      launcher.run("k", {2, 1, 1}, {kThreads / 2, 1, 1}, {in_at, out_at, common_at});
  EXPECT_TRUE(result.complete) << machine;
  EXPECT_EQ(result.fault_count, 0U) << machine;
  return {launcher.read<std::uint32_t>(out_at, kThreads),
          launcher.read<std::uint32_t>(common_at, 128)};
}

class TpaKernelTogether : public testing::TestWithParam<const char*> {};

TEST_P(TpaKernelTogether, LeavesWhatTheReferenceMachineLeaves) {
  const std::string ptx = kernel_of(GetParam());
  const Left tpa = left_by("tpa", ptx);
  const Left ref = left_by("ref", ptx);
  EXPECT_EQ(tpa.out, ref.out) << ptx;
  EXPECT_EQ(tpa.common, ref.common) << ptx;
}

// What memory holds in the end does not depend on the order.
INSTANTIATE_TEST_SUITE_P(
    Atomics, TpaKernelTogether,
    testing::Values(
        // Even and odd lanes name each other, and come to it together.
        "and.b32 %r6, %r3, 1; setp.eq.u32 %p1, %r6, 0; selp.b32 %r7, 0x55555555, 0xaaaaaaaa, %p1; "
        "and.b32 %r8, %r3, 6; setp.eq.u32 %p2, %r8, 0; vote.sync.ballot.b32 %r20, %p2, %r7; "
        "redux.sync.add.u32 %r9, %r4, %r7; add.u32 %r20, %r20, %r9; match.any.sync.b32 %r10, %r8, "
        "%r7; xor.b32 %r20, %r20, %r10; vote.sync.any.pred %p1, %p2, %r7; selp.b32 %r9, 1, 2, %p1; "
        "add.u32 %r20, %r20, %r9;",
        "red.global.xor.b32 [%d6], %r5;", "red.global.min.s32 [%d6], %r5;",
        "red.global.max.s32 [%d6+4], %r5;", "red.global.max.s32 [%d6+256], %r5;",
        "red.global.inc.u32 [%d6], 100;", "red.global.dec.u32 [%d6+256], 100;",
        "cvt.u64.u32 %d7, %r5; shl.b64 %d7, %d7, 9; red.global.add.u64 [%d6+256], %d7;",
        "cvt.s64.s32 %d7, %r5; red.global.min.s64 [%d6], %d7; red.global.max.u64 [%d6+8], %d7;",
        "cvt.s64.s32 %d7, %r5; red.global.and.b64 [%d6+256], %d7; red.global.or.b64 [%d6], %d7; "
        "red.global.xor.b64 [%d6+8], %d7;",
        "cvt.rn.f64.u32 %g1, %r4; red.global.add.f64 [%d6], %g1;",
        "cvt.rn.f32.u32 %f1, %r4; red.global.add.f32 [%d6], %f1;",
        // An address for every third thread; the others go on.
        "rem.u32 %r6, %r4, 3; setp.eq.u32 %p1, %r6, 0; and.b32 %r7, %r4, 31; mul.wide.u32 %d7, "
        "%r7, 4; add.s64 %d8, %d6, %d7; @%p1 red.global.xor.b32 [%d8], %r5;",
        // Shared memory of two blocks.
        "mov.u64 %d9, together; st.shared.u32 [together], 7; bar.sync 0; red.shared.xor.b32 "
        "[together], %r5; bar.sync 0; ld.shared.u32 %r20, [together];",
        // One thread for each address gets the old value, the destination is a source as well.
        "add.s64 %d8, %d6, 128; mul.wide.u32 %d7, %r3, 4; add.s64 %d8, %d6, %d7; mov.u32 %r20, "
        "%r5; setp.lt.u32 %p1, %r4, 64; @%p1 atom.global.exch.b32 %r20, [%d8], %r20;",
        // Only the first writer finds 0; all others find what it wrote.
        "atom.global.cas.b32 %r20, [%d6], 0, 5; setp.eq.u32 %p1, %r20, 0; @%p1 mov.u32 %r20, 5;",
        "cvt.u64.u32 %d7, 9; atom.global.cas.b64 %d8, [%d6], 1, %d7; cvt.u32.u64 %r20, %d8;",
        // A lock: each thread adds 1 without an atomic while it holds it.
        R"(
  mov.u32 %r10, 0;
AGAIN:
  atom.global.cas.b32 %r6, [%d6], 0, 1;
  setp.ne.u32 %p1, %r6, 0;
  @%p1 bra NEXT;
  ld.global.u32 %r7, [%d6+4]; add.u32 %r7, %r7, 1; st.global.u32 [%d6+4], %r7;
  mov.u32 %r10, 1;
  atom.global.exch.b32 %r6, [%d6], 0;
NEXT:
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra AGAIN;
  mov.u32 %r20, %r10;)"));

INSTANTIATE_TEST_SUITE_P(
    Warps, TpaKernelTogether,
    testing::Values(
        "and.b32 %r6, %r5, 4; setp.ne.u32 %p1, %r6, 0; vote.sync.ballot.b32 %r20, %p1, "
        "0xffffffff;",
        "setp.lt.u32 %p1, %r4, 100; vote.sync.all.pred %p2, %p1, 0xffffffff; vote.sync.any.pred "
        "%p3, %p1, 0xffffffff; vote.sync.uni.pred %p4, %p1, 0xffffffff; selp.u32 %r20, 1, 0, %p2; "
        "@%p3 add.u32 %r20, %r20, 2; @%p4 add.u32 %r20, %r20, 4;",
        "and.b32 %r6, %r4, 3; match.any.sync.b32 %r20, %r6, 0xffffffff;",
        "shr.u32 %r6, %r4, 6; match.all.sync.b32 %r20|%p1, %r6, 0xffffffff; @%p1 add.u32 %r20, "
        "%r20, 1;",
        "redux.sync.add.u32 %r6, %r5, 0xffffffff; redux.sync.min.s32 %r7, %r5, 0xffffffff; "
        "redux.sync.max.u32 %r8, %r5, 0xffffffff; redux.sync.and.b32 %r9, %r5, 0xffffffff; "
        "redux.sync.or.b32 %r10, %r5, 0xffffffff; add.u32 %r20, %r6, %r7; xor.b32 %r20, %r20, %r8; "
        "add.u32 %r20, %r20, %r9; xor.b32 %r20, %r20, %r10;",
        "setp.lt.u32 %p1, %r4, 100; @%p1 bra OTHER; activemask.b32 %r20; OTHER: add.u32 %r20, "
        "%r20, 1;",
        "and.b32 %r6, %r5, 1; setp.eq.u32 %p1, %r6, 0; bar.red.popc.u32 %r20, 0, %p1; "
        "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, %p1; @%p2 add.u32 %r20, %r20, 1000; "
        "@%p3 add.u32 %r20, %r20, 10000;",
        "mov.u32 %r6, %lanemask_lt; mov.u32 %r7, %lanemask_ge; mov.u32 %r8, %lanemask_eq; mov.u32 "
        "%r9, %lanemask_gt; mov.u32 %r10, %lanemask_le; xor.b32 %r20, %r6, %r9; add.u32 %r20, "
        "%r20, %r7; xor.b32 %r20, %r20, %r10; add.u32 %r20, %r20, %r8;"));

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, TpaKernelTogether,
    testing::Values(
        "add.cc.u32 %r6, %r5, 0x90000000; addc.cc.u32 %r7, %r5, %r5; addc.u32 %r8, %r4, 0; xor.b32 "
        "%r20, %r6, %r7; add.u32 %r20, %r20, %r8;",
        "sub.cc.u32 %r6, %r4, %r5; subc.cc.u32 %r7, %r5, %r5; subc.u32 %r8, %r4, 3; xor.b32 %r20, "
        "%r6, %r7; add.u32 %r20, %r20, %r8;",
        "mad.lo.cc.u32 %r6, %r5, %r5, %r5; madc.hi.u32 %r7, %r5, %r5, %r4; xor.b32 %r20, %r6, "
        "%r7;",
        "cvt.s64.s32 %d7, %r5; mul.lo.u64 %d7, %d7, 0x123456789abcd; mul.hi.u64 %d8, %d7, %d7; "
        "mul.hi.s64 %d9, %d7, %d7; xor.b64 %d8, %d8, %d9; shr.u64 %d9, %d8, 32; xor.b64 %d8, %d8, "
        "%d9; cvt.u32.u64 %r20, %d8;",
        "lop3.b32 %r20, %r5, %r4, 0x5a5a, 0x96;", "lop3.b32 %r20, %r5, %r4, 0x5a5a, 0xe8;",
        "cvt.s64.s32 %d7, %r5; cvt.rn.f32.u64 %f1, %d7; mov.b32 %r20, %f1;",
        "cvt.s64.s32 %d7, %r5; cvt.rn.f64.u64 %g1, %d7; cvt.rzi.u64.f64 %d8, %g1; cvt.u32.u64 "
        "%r20, %d8;",
        "shr.u32 %r6, %r5, 8; mov.b32 %f1, %r6; add.ftz.f32 %f2, %f1, %f1; mov.b32 %r20, %f2;",
        "mov.b32 %f1, %r5; add.sat.f32 %f2, %f1, 0f3E800000; mov.b32 %r20, %f2;",
        "and.b32 %r6, %r4, 3; $T: .branchtargets A, B, C, B; brx.idx %r6, $T; A: mov.u32 %r20, 7; "
        "bra E; B: mov.u32 %r20, %r5; bra E; C: mov.u32 %r20, 9; E: add.u32 %r20, %r20, 1;"));

TEST(TpaKernel, CallsFunctionsAsPartsOfItself) {
  const std::string ptx = kernel_of(R"(
  { .param .b32 given; .param .b32 result;
  st.param.b32 [given], %r5; call (result), twice, (given); ld.param.b32 %r20, [result]; })",
                                    R"(
.func (.param .b32 result) twice(.param .b32 given) {
  .reg .pred %p<2>; .reg .b32 %r<4>;
  ld.param.u32 %r1, [given]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;
  add.u32 %r3, %r1, 5; st.param.b32 [result], %r3; ret;
EVEN: shl.b32 %r3, %r1, 1; st.param.b32 [result], %r3; ret; }
)");
  EXPECT_EQ(left_by("tpa", ptx), left_by("ref", ptx));
}

// The functions of singles against the host's doubles.
struct Special {
  const char* name;
  double (*of)(double);
  float low, high;
};

class TpaSpecialFunction : public testing::TestWithParam<Special> {};

TEST_P(TpaSpecialFunction, IsThatOfTheHostWithinARounding) {
  const Special& special = GetParam();
  const std::string ptx =
      kernel_of("mov.b32 %f1, %r5; " + std::string(special.name) + " %f2, %f1; mov.b32 %r20, %f2;");
  Launcher launcher(module_of(ptx), {}, "tpa");
  std::vector<float> in(kThreads);
  for (std::uint32_t i = 0; i < kThreads; ++i)
    in[i] = special.low + (special.high - special.low) * static_cast<float>(i) / (kThreads - 1);
  const float infinity = std::numeric_limits<float>::infinity();
  const float corners[] = {0, -0.0F, infinity, -infinity, std::nanf(""), 1e-40F, -1};
  std::copy(std::begin(corners), std::end(corners), in.begin() + 10);
  const std::uint64_t in_at = launcher.buffer(in);
  const std::uint64_t out_at = launcher.buffer(std::vector<float>(kThreads));
  launcher.run("k", {2, 1, 1}, {kThreads / 2, 1, 1}, {in_at, out_at, in_at});
  const std::vector<float> out = launcher.read<float>(out_at, kThreads);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double wanted = special.of(static_cast<double>(in[i]));
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(out[i])) << special.name << " of " << in[i] << ": " << out[i];
    } else if (std::isinf(static_cast<float>(wanted))) {
      EXPECT_EQ(out[i], static_cast<float>(wanted)) << special.name << " of " << in[i];
    } else {
      EXPECT_NEAR(out[i], wanted, 1e-7 * std::abs(wanted) + 2e-8)
          << special.name << " of " << in[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TpaSpecialFunction,
                         testing::Values(Special{"sin.approx.f32", std::sin, -100, 100},
                                         Special{"cos.approx.f32", std::cos, -3000, 1000},
                                         Special{"sin.approx.f32", std::sin, -1e8F, 1e8F},
                                         Special{"lg2.approx.f32", std::log2, 1e-3F, 40},
                                         Special{"ex2.approx.f32", std::exp2, -160, 140},
                                         Special{"tanh.approx.f32", std::tanh, -9, 9}));

}  // namespace
}  // namespace raddle::machine::tpa
