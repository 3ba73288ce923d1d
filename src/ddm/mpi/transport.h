// Packets of messages between MPI ranks. Single values and small blocks for one node share a
// packet; a large block goes in a packet of its own (DDM §4: fine-, medium- and coarse-grain
// communication). Packets up to a size come into memory that waits for them, as MPI then needs
// neither to be asked what there is nor to keep it; of a larger one its size comes first. One
// thread at a time uses it.
#pragma once

#include <mpi.h>

#include <chrono>
#include <deque>
#include <span>
#include <vector>

#include "ddm/mpi/message.h"
#include "raddle/ddm/function_ref.h"

namespace raddle::ddm::mpi {

class Transport {
 public:
  explicit Transport(MPI_Comm communicator);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  ~Transport() = default;
  // On all ranks, after the last run; nothing else may be called afterwards.
  void close(std::chrono::milliseconds patience);

  [[nodiscard]] int nodes() const { return nodes_; }
  [[nodiscard]] int node() const { return node_; }
  [[nodiscard]] MPI_Comm communicator() const { return communicator_; }

  void add(int to, const MessageHeader& header, const std::byte* bytes);
  // Sends what was added.
  void flush();
  // Whether something large is still on its way.
  [[nodiscard]] bool sending() const { return !sending_.empty(); }
  using Sink = FunctionRef<void(int from, const MessageHeader& header, std::byte* bytes)>;
  // Calls the sink for each message that has come; true if there was any.
  bool receive(Sink sink);

 private:
  struct Underway {
    MPI_Request request;
    std::vector<std::byte> packet;
    int from = 0;  // of one that comes
  };
  void send(int to);
  void start(int to, int tag, std::vector<std::byte> packet);
  void complete_sends();
  void await_packet();
  bool receive_large(Sink sink);
  static void unpack(int from, std::span<std::byte> packet, Sink sink);

  MPI_Comm communicator_;
  int nodes_ = 1;
  int node_ = 0;
  std::vector<std::vector<std::byte>> packets_;  // by node
  std::deque<Underway> sending_;
  std::vector<std::vector<std::byte>> spare_;  // memory of packets that have gone
  std::vector<std::byte> received_;
  MPI_Request receiving_ = MPI_REQUEST_NULL;  // into that
  std::deque<Underway> large_;                // coming
};

}  // namespace raddle::ddm::mpi
