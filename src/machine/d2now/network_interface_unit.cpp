#include "machine/d2now/network_interface_unit.h"

#include <algorithm>

namespace raddle::machine::d2now {

Way way_of(const Message& message, const NetworkParameters& network) {
  if (message.bytes > network.ethernet_threshold && network.ethernet) return Way::kEthernet;
  if (message.bytes > network.value_bytes && network.blocks) return Way::kBlock;
  return Way::kValues;
}

std::uint64_t NetworkInterfaceUnit::words_of(const Message& message) const {
  return (message.bytes + network_.value_bytes - Bytes(1)) / network_.value_bytes;
}

// A value brings one thread's ready count with it; further ready counts need packets of their own.
std::uint64_t NetworkInterfaceUnit::packets_of(const Message& message) const {
  return std::max({words_of(message), message.decrements.count, std::uint64_t{1}});
}

Ticks NetworkInterfaceUnit::send(const Message& message, Ticks now) {
  ++messages_sent_;
  const Way way = way_of(message, network_);
  counts_.bytes += (way == Way::kEthernet ? ethernet_bytes(message) : message.bytes).count();
  switch (way) {
    case Way::kValues: return send_values(message, now);
    case Way::kBlock: return send_block(message, now);
    case Way::kEthernet: break;
  }
  return send_by_ethernet(message, now);
}

// Ethernet broadcasts: what an earlier message of the same thread brings has reached all nodes.
Bytes NetworkInterfaceUnit::ethernet_bytes(const Message& message) const {
  return network_.broadcast ? message.fresh_bytes : message.bytes;
}

Ticks NetworkInterfaceUnit::ethernet_time(Bytes bytes) const {
  return Ticks(static_cast<std::uint64_t>(bytes.as_double() * network_.ethernet_byte));
}

// Time on the fine-grain network's link, on either side.
Ticks NetworkInterfaceUnit::link_time(const Message& message, Way way) const {
  if (way == Way::kValues) {
    return packets_of(message) * std::max(tsu_.packet, network_.value_packet);
  }
  return words_of(message) * network_.block_word;
}

Ticks NetworkInterfaceUnit::send_values(const Message& message, Ticks now) {
  counts_.packets += packets_of(message);
  const Ticks start = std::max(now, sender_free_);
  sender_free_ = start + link_time(message, Way::kValues);
  busy_ticks_ += sender_free_ - start;
  if (trace_ != nullptr) trace_->sends(message, "values", false, start, sender_free_);
  return sender_free_ + network_.latency;
}

Ticks NetworkInterfaceUnit::send_block(const Message& message, Ticks now) {
  ++counts_.blocks;
  const Ticks start = std::max(now, sender_free_);
  const Ticks set_up = start + network_.block_setup;
  const Ticks read = memory_.read_for_network(message.bytes, set_up);
  sender_free_ = std::max(read, set_up + link_time(message, Way::kBlock));
  busy_ticks_ += sender_free_ - start;
  if (trace_ != nullptr) trace_->sends(message, "a block", false, start, sender_free_);
  return sender_free_ + network_.latency;
}

Ticks NetworkInterfaceUnit::send_by_ethernet(const Message& message, Ticks now) {
  const Bytes bytes = ethernet_bytes(message);
  ++(bytes == Bytes(0) ? counts_.ethernet_repeats : counts_.ethernet_messages);
  const Ticks start = std::max(now, ethernet_free_);
  const Ticks read = memory_.read_for_network(bytes, start);
  ethernet_free_ = std::max(read, start + ethernet_time(bytes));
  if (trace_ != nullptr) trace_->sends(message, "a block", true, start, ethernet_free_);
  return ethernet_free_ + network_.ethernet_latency;
}

// Its last byte is here unless messages of other nodes keep the link busy. Packets and blocks
// follow each other; the unit works on the first while the last is still on its way.
Ticks NetworkInterfaceUnit::take_from_link(const Message& message, Way way, Ticks now) {
  Ticks& free = way == Way::kEthernet ? ethernet_receiver_free_ : receiver_free_;
  const Ticks duration =
      way == Way::kEthernet ? ethernet_time(message.bytes) : link_time(message, way);
  free = std::max(now, free + duration);
  return free;
}

void NetworkInterfaceUnit::receive(std::uint32_t number, Ticks sent, Ticks now) {
  const Message& message = graph_.message(number);
  const Way way = way_of(message, network_);
  const Ticks taken = take_from_link(message, way, now);
  Ticks done = taken;
  for (const ddm::recording::Region& region : graph_.regions(message.regions)) {
    done = std::max(done,
                    memory_.write_from_network(Address(region.address), Bytes(region.bytes),
                                               way == Way::kValues, network_.value_bytes, taken));
  }
  if (trace_ != nullptr) trace_->receives(message, done);
  events_.schedule(done, EventKind::kReceived, number, sent);
}

}  // namespace raddle::machine::d2now
