// Values between threads on the reference machine: what only a run can find out, and what is
// refused before one. Programs that compute with them are in tests/programs/dmt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "lang/ptx/reader.h"
#include "machine/launch_check.h"
#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

using ::testing::ElementsAre;

// The names of the channels are the letters a (97), b (98) ….
constexpr std::string_view kDeclarations =
    ".extern .func __raddle_it_tag_u32(.param .b32 a, .param .b64 n0, .param .b64 n1, .param .b64 "
    "n2, .param .b64 n3);\n"
    ".extern .func (.param .b32 r) __raddle_it_recv_const_u32(.param .b32 a, .param .b32 x, .param "
    ".b32 y, .param .b32 z, .param .b32 w, .param .b64 n0, .param .b64 n1, .param .b64 n2, .param "
    ".b64 n3);\n"
    ".extern .func (.param .b32 r) __raddle_it_recv_load_u32(.param .b64 a, .param .b32 p, .param "
    ".b32 x, .param .b32 y, .param .b32 z, .param .b32 w);\n";

// A kernel of `out` and two counts that are the same for all threads, in %r1 and %r2; its thread is
// in %r3, and what %r4 holds at the end goes to out[thread].
std::string kernel(std::string_view body) {
  return module_of(std::string(kDeclarations) +
                   ".visible .entry k(.param .u64 out, .param .u32 n, .param .u32 m) {\n"
                   "  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
                   "  .loc 1 1 1\n  ld.param.u64 %rd1, [out];\n  ld.param.u32 %r1, [n];\n"
                   "  ld.param.u32 %r2, [m];\n  mov.u32 %r3, %tid.x;\n  mov.u32 %r4, %r3;\n" +
                   std::string(body) +
                   "  mul.wide.u32 %rd2, %r3, 4;\n  add.s64 %rd3, %rd1, %rd2;\n"
                   "  st.global.u32 [%rd3], %r4;\n  ret;\n}\n.file 1 \"k.cu\"\n");
}

class InterThread : public ::testing::Test {
 protected:
  LaunchResult run(std::string_view body, Dim3 block, std::uint32_t n = 0, std::uint32_t m = 0) {
    Launcher launcher(kernel(body));
    const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(block.count(), 7));
    LaunchResult result = launcher.run("k", {1, 1, 1}, block, {out, n, m});
    out_ = launcher.read<std::uint32_t>(out, block.count());
    return result;
  }
  std::string refusal(std::string_view body, Dim3 block) {
    try {
      run(body, block);
    } catch (const Error& error) {
      return error.full_text();
    }
    return "no error";
  }
  std::vector<std::uint32_t> out_;
};

// Tags %r1 times, receives %r2 times.
constexpr std::string_view kCounted = R"(
  .loc 1 10 1
TAGS:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra RECEIVES;
  call __raddle_it_tag_u32, (%r3, 97, 0, 0, 0);
  sub.u32 %r1, %r1, 1;
  bra TAGS;
  .loc 1 20 1
RECEIVES:
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra DONE;
  call (%r5), __raddle_it_recv_const_u32, (100, -1, 0, 0, 0, 97, 0, 0, 0);
  add.u32 %r4, %r4, %r5;
  sub.u32 %r2, %r2, 1;
  bra RECEIVES;
DONE:
)";

TEST_F(InterThread, EveryReceiveTakesTheValueOfItsTurn) {
  EXPECT_TRUE(run(kCounted, {4, 1, 1}, 3, 3).complete);
  EXPECT_THAT(out_, ElementsAre(300, 1, 5, 9));
}

TEST_F(InterThread, ValuesThatNobodyTakesDoNoHarm) {
  EXPECT_TRUE(run(kCounted, {4, 1, 1}, 5, 1).complete);
  EXPECT_THAT(out_, ElementsAre(100, 1, 3, 5));
}

TEST_F(InterThread, AWaitThatIsNeverServedNamesChannelThreadAndLine) {
  const LaunchResult result = run(kCounted, {40, 1, 1}, 2, 3);
  EXPECT_FALSE(result.complete);
  ASSERT_EQ(result.faults.size(), 1u);
  const kernel::exec::Fault& fault = result.faults[0];
  EXPECT_EQ(fault.kind, kernel::exec::FaultKind::kDeadlock);
  EXPECT_EQ(fault.message,
            "deadlock: thread (1,0,0) waits for thread (0,0,0) on channel \"a\", which has ended "
            "without passing a value");
  EXPECT_EQ(fault.location, "k.cu:20");
  EXPECT_EQ(fault.thread, (Dim3{1, 0, 0}));
  EXPECT_THAT(
      fault.details,
      ElementsAre("block (0,0,0) warp 0: 31 of 31 live threads at k.cu:20, thread (1,0,0) waiting "
                  "for thread (0,0,0) on channel \"a\"",
                  "block (0,0,0) warp 1: 8 of 8 live threads at k.cu:20, thread (32,0,0) waiting "
                  "for thread (31,0,0) on channel \"a\""));
}

TEST_F(InterThread, AWaitForAThreadAtABarrierSaysSo) {
  const LaunchResult result = run(R"(
  .loc 1 30 1
  setp.gt.u32 %p1, %r3, 0;
  @%p1 bra ON;
  bar.sync 0;
ON:
  .loc 1 31 1
  call __raddle_it_tag_u32, (%r3, 97, 0, 0, 0);
  call (%r4), __raddle_it_recv_const_u32, (100, -1, 0, 0, 0, 97, 0, 0, 0);
)",
                                  {2, 1, 1});
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].message,
            "deadlock: thread (1,0,0) waits for thread (0,0,0) on channel \"a\", which waits at a "
            "barrier");
}

// The first turn receives from both sides what the second one tags.
TEST_F(InterThread, ThreadsThatWaitInACircleSaySo) {
  const LaunchResult result = run(R"(
LOOP:
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra TAGS;
  .loc 1 40 1
  call (%r4), __raddle_it_recv_const_u32, (100, 1, 0, 0, 0, 97, 0, 0, 0);
  call (%r5), __raddle_it_recv_const_u32, (100, -1, 0, 0, 0, 98, 0, 0, 0);
  bra NEXT;
TAGS:
  call __raddle_it_tag_u32, (%r3, 97, 0, 0, 0);
  call __raddle_it_tag_u32, (%r3, 98, 0, 0, 0);
NEXT:
  xor.b32 %r1, %r1, 1;
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra LOOP;
)",
                                  {8, 1, 1}, 1, 2);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].message,
            "deadlock: thread (0,0,0) waits for thread (1,0,0) on channel \"a\", which waits as "
            "well: threads wait for each other in a cycle");
  EXPECT_EQ(result.faults[0].location, "k.cu:40");
}

TEST_F(InterThread, ReceivesFromMemoryNameThemselves) {
  const LaunchResult result = run(R"(
  .loc 1 50 1
  setp.gt.u32 %p1, %r3, 0;
  @%p1 bra ON;
  bar.sync 0;
ON:
  .loc 1 51 1
  call (%r4), __raddle_it_recv_load_u32, (%rd1, 0, -1, 0, 0, 0);
)",
                                  {2, 1, 1});
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].message,
            "deadlock: thread (1,0,0) waits for thread (0,0,0) on fromThreadOrMem (channel 0), "
            "which waits at a barrier");
}

TEST_F(InterThread, LoadsAreCountedOnceForThoseThatPassThemOn) {
  const LaunchResult result =
      run("  call (%r4), __raddle_it_recv_load_u32, (%rd1, 0, -1, 0, 0, 16);\n", {64, 1, 1});
  EXPECT_TRUE(result.complete);
  std::uint64_t loads = 0;
  for (const MemoryTraffic& level : result.memory) {
    if (level.level == "global") loads = level.load_accesses;
  }
  EXPECT_EQ(loads, 4u);
  EXPECT_THAT(out_, ::testing::Each(7));
}

TEST_F(InterThread, ReceivesAreCountedByDistanceWhereCommunicationIsTracked) {
  Launcher launcher(
      kernel("  call __raddle_it_tag_u32, (%r3, 97, 0, 0, 0);\n"
             "  call (%r4), __raddle_it_recv_const_u32, (100, -1, 0, 0, 0, 97, 0, 0, 0);\n"
             "  call (%r5), __raddle_it_recv_const_u32, (100, 0, 2, 0, 0, 97, 0, 0, 0);\n"
             "  call (%r6), __raddle_it_recv_load_u32, (%rd1, 0, -1, 0, 0, 0);\n"),
      {"track_communication=true"});
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(32));
  const LaunchResult result = launcher.run("k", {1, 1, 1}, {8, 4, 1}, {out, 0, 0});
  const auto bins = [&](std::string_view name) {
    std::vector<std::pair<double, std::uint64_t>> list;
    for (const Histogram& histogram : result.histograms) {
      if (histogram.name != name) continue;
      for (const HistogramBin& bin : histogram.bins) list.emplace_back(bin.value, bin.count);
    }
    return list;
  };
  using ::testing::Pair;
  EXPECT_THAT(bins("linear_distance"), ElementsAre(Pair(1, 28 + 28), Pair(16, 16)));
  EXPECT_THAT(bins("euclidean_distance"), ElementsAre(Pair(1, 28 + 28), Pair(2, 16)));
  EXPECT_THAT(bins("static_linear_distance"), ElementsAre(Pair(1, 2), Pair(16, 1)));
}

TEST_F(InterThread, WindowsHaveToDivideTheBlock) {
  constexpr std::string_view kWindowed =
      "  .loc 1 60 1\n  call __raddle_it_tag_u32, (%r3, 97, 0, 0, 0);\n"
      "  call (%r4), __raddle_it_recv_const_u32, (100, -1, 0, 0, 48, 97, 0, 0, 0);\n";
  EXPECT_EQ(refusal(kWindowed, {96, 1, 1}), "no error");
  EXPECT_EQ(refusal(kWindowed, {64, 1, 1}),
            "k.cu:60: kernel k: a window of 48 threads does not divide the block of 64\n"
            "hint: launch the kernel with blocks of a multiple of the window, or choose another "
            "window");
}

TEST_F(InterThread, WhatNotAllThreadsPassIsRefused) {
  EXPECT_EQ(refusal(R"(
  .loc 1 70 1
  setp.gt.u32 %p1, %r3, 0;
  @%p1 bra ON;
  .loc 1 71 1
  call __raddle_it_tag_u32, (%r3, 97, 0, 0, 0);
ON:
  .loc 1 72 1
  call (%r4), __raddle_it_recv_const_u32, (100, -1, 0, 0, 0, 97, 0, 0, 0);
)",
                    {32, 1, 1}),
            "k.cu:71: kernel k: channel \"a\" is tagged where threads of the block may have "
            "diverged: the condition at k.cu:70 may differ between them\n"
            "hint: move the call out of the condition, loop or early return, so that every thread "
            "of the block executes it; values loaded from memory count as different, arguments of "
            "the kernel as the same");
}

TEST_F(InterThread, FunctionsThatWereNotInlinedAreRefused) {
  Launcher launcher(module_of(std::string(kDeclarations) + R"(
.func helper() {
  .loc 1 5 1
  call __raddle_it_tag_u32, (1, 97, 0, 0, 0);
  ret;
}
.visible .entry k() { call helper, (); ret; }
.file 1 "k.cu"
)"));
  try {
    launcher.run("k", {1, 1, 1}, {1, 1, 1}, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "k.cu:5: the function helper communicates between threads but was not inlined\n"
              "hint: mark it __forceinline__: channels belong to a kernel");
  }
}

TEST(InterThreadUnits, MachinesWithoutThemPointToTheOtherForm) {
  kernel::DeviceMemory memory(1u << 20);
  kernel::Program program(memory);
  program.load(ptx::read_ptx(kernel(kCounted), "test.ptx"));
  program.link();
  Launch launch;
  const kernel::Module& module = program.module(0);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].name == "k") launch.kernel = {0, f};
  }
  launch.block = {32, 1, 1};
  DeviceDescription device;
  device.name = "Raddle plain";
  try {
    check_launch(*kernel::exec::decode(program, launch.kernel), launch, device, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(
        error.full_text(),
        "k.cu:10: kernel 'k' passes values between threads, which Raddle plain does not support\n"
        "hint: run the version that uses shared memory and barriers (for the bundled dmt/NAME that "
        "is NAME), or this one on ref or dmt-cgra");
  }
}

}  // namespace
}  // namespace raddle::machine::ref
