// What kernels compute on the fabric is what they compute on the reference machine, whatever their
// control flow.
#include <fmt/format.h>

#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

TEST(FabricResults, GuardedInstructionsKeepTheOldValueElsewhere) {
  expect_as_ref(kernel_of(R"(
  setp.gt.u32 %p1, %r2, 20;
  mov.u32 %r10, 3;
  @%p1 add.u32 %r10, %r10, %r2;
  mov.u32 %r11, 77;
  @!%p1 ld.global.u32 %r11, [%rd2];
  add.u32 %r12, %r10, %r11;
  st.global.u32 [%rd2], %r12;
)"),
                2, 70);
}

// Nine and more values go round the loop, and the last takes one from in front of it.
TEST(FabricResults, ALoopMayTakeOverAValueFromInFrontOfIt) {
  std::string head =
      "  mul.lo.u32 %r40, %r2, 7;\n  ld.global.u32 %r41, [%rd2];\n"
      "  add.u32 %r40, %r40, %r41;\n  mov.u32 %r30, 1000;\n  mov.u32 %r6, 0;\n";
  std::string loop = "LOOP:\n";
  std::string sum = "  mov.u32 %r7, 0;\n";
  for (int v = 10; v < 22; ++v) {
    head += fmt::format("  add.u32 %r{}, %r41, {};\n", v, v);
    loop += fmt::format("  mad.lo.u32 %r{}, %r{}, 3, %r30;\n", v, v);
    sum += fmt::format("  xor.b32 %r7, %r7, %r{};\n", v);
  }
  loop +=
      "  mov.u32 %r30, %r40;\n  add.u32 %r6, %r6, 1;\n  setp.lt.u32 %p1, %r6, %r1;\n"
      "  @%p1 bra LOOP;\n";
  expect_as_ref(kernel_of(head + loop + sum +
                          "  add.u32 %r7, %r7, %r30;\n"
                          "  st.global.u32 [%rd2], %r7;\n"),
                2, 64, 5);
}

// Values change places in every turn of the loop.
TEST(FabricResults, ValuesMayBeSwappedInALoop) {
  expect_as_ref(kernel_of(R"(
  mov.u32 %r10, %r2;
  add.u32 %r11, %r2, 100;
  mov.u32 %r6, 0;
LOOP:
  mov.u32 %r12, %r10;
  mov.u32 %r10, %r11;
  mov.u32 %r11, %r12;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p1, %r6, %r2;
  @%p1 bra LOOP;
  mad.lo.u32 %r13, %r10, 1000, %r11;
  st.global.u32 [%rd2], %r13;
)"),
                1, 40);
}

TEST(FabricResults, AnIndexedBranchGoesToItsTarget) {
  expect_as_ref(kernel_of(R"(
  rem.u32 %r10, %r2, 4;
  mov.u32 %r11, 5;
T: .branchtargets A, B, C, B;
  brx.idx %r10, T;
A:
  mov.u32 %r11, 11;
  bra DONE;
B:
  add.u32 %r11, %r2, 22;
  bra DONE;
C:
  ret;
DONE:
  st.global.u32 [%rd2], %r11;
)"),
                2, 50);
}

TEST(FabricResults, AGuardedIndexedBranchIsPassedByTheOthers) {
  expect_as_ref(kernel_of(R"(
  rem.u32 %r10, %r2, 3;
  mov.u32 %r11, 5;
  setp.gt.u32 %p1, %r2, 24;
T: .branchtargets A, B, DONE;
  @%p1 brx.idx %r10, T;
  add.u32 %r11, %r11, 100;
  bra DONE;
A:
  mov.u32 %r11, 11;
  bra DONE;
B:
  add.u32 %r11, %r2, 22;
DONE:
  st.global.u32 [%rd2], %r11;
)"),
                2, 50);
}

TEST(FabricResults, BarriersOrderWhatThreadsWriteAndRead) {
  expect_as_ref(kernel_of(R"(
  mov.u32 %r10, tile;
  mad.lo.u32 %r11, %r2, 4, %r10;
  mov.u32 %r6, 0;
  mov.u32 %r20, %r3;
LOOP:
  st.shared.u32 [%r11], %r20;
  bar.sync 0;
  add.u32 %r12, %r2, 1;
  rem.u32 %r12, %r12, %r5;
  mad.lo.u32 %r12, %r12, 4, %r10;
  ld.shared.u32 %r13, [%r12];
  add.u32 %r20, %r20, %r13;
  bar.sync 0;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p1, %r6, 5;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], %r20;
)"),
                3, 100);
}

TEST(FabricResults, ABarrierDoesNotWaitForThreadsThatHaveEnded) {
  expect_as_ref(kernel_of(R"(
  setp.gt.u32 %p1, %r2, 40;
  @%p1 ret;
  mov.u32 %r10, tile;
  mad.lo.u32 %r11, %r2, 4, %r10;
  st.shared.u32 [%r11], %r3;
  bar.sync 0;
  sub.u32 %r12, 40, %r2;
  mad.lo.u32 %r12, %r12, 4, %r10;
  ld.shared.u32 %r13, [%r12];
  st.global.u32 [%rd2], %r13;
)"),
                2, 96);
}

TEST(FabricResults, LanesOfAWarpExchangeValuesInDivergentCode) {
  expect_as_ref(kernel_of(R"(
  mov.u32 %r10, 0;
  setp.lt.u32 %p1, %r2, 16;
  @%p1 bra LOW;
  shfl.sync.bfly.b32 %r10, %r3, 3, 31, 0xffff0000;
  bra DONE;
LOW:
  shfl.sync.down.b32 %r10, %r3, 1, 31, 0x0000ffff;
DONE:
  st.global.u32 [%rd2], %r10;
)"),
                2, 32);
}

// A lane waits for lanes that leave the kernel in another piece.
TEST(FabricResults, LanesDoNotWaitForLanesThatHaveEnded) {
  expect_as_ref(kernel_of(R"(
  mov.u32 %r6, 0;
LOOP:
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, %r2;
  @%p2 bra LOOP;
  setp.gt.u32 %p1, %r2, 20;
  @%p1 ret;
  vote.ballot.b32 %r10, %p1;
  add.u32 %r10, %r10, %r6;
  st.global.u32 [%rd2], %r10;
)"),
                2, 32);
}

TEST(FabricResults, AThreadReadsBackWhatItHasJustWritten) {
  expect_as_ref(kernel_of(R"(
  st.global.u32 [%rd2], %r3;
  ld.global.u32 %r10, [%rd2];
  add.u32 %r10, %r10, 5;
  st.global.u32 [%rd2], %r10;
  ld.global.u32 %r11, [%rd2];
  mad.lo.u32 %r11, %r11, 3, %r10;
  st.global.u32 [%rd2], %r11;
)"),
                2, 64);
}

// --- threads that wait for each other by looking ---------------------------------------------------

TEST(FabricResults, ThreadsThatPollLetTheOneTheyWaitForRun) {
  FabricMachine machine(kernel_of(R"(
  setp.ne.u32 %p1, %r2, 5;
  @%p1 bra LOOK;
  mov.u32 %r6, 0;
WORK:
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, 50;
  @%p2 bra WORK;
  st.volatile.global.u32 [%rd1+400], %r6;
LOOK:
  ld.volatile.global.u32 %r10, [%rd1+400];
  setp.eq.u32 %p3, %r10, 0;
  @%p3 bra LOOK;
  st.global.u32 [%rd2], %r10;
)"));
  machine.options().control = RunControl(Cycle(1'000'000));
  ASSERT_TRUE(machine.run_k(1, 64).complete);
  EXPECT_EQ(machine.words(64), std::vector<std::uint32_t>(64, 50));
}

// Two groups poll in pieces of their own, and the third must have its turn.
TEST(FabricResults, SeveralPiecesThatPollDoNotKeepOthersOut) {
  FabricMachine machine(kernel_of(R"(
  rem.u32 %r10, %r2, 3;
  setp.eq.u32 %p1, %r10, 0;
  @%p1 bra FIRST;
  setp.eq.u32 %p2, %r10, 1;
  @%p2 bra SECOND;
  bra WORK;
FIRST:
  ld.volatile.global.u32 %r11, [%rd1+800];
  setp.eq.u32 %p3, %r11, 0;
  @%p3 bra FIRST;
  bra DONE;
SECOND:
  ld.volatile.global.u32 %r11, [%rd1+804];
  setp.eq.u32 %p3, %r11, 0;
  @%p3 bra SECOND;
  bra DONE;
WORK:
  mov.u32 %r11, 0;
TURN:
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p4, %r11, 9;
  @%p4 bra TURN;
  st.volatile.global.u32 [%rd1+804], %r11;
  st.volatile.global.u32 [%rd1+800], %r11;
DONE:
  st.global.u32 [%rd2], %r11;
)"));
  machine.options().control = RunControl(Cycle(1'000'000));
  ASSERT_TRUE(machine.run_k(1, 96).complete);
  EXPECT_EQ(machine.words(96), std::vector<std::uint32_t>(96, 9));
}

TEST(FabricResults, LanesTakeALockOneAfterTheOther) {
  FabricMachine machine(kernel_of(R"(
AGAIN:
  atom.global.cas.b32 %r10, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r10, 0;
  @%p1 bra AGAIN;
  ld.volatile.global.u32 %r11, [%rd1+4];
  add.u32 %r11, %r11, 1;
  st.volatile.global.u32 [%rd1+4], %r11;
  membar.gl;
  atom.global.exch.b32 %r12, [%rd1], 0;
)"));
  machine.options().control = RunControl(Cycle(5'000'000));
  ASSERT_TRUE(machine.run_k(2, 40).complete);
  EXPECT_EQ(machine.words(2)[1], 80U);
}

// --- values between threads --------------------------------------------------------------------------

std::string between(std::string_view body) { return kernel_of(body, kInterThread); }

TEST(FabricResults, APrefixSumPassesFromThreadToThread) {
  const std::string ptx = between(R"(
  call (%r10), __raddle_it_recv_const_u32, (0, -1, 0, 0, 0, 97, 0, 0, 0);
  add.u32 %r11, %r10, %r3;
  call __raddle_it_tag_u32, (%r11, 97, 0, 0, 0);
  st.global.u32 [%rd2], %r11;
)");
  expect_as_ref(ptx, 3, 100, 0, "dmt-cgra");
}

TEST(FabricResults, RecurrencesInBothDirectionsAreTwoPieces) {
  expect_as_ref(between(R"(
  call (%r10), __raddle_it_recv_const_u32, (7, 1, 0, 0, 0, 97, 0, 0, 0);
  add.u32 %r11, %r10, %r3;
  call __raddle_it_tag_u32, (%r11, 97, 0, 0, 0);
  call (%r12), __raddle_it_recv_const_u32, (3, -1, 0, 0, 0, 98, 0, 0, 0);
  add.u32 %r13, %r12, %r11;
  call __raddle_it_tag_u32, (%r13, 98, 0, 0, 0);
  st.global.u32 [%rd2], %r13;
)"),
                2, 75, 0, "dmt-cgra");
}

class FabricDistance : public ::testing::TestWithParam<int> {};

TEST_P(FabricDistance, ReceivesGetWhatThreadsAtThatDistanceSend) {
  const std::string delta = std::to_string(GetParam());
  expect_as_ref(between("  mul.lo.u32 %r9, %r3, 3;\n"
                        "  call __raddle_it_tag_u32, (%r9, 97, 0, 0, 0);\n"
                        "  call (%r10), __raddle_it_recv_const_u32, (5, " +
                        delta +
                        ", 0, 0, 0, 97, 0, 0, 0);\n"
                        "  add.u32 %r11, %r10, %r9;\n  st.global.u32 [%rd2], %r11;\n"),
                2, 101, 0, "dmt-cgra");
}

TEST_P(FabricDistance, ReceiveOrLoadPassesOnWhatWasLoaded) {
  const std::string delta = std::to_string(GetParam());
  const std::string ptx = between(
      "  st.global.u32 [%rd2], %r3;\n  and.b32 %r9, %r2, 64;\n"
      "  setp.eq.u32 %p1, %r9, 0;\n  selp.u32 %r9, 1, 0, %p1;\n"
      "  call (%r10), __raddle_it_recv_load_u32, (%rd2, %r9, " +
      delta + ", 0, 0, 0);\n  add.u64 %rd5, %rd2, 2048;\n  st.global.u32 [%rd5], %r10;\n");
  expect_as_ref(ptx, 2, 101, 0, "dmt-cgra");
}

INSTANTIATE_TEST_SUITE_P(AtTheEdgesOfTheTokenBuffer, FabricDistance,
                         ::testing::Values(-1, -15, -16, -17, -18, -32, -33, -100, 1, 16, 17, 40));

double stat_of(const LaunchResult& result, std::string_view component, std::string_view name) {
  for (const sim::StatValue& value : result.stats) {
    if (value.component == component && value.name == name) return value.value;
  }
  return -1;
}

// 64 threads write two lines and read nothing.
TEST(FabricResults, AStoreThatMissesFetchesItsLineOnlyIfItIsToldTo) {
  const std::string ptx = kernel_of("  st.global.u32 [%rd2], %r3;\n");
  FabricMachine keeps(ptx), fetches(ptx, {"l1.write_miss=fetch"});
  EXPECT_EQ(stat_of(keeps.run_k(1, 64), "L1", "fills"), 0);
  EXPECT_EQ(stat_of(fetches.run_k(1, 64), "L1", "fills"), 2);
  EXPECT_EQ(keeps.words(64), fetches.words(64));
}

}  // namespace
}  // namespace raddle::machine::cgra
