// Random traffic through crossbars: nothing is lost, pairs keep their order, and the crossbar
// between host threads hands over in the same cycles as the one within an engine.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <utility>

#include "memory/crossbar_port.h"
#include "memory/crossbar_stand.h"
#include "sim/engine.h"

namespace raddle::memory {
namespace {

// 5 inputs, 4 outputs, packets of 1 to 5 flits; payload: input, output, number.
void give_random_packets(const CrossbarStand& ends, std::uint32_t outputs, std::uint32_t gap) {
  std::mt19937 random(3);
  for (std::uint64_t input = 0; input < ends.senders.size(); ++input) {
    Cycle cycle(10);
    for (std::uint64_t number = 0; number < 400; ++number) {
      const std::uint32_t output = random() % outputs;
      const ShortBytes bytes(1 + random() % 160);
      ends.senders[input]->at(cycle,
                              {output, bytes, input << 40 | std::uint64_t{output} << 32 | number});
      cycle += Cycle(random() % gap);
    }
  }
}

CrossbarSpec five_by_four() {
  CrossbarSpec spec = three_by_three();
  spec.inputs = 5;
  spec.outputs = 4;
  spec.credit_latency = Cycle(7);
  spec.buffer_flits = 9;
  return spec;
}

std::vector<Taken> run_in_one_engine(std::uint32_t gap, Cycle taker_interval) {
  const CrossbarSpec spec = five_by_four();
  const CrossbarStand ends(spec, taker_interval, 3);
  give_random_packets(ends, spec.outputs, gap);
  Crossbar<std::uint64_t> crossbar("crossbar", spec, pointers(ends.in), pointers(ends.out));
  const sim::Clock clock("clock", Hertz(7e8));
  sim::Engine engine;
  sim::ClockDomain& domain = engine.add_clock(clock);
  engine.add(crossbar, domain);
  for (std::size_t i = 0; i < spec.inputs; ++i) {
    engine.add(*ends.senders[i], domain);
    ends.in[i]->connect(*ends.senders[i], crossbar);
    ends.senders[i]->wake(ends.senders[i]->first());
  }
  for (std::size_t i = 0; i < spec.outputs; ++i) {
    engine.add(*ends.takers[i], domain);
    ends.out[i]->connect(crossbar, *ends.takers[i]);
  }
  engine.run_until(sim::kEndOfTime);
  return all_taken(ends);
}

std::vector<Taken> run_in_threads(unsigned threads, std::uint32_t gap, Cycle taker_interval,
                                  SwitchKind kind = SwitchKind::kCrosspointQueued) {
  CrossbarSpec spec = five_by_four();
  spec.kind = kind;
  spec.input_flits = spec.output_flits = 16;
  return run_in_threads(spec, threads, taker_interval, [&](const CrossbarStand& ends) {
    give_random_packets(ends, spec.outputs, gap);
  });
}

void expect_nothing_lost_and_pairs_in_order(const std::vector<Taken>& outputs) {
  std::map<std::uint64_t, std::uint64_t> last;  // by pair
  std::size_t packets = 0;
  for (std::uint64_t output = 0; output < outputs.size(); ++output) {
    for (const auto& [cycle, payload] : outputs[output]) {
      EXPECT_EQ(payload >> 32 & 0xff, output);
      const std::uint64_t number = payload & 0xffffffff;
      const auto [place, first] = last.try_emplace(payload >> 32, number);
      EXPECT_TRUE(first || std::exchange(place->second, number) < number);
      ++packets;
    }
  }
  EXPECT_EQ(packets, 5U * 400);
}

TEST(Crossbar, LosesNothingAndKeepsPairsInOrder) {
  expect_nothing_lost_and_pairs_in_order(run_in_one_engine(3, Cycle(0)));
  expect_nothing_lost_and_pairs_in_order(run_in_one_engine(3, Cycle(6)));
}

TEST(CrossbarPorts, HandOverInTheSameCyclesAsTheCrossbarOfOneEngine) {
  for (const std::uint32_t gap : {1, 6, 40}) {
    for (const std::uint64_t interval : {0, 6}) {
      const std::vector<Taken> expected = run_in_one_engine(gap, Cycle(interval));
      EXPECT_EQ(run_in_threads(1, gap, Cycle(interval)), expected);
    }
  }
}

TEST(CrossbarPorts, GiveTheSameResultWithAnyNumberOfThreads) {
  const std::vector<Taken> expected = run_in_threads(1, 6, Cycle(6));
  expect_nothing_lost_and_pairs_in_order(expected);
  for (const unsigned threads : {2, 4}) EXPECT_EQ(run_in_threads(threads, 6, Cycle(6)), expected);
}

TEST(InputQueuedSwitch, LosesNothingKeepsPairsInOrderAndDoesNotDependOnThreads) {
  for (const std::uint32_t gap : {1, 6, 40}) {
    for (const std::uint64_t interval : {0, 6}) {
      const auto taken = [&](unsigned threads) {
        return run_in_threads(threads, gap, Cycle(interval), SwitchKind::kInputQueued);
      };
      const std::vector<Taken> expected = taken(1);
      expect_nothing_lost_and_pairs_in_order(expected);
      EXPECT_EQ(taken(2), expected);
      EXPECT_EQ(taken(4), expected);
    }
  }
}

}  // namespace
}  // namespace raddle::memory
