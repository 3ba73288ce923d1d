#include "machine/cgra/compile/memory_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/analysis/graphs.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Of the last instruction: which it waits for.
std::vector<std::uint32_t> waits(std::string_view body) {
  const kernel::Function function = kernel::function_from("e:\n" + std::string(body) + "  ret\n");
  std::vector<kernel::Instruction> code = function.blocks[0].instructions;
  code.pop_back();
  return find_memory_order(code).back();
}

TEST(MemoryOrder, LoadsDoNotWaitForEachOther) {
  EXPECT_THAT(waits("  %a = ld.global.b32 [%x]\n  %b = ld.global.b32 [%x]\n"), IsEmpty());
}

TEST(MemoryOrder, AccessesThatMayMeetFollowStores) {
  EXPECT_THAT(waits("  st.global.b32 [%x], 1\n  %b = ld.global.b32 [%y]\n"), ElementsAre(0));
  EXPECT_THAT(waits("  st.global.b32 [%x], 1\n  st.global.b32 [%y], 2\n"), ElementsAre(0));
}

TEST(MemoryOrder, StoresFollowLoadsThatMayMeetThem) {
  EXPECT_THAT(waits("  %a = ld.global.b32 [%x]\n  st.global.b32 [%y], 1\n"), ElementsAre(0));
}

TEST(MemoryOrder, OffsetsOfOneBaseAreApart) {
  EXPECT_THAT(waits("  st.global.b32 [%x], 1\n  %b = ld.global.b32 [%x+4]\n"), IsEmpty());
  EXPECT_THAT(waits("  st.global.b32 [%x], 1\n  %b = ld.global.b32 [%x+3]\n"), ElementsAre(0));
  EXPECT_THAT(waits("  st.global.b32 [%x], 1, 2\n  %b = ld.global.b32 [%x+4]\n"), ElementsAre(0))
      << "two words are stored";
}

TEST(MemoryOrder, ABaseWrittenInBetweenIsAnotherOne) {
  EXPECT_THAT(waits("  st.global.b32 [%x], 1\n  %x = add.s64 %x, 4\n  %b = ld.global.b32 [%x+4]\n"),
              ElementsAre(0));
}

TEST(MemoryOrder, SpacesDoNotMeetButGenericAddressesMeetAll) {
  EXPECT_THAT(waits("  st.shared.b32 [%a], 1\n  %b = ld.global.b32 [%x]\n"), IsEmpty());
  EXPECT_THAT(waits("  st.shared.b32 [%a], 1\n  %b = ld.generic.b32 [%x]\n"), ElementsAre(0));
  EXPECT_THAT(waits("  st.generic.b32 [%x], 1\n  %b = ld.local.b32 [%y]\n"), ElementsAre(0));
}

TEST(MemoryOrder, WhatNobodyWritesIsReadAtAnyTime) {
  EXPECT_THAT(waits("  st.global.b32 [%x], 1\n  %b = ld.global.nc.b32 [%x]\n"), IsEmpty());
  EXPECT_THAT(waits("  st.generic.b32 [%x], 1\n  %b = ld.const.b32 [@limits]\n"), IsEmpty());
}

TEST(MemoryOrder, AFenceWaitsForAllAndAllWaitForIt) {
  EXPECT_THAT(waits("  %a = ld.shared.b32 [%b]\n  st.global.b32 [%x], 1\n  fence.acq_rel.gpu\n"),
              ElementsAre(0, 1));
  EXPECT_THAT(waits("  fence.acq_rel.gpu\n  %a = ld.global.b32 [%x]\n"), ElementsAre(0));
}

TEST(MemoryOrder, VolatileAndAtomicAccessesKeepTheirOrder) {
  EXPECT_THAT(waits("  %a = ld.volatile.global.b32 [%x]\n  %b = ld.volatile.global.b32 [%y]\n"),
              ElementsAre(0));
  EXPECT_THAT(waits("  %a = atom.global.add.u32 [%x], 1\n  %b = ld.volatile.shared.b32 [%c]\n"),
              ElementsAre(0));
  EXPECT_THAT(waits("  %a = atom.global.add.u32 [%x], 1\n  %b = ld.global.b32 [%y]\n"),
              ElementsAre(0));
}

TEST(MemoryOrder, ArithmeticHasNone) {
  EXPECT_THAT(waits("  st.global.b32 [%x], 1\n  %b = add.s32 %a, 1\n"), IsEmpty());
}

}  // namespace
}  // namespace raddle::machine::cgra
