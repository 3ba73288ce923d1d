// Latency, throughput, fairness and back-pressure of the crossbar, cycle by cycle.
#include "memory/one_engine_crossbar.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "memory/crossbar_stand.h"
#include "sim/engine.h"

namespace raddle::memory {
namespace {

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
    ends_.senders[input]->at(Cycle(cycle - 1), {output, ShortBytes(bytes), payload});
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
  CrossbarStand ends_;

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
