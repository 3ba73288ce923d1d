#include "machine/cgra/compile/value_facts.h"

#include <gtest/gtest.h>

#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

TEST(ValueFacts, TellConstantsCoordinatesAndCheapValuesApart) {
  const PieceStand stand(
      "e:\n  %a = ld.param.b32 [n]\n  %b = mul.lo.s32 %a, 3\n  %c = mov.b32 %tid.x\n"
      "  %d = add.s32 %c, %b\n  %e = ld.global.b32 [%x]\n  st.global.b32 [%x], %d\n"
      "  st.global.b32 [%x], %e\n  ret\n");
  EXPECT_EQ(stand.facts.kind(stand.value("a")), ValueKind::kConstant);
  EXPECT_EQ(stand.facts.kind(stand.value("b")), ValueKind::kConstant) << "computed from constants";
  EXPECT_EQ(stand.facts.kind(stand.value("c")), ValueKind::kCoordinate);
  EXPECT_EQ(stand.facts.kind(stand.value("d")), ValueKind::kCheap);
  EXPECT_EQ(stand.facts.kind(stand.value("e")), ValueKind::kComputed) << "memory may change";
  EXPECT_EQ(stand.facts.kind(stand.value("x")), ValueKind::kUndefined);
}

TEST(ValueFacts, AValueOfManyOperationsIsNotCheap) {
  const char* const body =
      "e:\n  %a = add.s32 %tid.x, 1\n  %b = mul.lo.s32 %a, 3\n  %c = xor.b32 %b, 7\n"
      "  st.global.b32 [%x], %c\n  ret\n";
  const PieceStand two(body, 8, 2);
  EXPECT_EQ(two.facts.kind(two.value("b")), ValueKind::kCheap);
  EXPECT_EQ(two.facts.kind(two.value("c")), ValueKind::kComputed);
  const PieceStand three(body, 8, 3);
  EXPECT_EQ(three.facts.kind(three.value("c")), ValueKind::kCheap);
}

TEST(ValueFacts, ConstantsStandBehindWhatTheyAreComputedFrom) {
  const PieceStand stand(
      "e:\n  %a = ld.param.b32 [n]\n  %b = add.s32 %a, 1\n  %c = add.s32 %b, %a\n"
      "  st.global.b32 [%x], %c\n  ret\n");
  std::vector<bool> seen(stand.kernel.function.registers.size(), false);
  for (const kernel::RegisterId value : stand.facts.constants()) {
    for (const kernel::Operand& source : stand.facts.instruction(value).sources) {
      if (source.is_register()) {
        EXPECT_TRUE(seen[source.index]);
      }
    }
    seen[value] = true;
  }
  EXPECT_TRUE(seen[stand.value("c")]);
}

TEST(ValueFacts, ConstantMemoryAtAKnownPlaceIsConstant) {
  const kernel::Module module = kernel::parse_text(
      "module \"t\" ptx 7.5 target 70\nconst @limits[64]\nkernel @f(n[4]) {\n"
      "  register b32 a, b, c, d\n  register b64 x\n"
      "e:\n  %a = ld.const.b32 [@limits+60]\n  %b = add.s32 %a, 1\n"
      "  %c = ld.const.b32 [@limits+62]\n  %d = ld.const.b32 [%x]\n"
      "  st.global.b32 [%x], %b\n  st.global.b32 [%x], %c\n  st.global.b32 [%x], %d\n  ret\n}\n",
      "test.rir");
  const SegmentedKernel kernel = cut_into_segments(module.functions[0], module, 8);
  const ValueFacts facts(kernel.function, module, {2});
  const auto kind = [&](std::string_view name) {
    kernel::RegisterId value = 0;
    while (kernel.function.registers[value].name != name) ++value;
    return facts.kind(value);
  };
  EXPECT_EQ(kind("a"), ValueKind::kConstant);
  EXPECT_EQ(kind("b"), ValueKind::kConstant);
  EXPECT_EQ(kind("c"), ValueKind::kComputed) << "goes beyond the end: an error where it is loaded";
  EXPECT_EQ(kind("d"), ValueKind::kComputed);
}

TEST(ValueFacts, AClockIsReadWhereItStands) {
  const PieceStand stand("e:\n  %a = mov.b32 %clock\n  st.global.b32 [%x], %a\n  ret\n");
  EXPECT_EQ(stand.facts.kind(stand.value("a")), ValueKind::kComputed);
}

TEST(ValueFacts, WhatIsSentToOtherThreadsIsNotComputedAgain) {
  const PieceStand stand(
      "e:\n  %a = add.s32 %tid.x, 1\n  it.tag.b32 %a {channel=1}\n"
      "  %b = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n  st.global.b32 [%x], %b\n  "
      "ret\n");
  EXPECT_EQ(stand.facts.kind(stand.value("a")), ValueKind::kComputed);
}

}  // namespace
}  // namespace raddle::machine::cgra
