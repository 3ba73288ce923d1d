// An input-queued switch: what it costs that packets wait behind each other.
#include <gtest/gtest.h>

#include <random>

#include "memory/crossbar_stand.h"

namespace raddle::memory {
namespace {

CrossbarSpec input_queued(std::uint32_t inputs, std::uint32_t outputs) {
  CrossbarSpec spec = three_by_three();
  spec.inputs = inputs;
  spec.outputs = outputs;
  spec.kind = SwitchKind::kInputQueued;
  spec.input_flits = spec.output_flits = 64;
  return spec;
}

std::vector<Taken> run(const CrossbarSpec& spec,
                       const std::function<void(const CrossbarStand&)>& give) {
  return run_in_threads(spec, 1, Cycle(0), give);
}

TEST(InputQueuedSwitch, TakesAsLongAsTheCrossbarForALonePacket) {
  for (const std::uint32_t bytes : {32u, 128u}) {
    const auto give = [&](const CrossbarStand& ends) {
      ends.senders[1]->at(Cycle(10), {2, ShortBytes(bytes), 7});
    };
    CrossbarSpec spec = input_queued(3, 3);
    const std::vector<Taken> queued = run(spec, give);
    spec.kind = SwitchKind::kCrosspointQueued;
    EXPECT_EQ(queued, run(spec, give)) << bytes;
    EXPECT_EQ(queued[2].size(), 1u);
  }
}

TEST(InputQueuedSwitch, APacketThatWaitsForItsOutputBlocksThoseAfterIt) {
  // Inputs 0 and 1 want output 0; after it input 1 wants output 1, which nobody else does.
  const auto give = [](const CrossbarStand& ends) {
    for (std::uint64_t i = 0; i < 4; ++i) ends.senders[0]->at(Cycle(10), {0, ShortBytes(128), i});
    ends.senders[1]->at(Cycle(10), {0, ShortBytes(32), 10});
    ends.senders[1]->at(Cycle(10), {1, ShortBytes(32), 11});
  };
  CrossbarSpec spec = input_queued(2, 2);
  const std::vector<Taken> queued = run(spec, give);
  spec.kind = SwitchKind::kCrosspointQueued;
  const std::vector<Taken> free = run(spec, give);
  ASSERT_EQ(queued[1].size(), 1u);
  ASSERT_EQ(free[1].size(), 1u);
  // Of four flits at the rate at which they come, and a step to allocate.
  EXPECT_EQ(queued[1][0].first - free[1][0].first, 4u);
}

TEST(InputQueuedSwitch, OutputsServeInputsInTurns) {
  const std::vector<Taken> taken = run(input_queued(3, 1), [](const CrossbarStand& ends) {
    for (std::uint64_t input = 0; input < 3; ++input) {
      for (std::uint64_t i = 0; i < 5; ++i)
        ends.senders[input]->at(Cycle(10), {0, ShortBytes(32), input});
    }
  });
  ASSERT_EQ(taken[0].size(), 15u);
  for (std::size_t i = 3; i < 12; ++i) EXPECT_EQ(taken[0][i].second, taken[0][i - 3].second);
}

TEST(InputQueuedSwitch, PacketsInARowAreThereWithTheLastAndLetOthersThrough) {
  // Four packets of one flit against one of four: the output is not held between the four.
  const auto last_of_other = [](std::uint32_t bytes, std::uint32_t packets) {
    const std::vector<Taken> taken = run(input_queued(2, 1), [&](const CrossbarStand& ends) {
      ends.senders[0]->at(Cycle(10), {0, ShortBytes(bytes), 1, packets});
      ends.senders[1]->at(Cycle(10), {0, ShortBytes(32), 2});
    });
    return std::pair(taken[0][0].second, taken[0].size());
  };
  EXPECT_EQ(last_of_other(128, 1), std::pair(std::uint64_t{1}, std::size_t{2}));
  EXPECT_EQ(last_of_other(32, 4), std::pair(std::uint64_t{2}, std::size_t{2}));
}

// Karol, Hluchyj and Morgan, IEEE Transactions on Communications 35(12), 1987: with first-in,
// first-out queues and uniform traffic, 0.586 of the inputs' rate; a little more for few ports.
TEST(InputQueuedSwitch, SaturatesBelowTwoThirdsUnderUniformTraffic) {
  constexpr std::uint32_t kPorts = 12;
  constexpr std::uint64_t kPackets = 2000;
  std::mt19937 random(5);
  const std::vector<Taken> taken =
      run(input_queued(kPorts, kPorts), [&](const CrossbarStand& ends) {
        for (const auto& sender : ends.senders) {
          for (std::uint64_t i = 0; i < kPackets; ++i)
            sender->at(Cycle(1),
                       {static_cast<std::uint32_t>(random() % kPorts), ShortBytes(32), i});
        }
      });
  // While all inputs have packets: the first half.
  std::uint64_t delivered = 0;
  constexpr std::uint64_t kBy = 1500;
  for (const Taken& output : taken) {
    for (const auto& [cycle, payload] : output) delivered += cycle < kBy ? 1 : 0;
  }
  const double rate = static_cast<double>(delivered) / (kBy * kPorts);
  EXPECT_GT(rate, 0.55);
  EXPECT_LT(rate, 0.66);
}

}  // namespace
}  // namespace raddle::memory
