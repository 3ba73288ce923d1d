#include "ddm/mpi/life_signs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace raddle::ddm::mpi {
namespace {

constexpr std::chrono::milliseconds kBetweenSigns{100};
// A busy machine may keep a thread from its core for longer than between two signs.
constexpr std::chrono::milliseconds kLeastSilence{1000};
constexpr int kSign = 2, kFarewell = 3;  // tags

}  // namespace

std::chrono::milliseconds silence_of(const Options& options) {
  return std::max(options.silence, kLeastSilence);
}

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
      peers_.push_back({other, MPI_REQUEST_NULL, next_signs_, std::nullopt});
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
  silence_.store(silence);
  run_began_.store(Clock::now());
  in_run_.store(true);
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
    if (sent != 0) MPI_Isend(nullptr, 0, MPI_BYTE, peer.node, kSign, communicator_, &peer.sign);
  }
}

void LifeSigns::hear() {
  for (Peer& peer : peers_) {
    while (take(peer.node, kSign)) peer.heard = Clock::now();
    if (take(peer.node, kFarewell)) peer.left = Clock::now();
  }
}

bool LifeSigns::take(int from, int tag) const {
  int there = 0;
  MPI_Iprobe(from, tag, communicator_, &there, MPI_STATUS_IGNORE);
  if (there != 0) MPI_Recv(nullptr, 0, MPI_BYTE, from, tag, communicator_, MPI_STATUS_IGNORE);
  return there != 0;
}

void LifeSigns::judge() const {
  const auto now = Clock::now();
  for (const Peer& peer : peers_) {
    // A run that has ended there may still be about to end here.
    if (peer.left && in_run_.load() && now - std::max(*peer.left, run_began_.load()) > silence()) {
      abandon(communicator_, "node " + std::to_string(peer.node) +
                                 " is lost: it has ended its program, and a run here has waited "
                                 "for it for " +
                                 in_seconds(silence()));
    }
    if (now - peer.heard <= silence()) continue;
    abandon(communicator_, "node " + std::to_string(peer.node) +
                               " is lost: nothing was heard of it for " + in_seconds(silence()));
  }
}

void LifeSigns::gather() {
  MPI_Request request = MPI_REQUEST_NULL;
  for (const Peer& peer : peers_) {
    MPI_Isend(nullptr, 0, MPI_BYTE, peer.node, kFarewell, communicator_, &request);
    MPI_Request_free(&request);
  }
  MPI_Ibarrier(communicator_, &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace raddle::ddm::mpi
