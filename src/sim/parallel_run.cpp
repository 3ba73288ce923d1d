#include "sim/parallel_run.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>

namespace raddle::sim {

namespace {

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A barrier for waits of microseconds: a thread looks for some while before it goes to sleep, which
// a quantum is mostly shorter than.
class SpinBarrier {
 public:
  explicit SpinBarrier(std::uint32_t threads) : threads_(threads) {}

  void arrive_and_wait() {
    const std::uint32_t turn = turn_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1, std::memory_order_release);
      turn_.notify_all();
      return;
    }
    for (int look = 0; look < kLooks; ++look) {
      if (turn_.load(std::memory_order_acquire) != turn) return;
      relax();
    }
    turn_.wait(turn, std::memory_order_acquire);
  }

 private:
  static constexpr int kLooks = 2000;  // some 50 microseconds

  std::uint32_t threads_;
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> turn_{0};
};

}  // namespace

// Threads that wait between quanta. The thread that runs the simulation works with them. Each
// thread has partitions of its own, whose state stays in its core's caches from quantum to quantum;
// one that is through with them takes over what others have not begun, beginning with what they
// would do last.
class ParallelRun::Workers {
 public:
  Workers(ParallelRun& run, unsigned threads)
      : run_(run), gate_(threads), threads_of_run_(threads), claims_(run.partitions_.size()) {
    for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  ~Workers() {
    done_ = true;
    gate_.arrive_and_wait();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void advance_all(Instant end) {
    end_ = end;
    ++quantum_;
    gate_.arrive_and_wait();
    work(0);
    gate_.arrive_and_wait();
  }

 private:
  // The quantum that a partition was last advanced in; on a line of its own.
  struct alignas(64) Claim {
    std::atomic<std::uint64_t> quantum = 0;
  };

  void serve(unsigned thread) {
    for (;;) {
      gate_.arrive_and_wait();
      if (done_) return;
      work(thread);
      gate_.arrive_and_wait();
    }
  }

  // Neighbours differ least in what they have to do, so that they are dealt out in turns.
  void work(unsigned thread) {
    for (std::size_t i = thread; i < claims_.size(); i += threads_of_run_) advance(i);
    for (std::size_t i = claims_.size(); i-- > 0;) {
      if (i % threads_of_run_ != thread) advance(i);
    }
  }

  void advance(std::size_t partition) {
    std::atomic<std::uint64_t>& claim = claims_[partition].quantum;
    if (claim.load(std::memory_order_relaxed) == quantum_) return;
    if (claim.exchange(quantum_, std::memory_order_relaxed) == quantum_) return;
    run_.advance_one(partition, end_);
  }

  ParallelRun& run_;
  SpinBarrier gate_;
  unsigned threads_of_run_;
  Instant end_{};
  std::uint64_t quantum_ = 0;
  bool done_ = false;
  std::vector<Claim> claims_;  // by partition
  std::vector<std::jthread> threads_;
};

ParallelRun::ParallelRun(Instant quantum, unsigned host_threads)
    : quantum_(quantum), host_threads_(std::max(1U, host_threads)) {
  RADDLE_ASSERT(quantum > Instant(0));
}

Instant ParallelRun::next_event() const {
  Instant time = kEndOfTime;
  for (const Engine* partition : partitions_) time = std::min(time, partition->next_event());
  return time;
}

void ParallelRun::advance_one(std::size_t partition, Instant end) {
  try {
    partitions_[partition]->run_until(end);
  } catch (...) {
    failures_[partition] = std::current_exception();
  }
}

void ParallelRun::advance_all(Instant end, Workers* workers) {
  now_ = end;
  if (workers != nullptr) {
    workers->advance_all(end);
  } else {
    for (std::size_t i = 0; i < partitions_.size(); ++i) advance_one(i, end);
  }
  for (const std::exception_ptr& failure : failures_) {
    if (failure) std::rethrow_exception(failure);
  }
}

Instant ParallelRun::run(const std::function<bool(Instant)>& finished, const Limit& limit) {
  failures_.assign(partitions_.size(), nullptr);
  std::optional<Workers> workers;
  const std::size_t threads = std::min<std::size_t>(host_threads_, partitions_.size());
  if (threads > 1) workers.emplace(*this, static_cast<unsigned>(threads));

  Workers* const others = workers ? &*workers : nullptr;
  Instant end(0);
  for (;;) {
    // Quanta lie on a fixed grid; those in which nobody has anything to do are skipped.
    const Instant next = next_event();
    if (next == kEndOfTime) return end;
    end = quantum_ * (next / quantum_ + 1);
    if (limit.at) {
      const Instant last = limit.at();
      if (last < end) {
        advance_all(last, others);
        limit.reached(last);
      }
    }
    advance_all(end, others);
    for (Exchange* exchange : exchanges_) exchange->hand_over(end);
    if (finished && finished(end)) return end;
  }
}

}  // namespace raddle::sim
