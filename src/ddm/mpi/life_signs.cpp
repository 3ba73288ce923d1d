#include "ddm/mpi/life_signs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace raddle::ddm::mpi {
namespace {

constexpr std::chrono::milliseconds kBetweenSigns{100};
// A busy machine may keep a thread from its core for longer than between two signs.
constexpr std::chrono::milliseconds kMinSilence{1000};
constexpr int kSignTag = 2, kLeaveTag = 3;  // tags

}  // namespace

std::chrono::milliseconds silence_of(const Options& options) {
  return std::max(options.silence, kMinSilence);
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

void settle(MPI_Comm communicator, std::chrono::milliseconds patience,
            FunctionRef<bool()> take_and_test) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  MPI_Request all = MPI_REQUEST_NULL;
  for (int done = 0;;) {
    const bool mine_gone = take_and_test();
    if (all != MPI_REQUEST_NULL) {
      MPI_Test(&all, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
    } else if (mine_gone) {
      MPI_Ibarrier(communicator, &all);
    }
    if (std::chrono::steady_clock::now() > give_up)
      abandon(communicator, "another node is lost: it did not take its last messages for " +
                                in_seconds(patience));
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
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
      peers_.push_back({other, MPI_REQUEST_NULL, MPI_REQUEST_NULL, next_signs_, std::nullopt});
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
  settle(communicator_, silence(), [this] {
    hear();
    return std::ranges::all_of(
        peers_, [](Peer& peer) { return has_gone(peer.sign) && has_gone(peer.farewell); });
  });
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

bool LifeSigns::has_gone(MPI_Request& message) {
  int gone = 0;
  MPI_Test(&message, &gone, MPI_STATUS_IGNORE);
  return gone != 0;
}

void LifeSigns::give_signs() {
  const auto now = Clock::now();
  if (now < next_signs_) return;
  next_signs_ = now + kBetweenSigns;
  for (Peer& peer : peers_) {
    // One at a time, and it is gone when it has been taken: who stands still takes none.
    if (has_gone(peer.sign))
      MPI_Issend(nullptr, 0, MPI_BYTE, peer.node, kSignTag, communicator_, &peer.sign);
  }
}

void LifeSigns::hear() {
  for (Peer& peer : peers_) {
    while (take(peer.node, kSignTag)) peer.heard = Clock::now();
    if (take(peer.node, kLeaveTag)) peer.left = Clock::now();
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
  for (Peer& peer : peers_)
    MPI_Issend(nullptr, 0, MPI_BYTE, peer.node, kLeaveTag, communicator_, &peer.farewell);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator_, &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace raddle::ddm::mpi
