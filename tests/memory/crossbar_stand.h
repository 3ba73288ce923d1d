// What tests of crossbars stand between: senders, channels and takers, the same for the crossbar of
// one engine and for the one between host threads.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "memory/crossbar_port.h"
#include "memory/one_engine_crossbar.h"
#include "memory/traffic.h"

namespace raddle::memory {

using Packet = CrossbarPacket<std::uint64_t>;
using Taken = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // cycle, payload

inline CrossbarSpec three_by_three() {
  return {.inputs = 3,
          .outputs = 3,
          .latency = Cycle(5),
          .credit_latency = Cycle(4),
          .flit_bytes = ShortBytes(32),
          .inject_flits = 1,
          .eject_flits = 1,
          .most_packet_flits = 8,
          .buffer_flits = 32};
}

struct CrossbarStand {
  CrossbarStand(const CrossbarSpec& spec, Cycle taker_interval, std::size_t places) {
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

inline std::vector<Taken> all_taken(const CrossbarStand& ends) {
  std::vector<Taken> all;
  for (const auto& taker : ends.takers) all.push_back(taker->taken);
  return all;
}

// What the takers get, and when, with every input and every output a partition.
inline std::vector<Taken> run_in_threads(const CrossbarSpec& spec, unsigned threads,
                                         Cycle taker_interval,
                                         const std::function<void(const CrossbarStand&)>& give) {
  const CrossbarStand ends(spec, taker_interval, 3);
  give(ends);
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

}  // namespace raddle::memory
