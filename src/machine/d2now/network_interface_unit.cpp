#include "machine/d2now/network_interface_unit.h"

#include <algorithm>

namespace raddle::machine::d2now {

Way way_of(const Message& message, const NetworkParameters& network) {
  if (message.bytes > network.ethernet_threshold && network.ethernet) return Way::kEthernet;
  if (message.bytes > network.value_bytes && network.blocks) return Way::kBlock;
  return Way::kValues;
}

// A value brings one thread's ready count with it; further ready counts need packets of their own.
std::uint64_t NetworkInterfaceUnit::packets_of(const Message& message) const {
  const std::uint64_t values = (message.bytes + network_.value_bytes - 1) / network_.value_bytes;
  return std::max(values, std::max<std::uint64_t>(message.decrements.count, 1));
}

Ticks NetworkInterfaceUnit::send(const Message& message, Ticks now) {
  ++messages_sent_;
  counts_.bytes += message.bytes;
  switch (way_of(message, network_)) {
    case Way::kValues: return send_values(message, now);
    case Way::kBlock: return send_block(message, now);
    case Way::kEthernet: break;
  }
  return send_by_ethernet(message, now);
}

Ticks NetworkInterfaceUnit::send_values(const Message& message, Ticks now) {
  const std::uint64_t packets = packets_of(message);
  counts_.packets += packets;
  const Ticks start = std::max(now, sender_free_);
  sender_free_ = start + packets * std::max(tsu_.packet, network_.value_packet);
  busy_ticks_ += sender_free_ - start;
  if (trace_ != nullptr) trace_->sends(message, "values", false, start, sender_free_);
  return sender_free_ + network_.latency;
}

Ticks NetworkInterfaceUnit::send_block(const Message& message, Ticks now) {
  ++counts_.blocks;
  const std::uint64_t words = (message.bytes + network_.value_bytes - 1) / network_.value_bytes;
  const Ticks start = std::max(now, sender_free_);
  const Ticks set_up = start + network_.block_setup;
  const Ticks read = memory_.read_for_network(message.bytes, set_up);
  sender_free_ = std::max(read, set_up + words * network_.block_word);
  busy_ticks_ += sender_free_ - start;
  if (trace_ != nullptr) trace_->sends(message, "a block", false, start, sender_free_);
  return sender_free_ + network_.latency;
}

Ticks NetworkInterfaceUnit::send_by_ethernet(const Message& message, Ticks now) {
  ++counts_.ethernet_messages;
  const Ticks start = std::max(now, ethernet_free_);
  const Ticks read = memory_.read_for_network(message.bytes, start);
  const Ticks duration(
      static_cast<std::uint64_t>(static_cast<double>(message.bytes) * network_.ethernet_byte));
  ethernet_free_ = std::max(read, start + duration);
  if (trace_ != nullptr) trace_->sends(message, "a block", true, start, ethernet_free_);
  return ethernet_free_ + network_.ethernet_latency;
}

void NetworkInterfaceUnit::receive(std::uint32_t number, Ticks sent, Ticks now) {
  const Message& message = graph_.message(number);
  const Way way = way_of(message, network_);
  Ticks done = now;
  if (way == Way::kValues) {
    // Packets follow each other; the unit works on the first while the last is still on its way.
    receiver_free_ = std::max(now, receiver_free_ + packets_of(message) * tsu_.packet);
    done = receiver_free_;
  }
  for (const ddm::recording::Region& region : graph_.regions(message.regions)) {
    done =
        std::max(done, memory_.write_from_network(region.address, region.bytes, way == Way::kValues,
                                                  network_.value_bytes, now));
  }
  if (trace_ != nullptr) trace_->receives(message, done);
  events_.schedule(done, EventKind::kReceived, number, sent);
}

}  // namespace raddle::machine::d2now
