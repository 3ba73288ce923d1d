#include "ddm/mpi/transport.h"

#include "ddm/mpi/life_signs.h"

namespace raddle::ddm::mpi {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kLargeBlock = 384;  // bytes; DDM §6.2
constexpr std::size_t kPacket = std::size_t{1} << 15;

void append(std::vector<std::byte>& packet, const MessageHeader& header, const std::byte* bytes) {
  const auto* head = reinterpret_cast<const std::byte*>(&header);
  packet.insert(packet.end(), head, head + sizeof header);
  if (header.bytes > 0) packet.insert(packet.end(), bytes, bytes + header.bytes);
}

}  // namespace

Transport::Transport(MPI_Comm communicator) {
  MPI_Comm_dup(communicator, &communicator_);
  MPI_Comm_size(communicator_, &nodes_);
  MPI_Comm_rank(communicator_, &node_);
  packets_.resize(static_cast<std::size_t>(nodes_));
}

// What a node has told of its failure may come when a run has ended elsewhere: nobody waits for it.
void Transport::close(std::chrono::milliseconds patience) {
  settle(communicator_, patience, [this] {
    receive([](int, const MessageHeader&, std::byte*) {});
    complete_sends();
    return sending_.empty();
  });
  MPI_Comm_free(&communicator_);
}

void Transport::add(int to, const MessageHeader& header, const std::byte* bytes) {
  auto& packet = packets_[static_cast<std::size_t>(to)];
  append(packet, header, bytes);
  // Order is kept: what was added before goes first, and the large block with it.
  if (header.bytes > kLargeBlock || packet.size() >= kPacket) send(to, std::exchange(packet, {}));
}

void Transport::flush() {
  for (int to = 0; to < nodes_; ++to) {
    auto& packet = packets_[static_cast<std::size_t>(to)];
    if (!packet.empty()) send(to, std::exchange(packet, {}));
  }
  complete_sends();
}

void Transport::send(int to, std::vector<std::byte> packet) {
  auto& sending = sending_.emplace_back(Sending{MPI_REQUEST_NULL, std::move(packet)});
  MPI_Isend(sending.packet.data(), static_cast<int>(sending.packet.size()), MPI_BYTE, to, kTag,
            communicator_, &sending.request);
}

void Transport::complete_sends() {
  while (!sending_.empty()) {
    int done = 0;
    MPI_Test(&sending_.front().request, &done, MPI_STATUS_IGNORE);
    if (done == 0) return;
    sending_.pop_front();
  }
}

bool Transport::receive(
    FunctionRef<void(int from, const MessageHeader& header, std::byte* bytes)> sink) {
  bool any = false;
  for (;;) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, kTag, communicator_, &there, &message, &status);
    if (there == 0) return any;
    any = true;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    received_.resize(static_cast<std::size_t>(size));
    MPI_Mrecv(received_.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    for (std::size_t at = 0; at < received_.size();) {
      MessageHeader header;
      std::memcpy(&header, &received_[at], sizeof header);
      at += sizeof header;
      sink(status.MPI_SOURCE, header, received_.data() + at);
      at += header.bytes;
    }
  }
}

}  // namespace raddle::ddm::mpi
