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
std::vector<Cycle> arrivals(HyperTransport& link, unsigned reads) {
  for (unsigned i = 0; i < reads; ++i) link.read(numbered(i), Cycle(0));
  std::vector<Cycle> cycles;
  for (Cycle cycle(0); cycles.size() < reads && cycle < Cycle(10'000); ++cycle) {
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
  EXPECT_EQ(arrivals(link, 1).at(0), Cycle(31));  // 30.5 cycles
  EXPECT_EQ(link.counts().least_latency, Picoseconds(305'000));
  EXPECT_EQ(link.counts().read_latency, Picoseconds(305'000));
}

TEST(HyperTransport, ResponsesFollowEachOtherAtTheLinksRate) {
  // 4 bytes of header, 16 of data and 6.4 more, at 8 bytes a cycle: 3.3 cycles.
  const OverlayParameters p = parameters();
  HyperTransport link(p);
  const auto cycles = arrivals(link, 101);
  EXPECT_EQ(cycles.back() - cycles.front(), Cycle(330));
  const OverlayParameters wide_parameters = parameters({"link.width_bits=16"});
  HyperTransport wide(wide_parameters);
  const auto quicker = arrivals(wide, 101);
  EXPECT_EQ(quicker.back() - quicker.front(), Cycle(165));
}

TEST(HyperTransport, HoldsBackReadsBeyondTheOutstanding) {
  const OverlayParameters p = parameters({"link.outstanding_reads=2"});
  HyperTransport link(p);
  const auto cycles = arrivals(link, 6);
  // Two at a time: the third is sent when the first has come back.
  EXPECT_GE(cycles[2], cycles[0] + Cycle(30));
  EXPECT_GE(cycles[4], cycles[2] + Cycle(30));
}

TEST(HyperTransport, PostedWritesAndReadsTakeTurns) {
  const OverlayParameters p = parameters();
  HyperTransport link(p);
  link.write(10);
  EXPECT_EQ(link.write_room(), p.output_fifo - 10);
  const auto cycles = arrivals(link, 10);
  // Requests of 14.4 bytes and writes of 30.4, in turn: 5.6 cycles for each pair.
  EXPECT_NEAR((cycles[9] - cycles[1]).as_double(), 8 * 5.6, 1.01);
  EXPECT_EQ(link.counts().writes, 10U);
  EXPECT_TRUE(link.is_idle(Cycle(1000)));
}

TEST(HyperTransport, TellsWhenSomethingHappensNext) {
  const OverlayParameters p = parameters();
  HyperTransport link(p);
  EXPECT_EQ(link.next_event(Cycle(5)), sim::kNever);
  link.read(numbered(0), Cycle(9));
  EXPECT_EQ(link.next_event(Cycle(5)), Cycle(9));
  for (Cycle cycle(5); cycle < Cycle(10); ++cycle) link.advance(cycle);
  EXPECT_EQ(link.next_event(Cycle(9)), Cycle(9 + 31));
}

}  // namespace
}  // namespace raddle::machine::overlay
