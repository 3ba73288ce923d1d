// Kernels that go wrong on the fabric, or are refused: who, where and why; what a launch counts.
#include <gmock/gmock.h>

#include "base/error.h"
#include "machine/cgra/cgra_parameters.h"
#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::HasSubstr;

double units_and_cycles(const LaunchResult& result) {
  return static_cast<double>(result.cycles) * 140;
}
double all_stalls(const LaunchResult& result) {
  double sum = 0;
  for (const Stall& share : result.stalls) sum += share.cycles;
  return sum;
}

std::string refusal(const std::string& ptx, std::vector<std::string> settings = {},
                    std::uint32_t threads = 64, const std::string& machine = "mt-cgra") {
  try {
    FabricMachine(ptx, std::move(settings), machine).run_k(1, threads);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

const char* const kLoop = R"(
  mov.u32 %r10, 0;
AGAIN:
  mad.lo.u32 %r10, %r10, 3, %r2;
  ld.global.u32 %r11, [%rd2];
  add.u32 %r11, %r11, %r10;
  st.global.u32 [%rd2], %r11;
  add.u32 %r12, %r12, 1;
  setp.lt.u32 %p1, %r12, %r1;
  @%p1 bra AGAIN;
)";

TEST(FabricMachine, StallsSumToUnitsTimesCyclesExactly) {
  for (const char* body : {"st.global.u32 [%rd2], %r3;", kLoop}) {
    FabricMachine machine(kernel_of(body));
    const LaunchResult first = machine.run_k(4, 100, 5);
    EXPECT_TRUE(first.complete);
    EXPECT_GT(first.cycles, 0U);
    EXPECT_EQ(all_stalls(first), units_and_cycles(first));
    const LaunchResult second = machine.run_k(1, 1, 5);
    EXPECT_EQ(all_stalls(second), units_and_cycles(second)) << "of a later launch, too";
  }
}

// A core that faults has gone further than the last quantum's end.
TEST(FabricMachine, AFaultLeavesNoFigureBelowZero) {
  const std::string far = "st.global.u32 [%rd2+2000000000], %r10;\n";
  for (const std::string& body : {far, kLoop + far}) {
    FabricMachine machine(kernel_of(body));
    const LaunchResult result = machine.run_k(4, 100, 5);
    ASSERT_FALSE(result.complete);
    EXPECT_LT(result.cycles, 1'000'000U);
    EXPECT_EQ(all_stalls(result), units_and_cycles(result));
    for (const sim::StatValue& value : result.stats) EXPECT_LT(value.value, 1e12) << value.name;
  }
}

TEST(FabricMachine, TheSameLaunchTakesTheSameCycles) {
  const auto figures = [] {
    const LaunchResult result = FabricMachine(kernel_of(kLoop)).run_k(5, 100, 4);
    std::vector<double> all{static_cast<double>(result.cycles)};
    for (const Stall& share : result.stalls) all.push_back(share.cycles);
    for (const sim::StatValue& value : result.stats) all.push_back(value.value);
    return all;
  };
  EXPECT_EQ(figures(), figures());
}

TEST(FabricMachine, ABarrierThatSomeNeverReachIsADeadlock) {
  FabricMachine machine(kernel_of(R"(
  setp.lt.u32 %p1, %r2, 32;
  @%p1 bra OTHER;
  .loc 1 7 1
  bar.sync 1, 64;
  bra DONE;
OTHER:
  .loc 1 9 1
  bar.sync 2, 64;
DONE:
)"));
  const LaunchResult result = machine.run_k(1, 64);
  EXPECT_FALSE(result.complete);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kDeadlock);
  EXPECT_EQ(result.faults[0].message,
            "deadlock: threads wait at a barrier that the others never reach");
  EXPECT_THAT(result.faults[0].details,
              ::testing::UnorderedElementsAre(
                  "block (0,0,0) warp 0: 32 of 32 live threads at k.cu:9, waiting at barrier 2",
                  "block (0,0,0) warp 1: 32 of 32 live threads at k.cu:7, waiting at barrier 1"));
  EXPECT_EQ(all_stalls(result), units_and_cycles(result));
}

TEST(FabricMachine, ATrapStopsTheLaunchAndNotTheNext) {
  FabricMachine machine(kernel_of(R"(
  setp.ne.u32 %p1, %r3, %r1;
  @%p1 bra GOOD;
  .loc 1 5 1
  trap;
GOOD:
  st.global.u32 [%rd2], %r3;
)"));
  const LaunchResult bad = machine.run_k(3, 64, 70);
  EXPECT_FALSE(bad.complete);
  ASSERT_EQ(bad.faults.size(), 1U);
  EXPECT_EQ(bad.faults[0].kind, FaultKind::kTrap);
  EXPECT_EQ(bad.faults[0].block.x, 1U);
  EXPECT_EQ(bad.faults[0].thread.x, 6U);
  EXPECT_TRUE(machine.run_k(3, 64, 100'000).complete);
  EXPECT_EQ(machine.words(192)[191], 191U);
}

TEST(FabricMachine, AnIndexedBranchBeyondItsTableStopsTheLaunch) {
  FabricMachine machine(kernel_of(R"(
T: .branchtargets A, B;
  .loc 1 6 1
  brx.idx %r2, T;
A:
  bar.sync 0;
B:
  bar.sync 1;
)"));
  const LaunchResult result = machine.run_k(1, 3);
  EXPECT_FALSE(result.complete);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(result.faults[0].message, "indexed branch beyond the end of its table");
  EXPECT_EQ(result.faults[0].location, "k.cu:6");
  EXPECT_EQ(result.faults[0].thread.x, 2U);
}

TEST(FabricMachine, AnAccessOutOfBoundsNamesItsThread) {
  FabricMachine machine(kernel_of(R"(
  setp.ne.u32 %p1, %r3, 77;
  @%p1 bra DONE;
  mov.u64 %rd5, 64;
  ld.global.u32 %r10, [%rd5];
  st.global.u32 [%rd2], %r10;
DONE:
)"));
  const LaunchResult result = machine.run_k(3, 64);
  EXPECT_FALSE(result.complete);
  ASSERT_FALSE(result.faults.empty());
  EXPECT_EQ(result.faults[0].kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(result.faults[0].thread.x, 13U);
}

TEST(FabricMachine, TheWatchdogStopsAKernelAfterItsCycles) {
  FabricMachine machine(kernel_of(R"(
AGAIN:
  add.u32 %r10, %r10, 1;
  setp.ne.u32 %p1, %r1, 1;
  @%p1 bra AGAIN;
  st.global.u32 [%rd2], %r10;
)"));
  machine.options().control = RunControl(Cycle(20'000));
  const LaunchResult result = machine.run_k(2, 32);
  EXPECT_FALSE(result.complete);
  ASSERT_FALSE(result.faults.empty());
  EXPECT_EQ(result.faults[0].kind, FaultKind::kWatchdogCycles);
  EXPECT_EQ(result.cycles, 20'000U);
  EXPECT_EQ(all_stalls(result), units_and_cycles(result));
}

TEST(FabricMachine, RecursionIsRefusedWithItsLine) {
  EXPECT_EQ(refusal(kernel_of("  call one, ();\n",
                              ".func two();\n.func one() { .loc 1 4 1\n call two, (); ret; }\n"
                              ".func two() { .loc 1 7 1\n call one, (); ret; }\n")),
            "k.cu:7: kernel 'k' calls one, which may call itself, and a fabric does not support "
            "recursion\nhint: recursion runs on ref and on the SIMT machines");
}

// As on the SIMT machines: mostly threads wait for blocks that find no room.
TEST(FabricMachine, PollingMemoryThatNobodyChangesIsADeadlock) {
  const char* const poll = R"(
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra MET;
  .loc 1 7 1
AGAIN:
  ld.volatile.global.u32 %r10, [%rd1];
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra AGAIN;
MET:
  .loc 1 9 1
  bar.sync 0;
)";
  FabricMachine machine(kernel_of(poll));
  const LaunchResult result = machine.run_k(2, 64);
  EXPECT_FALSE(result.complete);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kDeadlock);
  EXPECT_EQ(result.faults[0].message,
            "deadlock: all 2 resident blocks poll memory that no thread changes");
  EXPECT_THAT(result.faults[0].details,
              ::testing::IsSupersetOf(
                  {"block (0,0,0) warp 0: 1 of 32 live threads at k.cu:7, polling memory",
                   "block (0,0,0) warp 0: 31 of 32 live threads at k.cu:9, waiting at barrier 0",
                   "block (1,0,0) warp 1: 32 of 32 live threads at k.cu:9, waiting at barrier 0"}));
  EXPECT_LT(result.cycles, 1'000'000U);
  EXPECT_EQ(all_stalls(result), units_and_cycles(result));

  FabricMachine full(kernel_of(poll), {"device.threads=128"});
  EXPECT_EQ(full.run_k(5, 64).faults.at(0).message,
            "deadlock: the 2 resident blocks poll memory that no thread changes, while 3 blocks "
            "wait to become resident");
}

// Long after the others began to wait, somebody writes.
TEST(FabricMachine, PollingUntilMemoryChangesIsNone) {
  FabricMachine machine(kernel_of(R"(
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra POLL;
WORK:
  mad.lo.u32 %r11, %r11, 3, %r3;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, %r1;
  @%p2 bra WORK;
  st.volatile.global.u32 [%rd1], %r10;
  bra DONE;
POLL:
  ld.volatile.global.u32 %r10, [%rd1];
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra POLL;
  st.global.u32 [%rd2], %r10;
DONE:
)"));
  const LaunchResult result = machine.run_k(1, 64, 20'000);
  EXPECT_TRUE(result.complete);
  EXPECT_GT(result.cycles, 400'000U);
  EXPECT_EQ(machine.words(64)[63], 20'000U);
}

TEST(FabricMachine, ValuesBetweenThreadsAreRefusedWithoutUnitsForThem) {
  const std::string ptx = kernel_of(R"(
  .loc 1 3 1
  call __raddle_it_tag_u32, (%r3, 97, 0, 0, 0);
  call (%r10), __raddle_it_recv_const_u32, (5, -1, 0, 0, 0, 97, 0, 0, 0);
  st.global.u32 [%rd2], %r10;
)",
                                    kInterThread);
  EXPECT_EQ(
      refusal(ptx),
      "k.cu:3: kernel 'k' passes values between threads, which Raddle mt-cgra does not support\n"
      "hint: run the version that uses shared memory and barriers (for the bundled dmt/NAME that "
      "is NAME), or this one on ref or dmt-cgra");
  EXPECT_EQ(refusal(ptx, {}, 64, "dmt-cgra"), "no error");
}

TEST(FabricMachine, WhatNeverFitsNamesUnitsAndLines) {
  EXPECT_EQ(refusal(kernel_of("  .loc 1 8 1\n  mad.lo.u32 %r10, %r3, %r3, 5;\n"
                              "  .loc 1 9 1\n  st.global.u32 [%rd2], %r10;\n"),
                    {"units.load_store=1", "units.alu=1"}),
            "k.cu:1: kernel k needs 2 ALU units at once, the grid has 1 (lines: k.cu:1, k.cu:8)\n"
            "hint: units.alu=2 and units.load_store=2 would do");
}

TEST(FabricMachine, BlocksWithTooManyLiveValuesAreRefused) {
  EXPECT_THAT(refusal(kernel_of(kLoop), {"live_values.bytes=256"}, 1024),
              HasSubstr("bytes of live values, a core of mt-cgra has 256\nhint: launch smaller "
                        "blocks, or set live_values.bytes"));
}

// --- parameters ---------------------------------------------------------------------------------------

std::string parameter_refusal(const std::string& setting) {
  ParameterTable table = load_parameters("mt-cgra");
  table.set(setting);
  try {
    const CgraParameters parameters(table);
  } catch (const Error& error) {
    return std::string(error.what()) + "\nhint: " + error.hint();
  }
  return {};
}

TEST(CgraParameters, RefuseWhatMakesNoFabric) {
  const std::string all = "; `raddle machines show mt-cgra` prints all parameters";
  EXPECT_EQ(
      parameter_refusal("device.cores=0"),
      "parameter 'device.cores' is 0, but must be from 1 to 1024\nhint: its unit: cores" + all);
  EXPECT_EQ(
      parameter_refusal("units.control=0"),
      "parameter 'units.control' is 0, but must be from 1 to 1024\nhint: its unit: units" + all);
  EXPECT_EQ(parameter_refusal("tokens.buffer=12"),
            "tokens.buffer = 12 is not a power of two\nhint: the nearest are 8 and 16");
  EXPECT_EQ(parameter_refusal("grid.topology=ring"),
            "grid.topology = \"ring\" is not a known value\n"
            "hint: known: mesh, torus, diagonal, express");
  EXPECT_EQ(parameter_refusal("tokens.buffer=1"), "");
}

TEST(FabricMachine, ThreadsThatWaitAtDifferentBarriersAreReportedInCheckedMode) {
  const std::string apart = kernel_of(R"(
  setp.lt.u32 %p1, %r2, 32;
  .loc 1 4 5
  @%p1 bra SECOND;
  .loc 1 5 5
  bar.sync 0;
  bra.uni DONE;
SECOND:
  .loc 1 7 5
  bar.sync 0;
DONE:
  st.global.u32 [%rd2], %r2;
)");
  FabricMachine checked(apart);
  checked.options().check = true;
  const LaunchResult result = checked.run_k(1, 64);
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.fault_count, 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kBarrierDivergence);
  EXPECT_THAT(result.faults[0].message,
              HasSubstr("threads of the block wait at different barriers, others at k.cu:"));
  FabricMachine plain(apart);
  EXPECT_EQ(plain.run_k(1, 64).fault_count, 0u);
  FabricMachine together(kernel_of("bar.sync 0; bar.sync 0; st.global.u32 [%rd2], %r2;\n"));
  together.options().check = true;
  EXPECT_EQ(together.run_k(1, 64).fault_count, 0u);
}

}  // namespace
}  // namespace raddle::machine::cgra
