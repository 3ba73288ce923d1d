// What the simulation kernel costs the host: a tick of a component, alone and among others that
// work or sleep, a message through a channel, a letter through the post office.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <deque>
#include <string>

#include "sim/channel.h"
#include "sim/engine.h"
#include "sim/post.h"

namespace {

using namespace raddle;
using namespace raddle::sim;

constexpr std::uint64_t kCycles = 1000;             // simulated in one iteration
constexpr std::uint64_t kFemtoseconds = 1'000'000;  // a cycle of the 1 GHz clock

void report(benchmark::State& state, const char* unit, double each) {
  state.counters[std::string(unit) + "_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * each, benchmark::Counter::kIsRate);
}

// Ticks every so many cycles.
class Ticker : public Component {
 public:
  explicit Ticker(std::uint64_t interval) : Component("ticker"), interval_(interval) {}
  Cycle tick(Cycle now) override {
    ++ticks;
    return now + interval_;
  }
  std::uint64_t ticks = 0;

 private:
  Cycle interval_;
};

// `working` components that tick every cycle among as many sleepers.
void engine_tick(benchmark::State& state) {
  const auto working = static_cast<std::size_t>(state.range(0));
  const auto sleeping = static_cast<std::size_t>(state.range(1));
  const Clock clock("core", Hertz(1e9));
  Engine engine;
  ClockDomain& domain = engine.add_clock(clock);
  std::deque<Ticker> components;
  for (std::size_t i = 0; i < working + sleeping; ++i) {
    engine.add(components.emplace_back(1), domain);
    if (i < working) components.back().wake(Cycle(0));
  }
  std::uint64_t end = 0;
  for (auto _ : state) engine.run_until(Instant(end += kCycles * kFemtoseconds));
  report(state, "cycles", kCycles);
  report(state, "ticks", static_cast<double>(kCycles * working));
}
BENCHMARK(engine_tick)
    ->ArgNames({"working", "sleeping"})
    ->Args({1, 0})
    ->Args({1, 31})
    ->Args({32, 0});

// One component a clock of its own, so that ticks are ordered by time.
void engine_tick_of_three_clocks(benchmark::State& state) {
  const Clock core("core", Hertz(1.4e9));
  const Clock l2("L2", Hertz(0.7e9));
  const Clock dram("DRAM", Hertz(0.924e9));
  Engine engine;
  std::deque<Ticker> components;
  for (const Clock* clock : {&core, &l2, &dram}) {
    engine.add(components.emplace_back(1), engine.add_clock(*clock));
    components.back().wake(Cycle(0));
  }
  std::uint64_t end = 0;
  for (auto _ : state) engine.run_until(Instant(end += kCycles * kFemtoseconds));
  report(state, "ticks", (1.4 + 0.7 + 0.924) * kCycles);
}
BENCHMARK(engine_tick_of_three_clocks);

// Everything sleeps nearly all the time: what a skipped stretch costs.
void engine_skip(benchmark::State& state) {
  const Clock clock("core", Hertz(1e9));
  Engine engine;
  ClockDomain& domain = engine.add_clock(clock);
  Ticker ticker(1'000'000);
  engine.add(ticker, domain);
  ticker.wake(Cycle(0));
  std::uint64_t end = 0;
  for (auto _ : state) engine.run_until(Instant(end += kCycles * kFemtoseconds * 1000));
  report(state, "skips", 1);
}
BENCHMARK(engine_skip);

class Sender : public Component {
 public:
  explicit Sender(Channel<std::uint64_t>& out) : Component("sender"), out_(out) {}
  Cycle tick(Cycle now) override {
    return out_.try_send(now.count(), now) ? now + Cycle(1) : kNever;
  }

 private:
  Channel<std::uint64_t>& out_;
};

class Receiver : public Component {
 public:
  explicit Receiver(Channel<std::uint64_t>& in) : Component("receiver"), in_(in) {}
  Cycle tick(Cycle now) override {
    while (in_.ready(now)) sum += in_.pop(now);
    return kNever;  // the next item wakes us
  }
  std::uint64_t sum = 0;

 private:
  Channel<std::uint64_t>& in_;
};

// One message a cycle, with the ticks of both ends.
void channel_message(benchmark::State& state) {
  const Clock clock("core", Hertz(1e9));
  Engine engine;
  ClockDomain& domain = engine.add_clock(clock);
  Channel<std::uint64_t> channel(8, Cycle(2));
  Sender sender(channel);
  Receiver receiver(channel);
  engine.add(sender, domain);
  engine.add(receiver, domain);
  channel.connect(sender, receiver);
  sender.wake(Cycle(0));
  std::uint64_t end = 0;
  for (auto _ : state) engine.run_until(Instant(end += kCycles * kFemtoseconds));
  benchmark::DoNotOptimize(receiver.sum);
  report(state, "messages", kCycles);
}
BENCHMARK(channel_message);

// Send and receive alone, without an engine's ticks.
void channel_send_and_receive(benchmark::State& state) {
  const Clock clock("core", Hertz(1e9));
  Engine engine;
  ClockDomain& domain = engine.add_clock(clock);
  Channel<std::uint64_t> channel(8);
  Sender sender(channel);
  Receiver receiver(channel);
  engine.add(sender, domain);
  engine.add(receiver, domain);
  channel.connect(sender, receiver);
  Cycle now{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(channel.try_send(now.count(), now));
    ++now;
    benchmark::DoNotOptimize(channel.pop(now));
  }
  report(state, "messages", 1);
}
BENCHMARK(channel_send_and_receive);

// Takes its letters.
class Reader : public Component {
 public:
  Reader(PostOffice<std::uint64_t>& post, std::size_t number)
      : Component("reader"), post_(post), number_(number) {}
  Cycle tick(Cycle now) override {
    while (post_.ready(number_, now)) sum += post_.pop(number_);
    return post_.next_ready(number_);
  }
  std::uint64_t sum = 0;

 private:
  PostOffice<std::uint64_t>& post_;
  std::size_t number_;
};

// 16 partitions that each send 8 letters a quantum of 32 cycles; their delivery included.
void post_office_letter(benchmark::State& state) {
  constexpr std::uint64_t kPartitions = 16;
  constexpr std::uint64_t kLetters = 8;
  constexpr std::uint64_t kQuantum = 32 * kFemtoseconds;
  const Clock clock("core", Hertz(1e9));
  Engine engine;
  ClockDomain& domain = engine.add_clock(clock);
  PostOffice<std::uint64_t> post(kPartitions, kPartitions);
  std::deque<Reader> readers;
  for (std::size_t i = 0; i < kPartitions; ++i) {
    engine.add(readers.emplace_back(post, i), domain);
    post.attach(i, readers.back());
  }
  std::uint64_t end = kQuantum;
  for (auto _ : state) {
    for (std::uint64_t sender = 0; sender < kPartitions; ++sender) {
      for (std::uint64_t letter = 0; letter < kLetters; ++letter) {
        const std::uint64_t arrival = end + letter * 3 % kLetters * kFemtoseconds;
        post.send(sender, (sender + letter) % kPartitions, Instant(arrival), letter);
      }
    }
    post.hand_over(Instant(end));
    engine.run_until(Instant(end += kQuantum));
  }
  report(state, "letters", static_cast<double>(kPartitions * kLetters));
}
BENCHMARK(post_office_letter);

}  // namespace
