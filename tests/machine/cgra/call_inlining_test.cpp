// Kernels that call: what they leave in memory is what it is on `ref`.
#include <gmock/gmock.h>

#include "base/error.h"
#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

// mix(a, b) = 3a + b if a is odd, else b - a; it returns from two places.
const char* const kMix = R"(
.func (.param .b32 result) mix(.param .b32 a, .param .b32 b) {
  .reg .pred %p<2>; .reg .b32 %r<8>;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [b];
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra EVEN;
  mad.lo.u32 %r4, %r1, 3, %r2;
  st.param.b32 [result], %r4;
  ret;
EVEN:
  sub.u32 %r4, %r2, %r1;
  st.param.b32 [result], %r4;
  ret;
}
)";

std::string call_mix(const std::string& guard = "") {
  return R"(
  {
  .param .b32 in0; .param .b32 in1; .param .b32 out;
  st.param.b32 [in0], %r2;
  st.param.b32 [in1], %r3;
  )" + guard +
         R"( call (out), mix, (in0, in1);
  )" + guard +
         R"( ld.param.b32 %r10, [out];
  }
)";
}

TEST(CallInlining, AFunctionBecomesPartOfTheKernelOncePerCall) {
  expect_as_ref(
      kernel_of(call_mix() + "mov.u32 %r2, %r10;\n" + call_mix() + "st.global.u32 [%rd2], %r10;\n",
                kMix),
      3, 100);
}

TEST(CallInlining, AGuardedCallIsPassedByWhereItsGuardFails) {
  expect_as_ref(kernel_of("mov.u32 %r10, 7;\nsetp.lt.u32 %p3, %r2, 20;\n" + call_mix("@%p3") +
                              "st.global.u32 [%rd2], %r10;\n",
                          kMix),
                2, 64);
}

TEST(CallInlining, ALoopMayCall) {
  expect_as_ref(kernel_of("mov.u32 %r12, 0;\nAGAIN:\n" + call_mix() + R"(
  add.u32 %r3, %r10, %r12;
  add.u32 %r12, %r12, 1;
  setp.lt.u32 %p4, %r12, %r1;
  @%p4 bra AGAIN;
  st.global.u32 [%rd2], %r3;
)",
                          kMix),
                2, 64, 5);
}

// Bytes of a structure written one by one are read as words: the slot is local memory then.
TEST(CallInlining, ASlotThatIsAccessedInDifferentWidthsKeepsItsBytes) {
  expect_as_ref(kernel_of(R"(
  {
  .param .align 4 .b8 in[8]; .param .b32 out;
  st.param.b8 [in], %r2;
  st.param.b8 [in+1], %r3;
  st.param.b16 [in+2], %r2;
  st.param.b32 [in+4], %r3;
  call (out), sum, (in);
  ld.param.b32 %r10, [out];
  }
  st.global.u32 [%rd2], %r10;
)",
                          R"(
.func (.param .b32 result) sum(.param .align 4 .b8 a[8]) {
  .reg .b32 %r<8>;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [a+4];
  add.u32 %r3, %r1, %r2;
  st.param.b32 [result], %r3;
  ret;
}
)"),
                2, 64);
}

TEST(CallInlining, NarrowArgumentsAreExtendedAsTheCalleeReadsThem) {
  for (const char* type : {"s8", "u8", "s16", "u16"}) {
    const std::string bits = std::string(type).substr(1);
    expect_as_ref(kernel_of("mul.lo.u32 %r11, %r3, 37;\n{\n.param .b" + bits +
                                " in; .param .b32 out;\nst.param.b" + bits +
                                " [in], %r11;\ncall (out), widen, (in);\n"
                                "ld.param.b32 %r10, [out];\n}\nst.global.u32 [%rd2], %r10;\n",
                            ".func (.param .b32 result) widen(.param .b" + bits +
                                " a) {\n.reg .b32 %r<4>;\nld.param." + type +
                                " %r1, [a];\nst.param.b32 [result], %r1;\nret;\n}\n"),
                  4, 64);
  }
}

TEST(CallInlining, LocalMemoryOfAFunctionIsItsOwn) {
  expect_as_ref(kernel_of(R"(
  {
  .param .b32 in; .param .b32 out;
  st.param.b32 [in], %r2;
  call (out), table, (in);
  ld.param.b32 %r10, [out];
  st.param.b32 [in], %r10;
  call (out), table, (in);
  ld.param.b32 %r11, [out];
  }
  st.global.u32 [%rd2], %r11;
)",
                          R"(
.func (.param .b32 result) table(.param .b32 a) {
  .reg .b32 %r<8>; .reg .b64 %rd<8>;
  .local .align 4 .b8 words[16];
  ld.param.u32 %r1, [a];
  mov.u64 %rd1, words;
  st.local.u32 [%rd1], %r1;
  st.local.u32 [%rd1+4], 11;
  st.local.u32 [%rd1+8], 23;
  st.local.u32 [%rd1+12], %r1;
  and.b32 %r2, %r1, 3;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.local.u32 %r3, [%rd3];
  st.param.b32 [result], %r3;
  ret;
}
)"),
                2, 64);
}

TEST(CallInlining, ACallThroughAPointerChoosesAmongFunctionsThatFit) {
  const std::string one = ".func (.param .b32 result) ";
  const std::string body = "(.param .b32 a) {\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\n";
  const std::string ends = "\nst.param.b32 [result], %r2;\nret;\n}\n";
  expect_as_ref(kernel_of(R"(
  and.b32 %r11, %r2, 1;
  setp.eq.u32 %p1, %r11, 0;
  mov.u64 %rd5, twice;
  mov.u64 %rd6, square;
  selp.b64 %rd7, %rd5, %rd6, %p1;
  {
  .param .b32 in; .param .b32 out;
  st.param.b32 [in], %r3;
  P: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (out), %rd7, (in), P;
  ld.param.b32 %r10, [out];
  }
  st.global.u32 [%rd2], %r10;
)",
                          one + "twice" + body + "add.u32 %r2, %r1, %r1;" + ends + one + "square" +
                              body + "mul.lo.u32 %r2, %r1, %r1;" + ends),
                2, 64);
}

}  // namespace
}  // namespace raddle::machine::cgra
