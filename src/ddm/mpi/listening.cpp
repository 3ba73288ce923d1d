// The part of MpiNetwork that sends and receives: who does it, and when that thread sleeps.
#include <algorithm>
#include <thread>

#include "ddm/mpi/mpi_network.h"

namespace raddle::ddm::mpi {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void MpiNetwork::drain_outgoing() {
  for (const auto& message : outgoing_.take_all())
    transport_.add(message->to, message->header, message->bytes.data());
  unflushed_.store(false, std::memory_order_seq_cst);
  transport_.flush();
}

// True if anything was sent or has come.
bool MpiNetwork::exchange_messages() {
  const auto work_before = received_;
  const bool sending = has_posted();
  if (sending) drain_outgoing();
  const bool heard = transport_.receive([&](int from, const MessageHeader& header,
                                            std::byte* bytes) { handle(from, header, bytes); });
  if (run_->stopping() && !failure_told_) tell_failure();
  if (node() == 0) coordinate();
  transport_.flush();
  still_sending_.store(transport_.sending(), std::memory_order_relaxed);
  if (sending || heard) last_heard_.store(Clock::now(), std::memory_order_relaxed);
  if (sending || received_ != work_before)
    last_work_.store(Clock::now(), std::memory_order_relaxed);
  return sending || heard;
}

void MpiNetwork::send_posted() {
  if (!workers_help_) return;
  while (has_posted() && with_transport([this] { drain_outgoing(); })) {
  }
}

bool MpiNetwork::listen(native::Worker& helper) {
  if (!workers_help_) {
    native::relax();
    return true;
  }
  with_transport([&] {
    if (ended_.load(std::memory_order_relaxed)) return;
    outside_->set_helper(&helper);
    exchange_messages();
    outside_->set_helper(nullptr);
    if (ended_.load(std::memory_order_relaxed)) posted_.wake_one();
  });
  send_posted();
  return !ended_.load(std::memory_order_relaxed);
}

void MpiNetwork::begin_listening() { helpers_.fetch_add(1, std::memory_order_seq_cst); }

void MpiNetwork::end_listening(bool sleeps) {
  const bool last = helpers_.fetch_sub(1, std::memory_order_seq_cst) == 1;
  if (sleeps && last && workers_help_ && listener_sleeps_.load(std::memory_order_seq_cst))
    posted_.wake_one();
}

// Whether all that comes can wait, or workers look for it.
bool MpiNetwork::others_listen() const {
  if (!workers_help_) return false;
  if (helpers_.load(std::memory_order_seq_cst) > 0) return true;
  const auto idle = run_->attention.load(std::memory_order_relaxed) & ~native::Run::kStopping;
  return idle == 0 && !still_sending_.load(std::memory_order_relaxed);
}

// Sleeps for a part of the time in which no work was sent or has come, so that it delays nothing by
// much, and wakes up for what workers send. Only for some tens of microseconds it looks all the
// time; rank 0's questions keep it from its sleep no longer than that. While workers listen, it
// only looks after them.
void MpiNetwork::sleep_if_quiet() {
  constexpr auto kAwake = std::chrono::microseconds(20);
  constexpr auto kLongest = std::chrono::milliseconds(1);
  if (!others_listen() && Clock::now() - last_heard_.load(std::memory_order_relaxed) < kAwake)
    return;
  const auto seen = posted_.value();
  listener_sleeps_.store(true, std::memory_order_seq_cst);
  const auto most =
      others_listen() ? kLongest : std::min<Clock::duration>(since_work() / 8, kLongest);
  const bool none_waits = workers_help_ || outgoing_.empty();
  if (none_waits && !ended_.load(std::memory_order_seq_cst)) posted_.wait_for(seen, most);
  listener_sleeps_.store(false, std::memory_order_relaxed);
}

void MpiNetwork::attend(native::Run& run, native::Worker& outside, native::Context& root) {
  run_ = &run;
  outside_ = &outside;
  root_ = &root;
  life_signs_.begin_run(silence_of(options_));
  try {
    outside.start_distributed(root);
    tell_graph();
  } catch (...) {
    run.fail(std::current_exception());
  }
  in_use_.store(false, std::memory_order_seq_cst);
  while (!ended_.load(std::memory_order_relaxed)) {
    bool busy = false;
    with_transport([&] {
      if (!ended_.load(std::memory_order_relaxed)) busy = exchange_messages();
    });
    send_posted();
    life_signs_.look_in_run();
    if (!busy) sleep_if_quiet();
  }
  // A worker that has found the end may still be sending it.
  while (!with_transport([&] { transport_.flush(); }))
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  finish();
  life_signs_.end_run();
}

}  // namespace raddle::ddm::mpi
