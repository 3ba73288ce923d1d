// What the instructions that compute become in the kernel IR.
#include <gtest/gtest.h>

#include <span>
#include <string_view>

#include "lang/ptx/reading.h"

namespace raddle::ptx::testing {
namespace {

struct Row {
  std::string_view ptx;
  std::string_view ir;  // in the text form of the kernel IR
};

void expect_rows(std::span<const Row> rows) {
  for (const Row& row : rows) EXPECT_EQ(instructions_of(row.ptx), row.ir) << "of " << row.ptx;
}

TEST(PtxInstructions, ReadsMoves) {
  constexpr Row kRows[] = {
      {"mov.u32 %r1, %r2;", "%r1 = mov.u32 %r2"},
      {"mov.b32 %r1, -1;", "%r1 = mov.b32 0xffffffff"},
      {"mov.b32 %r1, 0x1FFFFFFFFU;", "%r1 = mov.b32 0xffffffff"},
      {"mov.u16 %rs1, 0177;", "%rs1 = mov.u16 127"},
      {"mov.b16 %rs1, 0b101;", "%rs1 = mov.b16 5"},
      {"mov.u64 %rd1, -2;", "%rd1 = mov.u64 0xfffffffffffffffe"},
      {"mov.f32 %f1, 0f3F800000;", "%f1 = mov.f32 1.0"},
      {"mov.f32 %f1, -0f3F800000;", "%f1 = mov.f32 -1.0"},
      {"mov.f32 %f1, 1.5;", "%f1 = mov.f32 1.5"},
      {"mov.f32 %f1, 0d3FF8000000000000;", "%f1 = mov.f32 1.5"},
      {"mov.f64 %fd1, 0d3FF8000000000000;", "%fd1 = mov.f64 1.5"},
      {"mov.f64 %fd1, 0f3F800000;", "%fd1 = mov.f64 1.0"},
      {"mov.f64 %fd1, -2.5e-1;", "%fd1 = mov.f64 -0.25"},
      {"mov.b32 %r1, 0f3F800000;", "%r1 = mov.b32 0x3f800000"},
      {"mov.b64 %rd1, 0d3FF8000000000000;", "%rd1 = mov.b64 0x3ff8000000000000"},
      {"mov.b32 %f1, %r1;", "%f1 = mov.b32 %r1"},
      {"mov.pred %p1, %p2;", "%p1 = mov.pred %p2"},
      {"mov.pred %p1, -1;", "%p1 = mov.pred 1"},
      {"mov.pred %p1, 0;", "%p1 = mov.pred 0"},
      {"mov.u32 %r1, WARP_SZ;", "%r1 = mov.u32 32"},
      {"mov.u32 %r1, (3 + 4) * 2 - 1;", "%r1 = mov.u32 13"},
      {"mov.u32 %r1, 1 << 4 | 3;", "%r1 = mov.u32 19"},
      {"mov.u32 %r1, ~0;", "%r1 = mov.u32 0xffffffff"},
      {"mov.u32 %r1, !0;", "%r1 = mov.u32 1"},
      {"mov.u64 %rd1, data;", "%rd1 = mov.u64 @data"},
      {"mov.u64 %rd1, data+8;", "%rd1 = mov.u64 @data+8"},
      {"mov.u32 %r1, tile;", "%r1 = mov.u32 @tile"},
      {"mov.u64 %rd1, pointer;", "%rd1 = mov.u64 pointer"},
      {"mov.u64 %rd1, k;", "%rd1 = mov.u64 @k"},
      {"mov.u64 %rd1, image;", "%rd1 = mov.u64 @image"},
      {"mov.u32 %r1, %tid.x;", "%r1 = mov.u32 %tid.x"},
      {"mov.u32 %r1, %ntid.y;", "%r1 = mov.u32 %ntid.y"},
      {"mov.u32 %r1, %ctaid.z;", "%r1 = mov.u32 %ctaid.z"},
      {"mov.u32 %r1, %nctaid.x;", "%r1 = mov.u32 %nctaid.x"},
      {"mov.u32 %r1, %laneid;", "%r1 = mov.u32 %laneid"},
      {"mov.u32 %r1, %warpid;", "%r1 = mov.u32 %warpid"},
      {"mov.u32 %r1, %nwarpid;", "%r1 = mov.u32 %nwarpid"},
      {"mov.u32 %r1, %smid;", "%r1 = mov.u32 %smid"},
      {"mov.u32 %r1, %nsmid;", "%r1 = mov.u32 %nsmid"},
      {"mov.u64 %rd1, %gridid;", "%rd1 = mov.u64 %gridid"},
      {"mov.u32 %r1, %lanemask_eq;", "%r1 = mov.u32 %lanemask_eq"},
      {"mov.u32 %r1, %lanemask_lt;", "%r1 = mov.u32 %lanemask_lt"},
      {"mov.u32 %r1, %lanemask_le;", "%r1 = mov.u32 %lanemask_le"},
      {"mov.u32 %r1, %lanemask_gt;", "%r1 = mov.u32 %lanemask_gt"},
      {"mov.u32 %r1, %lanemask_ge;", "%r1 = mov.u32 %lanemask_ge"},
      {"mov.u32 %r1, %clock;", "%r1 = mov.u32 %clock"},
      {"mov.u32 %r1, %clock_hi;", "%r1 = mov.u32 %clock_hi"},
      {"mov.u64 %rd1, %clock64;", "%rd1 = mov.u64 %clock64"},
      {"mov.u64 %rd1, %globaltimer;", "%rd1 = mov.u64 %globaltimer"},
      {"mov.u32 %r1, %globaltimer_lo;", "%r1 = mov.u32 %globaltimer_lo"},
      {"mov.u32 %r1, %dynamic_smem_size;", "%r1 = mov.u32 %dynamic_smem_size"},
      {"mov.u32 %r1, %total_smem_size;", "%r1 = mov.u32 %total_smem_size"},
      {"mov.u32 %r1, %envreg3;", "%r1 = mov.u32 %envreg"},
      {"mov.b64 %rd1, {%r1, %r2};", "%rd1 = pack.b64 %r1, %r2"},
      {"mov.b64 %rd1, {%r1, 7};", "%rd1 = pack.b64 %r1, 7"},
      {"mov.b32 %r1, {%rs1, %rs2};", "%r1 = pack.b32 %rs1, %rs2"},
      {"mov.b64 %rd1, {%rs1, %rs2, %rs3, %rs4};", "%rd1 = pack.b64 %rs1, %rs2, %rs3, %rs4"},
      {"mov.b64 {%r1, %r2}, %rd1;", "%r1, %r2 = unpack.b64 %rd1"},
      {"mov.b64 {%r1, _}, %rd1;", "%r1, _ = unpack.b64 %rd1"},
      {"mov.b64 {_, %r2}, %rd1;", "_, %r2 = unpack.b64 %rd1"},
      {"mov.b32 {%rs1, %rs2}, %r1;", "%rs1, %rs2 = unpack.b32 %r1"},
      {"mov.b64 {%f1, %f2}, %rd1;", "%f1, %f2 = unpack.b64 %rd1"},
      {"cvta.global.u64 %rd1, %rd2;", "%rd1 = cvta.global.u64 %rd2"},
      {"cvta.to.shared.u64 %rd1, %rd2;", "%rd1 = cvta.to.shared.u64 %rd2"},
      {"cvta.to.shared.u32 %r1, %r2;", "%r1 = cvta.to.shared.u32 %r2"},
      {"cvta.local.u64 %rd1, %rd2;", "%rd1 = cvta.local.u64 %rd2"},
      {"cvta.param.u64 %rd1, %rd2;", "%rd1 = cvta.param.u64 %rd2"},
      {"cvta.const.u64 %rd1, table;", "%rd1 = cvta.const.u64 @table"},
      {"isspacep.shared %p1, %rd1;", "%p1 = isspacep.shared %rd1"},
      {"isspacep.shared::cta %p1, %rd1;", "%p1 = isspacep.shared %rd1"},
      {"selp.b32 %r1, %r2, 5, %p1;", "%r1 = selp.b32 %r2, 5, %p1"},
      {"selp.f64 %fd1, %fd2, 0d0000000000000000, %p1;", "%fd1 = selp.f64 %fd2, 0.0, %p1"},
      {"slct.u32.s32 %r1, %r2, %r3, %r4;", "%r1 = slct.u32.s32 %r2, %r3, %r4"},
      {"slct.ftz.f32.f32 %f1, %f2, %f3, %f4;", "%f1 = slct.ftz.f32.f32 %f2, %f3, %f4"},
      {"prmt.b32 %r1, %r2, %r3, 0x5410;", "%r1 = prmt.b32 %r2, %r3, 21520"},
      {"prmt.b32.rc16 %r1, %r2, %r3, %r4;", "%r1 = prmt.rc16.b32 %r2, %r3, %r4"},
      {"add.u32 %r1, %tid.x, 1;", "%moved = mov.u32 %tid.x\n%r1 = add.u32 %moved, 1"},
      {"add.u64 %rd1, %rd2, data;", "%moved = mov.u64 @data\n%rd1 = add.u64 %rd2, %moved"},
      {"createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;", "%rd1 = mov.b64 0"},
  };
  expect_rows(kRows);
}

TEST(PtxInstructions, ReadsConversions) {
  constexpr Row kRows[] = {
      {"cvt.u64.u32 %rd1, %r1;", "%rd1 = cvt.u64.u32 %r1"},
      {"cvt.s32.s8 %r1, %rs1;", "%r1 = cvt.s32.s8 %rs1"},
      {"cvt.u16.u32 %rs1, %r1;", "%rs1 = cvt.u16.u32 %r1"},
      {"cvt.u8.u32 %rs1, %r1;", "%rs1 = cvt.u8.u32 %r1"},
      {"cvt.s8.s32 %r2, %r1;", "%r2 = cvt.s8.s32 %r1"},
      {"cvt.rn.f32.s32 %f1, %r1;", "%f1 = cvt.rn.f32.s32 %r1"},
      {"cvt.rz.f64.u64 %fd1, %rd1;", "%fd1 = cvt.rz.f64.u64 %rd1"},
      {"cvt.rzi.s32.f32 %r1, %f1;", "%r1 = cvt.rzi.s32.f32 %f1"},
      {"cvt.rni.ftz.u64.f32 %rd1, %f1;", "%rd1 = cvt.rni.ftz.u64.f32 %f1"},
      {"cvt.rmi.f32.f32 %f1, %f2;", "%f1 = cvt.rmi.f32.f32 %f2"},
      {"cvt.rpi.f64.f64 %fd1, %fd2;", "%fd1 = cvt.rpi.f64.f64 %fd2"},
      {"cvt.rn.f32.f64 %f1, %fd1;", "%f1 = cvt.rn.f32.f64 %fd1"},
      {"cvt.ftz.f64.f32 %fd1, %f1;", "%fd1 = cvt.ftz.f64.f32 %f1"},
      {"cvt.rn.f16.f32 %rs1, %f1;", "%rs1 = cvt.rn.f16.f32 %f1"},
      {"cvt.f32.f16 %f1, %rs1;", "%f1 = cvt.f32.f16 %rs1"},
      {"cvt.rn.bf16.f32 %rs1, %f1;", "%rs1 = cvt.rn.bf16.f32 %f1"},
      {"cvt.rn.relu.bf16.f32 %rs1, %f1;", "%rs1 = cvt.rn.relu.bf16.f32 %f1"},
      {"cvt.rn.f16x2.f32 %r1, %f1, %f2;", "%r1 = cvt.rn.f16x2.f32 %f1, %f2"},
      {"cvt.rn.relu.bf16x2.f32 %r1, %f1, %f2;", "%r1 = cvt.rn.relu.bf16x2.f32 %f1, %f2"},
      {"cvt.sat.u8.s32 %rs1, %r1;", "%rs1 = cvt.sat.u8.s32 %r1"},
      {"cvt.sat.f32.f32 %f1, %f2;", "%f1 = cvt.sat.f32.f32 %f2"},
      {"cvt.u32.u32 %r1, %tid.x;", "%moved = mov.u32 %tid.x\n%r1 = cvt.u32.u32 %moved"},
  };
  expect_rows(kRows);
}

TEST(PtxInstructions, ReadsArithmetic) {
  constexpr Row kRows[] = {
      {"add.s32 %r1, %r2, -1;", "%r1 = add.s32 %r2, -1"},
      {"add.sat.s32 %r1, %r2, %r3;", "%r1 = add.sat.s32 %r2, %r3"},
      {"add.u16 %rs1, %rs2, -1;", "%rs1 = add.u16 %rs2, 65535"},
      {"add.s64 %rd1, %rd2, -8;", "%rd1 = add.s64 %rd2, -8"},
      {"add.rn.ftz.sat.f32 %f1, %f2, %f3;", "%f1 = add.rn.ftz.sat.f32 %f2, %f3"},
      {"add.f64 %fd1, %fd2, %fd3;", "%fd1 = add.f64 %fd2, %fd3"},
      {"add.rn.f16 %rs1, %rs2, %rs3;", "%rs1 = add.rn.f16 %rs2, %rs3"},
      {"add.f16x2 %r1, %r2, %r3;", "%r1 = add.f16x2 %r2, %r3"},
      {"add.bf16x2 %r1, %r2, %r3;", "%r1 = add.bf16x2 %r2, %r3"},
      {"add.s16x2 %r1, %r2, %r3;",
       "%half#3, %half#4 = unpack.b32 %r2\n%half#5, %half#6 = unpack.b32 %r3\n%half#7 = add.s16 "
       "%half#3, %half#5\n%half#8 = add.s16 %half#4, %half#6\n%r1 = pack.b32 %half#7, %half#8"},
      {"max.u16x2 %r1, %r2, %r3;",
       "%half#3, %half#4 = unpack.b32 %r2\n%half#5, %half#6 = unpack.b32 %r3\n%half#7 = max.u16 "
       "%half#3, %half#5\n%half#8 = max.u16 %half#4, %half#6\n%r1 = pack.b32 %half#7, %half#8"},
      {"sub.u32 %r1, %r2, %r3;", "%r1 = sub.u32 %r2, %r3"},
      {"sub.rz.f64 %fd1, %fd2, %fd3;", "%fd1 = sub.rz.f64 %fd2, %fd3"},
      {"mul.lo.s32 %r1, %r2, %r3;", "%r1 = mul.lo.s32 %r2, %r3"},
      {"mul.hi.u64 %rd1, %rd2, %rd3;", "%rd1 = mul.hi.u64 %rd2, %rd3"},
      {"mul.wide.s32 %rd1, %r2, -4;", "%rd1 = mul.wide.s32 %r2, -4"},
      {"mul.wide.u16 %r1, %rs1, 3;", "%r1 = mul.wide.u16 %rs1, 3"},
      {"mul.rp.f32 %f1, %f2, %f3;", "%f1 = mul.rp.f32 %f2, %f3"},
      {"mad.lo.u32 %r1, %r2, %r3, %r4;", "%r1 = mad.lo.u32 %r2, %r3, %r4"},
      {"mad.wide.u32 %rd1, %r2, %r3, %rd4;", "%rd1 = mad.wide.u32 %r2, %r3, %rd4"},
      {"mad.hi.sat.s32 %r1, %r2, %r3, %r4;", "%r1 = mad.hi.sat.s32 %r2, %r3, %r4"},
      {"mad.rn.f32 %f1, %f2, %f3, %f4;", "%f1 = fma.rn.f32 %f2, %f3, %f4"},
      {"fma.rn.f32 %f1, %f2, 0fC0000000, %f4;", "%f1 = fma.rn.f32 %f2, -2.0, %f4"},
      {"fma.rz.ftz.sat.f32 %f1, %f2, %f3, %f4;", "%f1 = fma.rz.ftz.sat.f32 %f2, %f3, %f4"},
      {"fma.rn.relu.f16x2 %r1, %r2, %r3, %r4;", "%r1 = fma.rn.relu.f16x2 %r2, %r3, %r4"},
      {"fma.rm.f64 %fd1, %fd2, %fd3, %fd4;", "%fd1 = fma.rm.f64 %fd2, %fd3, %fd4"},
      {"mul24.lo.u32 %r1, %r2, %r3;", "%r1 = mul24.lo.u32 %r2, %r3"},
      {"mad24.hi.sat.s32 %r1, %r2, %r3, %r4;", "%r1 = mad24.hi.sat.s32 %r2, %r3, %r4"},
      {"sad.u16 %rs1, %rs2, %rs3, %rs4;", "%rs1 = sad.u16 %rs2, %rs3, %rs4"},
      {"div.s32 %r1, %r2, %r3;", "%r1 = div.s32 %r2, %r3"},
      {"div.u64 %rd1, %rd2, %rd3;", "%rd1 = div.u64 %rd2, %rd3"},
      {"div.rn.f32 %f1, %f2, %f3;", "%f1 = div.rn.f32 %f2, %f3"},
      {"div.approx.ftz.f32 %f1, %f2, %f3;", "%f1 = div.approx.ftz.f32 %f2, %f3"},
      {"div.full.f32 %f1, %f2, %f3;", "%f1 = div.approx.f32 %f2, %f3"},
      {"div.rn.f64 %fd1, %fd2, %fd3;", "%fd1 = div.rn.f64 %fd2, %fd3"},
      {"rem.u32 %r1, %r2, 7;", "%r1 = rem.u32 %r2, 7"},
      {"abs.s32 %r1, %r2;", "%r1 = abs.s32 %r2"},
      {"abs.ftz.f32 %f1, %f2;", "%f1 = abs.ftz.f32 %f2"},
      {"neg.s64 %rd1, %rd2;", "%rd1 = neg.s64 %rd2"},
      {"neg.f16x2 %r1, %r2;", "%r1 = neg.f16x2 %r2"},
      {"min.u32 %r1, %r2, %r3;", "%r1 = min.u32 %r2, %r3"},
      {"min.NaN.f16 %rs1, %rs2, %rs3;", "%rs1 = min.NaN.f16 %rs2, %rs3"},
      {"max.ftz.f32 %f1, %f2, %f3;", "%f1 = max.ftz.f32 %f2, %f3"},
      {"max.s64 %rd1, %rd2, %rd3;", "%rd1 = max.s64 %rd2, %rd3"},
      {"dp4a.s32.u32 %r1, %r2, %r3, %r4;", "%r1 = dp4a.s32.u32 %r2, %r3, %r4"},
      {"dp2a.hi.u32.s32 %r1, %r2, %r3, %r4;", "%r1 = dp2a.hi.u32.s32 %r2, %r3, %r4"},
      {"rcp.approx.ftz.f32 %f1, %f2;", "%f1 = rcp.approx.ftz.f32 %f2"},
      {"rcp.rn.f64 %fd1, %fd2;", "%fd1 = rcp.rn.f64 %fd2"},
      {"rcp.approx.ftz.f64 %fd1, %fd2;", "%fd1 = rcp.approx.ftz.f64 %fd2"},
      {"sqrt.rn.f32 %f1, %f2;", "%f1 = sqrt.rn.f32 %f2"},
      {"sqrt.approx.f32 %f1, %f2;", "%f1 = sqrt.approx.f32 %f2"},
      {"rsqrt.approx.f64 %fd1, %fd2;", "%fd1 = rsqrt.approx.f64 %fd2"},
      {"sin.approx.f32 %f1, %f2;", "%f1 = sin.approx.f32 %f2"},
      {"cos.approx.ftz.f32 %f1, %f2;", "%f1 = cos.approx.ftz.f32 %f2"},
      {"lg2.approx.f32 %f1, %f2;", "%f1 = lg2.approx.f32 %f2"},
      {"ex2.approx.f32 %f1, %f2;", "%f1 = ex2.approx.f32 %f2"},
      {"ex2.approx.f16x2 %r1, %r2;", "%r1 = ex2.approx.f16x2 %r2"},
      {"tanh.approx.f32 %f1, %f2;", "%f1 = tanh.approx.f32 %f2"},
      {"testp.notanumber.f32 %p1, %f1;", "%p1 = testp.notanumber.f32 %f1"},
      {"testp.subnormal.f64 %p1, %fd1;", "%p1 = testp.subnormal.f64 %fd1"},
      {"copysign.f64 %fd1, %fd2, %fd3;", "%fd1 = copysign.f64 %fd2, %fd3"},
  };
  expect_rows(kRows);
}

TEST(PtxInstructions, MakesTheCarryFlagARegister) {
  constexpr Row kRows[] = {
      {"add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, %r6; addc.u32 %r7, %r8, 0;",
       "%r1, %carry = add.cout.u32 %r2, %r3\n%r4, %carry = add.cin.cout.u32 %r5, %r6, %carry\n%r7 "
       "= add.cin.u32 %r8, 0, %carry"},
      {"sub.cc.s64 %rd1, %rd2, %rd3; subc.s64 %rd4, %rd5, 0;",
       "%rd1, %carry = sub.cout.s64 %rd2, %rd3\n%rd4 = sub.cin.s64 %rd5, 0, %carry"},
      {"mad.lo.cc.u32 %r1, %r2, %r3, %r4; madc.hi.cc.u32 %r5, %r2, %r3, %r6; madc.lo.u32 %r7, %r2, "
       "%r3, 0;",
       "%r1, %carry = mad.lo.cout.u32 %r2, %r3, %r4\n%r5, %carry = mad.hi.cin.cout.u32 %r2, %r3, "
       "%r6, %carry\n%r7 = mad.lo.cin.u32 %r2, %r3, 0, %carry"},
  };
  expect_rows(kRows);
}

TEST(PtxInstructions, ReadsComparisonsAndLogic) {
  constexpr Row kRows[] = {
      {"setp.lt.s32 %p1, %r1, 5;", "%p1 = setp.lt.s32 %r1, 5"},
      {"setp.hs.u32 %p1, %r1, %r2;", "%p1 = setp.hs.u32 %r1, %r2"},
      {"setp.eq.b64 %p1, %rd1, 0;", "%p1 = setp.eq.b64 %rd1, 0"},
      {"setp.neu.ftz.f32 %p1, %f1, 0f00000000;", "%p1 = setp.neu.ftz.f32 %f1, 0.0"},
      {"setp.num.f64 %p1, %fd1, %fd2;", "%p1 = setp.num.f64 %fd1, %fd2"},
      {"setp.ge.u16 %p1, %rs1, %rs2;", "%p1 = setp.ge.u16 %rs1, %rs2"},
      {"setp.gt.s32 %p1|%p2, %r1, %r2;", "%p1, %p2 = setp.gt.s32 %r1, %r2"},
      {"setp.gt.s32 _|%p2, %r1, %r2;", "_, %p2 = setp.gt.s32 %r1, %r2"},
      {"setp.gt.and.s32 %p1, %r1, %r2, %p3;", "%p1 = setp.gt.and.s32 %r1, %r2, %p3"},
      {"setp.gt.xor.s32 %p1|%p2, %r1, %r2, !%p3;", "%p1, %p2 = setp.gt.xor.s32 %r1, %r2, !%p3"},
      {"setp.eq.f16x2 %p1|%p2, %r1, %r2;", "%p1, %p2 = setp.eq.f16x2 %r1, %r2"},
      {"setp.ltu.bf16 %p1, %rs1, %rs2;", "%p1 = setp.ltu.bf16 %rs1, %rs2"},
      {"set.lt.u32.s32 %r1, %r2, %r3;", "%r1 = set.lt.u32.s32 %r2, %r3"},
      {"set.ge.f32.f32 %f1, %f2, %f3;", "%f1 = set.ge.f32.f32 %f2, %f3"},
      {"set.eq.or.s32.u64 %r1, %rd2, %rd3, !%p1;", "%r1 = set.eq.or.s32.u64 %rd2, %rd3, !%p1"},
      {"set.gt.f16x2.f16x2 %r1, %r2, %r3;", "%r1 = set.gt.f16x2.f16x2 %r2, %r3"},
      {"and.b32 %r1, %r2, 0xff;", "%r1 = and.b32 %r2, 255"},
      {"and.pred %p1, %p2, %p3;", "%p1 = and.pred %p2, %p3"},
      {"or.b64 %rd1, %rd2, %rd3;", "%rd1 = or.b64 %rd2, %rd3"},
      {"xor.b16 %rs1, %rs2, 1;", "%rs1 = xor.b16 %rs2, 1"},
      {"xor.pred %p1, %p2, !%p3;", "%p1 = xor.pred %p2, !%p3"},
      {"not.b32 %r1, %r2;", "%r1 = not.b32 %r2"},
      {"not.pred %p1, %p2;", "%p1 = not.pred %p2"},
      {"cnot.b32 %r1, %r2;", "%r1 = cnot.b32 %r2"},
      {"lop3.b32 %r1, %r2, %r3, %r4, 0x96;", "%r1 = lop3.b32 %r2, %r3, %r4, 150"},
      {"shl.b64 %rd1, %rd2, %r3;", "%rd1 = shl.b64 %rd2, %r3"},
      {"shl.b16 %rs1, %rs2, 3;", "%rs1 = shl.b16 %rs2, 3"},
      {"shr.s32 %r1, %r2, 31;", "%r1 = shr.s32 %r2, 31"},
      {"shr.u64 %rd1, %rd2, 32;", "%rd1 = shr.u64 %rd2, 32"},
      {"shr.b32 %r1, %r2, %r3;", "%r1 = shr.b32 %r2, %r3"},
      {"shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "%r1 = shf.l.wrap.b32 %r2, %r3, %r4"},
      {"shf.r.clamp.b32 %r1, %r2, %r3, 8;", "%r1 = shf.r.clamp.b32 %r2, %r3, 8"},
      {"popc.b64 %r1, %rd2;", "%r1 = popc.b64 %rd2"},
      {"clz.b32 %r1, %r2;", "%r1 = clz.b32 %r2"},
      {"bfind.u64 %r1, %rd2;", "%r1 = bfind.u64 %rd2"},
      {"bfind.shiftamt.s32 %r1, %r2;", "%r1 = bfind.shiftamt.s32 %r2"},
      {"fns.b32 %r1, %r2, %r3, -1;", "%r1 = fns.b32 %r2, %r3, 0xffffffff"},
      {"brev.b64 %rd1, %rd2;", "%rd1 = brev.b64 %rd2"},
      {"bfe.s64 %rd1, %rd2, 8, %r4;", "%rd1 = bfe.s64 %rd2, 8, %r4"},
      {"bfi.b32 %r1, %r2, %r3, 8, 4;", "%r1 = bfi.b32 %r2, %r3, 8, 4"},
      {"bmsk.wrap.b32 %r1, %r2, %r3;", "%r1 = bmsk.wrap.b32 %r2, %r3"},
      {"szext.clamp.u32 %r1, %r2, 5;", "%r1 = szext.clamp.u32 %r2, 5"},
  };
  expect_rows(kRows);
}

}  // namespace
}  // namespace raddle::ptx::testing
