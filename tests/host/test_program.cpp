#include "test_program.h"

namespace raddle::host::testing {
namespace {

constexpr const char* kPtx = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .const .align 4 .f32 table[4] = {0f3F800000, 0f40000000, 0f40400000, 0f40800000};
.visible .global .texref reference;

.visible .entry add_one(.param .u64 add_one_0, .param .u32 add_one_1)
{
  .reg .pred %p<2>;
  .reg .b32 %r<7>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [add_one_0];
  ld.param.u32 %r1, [add_one_1];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  add.s32 %r6, %r6, 1;
  st.global.u32 [%rd4], %r6;
DONE:
  ret;
}

.visible .entry scale_pair(.param .align 8 .b8 scale_pair_0[16], .param .u64 scale_pair_1,
                           .param .u64 scale_pair_2)
{
  .reg .f32 %f<4>;
  .reg .f64 %fd<4>;
  .reg .b64 %rd<5>;
  ld.param.f32 %f1, [scale_pair_0];
  ld.param.f64 %fd1, [scale_pair_0+8];
  ld.param.u64 %rd1, [scale_pair_1];
  ld.param.u64 %rd2, [scale_pair_2];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  ld.global.f32 %f2, [%rd3];
  mul.rn.f32 %f3, %f1, %f2;
  st.global.f32 [%rd3], %f3;
  ld.global.f64 %fd2, [%rd4];
  mul.rn.f64 %fd3, %fd1, %fd2;
  st.global.f64 [%rd4], %fd3;
  ret;
}

.visible .entry store_at(.param .u64 store_at_0)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [store_at_0];
  mov.u32 %r1, 77;
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry trap()
{
  trap;
  ret;
}

.visible .entry spin()
{
AGAIN:
  bra.uni AGAIN;
}

.visible .entry bounded() .maxntid 64, 1, 1
{
  ret;
}

.visible .entry shaped() .reqntid 32, 2
{
  ret;
}

.visible .entry shares_more()
{
  .shared .align 4 .b8 all[49156];
  .reg .b64 %rd<2>;
  mov.u64 %rd1, all;
  st.shared.u32 [%rd1], 1;
  ret;
}

.visible .entry shares(.param .u64 shares_0)
{
  .shared .align 4 .b8 fixed[40000];
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [shares_0];
  mov.u64 %rd2, fixed;
  ld.shared.u32 %r1, [%rd2];
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry fetch_1d(.param .u64 fetch_1d_0)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [fetch_1d_0];
  mov.u32 %r1, %tid.x;
  mov.u64 %rd2, reference;
  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1}];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  st.global.f32 [%rd4], %f1;
  ret;
}

.visible .entry fetch_2d(.param .u64 fetch_2d_0, .param .u64 fetch_2d_1)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [fetch_2d_0];
  ld.param.u64 %rd2, [fetch_2d_1];
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %f5, %r1;
  add.f32 %f6, %f5, 0f3F000000;
  mov.f32 %f7, 0f3FC00000;
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f6, %f7}];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.f32 [%rd4], %f1;
  ret;
}

.visible .entry surface_write(.param .u64 surface_write_0)
{
  .reg .b32 %r<4>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [surface_write_0];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, 1;
  cvt.rn.f32.u32 %f1, %r1;
  mov.b32 %r1, %f1;
  sust.b.2d.b32.trap [%rd1, {%r2, %r3}], %r1;
  ret;
}

.visible .entry reads_table(.param .u64 reads_table_0)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [reads_table_0];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  mov.u64 %rd3, table;
  add.s64 %rd4, %rd3, %rd2;
  ld.const.f32 %f1, [%rd4];
  add.s64 %rd5, %rd1, %rd2;
  st.global.f32 [%rd5], %f1;
  ret;
}
)";

struct Wrapper {
  int magic;
  int version;
  const void* data;
  void* file_name;
};

TestProgram& register_program() {
  static TestProgram program{};
  static Wrapper wrapper{0x466243b1, 1, kPtx, nullptr};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  const auto add = [&](char& host, const char* name) {
    __cudaRegisterFunction(handle, &host, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
  };
  add(program.add_one, "add_one");
  add(program.scale_pair, "scale_pair");
  add(program.store_at, "store_at");
  add(program.trap, "trap");
  add(program.spin, "spin");
  add(program.bounded, "bounded");
  add(program.shaped, "shaped");
  add(program.shares, "shares");
  add(program.shares_more, "shares_more");
  add(program.fetch_1d, "fetch_1d");
  add(program.fetch_2d, "fetch_2d");
  add(program.surface_write, "surface_write");
  add(program.reads_table, "reads_table");
  add(program.missing, "no_such_kernel");
  __cudaRegisterVar(handle, reinterpret_cast<char*>(&program.counter), nullptr, "counter", 0,
                    sizeof(program.counter), 0, 0);
  __cudaRegisterVar(handle, reinterpret_cast<char*>(program.table), nullptr, "table", 0,
                    sizeof(program.table), 1, 0);
  __cudaRegisterTexture(handle, &program.reference, nullptr, "reference", 1, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  program.reference.channelDesc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  return program;
}

}  // namespace

TestProgram& program() {
  static TestProgram& registered = register_program();
  return registered;
}

}  // namespace raddle::host::testing
