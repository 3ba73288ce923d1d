#include "machine/native/kernels.h"

namespace raddle::machine::native {
namespace {

// %l5 is an offset in bytes from %in and %out of thread 0, of a word.
std::string at_offsets(const std::string& code) {
  return kernel_of("  sub.u64 %in, %in, %step; sub.u64 %out, %out, %step;\n" + code + R"(
  add.u64 %l6, %in, %l5; ld.global.u32 %r8, [%l6]; ld.global.s8 %r7, [%l6+1];
  ld.global.u16 %h1, [%l6+2]; cvt.u32.u16 %r6, %h1; ld.global.u64 %l7, [%l6];
  cvt.u32.u64 %r5, %l7; add.u32 %r8, %r8, %r7; xor.b32 %r8, %r8, %r6; add.u32 %r8, %r8, %r5;
  add.u64 %l8, %out, %l5; st.global.u32 [%l8], %r8; add.u64 %l9, %out, %step;
  st.global.u8 [%l9+7], %r8;
)");
}

TEST(NativeMemoryAccesses, OfEveryPatternReadAndWriteWhatTheInterpreterWould) {
  const std::vector<std::uint64_t> input = telling_words(4096);
  const std::vector<std::string> patterns{
      "mul.wide.u32 %l5, %t, 8;",                          // one after the other
      "shr.u32 %r1, %t, 4; mul.wide.u32 %l5, %r1, 8;",     // each half on one
      "xor.b32 %r1, %t, 31; mul.wide.u32 %l5, %r1, 8;",    // backwards
      "mul.lo.u32 %r1, %t, 5; mul.wide.u32 %l5, %r1, 8;",  // apart
      "mul.wide.u32 %l5, %n, 8;",                          // all on one
      "shr.u32 %r1, %t, 4; mul.lo.u32 %r1, %r1, 40; and.b32 %r2, %t, 15; "
      "add.u32 %r1, %r1, %r2; mul.wide.u32 %l5, %r1, 8;",  // rows of 16
      "and.b32 %r1, %t, 7; mul.wide.u32 %l5, %r1, 8;",     // lanes on the same
  };
  for (const std::string& pattern : patterns) {
    expect_same(at_offsets(pattern), input, {.blocks = 2, .threads = 64});
    expect_same(at_offsets(pattern), input, {.blocks = 3, .threads = 45});
  }
  EXPECT_EQ(carried_out(at_offsets(patterns[0])), 0u);
}

TEST(NativeMemoryAccesses, WithGuardsLeaveOtherLanesAlone) {
  const std::vector<std::uint64_t> input = telling_words(1024);
  const std::string ptx = kernel_of(R"(
  ld.global.u32 %r1, [%in]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 99;
  @%p1 ld.global.u32 %r3, [%in+8]; @!%p1 st.global.u32 [%out], %r1; @%p1 st.global.u32 [%out+4], %r3;
  setp.lt.u32 %p2, %t, %n; @%p2 ld.global.u64 %l1, [%in+16]; @%p2 st.global.u64 [%out], %l1;
)");
  expect_same(ptx, input);
  expect_same(ptx, input, {.blocks = 3, .threads = 45, .n = 0});
}

TEST(NativeMemoryAccesses, OutOfBoundsOrMisalignedEndTheLaunchAsOnRef) {
  const std::vector<std::uint64_t> input = telling_words(1024);
  for (const char* code :
       {"ld.global.u32 %r1, [%in+1];", "st.global.u64 [%out+4], %l1;", "ld.global.u32 %r1, [16];",
        "mov.u64 %l1, 0x7fffffffffffff00; st.global.u32 [%l1], %n;",
        "mov.u64 %l1, -8; ld.shared.u32 %r1, [%l1];", "ld.shared.u32 %r1, [tile+4096];",
        "shl.b64 %l2, %step, 40; add.u64 %l2, %in, %l2; ld.global.u32 %r1, [%l2];",
        "shl.b64 %l2, %step, 40; add.u64 %l2, %in, %l2; st.global.u32 [%l2], %n;"}) {
    const std::string ptx =
        kernel_of(fmt::format("  {}\n  add.u32 %r2, %r1, %t; st.global.u32 [%out], %r2;", code));
    EXPECT_FALSE(outcome_on("native", kCompiledAtOnce, ptx, input, {}).complete) << code;
    expect_same(ptx, input);
    expect_same(ptx, input, {.blocks = 1, .threads = 20});
  }
}

TEST(NativeMemoryAccesses, ThroughGenericAddressesReachEverySpace) {
  const std::vector<std::uint64_t> input = telling_words(1024);
  expect_same(kernel_of(R"(
  .local .align 8 .b8 own[16];
  mov.u64 %l1, tile; cvta.shared.u64 %l2, %l1; and.b32 %r1, %t, 31; mul.wide.u32 %l3, %r1, 8;
  add.u64 %l4, %l2, %l3; ld.global.u64 %l5, [%in]; st.u64 [%l4], %l5; ld.u64 %l6, [%l4];
  mov.u64 %l7, own; cvta.local.u64 %l8, %l7; st.u64 [%l8], %l6; ld.local.u64 %l9, [own];
  setp.lt.u32 %p1, %t, 40; selp.b64 %l10, %l4, %in, %p1; ld.u64 %l11, [%l10];
  add.u64 %l9, %l9, %l11; ld.u64 %l12, [%l8]; add.u64 %l9, %l9, %l12; st.u64 [%out], %l9;
)"),
              input);
}

}  // namespace
}  // namespace raddle::machine::native
