// Code blocks come into the TSU and leave it; a full one makes blocks wait, and one that can never
// hold a block says so.
#include "machine/d2now/graph_memory.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/d2now/recorded_program.h"

namespace raddle::machine::d2now::testing {
namespace {

TEST(GraphMemory, HoldsBlocksUpToItsCapacityAndRemovesThem) {
  GraphMemory memory(10, 3);
  EXPECT_TRUE(memory.try_load(0, 6));
  EXPECT_FALSE(memory.try_load(1, 5));
  EXPECT_TRUE(memory.try_load(2, 4));
  EXPECT_TRUE(memory.is_resident(2));
  memory.remove(0, 6);
  EXPECT_FALSE(memory.is_resident(0));
  EXPECT_TRUE(memory.try_load(1, 5));
  EXPECT_EQ(memory.most_used(), 10u);
}

// Two independent blocks of three templates each, two threads a block.
RecordedProgram two_blocks() {
  RecordedProgram program;
  program.recording.blocks = {{"one", 3}, {"two", 3}};
  for (std::uint32_t block : {0u, 0u, 1u, 1u}) program.thread(0, 100, block);
  return program;
}

TEST(GraphMemory, BlockWaitsUntilAnotherIsRemoved) {
  RecordedProgram program = two_blocks();
  const LaunchResult roomy = run(program.on(1), {"tsu.graph_memory=6"});
  EXPECT_EQ(stat(roomy, "PPU", "waits_for_graph_memory"), 0);
  const LaunchResult tight = run(program.on(1), {"tsu.graph_memory=5"});
  EXPECT_EQ(stat(tight, "PPU", "waits_for_graph_memory"), 2);
  EXPECT_EQ(stat(tight, "PPU", "blocks_loaded"), 2);
  EXPECT_EQ(tight.cycles, 400u);
}

TEST(GraphMemory, LoadingABlockCostsTheProcessorTimeForEachTemplate) {
  RecordedProgram program = two_blocks();
  EXPECT_EQ(run(program.on(1), {"processor.load_template_cycles=8"}).cycles, 400u + 6 * 8);
}

TEST(GraphMemory, RefusesABlockThatCanNeverFit) {
  RecordedProgram program = two_blocks();
  try {
    run(program.on(1), {"tsu.graph_memory=2"});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "code block 'one' has 3 templates, the graph memory holds 2");
    EXPECT_EQ(error.hint(), "split the block, or set tsu.graph_memory to a larger number");
  }
}

TEST(GraphMemory, NamesThreadsOfBlocksThatWaitForEachOthersPlaces) {
  RecordedProgram program;
  program.recording.blocks = {{"caller", 3}, {"callee", 3}};
  const auto call = program.thread(0, 1, 0), callee = program.thread(0, 1, 1),
             after = program.thread(0, 1, 0);
  program.consumers(call, {callee});
  program.consumers(callee, {after});
  try {
    run(program.on(1), {"tsu.graph_memory=3"});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the graph memory is full of code blocks that cannot end before others are "
                 "loaded: callee.work[1] wait");
  }
}

TEST(SynchronizationMemory, CountsThatDoNotFitCostAnAccessToMemory) {
  RecordedProgram program;
  const auto a = program.thread(0, 1), b = program.thread(0, 1);
  std::vector<std::uint32_t> last;
  for (int i = 0; i < 4; ++i) last.push_back(program.thread(0, 1));
  program.consumers(a, last);
  program.consumers(b, last);
  EXPECT_EQ(stat(run(program.on(1), {"tsu.synchronization_memory=4"}), "PPU", "count_overflows"),
            0);
  EXPECT_GT(stat(run(program.on(1), {"tsu.synchronization_memory=2"}), "PPU", "count_overflows"),
            0);
}

}  // namespace
}  // namespace raddle::machine::d2now::testing
