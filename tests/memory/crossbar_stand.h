// What tests of crossbars stand between: senders, channels and takers, the same for the crossbar of
// one engine and for the one between host threads.
#pragma once

#include <memory>
#include <utility>
#include <vector>

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
          .flit_bytes = 32,
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

}  // namespace raddle::memory
