// The link: latency of a read alone, packets one after the other, reads that wait.
#include "machine/overlay/hyper_transport.h"

#include <gtest/gtest.h>

#include "machine/kernel_machine.h"

namespace raddle::machine::overlay {
namespace {

OverlayParameters parameters(const std::vector<std::string>& settings = {}) {
  ParameterTable table = load_parameters("overlay");
  for (const std::string& setting : settings) table.set(setting);
  return OverlayParameters(table);
}

TexelRead numbered(std::uint64_t number) {
  TexelRead read;
  read.address = number;
  return read;
}

// Cycles in which reads that all enter in cycle 0 arrive.
std::vector<std::uint64_t> arrivals(HyperTransport& link, unsigned reads) {
  for (unsigned i = 0; i < reads; ++i) link.read(numbered(i), 0);
  std::vector<std::uint64_t> cycles;
  for (std::uint64_t cycle = 0; cycles.size() < reads && cycle < 10'000; ++cycle) {
    while (link.has_arrived(cycle)) {
      EXPECT_EQ(link.take_arrived().address, cycles.size());  // in order
      cycles.push_back(cycle);
    }
    link.advance(cycle);
  }
  return cycles;
}

TEST(HyperTransport, AReadAloneTakesTheSumOfTable3) {
  const OverlayParameters p = parameters();
  EXPECT_EQ(p.link.latency.total_ns(), 305);
  HyperTransport link(p);
  EXPECT_EQ(arrivals(link, 1).at(0), 31U);  // 30.5 cycles
  EXPECT_EQ(link.counts().least_latency_ps, 305'000U);
  EXPECT_EQ(link.counts().read_latency_ps, 305'000U);
}

TEST(HyperTransport, ResponsesFollowEachOtherAtTheLinksRate) {
  // 4 bytes of header, 16 of data and 6.4 more, at 8 bytes a cycle: 3.3 cycles.
  const OverlayParameters p = parameters();
  HyperTransport link(p);
  const auto cycles = arrivals(link, 101);
  EXPECT_EQ(cycles.back() - cycles.front(), 330U);
  const OverlayParameters wide_parameters = parameters({"link.width_bits=16"});
  HyperTransport wide(wide_parameters);
  const auto quicker = arrivals(wide, 101);
  EXPECT_EQ(quicker.back() - quicker.front(), 165U);
}

TEST(HyperTransport, HoldsBackReadsBeyondTheOutstanding) {
  const OverlayParameters p = parameters({"link.outstanding_reads=2"});
  HyperTransport link(p);
  const auto cycles = arrivals(link, 6);
  // Two at a time: the third is sent when the first has come back.
  EXPECT_GE(cycles[2], cycles[0] + 30);
  EXPECT_GE(cycles[4], cycles[2] + 30);
}

TEST(HyperTransport, PostedWritesAndReadsTakeTurns) {
  const OverlayParameters p = parameters();
  HyperTransport link(p);
  link.write(10);
  EXPECT_EQ(link.write_room(), p.output_fifo - 10);
  const auto cycles = arrivals(link, 10);
  // Requests of 14.4 bytes and writes of 30.4, in turn: 5.6 cycles for each pair.
  EXPECT_NEAR(static_cast<double>(cycles[9] - cycles[1]), 8 * 5.6, 1.01);
  EXPECT_EQ(link.counts().writes, 10U);
  EXPECT_TRUE(link.is_idle(1000));
}

TEST(HyperTransport, TellsWhenSomethingHappensNext) {
  const OverlayParameters p = parameters();
  HyperTransport link(p);
  EXPECT_EQ(link.next_event(5), HyperTransport::kNever);
  link.read(numbered(0), 9);
  EXPECT_EQ(link.next_event(5), 9U);
  for (std::uint64_t cycle = 5; cycle < 10; ++cycle) link.advance(cycle);
  EXPECT_EQ(link.next_event(9), 9U + 31);
}

}  // namespace
}  // namespace raddle::machine::overlay
