// The machine that docs/adding-a-machine.md builds: right results, every cycle explained, and a
// time that follows from its parts.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "machine/ref/launcher.h"
#include "test_paths.h"

namespace raddle::machine {
namespace {

using ref::Launcher;

const std::string kTable = test_root() + "/examples/toy-machine/toy.toml";

// out[i] = in[i] + in of the next thread of the block, through shared memory with a barrier.
constexpr std::string_view kNeighbours = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry neighbours(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<16>; .reg .b64 %rd<8>;
  .shared .align 4 .b8 words[1024];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r5, [%rd4];
  shl.b32 %r6, %r1, 2;
  mov.u32 %r7, words;
  add.u32 %r8, %r7, %r6;
  st.shared.u32 [%r8], %r5;
  bar.sync 0;
  add.u32 %r9, %r1, 1;
  rem.u32 %r10, %r9, %r3;
  shl.b32 %r11, %r10, 2;
  add.u32 %r12, %r7, %r11;
  ld.shared.u32 %r13, [%r12];
  add.u32 %r14, %r5, %r13;
  add.s64 %rd5, %rd2, %rd3;
  st.global.u32 [%rd5], %r14;
  ret;
}
)";
constexpr std::uint64_t kInstructions = 23;  // of each warp
constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kBlocks = 5;

struct Outcome {
  LaunchResult result;
  std::vector<std::uint32_t> out;
};

Outcome run_on(const std::string& machine, std::vector<std::string> settings = {}) {
  Launcher launcher(kNeighbours, std::move(settings), machine);
  std::vector<std::uint32_t> values(kThreads * kBlocks);
  std::iota(values.begin(), values.end(), 7);
  const std::uint64_t in = launcher.buffer(values);
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(values.size()));
  Outcome run;
  run.result = launcher.run("neighbours", {kBlocks, 1, 1}, {kThreads, 1, 1}, {in, out});
  run.out = launcher.read<std::uint32_t>(out, values.size());
  return run;
}

double stat(const LaunchResult& result, std::string_view component, std::string_view name) {
  for (const sim::StatValue& value : result.stats) {
    if (value.component == component && value.name == name) return value.value;
  }
  return -1;
}

TEST(ToyMachine, ComputesWhatTheKernelSays) {
  const Outcome run = run_on(kTable);
  ASSERT_TRUE(run.result.complete);
  for (std::uint32_t i = 0; i < kThreads * kBlocks; ++i) {
    const std::uint32_t next = i / kThreads * kThreads + (i + 1) % kThreads;
    ASSERT_EQ(run.out[i], 7 + i + 7 + next) << i;
  }
  EXPECT_EQ(run.out, run_on("ref").out);
}

TEST(ToyMachine, ExplainsEveryCycle) {
  const LaunchResult result = run_on(kTable).result;
  EXPECT_EQ(result.warp_instructions, kInstructions * kThreads / 32 * kBlocks);
  ASSERT_EQ(result.stalls.size(), 2U);
  EXPECT_EQ(result.stalls[0].cycles, static_cast<double>(result.warp_instructions));
  EXPECT_EQ(result.stalls[0].cycles + result.stalls[1].cycles, static_cast<double>(result.cycles));
  EXPECT_GT(result.stalls[1].cycles, 0);
}

TEST(ToyMachine, CountsWhatTheReferenceMachineCounts) {
  const LaunchResult toy = run_on(kTable).result;
  const LaunchResult ref = run_on("ref").result;
  EXPECT_EQ(toy.thread_instructions, ref.thread_instructions);
  EXPECT_EQ(toy.thread_instructions_by_class, ref.thread_instructions_by_class);
  EXPECT_EQ(toy.warp_instructions_by_class, ref.warp_instructions_by_class);
  EXPECT_EQ(toy.barriers, ref.barriers);
  ASSERT_EQ(toy.memory.size(), ref.memory.size());
  for (std::size_t i = 0; i < toy.memory.size(); ++i) {
    EXPECT_EQ(toy.memory[i].level, ref.memory[i].level);
    EXPECT_EQ(toy.memory[i].bytes_read, ref.memory[i].bytes_read);
    EXPECT_EQ(toy.memory[i].bytes_written, ref.memory[i].bytes_written);
    EXPECT_EQ(toy.memory[i].segments, ref.memory[i].segments);
  }
}

TEST(ToyMachine, StopsAfterTheCyclesItIsGiven) {
  Launcher launcher(kNeighbours, {}, kTable);
  launcher.options().control = RunControl(Cycle(100));
  const std::uint64_t buffer = launcher.buffer(std::vector<std::uint32_t>(kThreads * kBlocks));
  const LaunchResult result =
      launcher.run("neighbours", {kBlocks, 1, 1}, {kThreads, 1, 1}, {buffer, buffer});
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.cycles, 100U);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].message, "stopped after 100 cycles (--max-cycles)");
}

TEST(ToyMachine, LoadsEachLineOnceAndStoresThemThroughTheCache) {
  const LaunchResult result = run_on(kTable).result;
  const double lines = kThreads * kBlocks * 4 / 128.0;
  EXPECT_EQ(stat(result, "DRAM", "reads"), lines);  // whole lines stored need none of theirs
  EXPECT_EQ(result.energy_set, "circuit");
}

TEST(ToyMachine, TakesLongerWithASlowerCache) {
  const std::uint64_t fast = run_on(kTable).result.cycles;
  const std::uint64_t slow = run_on(kTable, {"l1.hit_cycles=200"}).result.cycles;
  EXPECT_GT(slow, fast);
}

TEST(ToyMachine, GivesTheSameResultTwice) {
  EXPECT_EQ(run_on(kTable).result.cycles, run_on(kTable).result.cycles);
}

// docs/adding-a-machine.md promises it.
TEST(ToyMachine, HasFewerThan200LinesOfCode) {
  std::ifstream file(test_root() + "/examples/toy-machine/toy_machine.cpp");
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start != std::string::npos && line.compare(start, 2, "//") != 0) ++lines;
  }
  EXPECT_GT(lines, 100);
  EXPECT_LT(lines, 200);
}

}  // namespace
}  // namespace raddle::machine
