// The Network Interface Unit and the node's end of the networks. Three ways lead to another node
// (DDM §4): single values as packets of the fine-grain network; blocks that an embedded processor
// and a DMA engine put through the same network; and, above a threshold, Ethernet, where one
// transmission reaches all nodes that need it. A link carries one message at a time on either side.
#pragma once

#include <array>
#include <cstdint>

#include "machine/d2now/event_queue.h"
#include "machine/d2now/node_memory.h"
#include "machine/d2now/node_trace.h"
#include "machine/d2now/thread_graph.h"
#include "sim/stats.h"

namespace raddle::machine::d2now {

enum class Way : std::uint8_t { kValues, kBlock, kEthernet };

Way way_of(const Message& message, const NetworkParameters& network);

struct NetworkCounts {
  std::uint64_t packets = 0;
  std::uint64_t blocks = 0;
  std::uint64_t ethernet_messages = 0;
  std::uint64_t ethernet_repeats = 0;
  std::uint64_t bytes = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<NetworkCounts>>({
      {"packets", "packets", "packets with a single value or a ready count sent",
       &NetworkCounts::packets},
      {"blocks", "messages", "blocks sent over the fine-grain network", &NetworkCounts::blocks},
      {"ethernet_messages", "messages", "blocks sent over Ethernet",
       &NetworkCounts::ethernet_messages},
      {"ethernet_repeats", "messages",
       "blocks for further nodes that a broadcast had brought there",
       &NetworkCounts::ethernet_repeats},
      {"bytes", "bytes", "data sent; a broadcast counts once", &NetworkCounts::bytes},
  });
};

class NetworkInterfaceUnit {
 public:
  NetworkInterfaceUnit(const TsuParameters& tsu, const NetworkParameters& network,
                       const ThreadGraph& graph, NodeMemory& memory, EventQueue& events)
      : tsu_(tsu), network_(network), graph_(graph), memory_(memory), events_(events) {}

  void set_trace(NodeTrace* trace) { trace_ = trace; }

  // When the message is at its destination.
  Ticks send(const Message& message, Ticks now);
  // A message has arrived: EventKind::kReceived follows when it is in memory.
  void receive(std::uint32_t number, Ticks sent, Ticks now);

  std::uint64_t messages_sent() const { return messages_sent_; }
  const NetworkCounts& counts() const { return counts_; }
  Ticks busy_ticks() const { return busy_ticks_; }

 private:
  std::uint64_t words_of(const Message& message) const;
  std::uint64_t packets_of(const Message& message) const;
  Bytes ethernet_bytes(const Message& message) const;
  Ticks ethernet_time(Bytes bytes) const;
  Ticks link_time(const Message& message, Way way) const;
  Ticks send_values(const Message& message, Ticks now);
  Ticks send_block(const Message& message, Ticks now);
  Ticks send_by_ethernet(const Message& message, Ticks now);
  Ticks take_from_link(const Message& message, Way way, Ticks now);

  TsuParameters tsu_;
  NetworkParameters network_;
  const ThreadGraph& graph_;
  NodeMemory& memory_;
  EventQueue& events_;
  Ticks sender_free_, receiver_free_;  // of the fine-grain network
  Ticks ethernet_free_, ethernet_receiver_free_;
  std::uint64_t messages_sent_ = 0;
  NetworkCounts counts_;
  Ticks busy_ticks_;  // sending over the fine-grain network
  NodeTrace* trace_ = nullptr;
};

}  // namespace raddle::machine::d2now
