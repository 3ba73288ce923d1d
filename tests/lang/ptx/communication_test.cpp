// What memory accesses, textures, warp operations, barriers and control become in the kernel IR.
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

TEST(PtxInstructions, ReadsMemoryAccesses) {
  constexpr Row kRows[] = {
      {"ld.global.f32 %f1, [%rd1];", "%f1 = ld.global.f32 [%rd1]"},
      {"ld.global.f32 %f1, [%rd1+4];", "%f1 = ld.global.f32 [%rd1+4]"},
      {"ld.global.f32 %f1, [%rd1+-4];", "%f1 = ld.global.f32 [%rd1-4]"},
      {"ld.global.f32 %f1, [%rd1-4];", "%f1 = ld.global.f32 [%rd1-4]"},
      {"ld.global.u32 %r1, [data+8];", "%r1 = ld.global.u32 [@data+8]"},
      {"ld.u8 %r1, [%rd1];", "%r1 = ld.generic.u8 [%rd1]"},
      {"ld.shared.b16 %rs1, [%r1];", "%rs1 = ld.shared.b16 [%r1]"},
      {"ld.shared::cta.b16 %rs1, [tile+2];", "%rs1 = ld.shared.b16 [@tile+2]"},
      {"ld.const.f32 %f1, [table+4];", "%f1 = ld.const.f32 [@table+4]"},
      {"ld.local.u64 %rd1, [%rd2];", "%rd1 = ld.local.u64 [%rd2]"},
      {"ld.param.u32 %r1, [number];", "%r1 = ld.param.u32 [number]"},
      {"ld.param::entry.u64 %rd1, [pointer];", "%rd1 = ld.param.u64 [pointer]"},
      {"ld.shared.u32 %r1, [16];", "%r1 = ld.shared.u32 [16]"},
      {"ld.global.v2.f32 {%f1, %f2}, [%rd1];", "%f1, %f2 = ld.global.f32 [%rd1]"},
      {"ld.global.v4.b32 { %r1, _, %r3, %r4 }, [ %rd1 + 0 ];",
       "%r1, _, %r3, %r4 = ld.global.b32 [%rd1]"},
      {"ld.global.b32 { %r1 }, [%rd1];", "%r1 = ld.global.b32 [%rd1]"},
      {"ld.volatile.shared.s32 %r1, [tile];", "%r1 = ld.volatile.shared.s32 [@tile]"},
      {"ld.relaxed.gpu.global.u32 %r1, [%rd1];", "%r1 = ld.relaxed.gpu.global.u32 [%rd1]"},
      {"ld.acquire.sys.global.u32 %r1, [%rd1];", "%r1 = ld.acquire.sys.global.u32 [%rd1]"},
      {"ld.weak.global.cg.u32 %r1, [%rd1];", "%r1 = ld.global.u32 [%rd1]"},
      {"ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1];",
       "%r1, %r2, %r3, %r4 = ld.global.nc.u32 [%rd1]"},
      {"ld.global.L1::evict_last.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
       "%r1 = ld.global.u32 [%rd1]"},
      {"ldu.global.u32 %r1, [%rd1];", "%r1 = ld.global.nc.u32 [%rd1]"},
      {"st.global.f32 [%rd1], %f1;", "st.global.f32 [%rd1], %f1"},
      {"st.global.cs.f32 [%rd1], 0f3F800000;", "st.global.f32 [%rd1], 1.0"},
      {"st.u8 [%rd1], %r1;", "st.generic.u8 [%rd1], %r1"},
      {"st.shared.v4.f32 [%r1], {%f1, %f2, 0f00000000, %f4};",
       "st.shared.f32 [%r1], %f1, %f2, 0.0, %f4"},
      {"st.global.b16 [%rd1], { %rs1 };", "st.global.b16 [%rd1], %rs1"},
      {"st.release.cta.global.u64 [%rd1], 5;", "st.release.cta.global.u64 [%rd1], 5"},
      {"st.volatile.global.u32 [%rd1+8], %r1;", "st.volatile.global.u32 [%rd1+8], %r1"},
      {"st.local.u8 [%rd1], 256;", "st.local.u8 [%rd1], 0"},
      {"atom.global.add.u32 %r1, [%rd1], 1;", "%r1 = atom.global.add.u32 [%rd1], 1"},
      {"atom.add.f32 %f1, [%rd1], %f2;", "%f1 = atom.generic.add.f32 [%rd1], %f2"},
      {"atom.shared.add.f64 %fd1, [tile], %fd2;", "%fd1 = atom.shared.add.f64 [@tile], %fd2"},
      {"atom.global.add.noftz.f16x2 %r1, [%rd1], %r2;", "%r1 = atom.global.add.f16x2 [%rd1], %r2"},
      {"atom.add.noftz.bf16 %rs1, [%rd1], %rs2;", "%rs1 = atom.generic.add.bf16 [%rd1], %rs2"},
      {"atom.global.min.s64 %rd1, [%rd2], %rd3;", "%rd1 = atom.global.min.s64 [%rd2], %rd3"},
      {"atom.max.u32 %r1, [%rd1+4], %r2;", "%r1 = atom.generic.max.u32 [%rd1+4], %r2"},
      {"atom.inc.u32 %r1, [%rd1], 7;", "%r1 = atom.generic.inc.u32 [%rd1], 7"},
      {"atom.dec.u32 %r1, [%rd1], 7;", "%r1 = atom.generic.dec.u32 [%rd1], 7"},
      {"atom.and.b32 %r1, [%rd1], %r2;", "%r1 = atom.generic.and.b32 [%rd1], %r2"},
      {"atom.or.b64 %rd1, [%rd2], %rd3;", "%rd1 = atom.generic.or.b64 [%rd2], %rd3"},
      {"atom.xor.b32 _, [%rd1], %r2;", "atom.generic.xor.b32 [%rd1], %r2"},
      {"atom.exch.b64 %rd1, [%rd2], %rd3;", "%rd1 = atom.generic.exch.b64 [%rd2], %rd3"},
      {"atom.cas.b16 %rs1, [%rd1], %rs2, %rs3;", "%rs1 = atom.generic.cas.b16 [%rd1], %rs2, %rs3"},
      {"atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], 0, 1;",
       "%r1 = atom.acq_rel.gpu.global.cas.b32 [%rd1], 0, 1"},
      {"atom.global.cas.b64 %rd1, [%rd2], %rd3, %rd4;",
       "%rd1 = atom.global.cas.b64 [%rd2], %rd3, %rd4"},
      {"red.global.add.f32 [%rd1], %f1;", "atom.global.add.f32 [%rd1], %f1"},
      {"red.relaxed.sys.global.max.s32 [%rd1], %r1;",
       "atom.relaxed.sys.global.max.s32 [%rd1], %r1"},
      {"prefetch.global.L2 [%rd1];", "prefetch.global [%rd1]"},
      {"prefetch.L1 [%rd1+64];", "prefetch.generic [%rd1+64]"},
      {"prefetch.global.L2::evict_last [%rd1];", "prefetch.global [%rd1]"},
      {"prefetchu.L1 [%rd1];", "prefetch.generic [%rd1]"},
      {"membar.cta;", "fence.sc.cta"},
      {"membar.gl;", "fence.sc.gpu"},
      {"membar.sys;", "fence.sc.sys"},
      {"fence.sc.gpu;", "fence.sc.gpu"},
      {"fence.acq_rel.cta;", "fence.acq_rel.cta"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 4;", "cp.async.shared [%r1], [%rd1], 4"},
      {"cp.async.cg.shared.global.L2::128B [%r1+16], [%rd1], 16, %r2;",
       "cp.async.shared [%r1+16], [%rd1], 16, %r2"},
      {"cp.async.ca.shared.global [tile], [%rd1+32], 8;",
       "%moved = add.u64 %rd1, 32\ncp.async.shared [@tile], [%moved], 8"},
      {"cp.async.ca.shared.global [tile+8], [data+32], 8;",
       "cp.async.shared [@tile+8], [(@data+32)], 8"},
      {"cp.async.commit_group;", ""},
      {"cp.async.wait_group 2;", "cp.async.wait.group 2"},
      {"cp.async.wait_all;", "cp.async.wait.all"},
  };
  expect_rows(kRows);
}

TEST(PtxInstructions, ReadsTexturesAndSurfaces) {
  constexpr Row kRows[] = {
      {"tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];",
       "%f1, %f2, %f3, %f4 = tex.1d.f32.s32 %rd1, %r1"},
      {"tex.1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [image, %f1];",
       "%r1, %r2, %r3, %r4 = tex.1d.u32.f32 @image, %f1"},
      {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f5,%f6}];",
       "%f1, %f2, %f3, %f4 = tex.2d.f32.f32 @image, %f5, %f6"},
      {"tex.2d.v4.s32.f32 {%r1,_,_,_}, [image, filter, {%f5,%f6}];",
       "%r1, _, _, _ = tex.2d.s32.f32 @image, %f5, %f6"},
      {"tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6,%f7,%f8}];",
       "%f1, %f2, %f3, %f4 = tex.3d.f32.f32 %rd1, %f5, %f6, %f7"},
      {"tex.a1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%f6}];",
       "%f1, %f2, %f3, %f4 = tex.a1d.f32.f32 %rd1, %r1, %f6"},
      {"tex.a2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%r2,%r3,%r4}];",
       "%f1, %f2, %f3, %f4 = tex.a2d.f32.s32 %rd1, %r1, %r2, %r3"},
      {"tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6,%f7,%f8}];",
       "%f1, %f2, %f3, %f4 = tex.cube.f32.f32 %rd1, %f5, %f6, %f7"},
      {"tex.level.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5}], %f6;",
       "%f1, %f2, %f3, %f4 = tex.level.1d.f32.f32 %rd1, %f5, %f6"},
      {"tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}], 0f00000000;",
       "%f1, %f2, %f3, %f4 = tex.level.2d.f32.f32 %rd1, %f5, %f6, 0.0"},
      {"tex.level.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6,%f7,%f7}], %f8;",
       "%f1, %f2, %f3, %f4 = tex.level.3d.f32.f32 %rd1, %f5, %f6, %f7, %f8"},
      {"tld4.g.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f5,%f6}];",
       "%f1, %f2, %f3, %f4 = tld4.g.f32.f32 @image, %f5, %f6"},
      {"txq.width.b32 %r1, [image];", "%r1 = txq.width.b32 @image"},
      {"txq.channel_order.b32 %r1, [%rd1];", "%r1 = txq.channel_order.b32 %rd1"},
      {"suq.height.b32 %r1, [canvas];", "%r1 = txq.height.b32 @canvas"},
      {"suld.b.1d.b8.trap %rs1, [canvas, {%r1}];", "%rs1 = suld.1d.trap.b8 @canvas, %r1"},
      {"suld.b.2d.v2.b32.clamp {%r1,%r2}, [%rd1, {%r3,%r4}];",
       "%r1, %r2 = suld.2d.clamp.b32 %rd1, %r3, %r4"},
      {"suld.b.3d.v4.b16.zero {%rs1,%rs2,%rs3,%rs4}, [%rd1, {%r1,%r2,%r3,%r4}];",
       "%rs1, %rs2, %rs3, %rs4 = suld.3d.zero.b16 %rd1, %r1, %r2, %r3"},
      {"suld.b.a2d.b64.trap %rd1, [%rd2, {%r1,%r2,%r3,%r4}];",
       "%rd1 = suld.a2d.trap.b64 %rd2, %r1, %r2, %r3"},
      {"sust.b.1d.b32.trap [canvas, {%r1}], %r2;", "sust.1d.trap.b32 @canvas, %r1, %r2"},
      {"sust.b.2d.v4.b32.zero [%rd1, {%r1,%r2}], {%r3,%r4,%r5,%r6};",
       "sust.2d.zero.b32 %rd1, %r1, %r2, %r3, %r4, %r5, %r6"},
  };
  expect_rows(kRows);
}

TEST(PtxInstructions, ReadsWarpAndBarrierOperations) {
  constexpr Row kRows[] = {
      {"shfl.sync.up.b32 %r1, %r2, 1, 0, -1;", "%r1 = shfl.sync.up.b32 %r2, 1, 0, 0xffffffff"},
      {"shfl.sync.down.b32 %r1|%p1, %r2, %r3, 31, %r4;",
       "%r1, %p1 = shfl.sync.down.b32 %r2, %r3, 31, %r4"},
      {"shfl.sync.bfly.b32 %f1, %f2, 0x10, 0x1f, 0xffffffff;",
       "%f1 = shfl.sync.bfly.b32 %f2, 16, 31, 0xffffffff"},
      {"shfl.idx.b32 %r1|%p1, %r2, 3, 31;", "%r1, %p1 = shfl.idx.b32 %r2, 3, 31"},
      {"vote.sync.all.pred %p1, %p2, -1;", "%p1 = vote.sync.all.pred %p2, 0xffffffff"},
      {"vote.sync.any.pred %p1, !%p2, %r1;", "%p1 = vote.sync.any.pred !%p2, %r1"},
      {"vote.uni.pred %p1, %p2;", "%p1 = vote.uni.pred %p2"},
      {"vote.ballot.b32 %r1, %p2;", "%r1 = vote.ballot.b32 %p2"},
      {"vote.sync.ballot.b32 %r1, 1, 0xffffffff;", "%r1 = vote.sync.ballot.b32 1, 0xffffffff"},
      {"match.any.sync.b64 %r1, %rd2, -1;", "%r1 = match.sync.any.b64 %rd2, 0xffffffff"},
      {"match.all.sync.b32 %r1|%p1, %r2, %r3;", "%r1, %p1 = match.sync.all.b32 %r2, %r3"},
      {"redux.sync.add.s32 %r1, %r2, -1;", "%r1 = redux.sync.add.s32 %r2, 0xffffffff"},
      {"redux.sync.xor.b32 %r1, %r2, %r3;", "%r1 = redux.sync.xor.b32 %r2, %r3"},
      {"activemask.b32 %r1;", "%r1 = activemask.b32"},
      {"bar.warp.sync 0xffffffff;", "bar.warp.sync 0xffffffff"},
      {"bar.sync 0;", "bar.sync 0"},
      {"bar.sync %r1, 64;", "bar.sync %r1, 64"},
      {"bar.arrive 1, 64;", "bar.arrive 1, 64"},
      {"bar.red.popc.u32 %r1, 0, %p1;", "%r1 = bar.red.popc.u32 0, _, %p1"},
      {"bar.red.and.pred %p1, 0, 64, !%p2;", "%p1 = bar.red.and.pred 0, 64, !%p2"},
      {"bar.cta.red.or.pred %p1, 0, %p2;", "%p1 = bar.red.or.pred 0, _, %p2"},
      {"barrier.sync 1;", "bar.sync 1"},
      {"barrier.sync.aligned 1, 96;", "bar.sync 1, 96"},
      {"barrier.cta.sync.aligned 0;", "bar.sync 0"},
      {"barrier.cta.arrive 2, 64;", "bar.arrive 2, 64"},
      {"barrier.red.popc.aligned.u32 %r1, 0, %p1;", "%r1 = bar.red.popc.u32 0, _, %p1"},
  };
  expect_rows(kRows);
}

TEST(PtxInstructions, ReadsControlAndGuards) {
  constexpr Row kRows[] = {
      {"trap;", "trap"},
      {"@%p1 exit;", "@%p1 exit"},
      {"@!%p2 ret;", "@!%p2 ret"},
      {"ret.uni;", ""},
      {"brkpt;", "brkpt"},
      {"nanosleep.u32 %r1;", "nanosleep.u32 %r1"},
      {"pmevent 3;", ""},
      {"@%p1 add.s32 %r1, %r2, %r3;", "@%p1 %r1 = add.s32 %r2, %r3"},
      {"@!%p1 st.global.u32 [%rd1], 1;", "@!%p1 st.global.u32 [%rd1], 1"},
      {";", ""},
  };
  expect_rows(kRows);
}

}  // namespace
}  // namespace raddle::ptx::testing
