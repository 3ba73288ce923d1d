#include "machine/cgra/compile/uniform_values.h"

#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

double stat_of(const LaunchResult& result, const std::string& component, const std::string& name) {
  for (const sim::StatValue& stat : result.stats) {
    if (stat.component == component && stat.name == name) return stat.value;
  }
  ADD_FAILURE() << "no " << component << ", " << name;
  return 0;
}

// A loop of n turns with a counter, a pointer that moves on, and a barrier.
const std::string kLoop = kernel_of(R"(
  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
  mov.u64 %rd4, %rd2;
again:
  ld.global.u32 %r12, [%rd4];
  add.u32 %r11, %r11, %r12;
  add.u32 %r11, %r11, %r10;
  bar.sync 0;
  add.u64 %rd4, %rd4, 512;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r1;
  @%p1 bra again;
  st.global.u32 [%rd2], %r11;
)");

TEST(UniformValues, LoopCountersTakeNoUnitsAndNoLiveValues) {
  FabricMachine machine(kLoop);
  const LaunchResult result = machine.run_k(2, 128, 5, 4096);
  ASSERT_TRUE(result.complete);
  for (const std::uint32_t word : machine.words(128)) EXPECT_EQ(word, 0u + 1 + 2 + 3 + 4);
  // A thread writes its sum before the loop, and in each turn before and after the barrier, but not
  // after the last one; pointer and counter come with it.
  EXPECT_EQ(stat_of(result, "live values", "writes"), 2 * 128 * (1 + 2 * 5 - 1));
  const auto& by_class = result.thread_instructions_by_class;
  EXPECT_EQ(by_class[static_cast<std::size_t>(kernel::InstructionClass::kCompare)], 0u)
      << "the loop's end is found beside the grid";
}

TEST(UniformValues, WhatFollowsFromACounterIsComputedAgainInItsLoop) {
  // The address is used before and after the barrier.
  const std::string ptx = kernel_of(R"(
  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
  mov.u64 %rd4, %rd2;
again:
  ld.global.u32 %r12, [%rd4];
  add.u32 %r11, %r11, %r12;
  bar.sync 0;
  st.global.u32 [%rd4+16384], %r11;
  add.u64 %rd4, %rd4, 512;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r1;
  @%p1 bra again;
  st.global.u32 [%rd2], %r11;
)");
  FabricMachine machine(ptx);
  const LaunchResult result = machine.run_k(1, 128, 5, 8192);
  ASSERT_TRUE(result.complete);
  EXPECT_EQ(stat_of(result, "live values", "writes"), 128 * (1 + 2 * 5 - 1)) << "the sum alone";
  expect_as_ref(ptx, 1, 128);
}

TEST(UniformValues, LinesOfTheNextTurnAreAskedForAhead) {
  FabricMachine machine(kLoop);
  const LaunchResult result = machine.run_k(1, 128, 8, 4096);
  ASSERT_TRUE(result.complete);
  // The pointer has moved twice by 512 bytes when the third turn loads: lines of turns 4 to 8, and
  // some for a turn that does not come.
  EXPECT_GE(stat_of(result, "L1 prefetch", "lines"), 5 * 512 / 128);
  EXPECT_LE(stat_of(result, "L1 prefetch", "lines"), 6 * 512 / 128);
  EXPECT_EQ(stat_of(result, "L1", "loads"), 128 * 8) << "prefetches are not counted as loads";
}

// Whoever goes round goes round equally often.
TEST(UniformValues, CountersOfLoopsThatSomeThreadsStayAwayFromTakeNoUnits) {
  const std::string ptx = kernel_of(R"(
  setp.ge.u32 %p2, %r2, 40;
  @%p2 bra end;
  mov.u32 %r10, 0;
  mov.u32 %r11, %r3;
again:
  mad.lo.u32 %r11, %r11, %r11, %r10;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r1;
  @%p1 bra again;
  st.global.u32 [%rd2], %r11;
end:
)");
  expect_as_ref(ptx, 3, 100, 5);
  FabricMachine machine(ptx);
  const LaunchResult result = machine.run_k(3, 100, 5);
  const auto& by_class = result.thread_instructions_by_class;
  EXPECT_EQ(by_class[static_cast<std::size_t>(kernel::InstructionClass::kCompare)], 3u * 100)
      << "who stays away is all that is compared";
}

// An inner loop whose threads are in different turns of the outer one.
TEST(UniformValues, ALoopWithinOneThatThreadsLeaveApartKeepsItsCounter) {
  const std::string ptx = kernel_of(R"(
  mov.u32 %r11, 1;
  mov.u32 %r12, 0;
outer:
  mov.u32 %r10, 0;
again:
  mad.lo.u32 %r11, %r11, 3, %r10;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r1;
  @%p1 bra again;
  add.u32 %r12, %r12, 1;
  and.b32 %r13, %r2, 7;
  setp.lt.u32 %p2, %r12, %r13;
  @%p2 bra outer;
  st.global.u32 [%rd2], %r11;
)");
  expect_as_ref(ptx, 2, 100, 4);
  expect_as_ref(ptx, 2, 96, 4, "dmt-cgra");
}

TEST(UniformValues, LoopsThatThreadsLeaveApartKeepTheirCounters) {
  const std::string ptx = kernel_of(R"(
  mov.u32 %r10, 0;
again:
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r2;
  @%p1 bra again;
  st.global.u32 [%rd2], %r10;
)");
  expect_as_ref(ptx, 3, 100);
}

TEST(UniformValues, WhatIsLoadedIsNotFoundBesideTheGrid) {
  const std::string ptx = kernel_of(R"(
  ld.global.u32 %r10, [%rd1];
  add.u32 %r11, %r10, 7;
  mov.u32 %r12, 0;
again:
  add.u32 %r12, %r12, %r11;
  setp.lt.u32 %p1, %r12, 40;
  @%p1 bra again;
  add.u32 %r13, %r12, %r3;
  st.global.u32 [%rd2+4096], %r13;
)");
  FabricMachine machine(ptx);
  const LaunchResult result = machine.run_k(2, 64, 0, 4096);
  ASSERT_TRUE(result.complete);
  const std::vector<std::uint32_t> words = machine.words(1024 + 128);
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(words[1024 + i], 42 + i);
}

}  // namespace
}  // namespace raddle::machine::cgra
