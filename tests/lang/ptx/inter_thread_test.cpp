// Inter-thread operations: calls of extern functions that become one instruction each.
#include <gtest/gtest.h>

#include "lang/ptx/reader.h"
#include "lang/ptx/reading.h"

namespace raddle::ptx::testing {
namespace {

using kernel::Module;

constexpr std::string_view kDeclarations =
    ".extern .func __raddle_it_tag_f32(.param .b32 a, .param .b64 n0, .param .b64 n1, .param .b64 "
    "n2, .param .b64 n3);\n"
    ".extern .func (.param .b32 r) __raddle_it_recv_const_u32(.param .b32 a, .param .b32 x, .param "
    ".b32 y, .param .b32 z, .param .b32 w, .param .b64 n0, .param .b64 n1, .param .b64 n2, .param "
    ".b64 n3);\n"
    ".extern .func (.param .b64 r) __raddle_it_recv_load_f64(.param .b64 a, .param .b32 p, .param "
    ".b32 x, .param .b32 y, .param .b32 z, .param .b32 w);\n";
// 97, 98 … are the names "a", "b" ….

Module read_body(std::string_view body) {
  return read(std::string(kDeclarations) + kernel_with(body));
}

std::string code_with(std::string_view body) { return code_of(read_body(body), "k"); }

std::vector<std::string> channels_with(std::string_view body) {
  return read_body(body).find_function("k")->channels;
}

TEST(PtxInterThread, CallsOfTagBecomeOneInstruction) {
  EXPECT_EQ(code_with(R"(
    { .param .b32 param0; st.param.f32 [param0+0], %f1; .param .b64 param1; st.param.b64 [param1+0], 97;
      call.uni __raddle_it_tag_f32, (param0, param1, 0, 0, 0); }
    @%p1 call __raddle_it_tag_f32, (0f3F800000, 98, 0, 0, 0);
  )"),
            "entry:\n"
            "  it.tag.f32 %f1\n"
            "  @%p1 it.tag.f32 1.0 {channel=1}\n"
            "  ret\n");
}

TEST(PtxInterThread, ChannelsAreNumberedInTheOrderOfTheirNames) {
  EXPECT_EQ(channels_with(R"(
    mov.b64 %rd1, 7173491;
    call __raddle_it_tag_f32, (%f1, %rd1, 0, 0, 0);
    call __raddle_it_tag_f32, (%f1, 97, 0, 0, 0);
    call __raddle_it_tag_f32, (%f1, 7523094288207667809, 26984, 0, 0);
    call (%r4), __raddle_it_recv_const_u32, (%r3, 1, 1, 0, 0, 97, 0, 0, 0);
  )"),
            (std::vector<std::string>{"sum", "a", "abcdefghhi"}));
}

TEST(PtxInterThread, CallsOfReceiveTakeConstantsFromRegistersToo) {
  EXPECT_EQ(code_with(R"(
      mov.b32 %r1, -2;
      mov.b32 %r2, 32;
      mov.b32 %r3, 9;
      call (%r4), __raddle_it_recv_const_u32, (%r3, %r1, 1, 0, %r2, 97, 0, 0, 0);
      add.s32 %r5, %r3, %r4;
  )"),
            "entry:\n"
            "  %r3 = mov.b32 9\n"
            "  %r4 = it.recv.const.b32 %r3 {delta=(-2, 1, 0), window=32}\n"
            "  %r5 = add.s32 %r3, %r4\n"
            "  ret\n");
}

TEST(PtxInterThread, ReceiveOrLoadGetsAPredicateAndAChannelBehindTheNamedOnes) {
  EXPECT_EQ(code_with(R"(
      setp.eq.s32 %p1, %r1, 0;
      selp.u32 %r2, 1, 0, %p1;
      selp.u32 %r3, 0, 1, %p1;
      call (%rd2), __raddle_it_recv_load_f64, (%rd1, %r2, 0, -1, 0, 0);
      call (%rd3), __raddle_it_recv_load_f64, (%rd1, %r3, 0, -1, 0, 8);
      call __raddle_it_tag_f32, (%f1, 97, 0, 0, 0);
      call (%rd4), __raddle_it_recv_load_f64, (%rd1, %r1, 0, -1, 0, 0);
  )"),
            "entry:\n"
            "  %p1 = setp.eq.s32 %r1, 0\n"
            "  %rd2 = it.recv.load.generic.f64 [%rd1], %p1 {channel=1, delta=(0, -1, 0)}\n"
            "  %rd3 = it.recv.load.generic.f64 [%rd1], !%p1 {channel=2, delta=(0, -1, 0), "
            "window=8}\n"
            "  it.tag.f32 %f1\n"
            "  %it = setp.ne.u32 %r1, 0\n"
            "  %rd4 = it.recv.load.generic.f64 [%rd1], %it {channel=3, delta=(0, -1, 0)}\n"
            "  ret\n");
}

TEST(PtxInterThread, ReceiveOrLoadTakesItsAddressAsALoadWould) {
  EXPECT_EQ(code_with(R"(
      cvta.global.u64 %rd2, %rd1;
      add.s64 %rd3, %rd2, 16;
      call (%rd4), __raddle_it_recv_load_f64, (%rd2, 1, 1, 0, 0, 0);
      call (%rd5), __raddle_it_recv_load_f64, (%rd3, 1, 1, 0, 0, 0);
  )"),
            "entry:\n"
            "  %rd4 = it.recv.load.global.f64 [%rd1], 1 {delta=(1, 0, 0)}\n"
            "  %rd5 = it.recv.load.global.f64 [%rd1+16], 1 {channel=1, delta=(1, 0, 0)}\n"
            "  ret\n");
}

TEST(PtxInterThread, ReceiveOrLoadKnowsThatASumIsAGlobalAddress) {
  EXPECT_EQ(code_with(R"(
      cvta.global.u64 %rd2, %rd1;
      add.s64 %rd3, %rd2, %rd7;
      add.s64 %rd4, %rd8, %rd2;
      call (%rd5), __raddle_it_recv_load_f64, (%rd3, 1, 1, 0, 0, 0);
      call (%rd6), __raddle_it_recv_load_f64, (%rd4, 1, 1, 0, 0, 0);
  )"),
            "entry:\n"
            "  %rd3 = add.s64 %rd1, %rd7\n"
            "  %rd4 = add.s64 %rd8, %rd1\n"
            "  %rd5 = it.recv.load.global.f64 [%rd3], 1 {delta=(1, 0, 0)}\n"
            "  %rd6 = it.recv.load.global.f64 [%rd4], 1 {channel=1, delta=(1, 0, 0)}\n"
            "  ret\n");
  EXPECT_EQ(code_with(R"(
      ld.param.u64 %rd1, [pointer];
      add.s64 %rd3, %rd1, %rd7;
      call (%rd5), __raddle_it_recv_load_f64, (%rd3, 1, 1, 0, 0, 0);
  )"),
            "entry:\n"
            "  %rd1 = ld.param.u64 [pointer]\n"
            "  %rd3 = add.s64 %rd1, %rd7\n"
            "  %rd5 = it.recv.load.global.f64 [%rd3], 1 {delta=(1, 0, 0)}\n"
            "  ret\n");
  // The base changes before it is added: the conversion has to stay.
  EXPECT_EQ(code_with(R"(
      cvta.global.u64 %rd2, %rd1;
      add.s64 %rd1, %rd1, 8;
      add.s64 %rd3, %rd2, %rd7;
      call (%rd5), __raddle_it_recv_load_f64, (%rd3, 1, 1, 0, 0, 0);
  )"),
            "entry:\n"
            "  %rd2 = cvta.global.u64 %rd1\n"
            "  %rd1 = add.s64 %rd1, 8\n"
            "  %rd3 = add.s64 %rd2, %rd7\n"
            "  %rd5 = it.recv.load.global.f64 [%rd3], 1 {delta=(1, 0, 0)}\n"
            "  ret\n");
}

TEST(PtxInterThread, AddressesAreNotFoldedWhereTheirBaseChanges) {
  EXPECT_EQ(code_with(R"(
      add.s64 %rd3, %rd2, 16;
      add.s64 %rd2, %rd2, 8;
      call (%rd4), __raddle_it_recv_load_f64, (%rd3, 1, 1, 0, 0, 0);
  )"),
            "entry:\n"
            "  %rd3 = add.s64 %rd2, 16\n"
            "  %rd2 = add.s64 %rd2, 8\n"
            "  %rd4 = it.recv.load.generic.f64 [%rd3], 1 {delta=(1, 0, 0)}\n"
            "  ret\n");
  EXPECT_EQ(code_with(R"(
      add.s64 %rd3, %rd3, 16;
      call (%rd4), __raddle_it_recv_load_f64, (%rd3, 1, 1, 0, 0, 0);
  )"),
            "entry:\n"
            "  %rd3 = add.s64 %rd3, 16\n"
            "  %rd4 = it.recv.load.generic.f64 [%rd3], 1 {delta=(1, 0, 0)}\n"
            "  ret\n");
  EXPECT_EQ(code_with(R"(
      add.s64 %rd3, %rd2, 16;
      loop:
      call (%rd4), __raddle_it_recv_load_f64, (%rd3, 1, 1, 0, 0, 0);
      @%p1 bra loop;
  )"),
            "entry:\n"
            "  %rd3 = add.s64 %rd2, 16\n"
            "loop:\n"
            "  %rd4 = it.recv.load.generic.f64 [%rd3], 1 {delta=(1, 0, 0)}\n"
            "  @%p1 bra loop\n"
            "bb2:\n"
            "  ret\n");
}

TEST(PtxInterThread, LeaveNoSlotsBehindAndKeepLabels) {
  const Module module = read_body(R"(
    bra later;
    later:
    call __raddle_it_tag_f32, (%f1, 97, 0, 0, 0);
    @%p1 bra later;
  )");
  const kernel::Function& k = *module.find_function("k");
  EXPECT_TRUE(k.call_slots.empty());
  EXPECT_EQ(code_of(module, "k"),
            "entry:\n  bra later\nlater:\n  it.tag.f32 %f1\n  @%p1 bra later\nbb2:\n  ret\n");
}

TEST(PtxInterThread, WantConstantDistances) {
  const auto error = [](std::string_view body) {
    return error_of(std::string(kDeclarations) + kernel_with(body));
  };
  EXPECT_EQ(error("call (%r4), __raddle_it_recv_const_u32, (0, %r1, 0, 0, 0, 97, 0, 0, 0);"),
            "test.ptx:16: the distance of an inter-thread receive must be a constant");
  EXPECT_EQ(
      error(".loc 1 12 3\nmov.b32 %r1, 1;\n@%p1 mov.b32 %r1, 2;\n"
            "call (%r4), __raddle_it_recv_const_u32, (0, 0, %r1, 0, 0, 97, 0, 0, 0);\n.loc 1 14 "
            "3\nret;\n}\n.file 1 \"k.cu\"\n.entry e(){"),
      "test.ptx:19: the distance of an inter-thread receive must be a constant (from k.cu:12)");
  EXPECT_EQ(error("call (%r4), __raddle_it_recv_const_u32, (0, 1, 0, 0, %r1, 97, 0, 0, 0);"),
            "test.ptx:16: the window of an inter-thread receive must be a constant");
  EXPECT_EQ(error("call __raddle_it_tag_f32, (%f1, %rd1, 0, 0, 0);"),
            "test.ptx:16: the name of a channel must be a constant");
  EXPECT_EQ(
      error(".param .b32 x; .param .b64 y; st.param.b64 [y], 1; call __raddle_it_tag_f32, (x, "
            "y, 0, 0, 0);"),
      "test.ptx:16: an argument of an inter-thread operation is not stored before the call");
  EXPECT_EQ(error_of(".extern .func __raddle_it_tag_f32(.param .b32 a);" +
                     kernel_with("call __raddle_it_tag_f32, (%f1);")),
            "test.ptx:13: an inter-thread operation of this kind takes 5 arguments, 1 is given");
}

// Compiled from a source that includes raddle/dmt.h.
TEST(PtxInterThread, FromClangBecomeOneInstructionEach) {
  const Module module = read_ptx(sample("clang_inter_thread_sm_70"), "it.ptx");
  const kernel::Function& conv = *module.find_function("_Z4convPKfPfPdi");
  EXPECT_EQ(conv.channels, (std::vector<std::string>{"element", "a longer name"}));
  const std::string code = code_of(module, "_Z4convPKfPfPdi");
  for (const std::string_view line : {
           "it.tag.f32 %f1\n",
           "%f2 = it.recv.const.f32 0.0 {delta=(-1, 0, 0), window=32}",
           "%f4 = it.recv.const.f32 2.5 {delta=(1, 0, 0), window=32}",
           "%f7 = it.recv.load.global.f32 [%rd7], %p1 {channel=2, delta=(0, -1, 0)}",
           "%f10 = it.recv.load.global.f32 [%rd7+16], %p1 {channel=3, delta=(0, -1, 0)}",
           "%f13 = it.recv.load.global.f32 [%rd7+32], %p1 {channel=4, delta=(0, -1, 0)}",
           "%fd1 = it.recv.load.global.f64 [%rd12], %p2 {channel=5, delta=(0, -1, 0), window=16}",
           "it.recv.const.b32 7 {channel=1, delta=(0, 0, 3), window=8}",
       }) {
    EXPECT_NE(code.find(line), std::string::npos) << line << "\nin\n" << code;
  }
  EXPECT_EQ(code.find("call"), std::string::npos);
  EXPECT_EQ(code.find("cvta.global"), std::string::npos);
}

}  // namespace
}  // namespace raddle::ptx::testing
