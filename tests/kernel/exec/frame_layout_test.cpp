// Which registers may lie in the same place of a frame.
#include "kernel/exec/frame_layout.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernel/analysis/graphs.h"

namespace raddle::kernel::exec {
namespace {

class Places {
 public:
  explicit Places(const std::string& code)
      : function_(function_from(code)), layout_(share_places(function_)) {}

  std::uint32_t of(const std::string& name) const {
    for (RegisterId id = 0; id < function_.registers.size(); ++id) {
      if (function_.registers[id].name == name) return layout_.slots[id];
    }
    ADD_FAILURE() << name;
    return 0;
  }
  std::uint32_t bytes() const { return layout_.bytes; }

 private:
  Function function_;
  FrameLayout layout_;
};

TEST(FrameLayout, ValuesThatFollowEachOtherShareAPlace) {
  const Places places(
      "e:\n  %x = mov.b64 4096\n  %a = ld.global.b32 [%x]\n  %b = add.s32 %a, 1\n"
      "  %c = add.s32 %b, 1\n  %d = add.s32 %c, 1\n  st.global.b32 [%x], %d\n  ret\n");
  EXPECT_EQ(places.of("a"), places.of("c"));
  EXPECT_EQ(places.of("b"), places.of("d"));
  EXPECT_EQ(places.bytes(), slot_bytes(8) + 2 * slot_bytes(4));
}

TEST(FrameLayout, AResultDoesNotLieWhereItsOperandDoes) {
  const Places places(
      "e:\n  %x = mov.b64 4096\n  %a = ld.global.b32 [%x]\n  %b = add.s32 %a, %a\n"
      "  st.global.b32 [%x], %b\n  ret\n");
  EXPECT_NE(places.of("a"), places.of("b"));
}

TEST(FrameLayout, WhatALoopCarriesKeepsItsPlaceThroughTheLoop) {
  const Places places(
      "e:\n  %x = mov.b64 4096\n  %a = mov.b32 0\n  %b = mov.b32 3\nl:\n  %c = add.s32 %a, %b\n"
      "  %d = add.s32 %c, 1\n  %a = add.s32 %d, 1\n  %p = setp.lt.s32 %a, 9\n  @%p bra l\n"
      "x:\n  st.global.b32 [%x], %a\n  ret\n");
  for (const char* carried : {"a", "b"}) {
    for (const char* passing : {"c", "d"}) EXPECT_NE(places.of(carried), places.of(passing));
  }
}

TEST(FrameLayout, ArmsOfABranchMayUseTheSamePlaces) {
  const Places places(
      "e:\n  %x = mov.b64 4096\n  %e = ld.global.b32 [%x]\n  %p = setp.lt.s32 %e, 9\n  @%p bra r\n"
      "l:\n  %a = add.s32 %e, 1\n  st.global.b32 [%x], %a\n  bra j\n"
      "r:\n  %b = add.s32 %e, 2\n  st.global.b32 [%x], %b\nj:\n  ret\n");
  EXPECT_EQ(places.of("a"), places.of("b"));
  EXPECT_NE(places.of("e"), places.of("b"));
}

TEST(FrameLayout, AGuardedWriteKeepsTheOldValueApart) {
  const Places places(
      "e:\n  %x = mov.b64 4096\n  %a = mov.b32 1\n  %e = ld.global.b32 [%x]\n"
      "  %p = setp.lt.s32 %e, 9\n  %b = add.s32 %e, 1\n  @%p %a = mov.b32 2\n"
      "  st.global.b32 [%x], %a\n  ret\n");
  EXPECT_NE(places.of("a"), places.of("e"));
  EXPECT_NE(places.of("a"), places.of("b"));
}

TEST(FrameLayout, WhatMayBeReadUnwrittenSharesWithNobody) {
  const Places places(
      "e:\n  %x = mov.b64 4096\n  %b = add.s32 %a, 1\n  st.global.b32 [%x], %b\n"
      "  %c = ld.global.b32 [%x]\n  %d = add.s32 %c, 1\n  st.global.b32 [%x], %d\n  ret\n");
  for (const char* other : {"b", "c", "d"}) EXPECT_NE(places.of("a"), places.of(other));
}

TEST(FrameLayout, LanesOfOneSizeOnlyShareAPlace) {
  // A predicate has a bit a lane; a diverged lane's bit lies in other lanes' halves.
  std::string code = "kernel @f() {\n  register pred p\n  register b16 h\n  register b64 x\n";
  code += "e:\n  %p = setp.lt.s32 1, 2\n  @%p bra r\nl:\n  ret\nr:\n  %x = mov.b64 4096\n";
  code += "  %h = mov.b16 3\n  st.global.b16 [%x], %h\n  ret\n}\n";
  const Function function =
      parse_text("module \"t\" ptx 7.5 target 70\n" + code, "test.rir").functions.back();
  const FrameLayout layout = share_places(function);
  EXPECT_NE(layout.slots[0], layout.slots[1]);
}

TEST(FrameLayout, SeparateRegistersNeverShare) {
  const Function function = function_from("e:\n  %a = mov.b32 1\n  %b = mov.b32 2\n  ret\n");
  const FrameLayout layout = separate_registers(function);
  const std::set<std::uint32_t> distinct(layout.slots.begin(), layout.slots.end());
  EXPECT_EQ(distinct.size(), function.registers.size());
}

}  // namespace
}  // namespace raddle::kernel::exec
