#include "sim/parallel_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace raddle::sim {
namespace {

// A partition that passes on every message it gets to a neighbour that the message's value picks,
// with a latency that it picks too, and notes what it saw.
class Node : public Component {
 public:
  Node(std::size_t self, std::size_t nodes, PostOffice<std::uint64_t>& post)
      : Component("node"), self_(self), nodes_(nodes), post_(post) {}

  Cycle tick(Cycle now) override {
    while (post_.ready(self_, now)) {
      const std::uint64_t value = post_.pop(self_);
      log += std::to_string(now.count()) + ":" + std::to_string(value) + " ";
      if (value % 1000 == 0) continue;
      const std::uint64_t next = value * 6364136223846793005ULL + 1442695040888963407ULL;
      const std::uint64_t hop = (value % 1000) - 1;
      const Cycle latency(10 + (next >> 33) % 25);
      post_.send(self_, (next >> 40) % nodes_, clock().time_of(now + latency),
                 next / 1000 * 1000 + hop);
    }
    return post_.next_ready(self_);
  }
  std::string log;

 private:
  std::size_t self_, nodes_;
  PostOffice<std::uint64_t>& post_;
};

struct Network {
  explicit Network(unsigned threads) : post(kNodes + 1, kNodes), run(Instant(10'000'000), threads) {
    for (std::size_t i = 0; i < kNodes; ++i) {
      // Clocks of different frequency, none faster than the latency of 10 cycles allows.
      clocks.push_back(std::make_unique<Clock>("c", Hertz(1e9 - 1e7 * static_cast<double>(i))));
      engines.push_back(std::make_unique<Engine>());
      nodes.push_back(std::make_unique<Node>(i, kNodes, post));
      engines[i]->add(*nodes[i], engines[i]->add_clock(*clocks[i]));
      post.attach(i, *nodes[i]);
      run.add(*engines[i]);
    }
    run.add(post);
    for (std::uint64_t i = 0; i < 40; ++i)
      post.send(kNodes, i % kNodes, Instant(i * 777), i * 1000 + 60);
    post.hand_over(Instant(0));
  }
  std::string logs() const {
    std::string all;
    for (const auto& node : nodes) all += node->log + "\n";
    return all;
  }

  static constexpr std::size_t kNodes = 7;
  PostOffice<std::uint64_t> post;
  std::vector<std::unique_ptr<Clock>> clocks;
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::unique_ptr<Node>> nodes;
  ParallelRun run;
};

TEST(ParallelRun, GivesTheSameResultWithAnyNumberOfThreads) {
  Network one(1);
  const Instant end = one.run.run();
  const std::string expected = one.logs();
  EXPECT_GT(expected.size(), 40U * 60U * 5U);
  for (const unsigned threads : {2, 3, 8}) {
    Network many(threads);
    EXPECT_EQ(many.run.run(), end);
    EXPECT_EQ(many.logs(), expected) << threads << " threads";
  }
}

TEST(ParallelRun, EndsAtTheQuantumInWhichItIsToldTo) {
  Network network(2);
  const Instant end = network.run.run([](Instant at) { return at >= Instant(30'000'000); });
  EXPECT_EQ(end, Instant(30'000'000));
}

TEST(ParallelRun, GoesOnFromALimitWithinAQuantumAsIfNobodyHadLooked) {
  Network plain(1);
  const Instant end = plain.run.run();
  for (const unsigned threads : {1, 3}) {
    Network limited(threads);
    bool is_ahead = true;
    ParallelRun::Limit limit;
    limit.at = [&] { return is_ahead ? Instant(31'234'567) : kEndOfTime; };
    limit.reached = [&](Instant at) {
      EXPECT_EQ(at, Instant(31'234'567));
      is_ahead = false;
    };
    EXPECT_EQ(limited.run.run({}, limit), end);
    EXPECT_FALSE(is_ahead);
    EXPECT_EQ(limited.logs(), plain.logs());
  }
}

TEST(ParallelRun, EndsAtALimitThatThrows) {
  struct Reached {};
  Network network(2);
  const ParallelRun::Limit limit{[] { return Instant(31'234'567); },
                                 [](Instant) { throw Reached{}; }};
  EXPECT_THROW(network.run.run({}, limit), Reached);
  EXPECT_EQ(network.run.now(), Instant(31'234'567));
}

class Thrower : public Component {
 public:
  explicit Thrower(std::string what) : Component("thrower"), what_(std::move(what)) {}
  Cycle tick(Cycle) override { throw std::runtime_error(what_); }

 private:
  std::string what_;
};

TEST(ParallelRun, PassesOnWhatAComponentThrows) {
  for (const unsigned threads : {1, 2}) {
    const Clock clock("c", Hertz(1e9));
    Engine a, b;
    Thrower first("first"), second("second");
    a.add(first, a.add_clock(clock));
    b.add(second, b.add_clock(clock));
    first.wake(Cycle(3));
    second.wake(Cycle(1));
    ParallelRun run(Instant(10'000'000), threads);
    run.add(a);
    run.add(b);
    try {
      run.run();
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
    }
  }
}

TEST(PostOffice, OrdersByArrivalThenSender) {
  const Clock clock("c", Hertz(1e9));
  Engine engine;
  PostOffice<int> post(3, 1);
  Thrower receiver("never ticked");
  engine.add(receiver, engine.add_clock(clock));
  post.attach(0, receiver);
  post.send(2, 0, Instant(5'000'000), 4);
  post.send(1, 0, Instant(9'000'000), 5);
  post.hand_over(Instant(1'000'000));
  post.send(2, 0, Instant(2'500'000), 2);
  post.send(0, 0, Instant(2'000'000), 1);
  post.send(0, 0, Instant(5'000'000), 3);
  post.hand_over(Instant(2'000'000));
  std::string order;
  while (post.waiting(0) > 0) {
    order += std::to_string(post.next_ready(0).count()) + ":";
    order += std::to_string(post.pop(0)) + " ";
  }
  EXPECT_EQ(order, "2:1 3:2 5:3 5:4 9:5 ");
}

TEST(PostOffice, WakesOnlyThoseThatWaitForArrivals) {
  const Clock clock("c", Hertz(1e9));
  Engine engine;
  PostOffice<int> post(1, 1);
  Thrower receiver("woken");
  engine.add(receiver, engine.add_clock(clock));
  post.attach(0, receiver);
  post.wake_for_arrivals(0, false);
  post.send(0, 0, Instant(5'000'000), 1);
  post.hand_over(Instant(1'000'000));
  EXPECT_EQ(engine.next_event(), kEndOfTime);
  EXPECT_EQ(post.next_ready(0), Cycle(5)) << "it is there all the same";
  post.wake_for_arrivals(0, true);
  post.send(0, 0, Instant(6'000'000), 2);
  post.hand_over(Instant(2'000'000));
  EXPECT_EQ(engine.next_event(), Instant(6'000'000));
  EXPECT_EQ(post.front(0), 1);
  post.drop(0);
  EXPECT_EQ(post.pop(0), 2);
}

}  // namespace
}  // namespace raddle::sim
