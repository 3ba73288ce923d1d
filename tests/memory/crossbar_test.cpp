// Latency, throughput, fairness and back-pressure of the crossbar, cycle by cycle; and that the one
// between host threads does the same to the cycle.
#include "memory/crossbar.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "base/error.h"
#include "memory/crossbar_port.h"
#include "memory/traffic.h"
#include "sim/engine.h"

namespace raddle::memory {
namespace {

using Packet = CrossbarPacket<std::uint64_t>;
using Taken = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // cycle, payload

CrossbarSpec three_by_three() {
  return {.inputs = 3,
          .outputs = 3,
          .latency = Cycle(5),
          .credit_latency = Cycle(4),
          .flit_bytes = 32,
          .inject_flits = 1,
          .eject_flits = 1,
          .most_packet_flits = 8,
          .buffer_flits = 32};
}

// Senders, their channels, takers: the same for both kinds of crossbar.
struct Ends {
  explicit Ends(const CrossbarSpec& spec, Cycle taker_interval, std::size_t places) {
    for (std::uint32_t i = 0; i < spec.inputs; ++i) {
      in.push_back(std::make_unique<sim::Channel<Packet>>(places));
      senders.push_back(std::make_unique<Sender<Packet>>(*in.back()));
    }
    for (std::uint32_t i = 0; i < spec.outputs; ++i) {
      out.push_back(std::make_unique<sim::Channel<std::uint64_t>>(places));
      takers.push_back(std::make_unique<Taker<std::uint64_t>>(*out.back(), taker_interval));
    }
  }
  std::vector<std::unique_ptr<sim::Channel<Packet>>> in;
  std::vector<std::unique_ptr<sim::Channel<std::uint64_t>>> out;
  std::vector<std::unique_ptr<Sender<Packet>>> senders;
  std::vector<std::unique_ptr<Taker<std::uint64_t>>> takers;
};

template <class Item>
std::vector<Item*> pointers(const std::vector<std::unique_ptr<Item>>& items) {
  std::vector<Item*> all;
  for (const auto& item : items) all.push_back(item.get());
  return all;
}

class TickedCrossbar : public Crossbar<std::uint64_t> {
 public:
  using Crossbar::Crossbar;
  Cycle tick(Cycle now) override {
    ticks.push_back(now.count());
    return Crossbar::tick(now);
  }
  std::vector<std::uint64_t> ticks;
};

class CrossbarRig {
 public:
  explicit CrossbarRig(const CrossbarSpec& spec, Cycle taker_interval = Cycle(0),
                       std::size_t places = 2048)
      : ends_(spec, taker_interval, places),
        crossbar("crossbar", spec, pointers(ends_.in), pointers(ends_.out)),
        clock_("clock", Hertz(1e9)) {
    sim::ClockDomain& domain = engine_.add_clock(clock_);
    for (auto& sender : ends_.senders) engine_.add(*sender, domain);
    engine_.add(crossbar, domain);
    for (auto& taker : ends_.takers) engine_.add(*taker, domain);
    for (std::size_t i = 0; i < ends_.in.size(); ++i)
      ends_.in[i]->connect(*ends_.senders[i], crossbar);
    for (std::size_t i = 0; i < ends_.out.size(); ++i)
      ends_.out[i]->connect(crossbar, *ends_.takers[i]);
  }
  // The input sees the packet in this cycle.
  void see(std::uint64_t cycle, std::uint32_t input, std::uint32_t output, std::uint64_t payload,
           std::uint32_t bytes = 32) {
    ends_.senders[input]->at(Cycle(cycle - 1), {output, bytes, payload});
  }
  void run() {
    for (auto& sender : ends_.senders) sender->wake(sender->first());
    engine_.run_until(sim::kEndOfTime);
  }
  // The cycles in which the crossbar handed over, with the payloads.
  Taken handed_over(std::uint32_t output) const {
    Taken all = ends_.takers[output]->taken;
    for (auto& [cycle, payload] : all) --cycle;
    return all;
  }

 private:
  Ends ends_;

 public:
  TickedCrossbar crossbar;

 private:
  sim::Clock clock_;
  sim::Engine engine_;
};

TEST(Crossbar, TakesItsLatencyForOneFlit) {
  CrossbarRig rig(three_by_three());
  rig.see(100, 1, 2, 7);
  rig.run();
  EXPECT_EQ(rig.handed_over(2), (Taken{{105, 7}}));
  EXPECT_EQ(rig.crossbar.stats().latency_sum, 5U);
}

TEST(Crossbar, TakesOneCycleMoreForEveryFurtherFlit) {
  CrossbarRig rig(three_by_three());
  rig.see(100, 1, 2, 7, 160);  // 5 flits
  rig.see(200, 1, 2, 8, 33);   // 2 flits
  rig.see(300, 1, 2, 9, 0);    // an empty packet is one flit
  rig.run();
  EXPECT_EQ(rig.handed_over(2), (Taken{{109, 7}, {206, 8}, {305, 9}}));
  EXPECT_EQ(rig.crossbar.stats().flits, 8U);
  EXPECT_EQ(rig.crossbar.stats().packets, 3U);
}

TEST(Crossbar, InjectsOneFlitACycleAtEachInput) {
  CrossbarRig rig(three_by_three());
  rig.see(100, 0, 0, 1, 128);  // 4 flits from 100 on
  rig.see(100, 0, 1, 2, 64);   // 2 flits from 104 on
  rig.see(100, 0, 2, 3);       // 106
  rig.run();
  EXPECT_EQ(rig.handed_over(0), (Taken{{108, 1}}));
  EXPECT_EQ(rig.handed_over(1), (Taken{{110, 2}}));
  EXPECT_EQ(rig.handed_over(2), (Taken{{111, 3}}));
}

TEST(Crossbar, LetsDifferentPairsPassSideBySide) {
  CrossbarRig rig(three_by_three());
  for (std::uint32_t i = 0; i < 3; ++i) rig.see(100, i, (i + 1) % 3, i, 96);
  rig.run();
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(rig.handed_over((i + 1) % 3), (Taken{{107, i}}));
}

TEST(Crossbar, SerialisesPacketsForTheSameOutput) {
  CrossbarRig rig(three_by_three());
  for (std::uint32_t i = 0; i < 3; ++i) rig.see(100, i, 1, i, 96);
  rig.run();
  EXPECT_EQ(rig.handed_over(1), (Taken{{107, 0}, {110, 1}, {113, 2}}));
}

TEST(Crossbar, GivesContendingInputsTheirTurns) {
  CrossbarRig rig(three_by_three());
  for (std::uint64_t i = 0; i < 300; ++i)
    for (std::uint32_t input = 0; input < 3; ++input) rig.see(100, input, 1, input * 1000 + i);
  rig.run();
  Taken expected;
  for (std::uint64_t i = 0; i < 900; ++i) expected.emplace_back(105 + i, i % 3 * 1000 + i / 3);
  EXPECT_EQ(rig.handed_over(1), expected);
}

TEST(Crossbar, PassesAFlitEveryCycleIfItsBufferCoversTheWayAndBack) {
  CrossbarSpec spec = three_by_three();
  spec.buffer_flits = 5 + 4;  // latency and credit latency, for packets of one flit
  CrossbarRig rig(spec);
  for (std::uint64_t i = 0; i < 200; ++i) rig.see(100, 0, 1, i);
  rig.run();
  Taken expected;
  for (std::uint64_t i = 0; i < 200; ++i) expected.emplace_back(105 + i, i);
  EXPECT_EQ(rig.handed_over(1), expected);
  EXPECT_EQ(rig.crossbar.stats().credit_stalls, 0U);
}

TEST(Crossbar, PassesABufferfulForEveryWayAndBackIfItsBufferIsSmall) {
  CrossbarSpec spec = three_by_three();
  spec.most_packet_flits = 3;
  spec.buffer_flits = 3;
  CrossbarRig rig(spec);
  for (std::uint64_t i = 0; i < 30; ++i) rig.see(100, 0, 1, i);
  rig.run();
  Taken expected;
  for (std::uint64_t i = 0; i < 30; ++i) expected.emplace_back(105 + i / 3 * 9 + i % 3, i);
  EXPECT_EQ(rig.handed_over(1), expected);
  EXPECT_EQ(rig.crossbar.stats().credit_stalls, 9U * 6);
}

TEST(Crossbar, PassesSeveralSmallPacketsInACycleIfItsPortsAreWide) {
  CrossbarSpec spec = three_by_three();
  spec.inject_flits = 2;
  spec.eject_flits = 2;
  CrossbarRig rig(spec);
  for (std::uint64_t i = 0; i < 6; ++i) rig.see(100, 0, 1, i);
  rig.see(200, 0, 1, 9, 160);  // 5 flits in 3 cycles
  rig.run();
  EXPECT_EQ(rig.handed_over(1),
            (Taken{{105, 0}, {105, 1}, {106, 2}, {106, 3}, {107, 4}, {107, 5}, {207, 9}}));
}

TEST(Crossbar, GoesAtThePaceOfItsSlowerEnd) {
  CrossbarSpec spec = three_by_three();
  spec.inject_flits = 4;
  CrossbarRig fast_in(spec);
  fast_in.see(100, 0, 1, 1, 256);  // 8 flits: injected in two cycles, ejected in eight
  fast_in.see(100, 0, 1, 2, 256);
  fast_in.run();
  EXPECT_EQ(fast_in.handed_over(1), (Taken{{112, 1}, {120, 2}}));

  spec.inject_flits = 1;
  spec.eject_flits = 4;
  CrossbarRig fast_out(spec);
  fast_out.see(100, 0, 1, 1, 256);  // the last flit arrives with the eighth cycle
  fast_out.see(100, 0, 1, 2, 256);
  fast_out.run();
  EXPECT_EQ(fast_out.handed_over(1), (Taken{{112, 1}, {120, 2}}));
}

TEST(Crossbar, HoldsBackItsInputsWhenAReceiverDoesNotTake) {
  CrossbarSpec spec = three_by_three();
  spec.most_packet_flits = 4;
  spec.buffer_flits = 4;
  CrossbarRig rig(spec, Cycle(50), 1);
  for (std::uint64_t i = 0; i < 20; ++i) rig.see(100, 0, 1, i);
  rig.run();
  const Taken taken = rig.handed_over(1);
  ASSERT_EQ(taken.size(), 20U);
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(taken[i], (std::pair{105 + 50 * i, i}));
  EXPECT_GT(rig.crossbar.stats().output_stalls, 800U);
  EXPECT_GT(rig.crossbar.stats().credit_stalls, 500U);
}

TEST(Crossbar, SleepsBetweenEvents) {
  CrossbarRig rig(three_by_three());
  rig.see(100, 1, 2, 7, 160);
  rig.run();
  // Injection, the head arrives, the last flit has passed, the credit is back.
  EXPECT_EQ(rig.crossbar.ticks, (std::vector<std::uint64_t>{100, 105, 109, 113}));
}

// --- Random traffic, also between host threads -----------------------------------------------------

// 5 inputs, 4 outputs, packets of 1 to 5 flits; payload: input, output, number.
void give_random_packets(const Ends& ends, std::uint32_t outputs, std::uint32_t gap) {
  std::mt19937 random(3);
  for (std::uint64_t input = 0; input < ends.senders.size(); ++input) {
    Cycle cycle(10);
    for (std::uint64_t number = 0; number < 400; ++number) {
      const std::uint32_t output = random() % outputs;
      const std::uint32_t bytes = 1 + random() % 160;
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

std::vector<Taken> all_taken(const Ends& ends) {
  std::vector<Taken> all;
  for (const auto& taker : ends.takers) all.push_back(taker->taken);
  return all;
}

std::vector<Taken> run_in_one_engine(std::uint32_t gap, Cycle taker_interval) {
  const CrossbarSpec spec = five_by_four();
  const Ends ends(spec, taker_interval, 3);
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

// Every input and every output is a partition.
std::vector<Taken> run_in_threads(unsigned threads, std::uint32_t gap, Cycle taker_interval) {
  const CrossbarSpec spec = five_by_four();
  const Ends ends(spec, taker_interval, 3);
  give_random_packets(ends, spec.outputs, gap);
  const sim::Clock clock("clock", Hertz(7e8));
  CrossbarWires<std::uint64_t> wires(spec);
  std::vector<std::unique_ptr<sim::Engine>> engines;
  std::vector<std::unique_ptr<sim::Component>> ports;
  sim::ParallelRun run(wires.quantum(clock), threads);
  for (std::uint32_t i = 0; i < spec.inputs; ++i) {
    sim::Engine& engine = *engines.emplace_back(std::make_unique<sim::Engine>());
    sim::ClockDomain& domain = engine.add_clock(clock);
    ports.push_back(
        std::make_unique<CrossbarInputPort<std::uint64_t>>("input", wires, i, *ends.in[i]));
    engine.add(*ends.senders[i], domain);
    engine.add(*ports.back(), domain);
    ends.in[i]->connect(*ends.senders[i], *ports.back());
    ends.senders[i]->wake(ends.senders[i]->first());
    run.add(engine);
  }
  for (std::uint32_t i = 0; i < spec.outputs; ++i) {
    sim::Engine& engine = *engines.emplace_back(std::make_unique<sim::Engine>());
    sim::ClockDomain& domain = engine.add_clock(clock);
    ports.push_back(
        std::make_unique<CrossbarOutputPort<std::uint64_t>>("output", wires, i, *ends.out[i]));
    engine.add(*ends.takers[i], domain);
    engine.add(*ports.back(), domain);
    ends.out[i]->connect(*ports.back(), *ends.takers[i]);
    run.add(engine);
  }
  wires.add_to(run);
  run.run();
  return all_taken(ends);
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

// --- Faults ---------------------------------------------------------------------------------------

std::string fault(const CrossbarSpec& spec) {
  try {
    check(spec);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "none";
}

TEST(Crossbar, SaysWhatNoCrossbarCanHave) {
  CrossbarSpec spec = three_by_three();
  EXPECT_EQ(fault(spec), "none");
  spec.outputs = 0;
  EXPECT_EQ(fault(spec),
            "a crossbar cannot have 3 inputs and 0 outputs\nhint: give it at least one of each");
  spec = three_by_three();
  spec.credit_latency = Cycle(0);
  EXPECT_EQ(fault(spec),
            "a crossbar's flits and credits cannot take 0 cycles\nhint: give both latencies at "
            "least one cycle");
  spec = three_by_three();
  spec.eject_flits = 0;
  EXPECT_EQ(fault(spec),
            "a crossbar's flit width, rates and packets cannot be 0\nhint: give each at least one");
  spec = three_by_three();
  spec.buffer_flits = 7;
  EXPECT_EQ(fault(spec),
            "a buffer of 7 flits is too small for packets of up to 8\nhint: give it at least 8");
}

}  // namespace
}  // namespace raddle::memory
