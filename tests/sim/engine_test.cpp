#include "sim/engine.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace raddle::sim {
namespace {

// Does what the test tells it and notes when it was ticked.
class Actor : public Component {
 public:
  using Action = std::function<Cycle(Cycle)>;
  Actor(std::string name, std::vector<std::string>& log, Action action)
      : Component(std::move(name)), log_(log), action_(std::move(action)) {}
  Cycle tick(Cycle now) override {
    log_.push_back(name() + "@" + std::to_string(now.count()));
    return action_(now);
  }

 private:
  std::vector<std::string>& log_;
  Action action_;
};

using Log = std::vector<std::string>;

class EngineTest : public testing::Test {
 protected:
  Clock core{"core", Hertz(1e9)};
  Clock slow{"slow", Hertz(0.4e9)};
  Engine engine;
  Log log;
};

TEST_F(EngineTest, TicksNobodyWhoWasNotWoken) {
  Actor a("a", log, [](Cycle) { return kNever; });
  engine.add(a, engine.add_clock(core));
  EXPECT_FALSE(engine.run_until(Instant(1'000'000'000)));
  EXPECT_EQ(log, Log{});
}

TEST_F(EngineTest, SkipsTheStretchesInWhichAllSleep) {
  Actor a("a", log,
          [](Cycle now) { return now < Cycle(2'000'000) ? now + Cycle(1'000'000) : kNever; });
  engine.add(a, engine.add_clock(core));
  a.wake(Cycle(0));
  EXPECT_FALSE(engine.run_until(kEndOfTime));
  EXPECT_EQ(log, (Log{"a@0", "a@1000000", "a@2000000"}));
}

TEST_F(EngineTest, TicksInTheOrderOfAddingWithinACycle) {
  Actor a("a", log, [](Cycle) { return kNever; });
  Actor b("b", log, [](Cycle) { return kNever; });
  ClockDomain& domain = engine.add_clock(core);
  engine.add(a, domain);
  engine.add(b, domain);
  b.wake(Cycle(3));
  a.wake(Cycle(3));
  engine.run_until(kEndOfTime);
  EXPECT_EQ(log, (Log{"a@3", "b@3"}));
}

TEST_F(EngineTest, OrdersClocksByTimeAndThenByTheOrderOfAdding) {
  Actor a("core", log, [](Cycle now) { return now < Cycle(5) ? now + Cycle(1) : kNever; });
  Actor b("slow", log, [](Cycle now) { return now < Cycle(2) ? now + Cycle(1) : kNever; });
  engine.add(a, engine.add_clock(core));
  engine.add(b, engine.add_clock(slow));
  a.wake(Cycle(0));
  b.wake(Cycle(0));
  engine.run_until(kEndOfTime);
  // One tick of the slow clock every 2.5 of the core's.
  EXPECT_EQ(log, (Log{"core@0", "slow@0", "core@1", "core@2", "slow@1", "core@3", "core@4",
                      "core@5", "slow@2"}));
}

TEST_F(EngineTest, LetsALaterComponentBeWokenForTheSameCycleAndAnEarlierOneForTheNext) {
  Actor* first = nullptr;
  Actor* last = nullptr;
  Actor a("a", log, [](Cycle) { return kNever; });
  Actor b("b", log, [&](Cycle now) {
    if (now == Cycle(7)) {
      first->wake(now);
      last->wake(now);
    }
    return kNever;
  });
  Actor c("c", log, [](Cycle) { return kNever; });
  ClockDomain& domain = engine.add_clock(core);
  engine.add(a, domain);
  engine.add(b, domain);
  engine.add(c, domain);
  first = &a;
  last = &c;
  b.wake(Cycle(7));
  engine.run_until(kEndOfTime);
  EXPECT_EQ(log, (Log{"b@7", "c@7", "a@8"}));
}

TEST_F(EngineTest, DoesNotTickACycleTwiceWhenWokenForThePast) {
  Actor a("a", log, [](Cycle) { return kNever; });
  engine.add(a, engine.add_clock(core));
  a.wake(Cycle(0));
  engine.run_until(Instant(500'000));
  a.wake(Cycle(0));
  engine.run_until(kEndOfTime);
  EXPECT_EQ(log, (Log{"a@0", "a@1"}));
}

TEST_F(EngineTest, StopsBeforeTheEndAndGoesOnThere) {
  Actor a("a", log, [](Cycle now) { return now + Cycle(1); });
  engine.add(a, engine.add_clock(core));
  a.wake(Cycle(0));
  EXPECT_TRUE(engine.run_until(Instant(2'000'000)));
  EXPECT_EQ(log, (Log{"a@0", "a@1"}));
  EXPECT_EQ(engine.next_event(), Instant(2'000'000));
  EXPECT_TRUE(engine.run_until(Instant(2'000'001)));
  EXPECT_EQ(log, (Log{"a@0", "a@1", "a@2"}));
}

}  // namespace
}  // namespace raddle::sim
