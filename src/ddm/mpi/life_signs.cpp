#include "ddm/mpi/life_signs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "raddle/ddm/executor.h"

namespace raddle::ddm::mpi {
namespace {

constexpr std::chrono::milliseconds kBetweenSigns{100};
// A busy machine may keep a thread from its core for longer than between two signs.
constexpr std::chrono::milliseconds kLeastSilence{1000};
constexpr int kTag = 2;

}  // namespace

std::string in_seconds(std::chrono::milliseconds time) {
  return std::to_string(std::chrono::duration<double>(time).count()) + " seconds";
}

void abandon(MPI_Comm communicator, const std::string& text) {
  int node = 0;
  MPI_Comm_rank(communicator, &node);
  std::fprintf(stderr,
               "raddle-ddm: node %d: %s\nhint: see why that process stopped; Options::silence is "
               "how long to wait\n",
               node, text.c_str());
  MPI_Abort(communicator, 70);
  std::abort();
}

LifeSigns::LifeSigns(MPI_Comm communicator, bool own_thread) : silence_(Options{}.silence) {
  MPI_Comm_dup(communicator, &communicator_);
  int nodes = 1;
  int node = 0;
  MPI_Comm_size(communicator_, &nodes);
  MPI_Comm_rank(communicator_, &node);
  next_signs_ = Clock::now();
  for (int other = 0; other < nodes; ++other) {
    if (other != node && (node == 0 || other == 0))
      peers_.push_back({other, MPI_REQUEST_NULL, next_signs_});
  }
  if (!own_thread || peers_.empty()) return;
  thread_ = std::thread([this] {
    while (!closing_.load()) {
      const auto seen = close_.value();
      look();
      if (!closing_.load()) close_.wait_for(seen, kBetweenSigns);
    }
  });
}

LifeSigns::~LifeSigns() {
  if (thread_.joinable()) {
    closing_.store(true);
    close_.wake_all();
    thread_.join();
  }
  hear();
  for (Peer& peer : peers_) {
    if (peer.sign != MPI_REQUEST_NULL) MPI_Request_free(&peer.sign);
  }
  MPI_Comm_free(&communicator_);
}

void LifeSigns::begin_run(std::chrono::milliseconds silence) {
  silence_.store(std::max(silence, kLeastSilence));
  if (thread_.joinable()) return;
  for (Peer& peer : peers_) peer.heard = Clock::now();
}

void LifeSigns::look() {
  hear();
  give_signs();
  judge();
}

void LifeSigns::give_signs() {
  const auto now = Clock::now();
  if (now < next_signs_) return;
  next_signs_ = now + kBetweenSigns;
  for (Peer& peer : peers_) {
    int sent = 1;
    if (peer.sign != MPI_REQUEST_NULL) MPI_Test(&peer.sign, &sent, MPI_STATUS_IGNORE);
    // One at a time: who stands still takes none.
    if (sent != 0) MPI_Isend(nullptr, 0, MPI_BYTE, peer.node, kTag, communicator_, &peer.sign);
  }
}

void LifeSigns::hear() {
  for (Peer& peer : peers_) {
    for (;;) {
      int there = 0;
      MPI_Iprobe(peer.node, kTag, communicator_, &there, MPI_STATUS_IGNORE);
      if (there == 0) break;
      MPI_Recv(nullptr, 0, MPI_BYTE, peer.node, kTag, communicator_, MPI_STATUS_IGNORE);
      peer.heard = Clock::now();
    }
  }
}

void LifeSigns::judge() const {
  const auto now = Clock::now();
  for (const Peer& peer : peers_) {
    if (now - peer.heard <= silence()) continue;
    abandon(communicator_, "node " + std::to_string(peer.node) +
                               " is lost: nothing was heard of it for " + in_seconds(silence()));
  }
}

void LifeSigns::gather() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator_, &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace raddle::ddm::mpi
