// What the recorder makes of programs: threads, arcs, joins, invocations and places.
#include "ddm/recorder/graph_recorder.h"

#include <gtest/gtest.h>

#include <set>

#include "raddle/ddm.h"

namespace raddle::ddm {
namespace {

using recording::Recording;
using recording::TemplateKind;

template <class Frame>
Recording record(Program<Frame>& program, std::vector<std::uint32_t> nodes = {1}) {
  GraphRecorder recorder(nodes);
  Frame frame{};
  program.run_on(*make_observed_executor(recorder, 1), frame);
  return recorder.recording("test");
}

// "producer>consumer" of all arcs, by name and index.
std::multiset<std::string> arcs(const Recording& recording) {
  const auto name = [&](std::size_t number) {
    const recording::Thread& thread = recording.threads[number];
    return recording.templates[thread.thread_template].name + std::to_string(thread.index);
  };
  std::multiset<std::string> all;
  for (std::size_t i = 0; i < recording.threads.size(); ++i) {
    for (const auto consumer : part(recording.consumers, recording.threads[i].consumers)) {
      all.insert(name(i) + ">" + name(consumer));
    }
  }
  return all;
}

TEST(GraphRecorder, ArcsByIndexJoinInstances) {
  Program<> program;
  auto a = program.thread("a", range(2), [](std::size_t) {});
  auto b = program.thread("b", range(2), [](std::size_t) {});
  a.then(b);
  const auto found = arcs(record(program));
  EXPECT_EQ(found.count("a0>b0"), 1u);
  EXPECT_EQ(found.count("a1>b1"), 1u);
  EXPECT_EQ(found.count("a0>b1"), 0u);
}

TEST(GraphRecorder, ArcFromAllToAllIsAJoin) {
  Program<> program;
  auto a = program.thread("a", range(3), [](std::size_t) {});
  auto b = program.thread("b", range(2), [](std::size_t) {});
  a.then(b, all);
  const auto found = arcs(record(program));
  EXPECT_EQ(found.count("a0>join0"), 1u);
  EXPECT_EQ(found.count("a2>join0"), 1u);
  EXPECT_EQ(found.count("join0>b0"), 1u);
  EXPECT_EQ(found.count("join0>b1"), 1u);
}

TEST(GraphRecorder, OutletComesAfterWhatEnablesNobodyElse) {
  Program<> program;
  auto a = program.thread("a", [] {});
  auto b = program.thread("b", [] {});
  a.then(b);
  const auto found = arcs(record(program));
  EXPECT_EQ(found.count("b0>outlet0"), 1u);
  EXPECT_EQ(found.count("a0>outlet0"), 0u);
}

TEST(GraphRecorder, InvokedBlockHasInletAndOutletAndItsCallersConsumersFollow) {
  Program<> program;
  auto inner = program.block<NoFrame>("inner");
  inner.thread("work", [] {});
  auto call = program.call("call", inner, [] { return NoFrame{}; });
  auto after = program.thread("after", [] {});
  call.then(after);
  const Recording recording = record(program);
  const auto found = arcs(recording);
  EXPECT_EQ(found.count("call0>inlet0"), 1u);
  EXPECT_EQ(found.count("inlet0>work0"), 1u);
  EXPECT_EQ(found.count("work0>outlet0"), 1u);
  EXPECT_EQ(found.count("outlet0>after0"), 1u);
  EXPECT_EQ(recording.blocks.size(), 2u);
}

TEST(GraphRecorder, LoopsWayBackMakesAnotherFiring) {
  struct Counter {
    int rounds = 0;
  };
  Program<Counter> program;
  auto first = program.thread("first", [] {});
  auto step = program.thread("step", [](Counter& counter) { ++counter.rounds; });
  auto more = program.choose("more", [](Counter& counter) { return counter.rounds < 3; });
  auto back = program.thread("back", [] {});
  auto done = program.thread("done", [] {});
  first.then(step);
  step.then(more);
  more.when(true, back).when(false, done);
  back.again(step);
  const Recording recording = record(program);
  std::size_t steps = 0;
  for (const recording::Thread& thread : recording.threads) {
    if (recording.templates[thread.thread_template].name == "step") ++steps;
  }
  EXPECT_EQ(steps, 3u);
  EXPECT_EQ(arcs(recording).count("back0>step0"), 2u);
}

TEST(GraphRecorder, PlacesThreadsForEveryNumberOfNodes) {
  Program<> program;
  program.thread("spread", range(4), [](std::size_t) {});
  program.thread("fixed", range(4), [](std::size_t) {}).on([](std::size_t, int nodes) {
    return nodes - 1;
  });
  const Recording recording = record(program, {1, 2});
  ASSERT_EQ(recording.placements.size(), 2u);
  for (std::size_t i = 0; i < recording.threads.size(); ++i) {
    EXPECT_EQ(recording.placements[0].node_of[i], 0u);
    const recording::Thread& thread = recording.threads[i];
    const std::string& name = recording.templates[thread.thread_template].name;
    if (name == "fixed") {
      EXPECT_EQ(recording.placements[1].node_of[i], 1u);
    } else if (name == "spread") {
      EXPECT_EQ(recording.placements[1].node_of[i], thread.index / 2);
    }
  }
}

TEST(GraphRecorder, RefusesAMappingToNoNode) {
  Program<> program;
  program.thread("lost", range(2), [](std::size_t) {}).on([](std::size_t, int nodes) {
    return nodes;
  });
  EXPECT_THROW(record(program, {2}), GraphError);
}

TEST(GraphRecorder, KeepsDeclaredInputs) {
  std::vector<double> x(8);
  Program<> program;
  program.thread("reader", [] {}).reads([&] { return data(std::span(x)); });
  const Recording recording = record(program);
  std::uint64_t bytes = 0;
  for (const recording::Region& region : recording.inputs) bytes += region.bytes;
  EXPECT_EQ(bytes, 64u);
}

}  // namespace
}  // namespace raddle::ddm
