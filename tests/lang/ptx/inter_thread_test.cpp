// Inter-thread operations: calls of extern functions that become one instruction each.
#include <gtest/gtest.h>

#include "lang/ptx/reader.h"
#include "lang/ptx/reading.h"

namespace raddle::ptx::testing {
namespace {

using kernel::Module;

constexpr std::string_view kDeclarations =
    ".extern .func __raddle_it_tag_f32(.param .b32 a, .param .b32 b);\n"
    ".extern .func (.param .b32 r) __raddle_it_recv_const_u32(.param .b32 a, .param .b32 b, .param "
    ".b32 c, .param .b32 d, "
    ".param .b32 e, .param .b32 f);\n"
    ".extern .func (.param .b64 r) __raddle_it_recv_load_f64(.param .b64 a, .param .b32 b, .param "
    ".b32 c, .param .b32 d, "
    ".param .b32 e, .param .b32 f, .param .b32 g);\n";

std::string code_with(std::string_view body) {
  return code_of(read(std::string(kDeclarations) + kernel_with(body)), "k");
}

TEST(PtxInterThread, CallsOfTagBecomeOneInstruction) {
  EXPECT_EQ(code_with(R"(
    { .param .b32 param0; st.param.f32 [param0+0], %f1; .param .b32 param1; st.param.b32 [param1+0], 3;
      call.uni __raddle_it_tag_f32, (param0, param1); }
    @%p1 call __raddle_it_tag_f32, (0f3F800000, 4);
  )"),
            "entry:\n"
            "  it.tag.f32 %f1 {channel=3}\n"
            "  @%p1 it.tag.f32 1.0 {channel=4}\n"
            "  ret\n");
}

TEST(PtxInterThread, CallsOfReceiveTakeConstantsFromRegistersToo) {
  EXPECT_EQ(code_with(R"(
      mov.b32 %r1, -2;
      mov.b32 %r2, 32;
      mov.b32 %r3, 9;
      call (%r4), __raddle_it_recv_const_u32, (%r3, 5, %r1, 1, 0, %r2);
      add.s32 %r5, %r3, %r4;
  )"),
            "entry:\n"
            "  %r3 = mov.b32 9\n"
            "  %r4 = it.recv.const.b32 %r3 {channel=5, delta=(-2, 1, 0), window=32}\n"
            "  %r5 = add.s32 %r3, %r4\n"
            "  ret\n");
}

TEST(PtxInterThread, ReceiveOrLoadGetsAPredicate) {
  EXPECT_EQ(code_with(R"(
      setp.eq.s32 %p1, %r1, 0;
      selp.u32 %r2, 1, 0, %p1;
      selp.u32 %r3, 0, 1, %p1;
      call (%rd2), __raddle_it_recv_load_f64, (%rd1, %r2, 1, 0, -1, 0, 0);
      call (%rd3), __raddle_it_recv_load_f64, (%rd1, %r3, 2, 0, -1, 0, 0);
      call (%rd4), __raddle_it_recv_load_f64, (%rd1, %r1, 3, 0, -1, 0, 0);
  )"),
            "entry:\n"
            "  %p1 = setp.eq.s32 %r1, 0\n"
            "  %rd2 = it.recv.load.generic.f64 [%rd1], %p1 {channel=1, delta=(0, -1, 0)}\n"
            "  %rd3 = it.recv.load.generic.f64 [%rd1], !%p1 {channel=2, delta=(0, -1, 0)}\n"
            "  %it = setp.ne.u32 %r1, 0\n"
            "  %rd4 = it.recv.load.generic.f64 [%rd1], %it {channel=3, delta=(0, -1, 0)}\n"
            "  ret\n");
}

TEST(PtxInterThread, LeaveNoSlotsBehindAndKeepLabels) {
  const Module module = read(std::string(kDeclarations) + kernel_with(R"(
    bra later;
    later:
    call __raddle_it_tag_f32, (%f1, 4);
    @%p1 bra later;
  )"));
  const kernel::Function& k = *module.find_function("k");
  EXPECT_TRUE(k.call_slots.empty());
  EXPECT_EQ(
      code_of(module, "k"),
      "entry:\n  bra later\nlater:\n  it.tag.f32 %f1 {channel=4}\n  @%p1 bra later\nbb2:\n  ret\n");
}

TEST(PtxInterThread, WantConstantDistances) {
  const auto error = [](std::string_view body) {
    return error_of(std::string(kDeclarations) + kernel_with(body));
  };
  EXPECT_EQ(error("call (%r4), __raddle_it_recv_const_u32, (0, 1, %r1, 0, 0, 0);"),
            "test.ptx:16: the distance of an inter-thread receive must be a constant");
  EXPECT_EQ(
      error(".loc 1 12 3\nmov.b32 %r1, 1;\n@%p1 mov.b32 %r1, 2;\n"
            "call (%r4), __raddle_it_recv_const_u32, (0, 1, 0, %r1, 0, 0);\n.loc 1 14 "
            "3\nret;\n}\n.file 1 \"k.cu\"\n.entry e(){"),
      "test.ptx:19: the distance of an inter-thread receive must be a constant (from k.cu:12)");
  EXPECT_EQ(error("call (%r4), __raddle_it_recv_const_u32, (0, 1, 0, 0, 0, %r1);"),
            "test.ptx:16: the window of an inter-thread receive must be a constant");
  EXPECT_EQ(error("call __raddle_it_tag_f32, (%f1, %r1);"),
            "test.ptx:16: the channel of an inter-thread operation must be a constant");
  EXPECT_EQ(error(".param .b32 x, y; st.param.b32 [y], 1; call __raddle_it_tag_f32, (x, y);"),
            "test.ptx:16: an argument of an inter-thread operation is not stored before the call");
  EXPECT_EQ(error_of(".extern .func __raddle_it_tag_f32(.param .b32 a);" +
                     kernel_with("call __raddle_it_tag_f32, (%f1);")),
            "test.ptx:13: an inter-thread operation of this kind takes 2 arguments, 1 is given");
}

TEST(PtxInterThread, FromClangBecomeSixInstructions) {
  const std::string code =
      code_of(read_ptx(sample("clang_inter_thread_sm_70"), "it.ptx"), "_Z4convPKfPfPdi");
  for (const std::string_view line : {
           "it.tag.f32 %f1 {channel=1}",
           "%f5 = it.recv.const.f32 0.0 {channel=1, delta=(-1, 0, 0), window=32}",
           "%f6 = it.recv.const.f32 2.5 {channel=1, delta=(1, 0, 0), window=32}",
           "%f7 = it.recv.load.generic.f32 [%rd12], %p1 {channel=2, delta=(0, -1, 0)}",
           "%fd1 = it.recv.load.generic.f64 [%rd4], %it {channel=3, delta=(0, -1, 0), window=16}",
           "it.recv.const.b32 %r4 {channel=4, delta=(0, 0, 3), window=8}",
       }) {
    EXPECT_NE(code.find(line), std::string::npos) << line << "\nin\n" << code;
  }
  EXPECT_EQ(code.find("call"), std::string::npos);
}

}  // namespace
}  // namespace raddle::ptx::testing
