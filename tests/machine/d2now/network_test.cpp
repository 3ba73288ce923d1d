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

// Node 0 computes something that threads on nodes 1 to 3 read.
RecordedProgram spreading(std::initializer_list<rec::Region> regions) {
  RecordedProgram program;
  const auto producer = program.thread(0, 10);
  std::vector<std::uint32_t> consumers;
  for (const rec::Region& region : regions) {
    consumers.push_back(program.thread(static_cast<std::uint32_t>(consumers.size() + 1), 10));
    program.flows(consumers.back(), {{producer, 0, region}});
  }
  program.consumers(producer, consumers);
  return program;
}

TEST(Network, OneTransmissionOverEthernetReachesAllNodesThatNeedIt) {
  RecordedProgram program = spreading({{0, 800}, {0, 800}, {0, 800}});
  rec::Recording& recording = program.on(4);
  const auto run_with = [&](const char* broadcast) {
    return run(recording, {"nodes=4", "network.blocks=true", "network.ethernet=true",
                           "network.ethernet_latency_cycles=100", broadcast});
  };
  const LaunchResult once = run_with("network.broadcast=true");
  EXPECT_EQ(stat(once, "NIU", "ethernet_messages"), 1);
  EXPECT_EQ(stat(once, "NIU", "ethernet_repeats"), 2);
  EXPECT_EQ(stat(once, "NIU", "bytes"), 800);
  // 800 bytes at 6.4 cycles, 25 lines over the receiver's bus.
  EXPECT_EQ(once.cycles, 10u + 5120 + 100 + 600 + 10);
  const LaunchResult each = run_with("network.broadcast=false");
  EXPECT_EQ(stat(each, "NIU", "ethernet_messages"), 3);
  EXPECT_EQ(each.cycles, 10u + 3 * 5120 + 100 + 600 + 10);
}

TEST(Network, BroadcastRepeatsOnlyWhatIsNew) {
  RecordedProgram program = spreading({{0, 800}, {400, 800}, {200, 800}});
  const ThreadGraph graph(program.on(4), 4, true, Bytes(384));
  EXPECT_EQ(graph.message(0).fresh_bytes, Bytes(800));
  EXPECT_EQ(graph.message(1).fresh_bytes, Bytes(400));
  EXPECT_EQ(graph.message(2).fresh_bytes, Bytes(0));
}

TEST(Network, SmallMessagesAreNotBroadcast) {
  RecordedProgram program = spreading({{0, 384}, {0, 384}, {0, 400}});
  const ThreadGraph graph(program.on(4), 4, true, Bytes(384));
  EXPECT_EQ(graph.message(1).fresh_bytes, Bytes(384));
  EXPECT_EQ(graph.message(2).fresh_bytes, Bytes(400));
}

// Two nodes send to a third at the same time: its link takes one message after the other.
TEST(Network, ReceiversLinkTakesOneMessageAtATime) {
  for (const auto& [bytes, link, way] :
       {std::tuple{8u, 8u, "values"}, std::tuple{320u, 40u * 16, "block"},
        std::tuple{800u, 5120u, "ethernet"}}) {
    RecordedProgram program;
    const auto a = program.thread(0, 10), b = program.thread(1, 10), c = program.thread(2, 10);
    program.consumers(a, {c});
    program.consumers(b, {c});
    program.flows(c, {{a, 0, {0, bytes}}, {b, 0, {4096, bytes}}});
    rec::Recording& recording = program.on(3);
    const auto cycles = [&](std::initializer_list<std::uint32_t> nodes) {
      recording.placements[0].node_of = nodes;
      return run(recording, {"nodes=3", "network.blocks=true", "network.ethernet=true",
                             "network.block_word_cycles=16", "memory.bus_line_cycles=0",
                             "memory.bus_word_cycles=0"})
          .cycles;
    };
    const std::uint64_t latency = bytes > 384 ? 800 : 20, setup = 0;
    EXPECT_EQ(cycles({0, 1, 2}), 10 + setup + link + latency + link + 10) << way;
  }
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
  EXPECT_EQ(message.bytes, Bytes(96));
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

TEST(ThreadGraph, ThreadThatPassesAJoinOnWaitsForDataOfItsProducers) {
  RecordedProgram program;
  const auto producer = program.thread(1, 10), other = program.thread(0, 10);
  const auto join = program.join(0);
  const auto a = program.thread(2, 10), b = program.thread(2, 10);
  program.consumers(producer, {join});
  program.consumers(other, {join});
  program.consumers(join, {a, b});
  program.flows(a, {{producer, 0, {0, 8}}});
  program.flows(b, {{producer, 0, {0, 8}}});
  const ThreadGraph graph(program.on(3), 3);
  EXPECT_EQ(graph.thread(a).ready_count, 1u);
  EXPECT_EQ(graph.thread(b).ready_count, 1u);
  EXPECT_EQ(graph.undeclared_inputs(), 0u);
  ASSERT_EQ(graph.thread(producer).messages.count, 1u);
  const Message& message =
      graph.message(static_cast<std::uint32_t>(graph.thread(producer).messages.first));
  EXPECT_EQ(message.to, 2u);
  EXPECT_EQ(message.decrements.count, 1u);
  EXPECT_EQ(run(program.recording, {"nodes=3"}).complete, true);
}

TEST(ThreadGraph, NamesDataThatNoArcPutsInOrder) {
  RecordedProgram program;
  const auto writer = program.thread(0, 10), reader = program.thread(1, 10);
  program.flows(reader, {{writer, 0, {64, 8}}});
  rec::Recording& recording = program.on(2);
  const ThreadGraph graph(recording, 2);
  EXPECT_EQ(graph.undeclared_inputs(), 1u);
  ASSERT_TRUE(graph.missing_arc().has_value());
  EXPECT_EQ(graph.missing_arc()->producer, writer);
  EXPECT_EQ(graph.missing_arc()->consumer, reader);
  std::string race;
  D2nowMachine(table_with({"nodes=2"})).replay(recording, {}, &race);
  EXPECT_EQ(race,
            "main.work[1] on node 1 reads 8 bytes that main.work[0] wrote on node 0, and no arc "
            "puts them in order");
}

TEST(ThreadGraph, OrderThroughAThirdNodeIsNoRace) {
  RecordedProgram program;
  const auto writer = program.thread(0, 10), between = program.thread(1, 10),
             reader = program.thread(2, 10);
  program.consumers(writer, {between});
  program.consumers(between, {reader});
  program.flows(reader, {{writer, 0, {64, 8}}});
  const ThreadGraph graph(program.on(3), 3);
  EXPECT_EQ(graph.undeclared_inputs(), 1u);
  EXPECT_FALSE(graph.missing_arc().has_value());
}

TEST(ThreadGraph, InitialDataIsSentOnceByTheNodeThatTouchesItFirst) {
  RecordedProgram program;
  const auto owner = program.thread(0, 10), a = program.thread(1, 1), b = program.thread(1, 1);
  program.flows(a, {{owner, 1, {0, 64}}});
  program.flows(b, {{owner, 1, {32, 64}}});
  const ThreadGraph graph(program.on(2), 2);
  ASSERT_EQ(graph.initial_messages(0).size(), 2u);
  EXPECT_EQ(graph.message(graph.initial_messages(0)[0]).bytes, Bytes(64));
  EXPECT_EQ(graph.message(graph.initial_messages(0)[1]).bytes, Bytes(32));
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
