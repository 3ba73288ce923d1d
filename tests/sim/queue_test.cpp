// Channels, pipelines and timed queues, cycle by cycle.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "sim/channel.h"
#include "sim/engine.h"

namespace raddle::sim {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, int>>;  // cycle, value

// Sends 0, 1, 2 … as fast as it may.
class Source : public Component {
 public:
  Source(Channel<int>& out, int count) : Component("source"), out_(out), count_(count) {}
  Cycle tick(Cycle now) override {
    ++ticks;
    if (next_ == count_) return kNever;
    if (!out_.try_send(next_, now)) return kNever;  // woken when there is room
    sent.emplace_back(now.count(), next_);
    return ++next_ < count_ ? now + Cycle(1) : kNever;
  }
  Pairs sent;
  int ticks = 0;

 private:
  Channel<int>& out_;
  int count_;
  int next_ = 0;
};

// Takes one item every `interval` cycles.
class Sink : public Component {
 public:
  Sink(Channel<int>& in, Cycle interval) : Component("sink"), in_(in), interval_(interval) {}
  Cycle tick(Cycle now) override {
    if (now < free_) return free_;
    if (!in_.ready(now)) return in_.next_ready();
    received.emplace_back(now.count(), in_.pop(now));
    free_ = now + interval_;
    return in_.empty() ? kNever : free_;
  }
  Pairs received;

 private:
  Channel<int>& in_;
  Cycle interval_;
  Cycle free_{};
};

struct Line {
  Line(std::size_t capacity, Cycle latency, int count, Cycle interval, bool sink_first,
       double sink_hertz = 1e9)
      : channel(capacity, latency),
        source(channel, count),
        sink(channel, interval),
        fast("fast", Hertz(1e9)),
        other("other", Hertz(sink_hertz)) {
    ClockDomain& domain = engine.add_clock(fast);
    ClockDomain& sink_domain = sink_hertz == 1e9 ? domain : engine.add_clock(other);
    if (sink_first) engine.add(sink, sink_domain);
    engine.add(source, domain);
    if (!sink_first) engine.add(sink, sink_domain);
    channel.connect(source, sink);
    source.wake(Cycle(0));
    engine.run_until(kEndOfTime);
  }
  Channel<int> channel;
  Source source;
  Sink sink;
  Clock fast, other;
  Engine engine;
};

TEST(Channel, ShowsAnItemAfterItsLatency) {
  const Line line(4, Cycle(5), 2, Cycle(1), false);
  EXPECT_EQ(line.sink.received, (Pairs{{5, 0}, {6, 1}}));
}

TEST(Channel, PassesOneItemACycleWithTwoPlaces) {
  const Line line(2, Cycle(1), 5, Cycle(1), false);
  EXPECT_EQ(line.sink.received, (Pairs{{1, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 4}}));
}

TEST(Channel, PassesOneItemEveryOtherCycleWithOnePlace) {
  const Line line(1, Cycle(1), 3, Cycle(1), false);
  EXPECT_EQ(line.sink.received, (Pairs{{1, 0}, {3, 1}, {5, 2}}));
}

TEST(Channel, HoldsTheSenderBackWhenFullAndWakesIt) {
  const Line line(2, Cycle(1), 5, Cycle(10), false);
  EXPECT_EQ(line.source.sent, (Pairs{{0, 0}, {1, 1}, {2, 2}, {12, 3}, {22, 4}}));
  EXPECT_EQ(line.sink.received, (Pairs{{1, 0}, {11, 1}, {21, 2}, {31, 3}, {41, 4}}));
  // Five sends and two refusals: a blocked sender sleeps.
  EXPECT_EQ(line.source.ticks, 7);
}

TEST(Channel, DoesNotDependOnWhichSideTicksFirst) {
  for (const std::size_t capacity : {1, 2, 3}) {
    for (const std::uint64_t interval : {1, 2, 5}) {
      const Line a(capacity, Cycle(2), 20, Cycle(interval), false);
      const Line b(capacity, Cycle(2), 20, Cycle(interval), true);
      EXPECT_EQ(a.source.sent, b.source.sent) << capacity << " " << interval;
      EXPECT_EQ(a.sink.received, b.sink.received) << capacity << " " << interval;
    }
  }
}

TEST(Channel, ArrivesAtTheNextEdgeOfTheReceiversClock) {
  const Line line(8, Cycle(1), 4, Cycle(1), false, 0.4e9);
  // Sent at 0…3 ns, there at 1…4 ns; the receiver's edges lie at 0, 2.5, 5, 7.5 ns and it takes one
  // item an edge.
  EXPECT_EQ(line.sink.received, (Pairs{{1, 0}, {2, 1}, {3, 2}, {4, 3}}));
}

}  // namespace
}  // namespace raddle::sim
