// The three ways to another node, and what is sent at all.
#include <gtest/gtest.h>

#include "machine/d2now/recorded_program.h"
#include "machine/d2now/thread_graph.h"

namespace raddle::machine::d2now::testing {
namespace {

// Node 0 computes something of which a thread on node 1 reads so many bytes.
RecordedProgram forwarding(std::uint64_t bytes) {
  RecordedProgram program;
  const auto producer = program.thread(0, 10), consumer = program.thread(1, 10);
  program.consumers(producer, {consumer});
  program.flows(consumer, {{producer, 0, {0, bytes}}});
  return program;
}

TEST(Network, SingleValueTakesOnePacket) {
  RecordedProgram program = forwarding(8);
  const LaunchResult result = run(program.on(2), {"nodes=2"});
  EXPECT_EQ(stat(result, "NIU", "packets"), 1);
  // 10, a packet of 8, 20 on the way, 6 of the bus, 10.
  EXPECT_EQ(result.cycles, 10u + 8 + 20 + 6 + 10);
}

TEST(Network, FineGrainSendsABlockValueByValue) {
  RecordedProgram program = forwarding(80);
  const LaunchResult result = run(program.on(2), {"nodes=2", "processor.send_value_cycles=6"});
  EXPECT_EQ(stat(result, "NIU", "packets"), 10);
  EXPECT_EQ(stat(result, "NIU", "blocks"), 0);
  EXPECT_EQ(result.cycles, 10u + 10 * 6 + 10 * 8 + 20 + 10 * 6 + 10);
}

TEST(Network, BlockGoesByDma) {
  RecordedProgram program = forwarding(320);
  const LaunchResult result =
      run(program.on(2), {"nodes=2", "network.blocks=true", "processor.send_value_cycles=6",
                          "processor.send_block_cycles=16"});
  EXPECT_EQ(stat(result, "NIU", "packets"), 0);
  EXPECT_EQ(stat(result, "NIU", "blocks"), 1);
  // Ten lines over the bus on either side outweigh 40 values over the link.
  EXPECT_EQ(result.cycles, 10u + 16 + 240 + 20 + 240 + 10);
}

TEST(Network, OnlyMessagesAboveTheThresholdUseEthernet) {
  for (const auto& [bytes, by_ethernet] : {std::pair{384u, 0}, std::pair{392u, 1}}) {
    RecordedProgram program = forwarding(bytes);
    const LaunchResult result =
        run(program.on(2), {"nodes=2", "network.blocks=true", "network.ethernet=true"});
    EXPECT_EQ(stat(result, "NIU", "ethernet_messages"), by_ethernet) << bytes;
  }
}

TEST(Network, ThresholdOfEthernetIsAParameter) {
  RecordedProgram program = forwarding(200);
  rec::Recording& recording = program.on(2);
  const auto by_ethernet = [&](const char* threshold) {
    return stat(
        run(recording, {"nodes=2", "network.blocks=true", "network.ethernet=true", threshold}),
        "NIU", "ethernet_messages");
  };
  EXPECT_EQ(by_ethernet("network.ethernet_threshold=200"), 0);
  EXPECT_EQ(by_ethernet("network.ethernet_threshold=199"), 1);
}

TEST(Network, EachFactorOfTheNetworksCycleLengthensAMessageByItsWholeTime) {
  RecordedProgram program = forwarding(8);
  rec::Recording& recording = program.on(2);
  const auto cycles = [&](const char* factor) {
    return run(recording, {"nodes=2", factor}).cycles;
  };
  const std::uint64_t one = cycles("network.cycle=1.0");
  EXPECT_EQ(cycles("network.cycle=2.0") - one, 28u);
  EXPECT_EQ(cycles("network.cycle=3.0") - one, 2 * 28u);
  EXPECT_EQ(cycles("network.cycle=4.0") - one, 3 * 28u);
}

TEST(Network, RunsOnMoreNodesThanThePaperHas) {
  RecordedProgram program;
  std::uint32_t before = program.thread(0, 10);
  for (std::uint32_t node = 1; node < 100; ++node) {
    const std::uint32_t next = program.thread(node, 10);
    program.consumers(before, {next});
    before = next;
  }
  EXPECT_EQ(run(program.on(100), {"nodes=100"}).cycles, 100u * 10 + 99 * 28);
}

TEST(Network, SlowerNetworkTakesLongerAndAnIdealOneNothing) {
  RecordedProgram program = forwarding(8);
  rec::Recording& recording = program.on(2);
  EXPECT_EQ(run(recording, {"nodes=2", "network.cycle=5.0"}).cycles, 10u + 5 * 28 + 6 + 10);
  // A sixth of a cycle is the least that a message takes.
  EXPECT_LE(run(recording, {"nodes=2", "network.cycle=0.0"}).cycles, 10u + 1 + 6 + 10);
}

TEST(Network, WaitForWhatIsOnItsWayIsAccountedToTheNetwork) {
  RecordedProgram program = forwarding(8);
  const LaunchResult result = run(program.on(2), {"nodes=2"});
  EXPECT_EQ(node_cycles(result, 1, "no ready thread"), 10);
  EXPECT_EQ(node_cycles(result, 1, "network"), 8 + 20 + 6);
}

TEST(ThreadGraph, SendsOneMessageToANodeWhereSeveralThreadsReadTheSame) {
  RecordedProgram program;
  const auto producer = program.thread(0, 10);
  const auto a = program.thread(1, 1), b = program.thread(1, 1);
  program.consumers(producer, {a, b});
  program.flows(a, {{producer, 0, {0, 64}}});
  program.flows(b, {{producer, 0, {32, 64}}});
  const ThreadGraph graph(program.on(2), 2);
  ASSERT_EQ(graph.thread(producer).messages.count, 1u);
  const Message& message = graph.message(0);
  EXPECT_EQ(message.bytes, 96u);
  EXPECT_EQ(message.decrements.count, 2u);
}

TEST(ThreadGraph, ThreadWaitsForDataOfAThreadThatIsNoDirectProducer) {
  RecordedProgram program;
  const auto first = program.thread(0, 10), between = program.thread(1, 10),
             last = program.thread(1, 10);
  program.consumers(first, {between});
  program.consumers(between, {last});
  program.flows(last, {{first, 0, {0, 8}}});
  const ThreadGraph graph(program.on(2), 2);
  EXPECT_EQ(graph.thread(last).ready_count, 2u);
  EXPECT_EQ(graph.message(0).decrements.count, 2u);
}

TEST(ThreadGraph, InitialDataIsSentOnceByTheNodeThatTouchesItFirst) {
  RecordedProgram program;
  const auto owner = program.thread(0, 10), a = program.thread(1, 1), b = program.thread(1, 1);
  program.flows(a, {{owner, 1, {0, 64}}});
  program.flows(b, {{owner, 1, {32, 64}}});
  const ThreadGraph graph(program.on(2), 2);
  ASSERT_EQ(graph.initial_messages(0).size(), 2u);
  EXPECT_EQ(graph.message(graph.initial_messages(0)[0]).bytes, 64u);
  EXPECT_EQ(graph.message(graph.initial_messages(0)[1]).bytes, 32u);
  EXPECT_EQ(graph.thread(a).ready_count, 1u);
  EXPECT_EQ(graph.thread(b).ready_count, 1u);
}

TEST(ThreadGraph, NothingIsSentWithinANode) {
  RecordedProgram program = forwarding(80);
  program.node_of = {0, 0};
  const LaunchResult result = run(program.on(1), {});
  EXPECT_EQ(stat(result, "NIU", "bytes"), 0);
  EXPECT_EQ(result.cycles, 20u);
}

}  // namespace
}  // namespace raddle::machine::d2now::testing
