// Programs with code blocks that are invoked, recorded and simulated with a TSU that has no room
// for all of them.
#include <gtest/gtest.h>

#include "base/error.h"
#include "ddm/recorder/graph_recorder.h"
#include "machine/d2now/d2now_machine.h"
#include "raddle/ddm.h"

namespace raddle::ddm {
namespace {

double stat(const machine::LaunchResult& result, std::string_view component,
            std::string_view name) {
  for (const sim::StatValue& value : result.stats) {
    if (value.component == component && value.name == name) return value.value;
  }
  throw std::runtime_error("no such statistic");
}

machine::LaunchResult replay(const recording::Recording& recording, std::uint32_t graph_memory) {
  machine::ParameterTable table = machine::load_parameters("d2now");
  table.set("nodes=1");
  table.set("tsu.graph_memory=" + std::to_string(graph_memory));
  return machine::d2now::D2nowMachine(table).replay(recording, {});
}

struct Square {
  int value = 0;
};

TEST(BlockLoading, InvocationsTakeTurnsInAGraphMemoryForOneOfThem) {
  int sum = 0;
  Program<> program("sums");
  auto square = program.block<Square>("square");
  square.thread("multiply", [](Square& f) { f.value *= f.value; });
  program.call(
      "each", range(20), square, [](std::size_t i) { return Square{static_cast<int>(i)}; },
      [&](std::size_t, const Square& done) { sum += done.value; });
  GraphRecorder recorder({1});
  NoFrame frame;
  program.run_on(*make_observed_executor(recorder, 1), frame);
  EXPECT_EQ(sum, 19 * 20 * 39 / 6);

  const recording::Recording& recording = recorder.recording("sums");
  ASSERT_EQ(recording.blocks.size(), 21u);
  const std::uint32_t root = recording.blocks[0].templates, callee = recording.blocks[1].templates;
  const machine::LaunchResult tight = replay(recording, root + callee);
  EXPECT_TRUE(tight.complete);
  EXPECT_EQ(stat(tight, "PPU", "blocks_loaded"), 21);
  EXPECT_GT(stat(tight, "PPU", "waits_for_graph_memory"), 0);
  const machine::LaunchResult roomy = replay(recording, root + 20 * callee);
  EXPECT_EQ(stat(roomy, "PPU", "waits_for_graph_memory"), 0);
  EXPECT_EQ(stat(roomy, "TIU", "threads"), stat(tight, "TIU", "threads"));
}

struct Depth {
  int left = 0;
  int sum = 0;
};

TEST(BlockLoading, RecursionThatIsDeeperThanTheGraphMemoryIsNamed) {
  Program<Depth> program("recursion");
  auto descend = program.block<Depth>("descend");
  descend.thread("down", [descend](Depth& f, Spawn spawn) {
    if (f.left > 0) spawn(descend, Depth{f.left - 1, 0});
  });
  program.call("begin", descend, [](Depth& f) { return Depth{f.left, 0}; });
  GraphRecorder recorder({1});
  Depth frame{30, 0};
  program.run_on(*make_observed_executor(recorder, 1), frame);
  const recording::Recording& recording = recorder.recording("recursion");
  std::uint32_t all = 0;
  for (const recording::Block& block : recording.blocks) all += block.templates;
  EXPECT_TRUE(replay(recording, all).complete);
  try {
    (void)replay(recording, all / 2);
    FAIL() << "ran";
  } catch (const raddle::Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("the graph memory is full of code blocks that cannot "
                        "end before others are loaded: descend."),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace raddle::ddm
