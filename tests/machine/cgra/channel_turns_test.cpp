// Threads that tag and receive in some turns of a loop only, under conditions that are the same for
// the whole block: who is served gets what it gets on ref, who is not is reported.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <optional>
#include <random>

#include "base/error.h"
#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

// Six turns. In turn i a value is tagged if bit i of n is set, and received if bit i + 8 is.
std::string turns(std::string_view between) {
  return kernel_of(fmt::format(R"(
  mov.u32 %r10, 0;
  mov.u32 %r11, %r2;
AGAIN:
  shr.u32 %r12, %r1, %r10;
  and.b32 %r13, %r12, 1;
  setp.eq.u32 %p1, %r13, 0;
  mad.lo.u32 %r11, %r11, 5, %r10;
  .loc 1 3 1
  @%p1 bra NOT_TAGGED;
  call __raddle_it_tag_u32, (%r11, 97, 0, 0, 0);
NOT_TAGGED:
  {}
  and.b32 %r14, %r12, 256;
  setp.eq.u32 %p2, %r14, 0;
  @%p2 bra NOT_RECEIVED;
  .loc 1 4 1
  call (%r15), __raddle_it_recv_const_u32, (9, -1, 0, 0, 0, 97, 0, 0, 0);
  xor.b32 %r11, %r11, %r15;
NOT_RECEIVED:
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p3, %r10, 6;
  @%p3 bra AGAIN;
  st.global.u32 [%rd2], %r11;
)",
                               between),
                   kInterThread);
}

struct Outcome {
  std::optional<FaultKind> fault;
  std::string message;
  std::vector<std::uint32_t> words;
};

Outcome run(FabricMachine& machine, std::uint32_t n, std::uint32_t threads = 48) {
  const LaunchResult result = machine.run_k(2, threads, n, 128);
  if (result.complete) return {std::nullopt, {}, machine.words(2 * threads)};
  return {result.faults.at(0).kind, result.faults[0].message, {}};
}

// What a fabric says of the turns: nothing, that a value is missing, or that one was tagged over.
std::optional<FaultKind> expected(std::uint32_t n) {
  std::uint32_t tagged = 0, received = 0;
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    tagged += n >> turn & 1;
    if ((n >> turn & 256) == 0) continue;
    if (tagged < ++received) return FaultKind::kDeadlock;
    if (tagged > received) return FaultKind::kUnsupported;
  }
  return std::nullopt;
}

TEST(ChannelTurns, AReceiveGetsTheValueOfItsTurnOrTheRunSaysWhyNot) {
  for (const char* between : {"", "bar.sync 0;"}) {
    FabricMachine ref(turns(between), {}, "ref"), fabric(turns(between), {}, "dmt-cgra");
    std::mt19937 random(7);
    std::array<std::uint32_t, 3> seen{};
    for (int i = 0; i < 120; ++i) {
      const std::uint32_t tags = random() & 63;
      const std::uint32_t n = tags | (i % 3 == 0 ? tags : random() & 63) << 8;
      SCOPED_TRACE(fmt::format("n = {:#x}, between: {}", n, between));
      const Outcome wanted = run(ref, n), got = run(fabric, n);
      EXPECT_EQ(got.fault, expected(n)) << got.message;
      // ref keeps all that was tagged, and threads that get a constant run ahead to later tags.
      if (wanted.fault) {
        EXPECT_EQ(got.fault, FaultKind::kDeadlock) << got.message;
      } else if (!got.fault) {
        EXPECT_EQ(got.words, wanted.words);
      }
      ++seen[!got.fault ? 0 : *got.fault == FaultKind::kDeadlock ? 1 : 2];
    }
    EXPECT_GT(seen[0], 20U);
    EXPECT_GT(seen[1], 20U);
    EXPECT_GT(seen[2], 20U);
  }
}

TEST(ChannelTurns, ReportsNameChannelThreadsNodeAndLine) {
  for (const char* between : {"", "bar.sync 0;"}) {
    FabricMachine machine(turns(between), {}, "dmt-cgra");
    const LaunchResult late = machine.run_k(1, 64, 0x0703);
    ASSERT_EQ(late.faults.size(), 1U);
    EXPECT_EQ(late.faults[0].kind, FaultKind::kDeadlock);
    EXPECT_EQ(late.faults[0].location, "k.cu:4");
    EXPECT_EQ(late.faults[0].thread.x, 1U);
    EXPECT_THAT(late.faults[0].message,
                ::testing::MatchesRegex(
                    "deadlock: thread \\(1,0,0\\) waits for thread \\(0,0,0\\) on channel \"a\" at "
                    "node [0-9]+ \\(receive -1\\) of piece [0-9]: it receives value 3, and 2 were "
                    "tagged"));
    const LaunchResult over = machine.run_k(1, 64, 0x0203);
    ASSERT_EQ(over.faults.size(), 1U);
    EXPECT_EQ(over.faults[0].kind, FaultKind::kUnsupported);
    EXPECT_THAT(over.faults[0].message,
                ::testing::MatchesRegex(
                    "thread \\(1,0,0\\) receives value 1 of thread \\(0,0,0\\) on channel \"a\" at "
                    "node [0-9]+ \\(receive -1\\) of piece [0-9], but 2 were tagged and only the "
                    "last is kept: receive as often as values are tagged"));
    EXPECT_TRUE(machine.run_k(1, 64, 0x0303).complete) << "the next launch runs";
  }
}

TEST(ChannelTurns, ARecurrenceThatStopsTaggingIsADeadlock) {
  const std::string ptx = kernel_of(R"(
  call (%r10), __raddle_it_recv_const_u32, (4, 1, 0, 0, 0, 97, 0, 0, 0);
  add.u32 %r10, %r10, %r2;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  call __raddle_it_tag_u32, (%r10, 97, 0, 0, 0);
DONE:
  st.global.u32 [%rd2], %r10;
)",
                                    kInterThread);
  expect_as_ref(ptx, 2, 40, 1, "dmt-cgra");
  FabricMachine machine(ptx, {}, "dmt-cgra");
  const LaunchResult result = machine.run_k(2, 40, 0);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kDeadlock);
  EXPECT_EQ(result.faults[0].thread.x, 38U) << "the last thread gets the constant";
}

TEST(ChannelTurns, ThreadsThatDoNotReceiveKeepWhatTheyHave) {
  // So many values go round the loop that they share their places, the received one included.
  std::string first, next, sum;
  for (int v = 30; v < 42; ++v) {
    first += fmt::format("  add.u32 %r{}, %r2, {};\n", v, v);
    next += fmt::format("  mad.lo.u32 %r{0}, %r{0}, 3, %r10;\n", v);
    sum += fmt::format("  mad.lo.u32 %r50, %r50, 7, %r{};\n", v);
  }
  for (const char* call :
       {"call (%r33), __raddle_it_recv_const_u32, (9, -1, 0, 0, 0, 97, 0, 0, 0);",
        "call (%r33), __raddle_it_recv_load_u32, (%rd2, %r20, -1, 0, 0, 0);"}) {
    const std::string body = fmt::format(R"(
  mov.u32 %r10, 0;
  and.b32 %r20, %r2, 4;
{}
AGAIN:
  and.b32 %r11, %r10, 1;
  setp.eq.u32 %p1, %r11, %r1;
  @%p1 bra NOT_TAGGED;
  call __raddle_it_tag_u32, (%r33, 97, 0, 0, 0);
NOT_TAGGED:
{}
  @%p1 bra SKIP;
  {}
SKIP:
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, 5;
  @%p2 bra AGAIN;
  mov.u32 %r50, 0;
{}
  st.global.u32 [%rd2], %r50;
)",
                                         first, next, call, sum);
    expect_as_ref(kernel_of(body, kInterThread), 2, 64, 1, "dmt-cgra");
  }
}

// --- several tags of a channel ----------------------------------------------------------------------

constexpr const char* kEitherWay = R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra OTHER;
  mul.lo.u32 %r10, %r2, 3;
  .loc 1 5 1
  call __raddle_it_tag_u32, (%r10, 97, 0, 0, 0);
  {0}
  bra MEET;
OTHER:
  setp.eq.u32 %p2, %r4, 1;
  {1}
  add.u32 %r11, %r2, 50;
  .loc 1 7 1
  call __raddle_it_tag_u32, (%r11, 97, 0, 0, 0);
MEET:
  .loc 1 8 1
  call (%r12), __raddle_it_recv_const_u32, (9, -1, 0, 0, 0, 97, 0, 0, 0);
  st.global.u32 [%rd2], %r12;
)";

TEST(TagJoining, WhicheverWayAThreadComesItsValueIsSent) {
  for (const char* wait : {"", "bar.sync 0;"}) {
    const std::string ptx = kernel_of(fmt::format(kEitherWay, wait, ""), kInterThread);
    expect_as_ref(ptx, 2, 40, 0, "dmt-cgra");
    expect_as_ref(ptx, 2, 40, 1, "dmt-cgra");
  }
}

TEST(TagJoining, AWayWithoutATagIsADeadlockForTheBlockThatTakesIt) {
  const std::string ptx = kernel_of(fmt::format(kEitherWay, "", "@%p2 bra MEET;"), kInterThread);
  FabricMachine machine(ptx, {}, "dmt-cgra");
  expect_as_ref(ptx, 2, 40, 1, "dmt-cgra");
  EXPECT_TRUE(machine.run_k(1, 40, 0).complete);
  const LaunchResult result = machine.run_k(2, 40, 0);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kDeadlock);
  EXPECT_EQ(result.faults[0].block.x, 1U);
}

TEST(TagJoining, WhatIsReceivedBeforeWaysMeetIsRefusedWithBothLines) {
  const std::string ptx = kernel_of(
      fmt::format(kEitherWay,
                  "call (%r12), __raddle_it_recv_const_u32, (9, 1, 0, 0, 0, 97, 0, 0, 0);", ""),
      kInterThread);
  try {
    FabricMachine(ptx, {}, "dmt-cgra").run_k(1, 40, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "k.cu:5: kernel k: channel \"a\" is tagged here and at k.cu:7, and a fabric sends it "
              "from one place\nhint: choose the value first and tag it once, after the condition; "
              "or give one of the two a channel of its own");
  }
}

}  // namespace
}  // namespace raddle::machine::cgra
