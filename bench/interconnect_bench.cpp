// What DRAM and crossbar cost the host: accesses and flits a second on one host thread, with
// senders that always have something to send and receivers that always take.
#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "memory/crossbar_port.h"
#include "memory/dram.h"
#include "sim/engine.h"

namespace {

using namespace raddle;
using namespace raddle::memory;

// Sends what `next` gives, one item a cycle as long as there is room.
template <class T>
class Feeder : public sim::Component {
 public:
  Feeder(sim::Channel<T>& out, std::uint64_t count, std::function<T()> next)
      : Component("feeder"), out_(out), count_(count), next_(std::move(next)) {}
  Cycle tick(Cycle now) override {
    if (count_ == 0) return sim::kNever;
    if (!held_) value_ = next_();
    held_ = !out_.try_send(value_, now);
    if (held_) return sim::kNever;
    --count_;
    return now + Cycle(1);
  }

 private:
  sim::Channel<T>& out_;
  std::uint64_t count_;
  std::function<T()> next_;
  T value_{};
  bool held_ = false;
};

template <class T>
class Drain : public sim::Component {
 public:
  explicit Drain(sim::Channel<T>& in) : Component("drain"), in_(in) {}
  Cycle tick(Cycle now) override {
    while (in_.ready(now)) in_.pop(now);
    return in_.next_ready();
  }

 private:
  sim::Channel<T>& in_;
};

// --- DRAM: 128-byte lines at one channel of a GTX 480 -----------------------------------------------

constexpr std::uint64_t kAccesses = 100'000;

void run_dram(benchmark::State& state, const std::function<std::uint64_t(std::uint64_t)>& line_of) {
  const sim::Clock clock("dram", Hertz(924e6));
  DramStats stats;
  for (auto _ : state) {
    sim::Channel<Access> requests(8);
    sim::Channel<Access> answers(8);
    std::uint64_t number = 0;
    Feeder<Access> feeder(requests, kAccesses, [&] {
      const std::uint64_t line = line_of(number++);
      // Every fourth chunk of 512 bytes is written.
      const AccessKind kind = line / 4 % 4 == 3 ? AccessKind::kWriteBack : AccessKind::kLoad;
      return Access{Address(line / 2 * 6 * 256 + line % 2 * 128), ShortBytes(128), kind, 0, number};
    });
    DramChannel dram("dram", DramSpec{}, 0, requests, answers);
    Drain<Access> drain(answers);
    sim::Engine engine;
    sim::ClockDomain& domain = engine.add_clock(clock);
    engine.add(feeder, domain);
    engine.add(dram, domain);
    engine.add(drain, domain);
    requests.connect(feeder, dram);
    answers.connect(dram, drain);
    feeder.wake(Cycle(0));
    engine.run_until(sim::kEndOfTime);
    stats = dram.stats();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kAccesses));
  state.counters["bus_busy"] =
      stats.bus_busy_cycles.as_double() / static_cast<double>(stats.waiting_cycles);
}

void dram_stream(benchmark::State& state) {
  run_dram(state, [](std::uint64_t number) { return number; });
}
BENCHMARK(dram_stream)->Unit(benchmark::kMillisecond);

void dram_random(benchmark::State& state) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  run_dram(state, [](std::uint64_t number) { return number * kSpread >> 42; });
}
BENCHMARK(dram_random)->Unit(benchmark::kMillisecond);

// --- Networks: everyone to random others ------------------------------------------------------------

struct Payload {
  std::uint64_t words[4] = {};
};

template <class Packet>
struct Ends {
  Ends(std::size_t inputs, std::size_t outputs, std::uint64_t packets,
       const std::function<Packet()>& next) {
    for (std::size_t i = 0; i < inputs; ++i) {
      in.push_back(std::make_unique<sim::Channel<Packet>>(4));
      feeders.push_back(std::make_unique<Feeder<Packet>>(*in.back(), packets, next));
    }
    for (std::size_t i = 0; i < outputs; ++i) {
      out.push_back(std::make_unique<sim::Channel<Payload>>(4));
      drains.push_back(std::make_unique<Drain<Payload>>(*out.back()));
    }
  }
  std::vector<std::unique_ptr<sim::Channel<Packet>>> in;
  std::vector<std::unique_ptr<sim::Channel<Payload>>> out;
  std::vector<std::unique_ptr<Feeder<Packet>>> feeders;
  std::vector<std::unique_ptr<Drain<Payload>>> drains;
};

// A GTX 480's: 15 cores, 6 partitions, every port a partition of its own; the argument is the
// number of host threads.
void crossbar_ports_15x6(benchmark::State& state) {
  const CrossbarSpec spec{.inputs = 15, .outputs = 6};
  const sim::Clock clock("network", Hertz(700e6));
  std::uint64_t flits = 0;
  for (auto _ : state) {
    Ends<CrossbarPacket<Payload>> ends(spec.inputs, spec.outputs, 5'000, [] {
      thread_local std::mt19937 random(1);
      return CrossbarPacket<Payload>{static_cast<std::uint32_t>(random() % 6), ShortBytes(32), {}};
    });
    CrossbarWires<Payload> wires(spec);
    sim::ParallelRun run(wires.quantum(clock), static_cast<unsigned>(state.range(0)));
    std::vector<std::unique_ptr<sim::Engine>> engines;
    std::vector<std::unique_ptr<CrossbarInputPort<Payload>>> inputs;
    std::vector<std::unique_ptr<CrossbarOutputPort<Payload>>> outputs;
    for (std::uint32_t i = 0; i < spec.inputs; ++i) {
      sim::Engine& engine = *engines.emplace_back(std::make_unique<sim::Engine>());
      sim::ClockDomain& domain = engine.add_clock(clock);
      inputs.push_back(
          std::make_unique<CrossbarInputPort<Payload>>("input", wires, i, *ends.in[i]));
      engine.add(*ends.feeders[i], domain);
      engine.add(*inputs.back(), domain);
      ends.in[i]->connect(*ends.feeders[i], *inputs.back());
      ends.feeders[i]->wake(Cycle(0));
      run.add(engine);
    }
    for (std::uint32_t i = 0; i < spec.outputs; ++i) {
      sim::Engine& engine = *engines.emplace_back(std::make_unique<sim::Engine>());
      sim::ClockDomain& domain = engine.add_clock(clock);
      outputs.push_back(
          std::make_unique<CrossbarOutputPort<Payload>>("output", wires, i, *ends.out[i]));
      engine.add(*outputs.back(), domain);
      engine.add(*ends.drains[i], domain);
      ends.out[i]->connect(*outputs.back(), *ends.drains[i]);
      run.add(engine);
    }
    wires.add_to(run);
    run.run();
    for (const auto& output : outputs) flits += output->stats().flits;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(flits));
}
BENCHMARK(crossbar_ports_15x6)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
