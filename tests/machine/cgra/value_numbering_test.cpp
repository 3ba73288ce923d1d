#include "machine/cgra/compile/value_numbering.h"

#include <gtest/gtest.h>

#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

// The operations that take a unit, of a kernel without branches.
std::vector<std::string> operations(const char* body) {
  const PieceStand stand(body);
  return labels(stand.graph(stand.whole()).graph);
}

using Labels = std::vector<std::string>;

TEST(ValueNumbering, WhatIsComputedTwiceIsComputedOnce) {
  EXPECT_EQ(operations("e:\n  %a = mul.lo.s32 %tid.x, %tid.y\n  %b = mul.lo.s32 %tid.x, %tid.y\n"
                       "  st.global.b32 [%x], %a\n  st.global.b32 [%y], %b\n  ret\n"),
            (Labels{"threads", "mul.s32", "st.global.b32", "st.global.b32"}));
}

TEST(ValueNumbering, AComparisonAndItsOppositeAreOne) {
  EXPECT_EQ(operations("e:\n  %p = setp.lt.s32 %tid.x, 7\n  %q = setp.ge.s32 %tid.x, 7\n"
                       "  @%p st.global.b32 [%x], 1\n  @%q st.global.b32 [%x+64], 2\n  ret\n"),
            (Labels{"threads", "setp.s32", "st.global.b32", "st.global.b32"}));
}

TEST(ValueNumbering, ForFloatsLessAndNotLessAreOppositesOnlyWithNaN) {
  const char* const body =
      "e:\n  %c = cvt.rn.f32.s32 %tid.x\n  %p = setp.lt.f32 %c, 1.5\n"
      "  %q = setp.ge.f32 %c, 1.5\n  @%p st.global.b32 [%x], 1\n"
      "  @%q st.global.b32 [%x+64], 2\n  ret\n";
  EXPECT_EQ(operations(body), (Labels{"threads", "cvt.f32", "setp.f32", "setp.f32", "st.global.b32",
                                      "st.global.b32"}));
  std::string unordered = body;
  unordered.replace(unordered.find("setp.ge"), 7, "setp.geu");
  EXPECT_EQ(operations(unordered.c_str()),
            (Labels{"threads", "cvt.f32", "setp.f32", "st.global.b32", "st.global.b32"}));
}

TEST(ValueNumbering, AWidenedAndNarrowedIntegerIsTheSame) {
  EXPECT_EQ(operations("e:\n  %a = mul.lo.s32 %tid.x, 3\n  %y = cvt.s64.s32 %a\n"
                       "  %b = cvt.u32.u64 %y\n  %p = setp.lt.s32 %a, 7\n"
                       "  %q = setp.lt.s32 %b, 7\n  @%p st.global.b64 [%x], %y\n"
                       "  @%q st.global.b64 [%x+64], %y\n  ret\n"),
            (Labels{"threads", "mul.s32", "setp.s32", "st.global.b64", "st.global.b64"}));
}

}  // namespace
}  // namespace raddle::machine::cgra
