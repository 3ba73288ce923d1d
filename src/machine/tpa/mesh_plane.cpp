#include "machine/tpa/mesh_plane.h"

#include "base/error.h"

namespace raddle::machine::tpa {

using memory::MeshPort;

namespace {

constexpr std::uint32_t number_of(MeshPort port) { return static_cast<std::uint32_t>(port); }
constexpr std::uint8_t bit_of(MeshPort port) {
  return static_cast<std::uint8_t>(1U << number_of(port));
}
constexpr std::uint32_t kLocal = number_of(MeshPort::kLocal);

// By dimension-order routing: rows before columns. A packet that goes east came from the west.
constexpr std::uint8_t feeders_of(MeshPort out) {
  const std::uint8_t row = bit_of(MeshPort::kEast) | bit_of(MeshPort::kWest);
  switch (out) {
    case MeshPort::kEast: return bit_of(MeshPort::kLocal) | bit_of(MeshPort::kWest);
    case MeshPort::kWest: return bit_of(MeshPort::kLocal) | bit_of(MeshPort::kEast);
    case MeshPort::kNorth: return bit_of(MeshPort::kLocal) | row | bit_of(MeshPort::kSouth);
    case MeshPort::kSouth: return bit_of(MeshPort::kLocal) | row | bit_of(MeshPort::kNorth);
    case MeshPort::kLocal: break;
  }
  return (1U << memory::kMeshPorts) - 1;
}

}  // namespace

MeshPlane::MeshPlane(std::uint32_t width, std::uint32_t height, std::uint32_t queue,
                     std::uint32_t output_queue, Cycle hop_cycles)
    : nodes_(width * height),
      hop_cycles_(hop_cycles),
      inputs_(std::size_t{nodes_} * kPorts, PacketQueue(queue)),
      outputs_(nodes_, PacketQueue(output_queue)),
      routers_(nodes_),
      active_((nodes_ + 63) / 64),
      neighbours_(std::size_t{nodes_} * kPorts) {
  RADDLE_ASSERT(nodes_ <= Packet::kMaxNodes);
  const memory::MeshTopology topology(width, height, false);
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    for (std::uint32_t to = 0; to < nodes_; ++to)
      routes_.push_back(static_cast<std::uint8_t>(topology.route(node, to)));
    Router& router = routers_[node];
    const std::uint32_t x = node % width;
    const std::uint32_t y = node / width;
    router.inputs = bit_of(MeshPort::kLocal);
    const auto join = [&](MeshPort port, bool exists) {
      if (!exists) return;
      router.inputs |= bit_of(port);
      neighbours_[node * kPorts + number_of(port)] = topology.neighbour(node, port);
    };
    join(MeshPort::kEast, x + 1 < width);
    join(MeshPort::kWest, x > 0);
    join(MeshPort::kNorth, y > 0);
    join(MeshPort::kSouth, y + 1 < height);
    router.outputs = router.inputs;
    for (std::uint32_t out = 0; out < kPorts; ++out)
      router.feeders[out] = feeders_of(static_cast<MeshPort>(out)) & router.inputs;
  }
}

// Puts a packet into the queue behind an output, if that has room.
bool MeshPlane::send(std::uint32_t node, std::uint32_t out, Packet packet, Cycle now) {
  if (out == kLocal) {
    if (outputs_[node].full()) return false;
    outputs_[node].push(packet);
    ++in_flight_;
    return true;
  }
  const std::uint32_t next = neighbours_[node * kPorts + out];
  const std::uint32_t port = number_of(memory::opposite(static_cast<MeshPort>(out)));
  if (inputs_[next * kPorts + port].full()) return false;
  packet.set_ready(now + hop_cycles_);
  put(next, port, packet);
  return true;
}

void MeshPlane::step(std::uint32_t node, Cycle now) {
  Router& router = routers_[node];
  PacketQueue* const queues = &inputs_[node * kPorts];
  const std::uint8_t* const routes = &routes_[std::size_t{node} * nodes_];
  std::uint32_t used = 0;  // outputs of this cycle
  // Inputs from the one that has its turn, then those before it.
  const std::uint32_t waiting = router.waiting & ~std::uint32_t{router.wave_at};
  std::uint32_t later = waiting >> router.turn << router.turn;
  std::uint32_t rest = waiting & ~later;
  router.turn = router.turn + 1 == kPorts ? 0 : router.turn + 1;
  while ((later | rest) != 0) {
    std::uint32_t& from = later != 0 ? later : rest;
    const auto in = static_cast<std::uint32_t>(std::countr_zero(from));
    from &= from - 1;
    PacketQueue& queue = queues[in];
    const Packet packet = queue.front();
    if (!packet.is_ready(now)) continue;
    if (packet.is_wave()) {
      router.wave_at |= static_cast<std::uint8_t>(1U << in);
      continue;
    }
    const std::uint32_t out = routes[packet.destination()];
    if ((used >> out & 1) != 0 || !send(node, out, packet, now)) {
      ++stats_.blocked;
      continue;
    }
    used |= 1U << out;
    stats_.packets += out == kLocal;
    stats_.hops += out != kLocal;
    queue.pop();
    --in_flight_;
    if (queue.empty()) router.waiting &= static_cast<std::uint8_t>(~(1U << in));
  }
  if (router.wave_at != 0) pass_wave(node, now);
  if (router.waiting == 0) active_[node / 64] &= ~(std::uint64_t{1} << node % 64);
}

void MeshPlane::pass_wave(std::uint32_t node, Cycle now) {
  Router& router = routers_[node];
  for (std::uint32_t out = 0; out < kPorts; ++out) {
    const std::uint32_t bit = 1U << out;
    const bool wanted = (router.outputs & bit) != 0 && (router.wave_sent & bit) == 0;
    if (!wanted || (router.wave_at & router.feeders[out]) != router.feeders[out]) continue;
    if (send(node, out, Packet::wave(), now)) router.wave_sent |= static_cast<std::uint8_t>(bit);
  }
  if (router.wave_sent != router.outputs) return;
  ++stats_.waves;
  for (std::uint32_t in = 0; in < kPorts; ++in) {
    if ((router.inputs >> in & 1) == 0) continue;
    PacketQueue& queue = inputs_[node * kPorts + in];
    queue.pop();
    --in_flight_;
    if (queue.empty()) router.waiting &= static_cast<std::uint8_t>(~(1U << in));
  }
  router.wave_at = 0;
  router.wave_sent = 0;
}

}  // namespace raddle::machine::tpa
