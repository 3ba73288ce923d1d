// The exact words for what is wrong inside a function.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "lang/ptx/reading.h"

namespace raddle::ptx::testing {
namespace {

struct Row {
  std::string_view body;
  std::string_view message;
  int line = kBodyLine;
};

void expect_rows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    const std::string where = "test.ptx:" + std::to_string(row.line) + ": ";
    EXPECT_EQ(kernel_error_of(row.body), where + std::string(row.message)) << "of " << row.body;
  }
}

TEST(PtxErrors, NameWhatIsNotKnown) {
  constexpr Row kRows[] = {
      {"frobnicate.f32 %f1, %f2;", "unknown instruction 'frobnicate.f32'"},
      {"fms.rn.f32 %f1, %f2, %f3, %f4;",
       "unknown instruction 'fms.rn.f32'\nhint: did you mean 'fma'?"},
      {"add.foo.s32 %r1, %r2, %r3;", "unknown modifier '.foo' of 'add.foo.s32'"},
      {"add.s32 %r1, %r2, %r99;", "unknown register '%r99'"},
      {"add.s32 %r1, %r2, nobody;", "unknown name 'nobody'"},
      {"mov.u32 %r1, %nowhere;", "unknown register '%nowhere'"},
      {"bra nowhere;", "unknown label 'nowhere'"},
      {"brx.idx %r1, nowhere;", "unknown branch targets 'nowhere'"},
      {"call nobody, (%r1);", "unknown function 'nobody'"},
      {".frob;", "unknown directive '.frob'"},
      {"mov.u32 %r1, %tid.q;", "'%tid' needs .x, .y or .z after it"},
  };
  expect_rows(kRows);
}

TEST(PtxErrors, NameWhatIsNotSupported) {
  constexpr Row kRows[] = {
      {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
       "this shape and types of 'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32' are not "
       "supported (matrix units)"},
      {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
       "the word '.sp' of 'mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32' is not supported "
       "(matrix units)"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
       "matrix d of 'mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32' takes 4 registers, 1 is "
       "given"},
      {"wgmma.fence.sync.aligned;",
       "the instruction 'wgmma.fence.sync.aligned' is not supported (matrix units)"},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2];",
       "matrix d of 'ldmatrix.sync.aligned.m8n8.x4.shared.b16' takes 4 registers, 1 is given"},
      {"ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r1}, [%r2];",
       "the word '.m16n16' of 'ldmatrix.sync.aligned.m16n16.x1.shared.b8' is not supported (matrix "
       "units)"},
      {"mbarrier.arrive.shared::cluster.b64 _, [%r1];",
       "the word '.shared::cluster' of 'mbarrier.arrive.shared::cluster.b64' is not supported "
       "(barriers in shared memory)"},
      {"barrier.cluster.arrive.aligned;",
       "the instruction 'barrier.cluster.arrive.aligned' is not supported (thread-block clusters)"},
      {"griddepcontrol.wait;",
       "the instruction 'griddepcontrol.wait' is not supported (programmatic dependent launch)"},
      {"cp.async.bulk.commit_group;",
       "the instruction 'cp.async.bulk.commit_group' is not supported (bulk asynchronous copies)"},
      {"fence.proxy.async;",
       "the instruction 'fence.proxy.async' is not supported (memory proxies)"},
      {"cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;",
       "the instruction 'cvt.pack.sat.u8.s32.b32' is not supported (packing conversions)"},
      {"sust.p.2d.b32.trap [canvas, {%r1, %r2}], {%r3};",
       "the instruction 'sust.p.2d.b32.trap' is not supported (formatted surface stores)"},
      {"vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;",
       "the instruction 'vadd4.u32.u32.u32' is not supported (video instructions)"},
      {"max.xorsign.abs.f32 %f1, %f2, %f3;",
       "the modifier '.xorsign' of 'max.xorsign.abs.f32' is not supported (minimum and maximum "
       "with the sign of a product)"},
      {"ld.shared::cluster.u32 %r1, [%r2];",
       "the modifier '.shared::cluster' of 'ld.shared::cluster.u32' is not supported (thread-block "
       "clusters)"},
      {"atom.add.cluster.u32 %r1, [%rd1], 1;",
       "the modifier '.cluster' of 'atom.add.cluster.u32' is not supported (thread-block "
       "clusters)"},
      {"ld.global.v8.b32 {%r1}, [%rd1];",
       "the modifier '.v8' of 'ld.global.v8.b32' is not supported (vectors of more than four "
       "elements)"},
      {"ld.global.b128 %rd1, [%rd2];", "the type '.b128' of 'ld.global.b128' is not supported"},
      {"cvt.rz.tf32.f32 %r1, %f1;", "the type '.tf32' of 'cvt.rz.tf32.f32' is not supported"},
      {"cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;",
       "the type '.e4m3x2' of 'cvt.rn.satfinite.e4m3x2.f32' is not supported"},
      {"mov.u32 %r1, %clusterid.x;",
       "the special register '%clusterid' is not supported (thread-block clusters)"},
      {"mov.u32 %r1, %pm0;", "the special register '%pm0' is not supported (performance counters)"},
      {"tex.level.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%r1,%f5,%f6,%f6}], %f7;",
       "levels of layered and cube textures are not supported in 'tex.level.a2d.v4.f32.f32'"},
      {"tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f5,%f6}], {%f5,%f6}, {%f5,%f6};",
       "the modifier '.grad' of 'tex.grad.2d.v4.f32.f32' is not supported (texture gradients)"},
      {".reg .v4 .f32 %v;", "vector registers are not supported"},
      {".reg .b128 %q;", "the type '.b128' is not supported"},
      {".local .u32 x = 4;", "a variable in local memory has no initial value"},
      {"createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], 4, 8;",
       "the instruction 'createpolicy.range.global.L2::evict_last.b64' is not supported (cache "
       "policies of address ranges)"},
  };
  expect_rows(kRows);
}

TEST(PtxErrors, CheckTypesAndModifiers) {
  constexpr Row kRows[] = {
      {"add %r1, %r2, %r3;", "'add' needs a type"},
      {"add.u8 %rs1, %rs2, %rs3;", "the type '.u8' is not valid for 'add'"},
      {"add.pred %p1, %p2, %p3;", "the type '.pred' is not valid for 'add'"},
      {"cvt.f32 %f1, %f2;", "'cvt' needs a second type"},
      {"cvt.f32.b32 %f1, %r2;", "the second type '.b32' is not valid for 'cvt'"},
      {"setp.lt.s32.s32 %p1, %r1, %r2;", "the second type '.s32' is not valid for 'setp'"},
      {"cvt.f32.f64.f64 %f1, %fd1;", "the type '.f64' is one too many for 'cvt'"},
      {"bar.sync.u32 0;", "the type '.u32' is not valid for 'bar.sync'"},
      {"mul.s32 %r1, %r2, %r3;", "'mul.s32' needs .lo, .hi or .wide"},
      {"div.f32 %f1, %f2, %f3;", "'div.f32' needs .rn, .rz, .rm, .rp, .approx or .full"},
      {"setp.s32 %p1, %r1, %r2;",
       "'setp.s32' needs .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi, .hs, .equ, .neu, .ltu, .leu, "
       ".gtu, .geu, .num or .nan"},
      {"shf.l.b32 %r1, %r2, %r3, %r4;", "'shf.l.b32' needs .clamp or .wrap"},
      {"tex.2d.f32.f32 %f1, [image, {%f1, %f2}];", "'tex.2d.f32.f32' needs .v2 or .v4"},
      {"add.wide.s32 %rd1, %r2, %r3;", "the modifier '.wide' is not valid for 'add.wide.s32'"},
      {"add.rn.s32 %r1, %r2, %r3;", "the modifier '.rn' is not valid for 'add.rn.s32'"},
      {"add.rn.rz.f32 %f1, %f2, %f3;",
       "the modifier '.rz' of 'add.rn.rz.f32' contradicts an earlier one"},
      {"ld.global.shared.u32 %r1, [%rd1];",
       "the modifier '.shared' of 'ld.global.shared.u32' contradicts an earlier one"},
      {"sin.f32 %f1, %f2;", "'sin.f32' needs .approx"},
  };
  expect_rows(kRows);
}

TEST(PtxErrors, CheckOperands) {
  constexpr Row kRows[] = {
      {"add.s32 %r1, %r2;", "'add.s32' takes 3 operands, 2 are given"},
      {"add.s32 %r1, %r2, %r3, %r4;", "'add.s32' takes 3 operands, 4 are given"},
      {"bar.sync;", "'bar.sync' takes 1 or 2 operands, 0 are given"},
      {"bar.sync 1, 2, 3;", "'bar.sync' takes 1 or 2 operands, 3 are given"},
      {"bar.arrive 1;", "'bar.arrive' takes 2 operands, 1 is given"},
      {"trap 1;", "'trap' takes no operands, 1 is given"},
      {"ret %r1;", "'ret' takes no operands, 1 is given"},
      {"mov.u32 %r1;", "'mov.u32' takes 2 operands, 1 is given"},
      {"add.s32 %rd1, %r2, %r3;",
       "'%rd1' of type .b64 cannot be used where 'add.s32' expects .s32"},
      {"add.s32 %r1, %p1, %r3;", "'%p1' of type .pred cannot be used where 'add.s32' expects .s32"},
      {"add.s64 %rd1, %rd2, %r3;",
       "'%r3' of type .b32 cannot be used where 'add.s64' expects .s64"},
      {"selp.b32 %r1, %r2, %r3, %r4;",
       "'%r4' of type .b32 cannot be used where 'selp.b32' expects .pred"},
      {"add.f32 %f1, %f2, 1;", "an integer cannot be used where 'add.f32' expects .f32"},
      {"add.s32 %r1, %r2, 1.5;",
       "a floating-point number cannot be used where 'add.s32' expects .s32"},
      {"add.s32 %r1, %r2, 0f3F800000;",
       "a floating-point number cannot be used where 'add.s32' expects .s32"},
      {"add.f16 %rs1, %rs2, 1.5;",
       "a floating-point number cannot be used where 'add.f16' expects .f16"},
      {"add.s32 5, %r2, %r3;", "the destination of 'add.s32' must be a register"},
      {"add.s32 data, %r2, %r3;", "the destination of 'add.s32' must be a register"},
      {"add.s32 %tid.x, %r2, %r3;", "the destination of 'add.s32' must be a register"},
      {"add.s32 %r1, _, %r3;", "'_' cannot be a source of 'add.s32'"},
      {"add.s32 %r1, {%r2, %r3}, %r4;", "a vector cannot be used where 'add.s32' expects .s32"},
      {"add.s32 %r1, [%rd1], %r4;",
       "an address in brackets cannot be used where 'add.s32' expects .s32"},
      {"add.s32 %r1, %r2|%p1, %r4;",
       "a pair of registers cannot be used where 'add.s32' expects .s32"},
      {"add.s32 %r1, !%r2, %r4;", "'%r2' is not a predicate and cannot be negated"},
      {"add.f32 %f1, %f2, data;",
       "the address of 'data' cannot be used where 'add.f32' expects .f32"},
      {"mov.u16 %rs1, data;", "the address of 'data' cannot be used where 'mov.u16' expects .u16"},
      {"and.pred %p1, %p2, %tid.x;", "'%tid' cannot be used where 'and.pred' expects .pred"},
      {"ld.global.u32 %r1, %rd1;", "an address in brackets is missing in 'ld.global.u32'"},
      {"ld.global.u32 %r1, [%rs1];", "'%rs1' of type .b16 cannot hold an address"},
      {"ld.global.u32 %r1, [%rd1+1.5];", "expected an integer, found '1.5'"},
      {"ld.global.u32 %r1, [0f00000000];",
       "an address must be a register, a symbol or an integer in 'ld.global.u32'"},
      {"ld.global.u32 %r1, [%rd1, %rd2];", "an address of 'ld.global.u32' has one part"},
      {"ld.global.v2.u32 %r1, [%rd1];", "'ld.global.v2.u32' moves 2 elements, 1 is given"},
      {"ld.global.v4.u32 {%r1, %r2}, [%rd1];", "'ld.global.v4.u32' moves 4 elements, 2 are given"},
      {"ld.global.u32 {%r1, %r2}, [%rd1];", "'ld.global.u32' moves 1 element, 2 are given"},
      {"ld.global.u64 %r1, [%rd1];",
       "'%r1' of type .b32 cannot be used where 'ld.global.u64' expects .u64"},
      {"mov.b64 %rd1, {%r1, %r2, %r3};", "'mov.b64' cannot take 3 parts"},
      {"mov.b32 %r1, {%r2, %r3};",
       "'%r2' of type .b32 cannot be used where 'mov.b32' expects .b16"},
      {"mov.b64 {%r1, %r2}, {%r3, %r4};", "a vector cannot be used where 'mov.b64' expects .b64"},
      {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "an operand of 'lop3.b32' must be a constant integer"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 5;",
       "'cp.async.ca.shared.global' copies 4, 8 or 16 bytes, not 5"},
      {"cp.async.ca.shared.global [%r1], [%rd1], %r2;",
       "an operand of 'cp.async.ca.shared.global' must be a constant integer"},
      {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f5}];",
       "'tex.2d.v4.f32.f32' needs 2 coordinates, 1 is given"},
      {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image];",
       "'tex.2d.v4.f32.f32' needs [texture, {coordinates}] or [texture, sampler, {coordinates}]"},
      {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [pointer, {%f5,%f6}];",
       "a texture must be a variable or a 64-bit register in 'tex.2d.v4.f32.f32'"},
      {"tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%r1, {%r5}];",
       "'%r1' of type .b32 cannot be used where 'tex.1d.v4.f32.s32' expects .b64"},
      {"tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [image, {%r5}], %r1;",
       "'tex.1d.v4.f32.s32' takes 2 operands, 3 are given"},
      {"@%r1 bra there;", "'%r1' is not a predicate"},
      {"@%p9 bra there;", "unknown register '%p9'"},
      {"@data bra there;", "'data' is not a predicate"},
      {"mov.u32 %r1, %tid;", "'%tid' needs .x, .y or .z after it"},
      {"mov.u32 %r1, 4 / 0;", "division by zero in an expression"},
  };
  expect_rows(kRows);
}

TEST(PtxErrors, CheckStatements) {
  constexpr Row kRows[] = {
      {"add.s32 %r1, %r2, %r3", "expected ';', found '}'", 14},
      {"there: there:", "the label 'there' is defined twice", 14},
      {".reg .b32 %r<4>;", "'%r<4>' is declared twice"},
      {".reg .b32 x, x;", "'x' is declared twice"},
      {".reg .frob x;", "unknown type '.frob'"},
      {".reg x;", "expected a type, found 'x'"},
      {".local .b8 big[100000000];", "the local variables of 'k' take more than 16777216 bytes"},
      {".local .align 3 .b8 x[4];", "the alignment 3 is not a power of two up to 65536"},
      {".param .b8 x[100000000];", "'x' is too large for a parameter"},
      {".local .pred x;", "a variable cannot be of type '.pred'"},
      {"@%p1 there: ret;", "unknown instruction 'there'"},
      {"call k, (%r1, %r2);", "'k' is a kernel and cannot be called"},
      {"call data, (%r1);", "'data' is not a function"},
      {"call %rd1, (%r1);", "an indirect call needs a prototype"},
      {"call %r1, (%r1);", "'%r1' cannot hold the address of a function"},
      {"call %rd1, (%r1), nobody;", "unknown prototype 'nobody'"},
      {"t: .branchtargets a, b;", "unknown label 'a'"},
      {"t: .calltargets nobody;", "unknown function 'nobody'"},
      {".loc 1 5;", "expected a column, found ';'"},
      {".loc 1 5 6, frob;", "unknown word 'frob' in .loc"},
      {".pragma \"nounroll\"", "expected ';', found the end of the file", 15},
      {"}", "expected a directive, found '}'", 14},
      {"{", "the body of 'k' has no end", 15},
      {"5;", "expected an instruction, found '5'"},
      {".extern 5;", "expected the space of a variable, found '5'"},
  };
  expect_rows(kRows);
}

}  // namespace
}  // namespace raddle::ptx::testing
