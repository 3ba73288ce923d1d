// A module in the IR's text form, valid, in which every opcode and every kind of table occurs.
#pragma once

#include <string_view>

namespace raddle::kernel {

inline constexpr std::string_view kEveryOpcode = R"(module "every.cu" ptx 7.5 target 70
file every.cu "/home/user/every.cu"
file vars.h#2 "/usr/include/vars.h"
file vars.h#3 "/opt/include/vars.h"

visible global @table[64] align 8 {
  bytes "01020304 05060708"
  zero 40
  bytes "ff"
  address 8 at 48 = generic @table+4
  address 1 at 56 = @callee-2 shift 8
}
visible global @managed[4] managed
const @limits[16]
shared @tile[1024] align 4
extern shared @dynamic[0] align 16
global texture @image[8]
global sampler @smp[8]
global surface @canvas[8]
weak global @"odd name"[4]

prototype signature(a[4], a[8]) -> (r[4])

extern function @vprintf(format[8], arguments[8]) -> (result[4])

function @callee(x[4], y[8]) -> (r[4]) noreturn !loc every.cu:3:0 {
  register b32 r1, r2
  register f32 r3

start:
  %r1 = ld.param.b32 [x]
  st.param.b32 [r], %r1
  ret.uni
}

visible kernel @every(n[4], s[24] align 8, p[8], late[4] at 64) !loc every.cu:8:0 {
  max_threads 256 1 1
  required_threads 64 2 1
  min_blocks 2
  max_registers 32
  call_slot param0[4]
  call_slot param1[8]
  call_slot retval0[4]
  call_slot printed[8] align 16
  local __local_depot0[32] align 8
  channel "sum"
  channel "a name, \"quoted\""
  register pred p1-p3
  register b16 h1-h2
  register b32 r1-r9, tid#14, r1.1
  register f32 f1-f4
  register b64 rd1-rd3
  register f64 d1
  register f16x2 x1
  register u8 c1

entry:
  %r1 = ld.param.u32 [n]                                        !loc every.cu:9:35
  %rd1 = ld.param.u64 [p]                                       !loc vars.h#2:53:3 in every.cu:9:35
  %rd2 = ld.param.b64 [s+16]                                    !loc vars.h#3:7:1 in vars.h#2:53:3 in every.cu:9:35
  %r2 = mov.u32 %tid.x                                          !loc #3
  %r3 = mov.u32 %WARP_SZ
  %rd3 = mov.u64 @table+8
  %f1 = mov.f32 -1.5
  %f2 = mov.f32 0x7fc00000
  %d1 = mov.f64 0.1
  %p1 = mov.pred 1
  %tid#14 = mov.b32 -1
  %rd1 = pack.b64 %r1, %r2
  %r1, _ = unpack.b64 %rd1
  %r1 = cvt.rzi.ftz.sat.s32.f32 %f1
  %x1 = cvt.rn.f16x2.f32 %f1, %f2
  %rd2 = cvta.to.global.u64 %rd1
  %rd2 = cvta.shared.u64 @tile
  %p1 = isspacep.local %rd2
  %r1 = selp.b32 %r2, 7, %p1
  %r1 = slct.b32.f32 %r2, %r3, %f1
  %r1 = prmt.f4e.b32 %r2, %r3, %r4
  %r1, %p1 = add.cout.u32 %r2, %r3
  %r1 = add.cin.u32 %r2, %r3, %p1
  %f1 = sub.rn.ftz.sat.f32 %f2, %f3
  %rd1 = mul.wide.s32 %r1, -4
  %r1 = mad.lo.s32 %r2, %r3, %r4
  %f1 = fma.rn.relu.f32 %f1, %f2, 0.5
  %r1 = mul24.lo.s32 %r2, %r3
  %r1 = mad24.hi.u32 %r2, %r3, %r4
  %r1 = sad.s32 %r2, %r3, %r4
  %f1 = div.approx.ftz.f32 %f2, %f3
  %r1 = rem.s32 %r2, 10
  %r1 = abs.s32 %r2
  %f1 = neg.ftz.f32 %f2
  %f1 = min.NaN.f32 %f2, %f3
  %r1 = max.u32 %r2, 0xffffffff
  %r1 = dp4a.s32.u32 %r2, %r3, %r4
  %r1 = dp2a.hi.s32.s32 %r2, %r3, %r4
  %f1 = rcp.rn.f32 %f2
  %f1 = sqrt.approx.f32 %f2
  %f1 = rsqrt.approx.ftz.f32 %f2
  %f1 = sin.approx.f32 %f2
  %f1 = cos.approx.f32 %f2
  %f1 = lg2.approx.f32 %f2
  %f1 = ex2.approx.f32 %f2
  %f1 = tanh.approx.f32 %f2
  %p1 = testp.notanumber.f32 %f1
  %f1 = copysign.f32 %f2, %f3
  %r1 = set.gt.and.s32.f32 %f1, %f2, !%p1
  %p1, %p2 = setp.lo.xor.u32 %r1, %r2, %p3
  %r1 = and.b32 %r2, 0xfffffff0
  %p1 = or.pred %p2, %p3
  %r1 = xor.b32 %r2, %r3
  %r1 = not.b32 %r2
  %r1 = cnot.b32 %r2
  %r1 = lop3.b32 %r2, %r3, %r4, 150
  %rd1 = shl.b64 %rd2, 3
  %r1 = shr.s32 %r2, %r3
  %r1 = shf.l.wrap.b32 %r2, %r3, %r4
  %r1 = popc.b64 %rd1
  %r1 = clz.b32 %r2
  %r1 = bfind.shiftamt.u32 %r2
  %r1 = fns.b32 %r2, %r3, %r4
  %r1 = brev.b32 %r2
  %r1 = bfe.s32 %r2, 4, 8
  %r1 = bfi.b32 %r2, %r3, 0, 8
  %r1 = bmsk.clamp.b32 %r2, %r3
  %r1 = szext.wrap.s32 %r2, %r3
  %f1, %f2, _, %f4 = ld.global.nc.f32 [%rd1-16]
  %r1 = ld.acquire.gpu.generic.u8 [%rd1]
  %r1 = ld.shared.b32 [(@tile+16)+4]
  %r1 = ld.const.u32 [@limits+4]
  %r1 = ld.local.u32 [__local_depot0]
  st.volatile.shared.f32 [%r1+128], %f1
  st.global.b32 [4096], %r1, %r2
  @!%p1 %r1 = atom.relaxed.sys.global.cas.b32 [%rd1], %r2, %r3
  atom.global.add.f32 [%rd1+4], %f1
  prefetch.global [%rd1]
  fence.acq_rel.gpu
  cp.async.shared [%r1], [%rd1], 16
  cp.async.wait.group 1
  %r1, %r2 = ldmatrix.shared.trans [%r3+16]
  stmatrix.shared [%r1], %r2
  %f1, %f2, %f3, %f4 = tex.level.2d.f32.f32 @image, @smp, %f1, %f2, 0.0
  %r1, %r2, %r3, %r4 = tld4.g.u32.f32 %rd1, %f1, %f2
  %r1 = txq.width.b32 @image
  %r1 = suld.2d.clamp.b32 @canvas, %r1, %r2
  sust.a2d.trap.b32 @canvas, %r1, %r2, %r3, %r4
  %r1, %p1 = shfl.sync.bfly.b32 %r2, 16, 31, -1
  %r1 = vote.sync.ballot.b32 %p1, -1
  %p1 = vote.sync.uni.pred !%p1, %r2
  %r1 = match.sync.any.b32 %r2, -1
  %r1 = redux.sync.add.s32 %r2, -1
  %r1, %r2 = mma.sync.m8n8k16.s32 %r3, %r4, %r5, %r6 {a_element=5, b_element=6}
  %r1 = movmatrix.sync %r2
  %r1 = activemask.b32
  bar.warp.sync -1
  nanosleep.u32 100
  brkpt
  bar.sync 0
  bar.arrive 1, 64
  %r1 = bar.red.popc.u32 0, _, %p1
  call.uni @vprintf(param1, printed) -> (retval0)
  call %rd1(param0, param1) -> (retval0) prototype signature
  it.tag.f32 %f1 {channel=3}
  %f1 = it.recv.const.f32 0.0 {channel=3, delta=(-1, 0, 0), window=32}
  %f1 = it.recv.load.f32 [%rd1+4], %p1 {channel=4, delta=(0, 2, -3)}
  @%p1 bra entry
  
#1:
  @!%p2 bra.uni "a label"

L2:
  brx.idx %r1 -> entry, #1, L2, "a label"

"a label":
  @%p1 trap

L4:
  @!%p1 exit

L5:
  ret
}

function @phis(x[4]) -> (r[4]) {
  register b32 a, b, c
  register pred p

entry:
  %a = ld.param.b32 [x]
  %p = setp.eq.s32 %a, 0
  @%p bra join

other:
  %b = add.s32 %a, 1

join:
  %c = phi.b32 %a, %b
  st.param.b32 [r], %c
  ret
}
)";

}  // namespace raddle::kernel
