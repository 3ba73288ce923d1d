#include "ddm/mpi/transport.h"

#include <utility>

#include "ddm/mpi/life_signs.h"

namespace raddle::ddm::mpi {
namespace {

constexpr int kTag = 1, kLargeTag = 2;
constexpr std::size_t kLargeBlock = 384;  // bytes; DDM §6.2
constexpr std::size_t kPacket = std::size_t{1} << 15;
// The longest packet that comes into memory that waits: a full one and what filled it.
constexpr std::size_t kLongest = kPacket + sizeof(MessageHeader) + kLargeBlock;

void append(std::vector<std::byte>& packet, const MessageHeader& header, const std::byte* bytes) {
  const auto* head = reinterpret_cast<const std::byte*>(&header);
  packet.insert(packet.end(), head, head + sizeof header);
  if (header.bytes > 0) packet.insert(packet.end(), bytes, bytes + header.bytes);
}

// What is sent before a packet that is longer; messages are never as short.
using Announcement = std::uint64_t;
static_assert(sizeof(Announcement) < sizeof(MessageHeader));

bool has_ended(MPI_Request& request, MPI_Status* status) {
  int done = 0;
  MPI_Test(&request, &done, status);
  return done != 0;
}

}  // namespace

Transport::Transport(MPI_Comm communicator) : received_(kLongest) {
  MPI_Comm_dup(communicator, &communicator_);
  MPI_Comm_size(communicator_, &nodes_);
  MPI_Comm_rank(communicator_, &node_);
  packets_.resize(static_cast<std::size_t>(nodes_));
  await_packet();
}

// What a node has told of its failure may come when a run has ended elsewhere: nobody waits for it.
void Transport::close(std::chrono::milliseconds patience) {
  settle(communicator_, patience, [this] {
    receive([](int, const MessageHeader&, std::byte*) {});
    complete_sends();
    return sending_.empty() && large_.empty();
  });
  MPI_Cancel(&receiving_);
  MPI_Wait(&receiving_, MPI_STATUS_IGNORE);
  MPI_Comm_free(&communicator_);
}

void Transport::add(int to, const MessageHeader& header, const std::byte* bytes) {
  auto& packet = packets_[static_cast<std::size_t>(to)];
  append(packet, header, bytes);
  // The large block goes with what was added before.
  if (header.bytes > kLargeBlock || packet.size() >= kPacket) send(to);
}

void Transport::flush() {
  for (int to = 0; to < nodes_; ++to) {
    if (!packets_[static_cast<std::size_t>(to)].empty()) send(to);
  }
  complete_sends();
}

void Transport::send(int to) {
  std::vector<std::byte> fresh;
  if (!spare_.empty()) {
    fresh = std::move(spare_.back());
    spare_.pop_back();
    fresh.clear();
  }
  auto packet = std::exchange(packets_[static_cast<std::size_t>(to)], std::move(fresh));
  if (packet.size() <= kLongest) {
    start(to, kTag, std::move(packet));
    return;
  }
  const Announcement size = packet.size();
  std::vector<std::byte> announcement(sizeof size);
  std::memcpy(announcement.data(), &size, sizeof size);
  start(to, kTag, std::move(announcement));
  start(to, kLargeTag, std::move(packet));
}

void Transport::start(int to, int tag, std::vector<std::byte> packet) {
  auto& sending = sending_.emplace_back(Underway{MPI_REQUEST_NULL, std::move(packet)});
  MPI_Isend(sending.packet.data(), static_cast<int>(sending.packet.size()), MPI_BYTE, to, tag,
            communicator_, &sending.request);
}

void Transport::complete_sends() {
  constexpr std::size_t kMaxSpare = 16;
  while (!sending_.empty()) {
    if (!has_ended(sending_.front().request, MPI_STATUS_IGNORE)) return;
    auto& packet = sending_.front().packet;
    if (spare_.size() < kMaxSpare && packet.capacity() <= 2 * kLongest)
      spare_.push_back(std::move(packet));
    sending_.pop_front();
  }
}

void Transport::await_packet() {
  MPI_Irecv(received_.data(), static_cast<int>(received_.size()), MPI_BYTE, MPI_ANY_SOURCE, kTag,
            communicator_, &receiving_);
}

void Transport::unpack(int from, std::span<std::byte> packet, Sink sink) {
  for (std::size_t at = 0; at < packet.size();) {
    MessageHeader header;
    std::memcpy(&header, &packet[at], sizeof header);
    at += sizeof header;
    sink(from, header, packet.data() + at);
    at += header.bytes;
  }
}

bool Transport::receive(Sink sink) {
  bool any = receive_large(sink);
  MPI_Status status;
  while (has_ended(receiving_, &status)) {
    any = true;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    const int from = status.MPI_SOURCE;
    if (size == sizeof(Announcement)) {
      Announcement bytes = 0;
      std::memcpy(&bytes, received_.data(), sizeof bytes);
      auto& coming =
          large_.emplace_back(Underway{MPI_REQUEST_NULL, std::vector<std::byte>(bytes), from});
      MPI_Irecv(coming.packet.data(), static_cast<int>(bytes), MPI_BYTE, from, kLargeTag,
                communicator_, &coming.request);
    } else {
      unpack(from, std::span(received_).first(static_cast<std::size_t>(size)), sink);
    }
    await_packet();
  }
  return any;
}

// In the order in which they were announced.
bool Transport::receive_large(Sink sink) {
  bool any = false;
  while (!large_.empty() && has_ended(large_.front().request, MPI_STATUS_IGNORE)) {
    auto came = std::move(large_.front());
    large_.pop_front();
    unpack(came.from, came.packet, sink);
    any = true;
  }
  return any;
}

}  // namespace raddle::ddm::mpi
