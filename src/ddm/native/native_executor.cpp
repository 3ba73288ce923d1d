// The executor of programs that run on this machine alone. Programs may run at the same time, and a
// thread of one may run another: each run has a pool of workers for itself, and whoever waits for a
// run sleeps meanwhile.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "ddm/native/worker_pool.h"

namespace raddle::ddm {
namespace {

class NativeExecutor : public Executor {
 public:
  NativeExecutor() = default;
  NativeExecutor(const NativeExecutor&) = delete;
  NativeExecutor& operator=(const NativeExecutor&) = delete;
  // A thread that calls exit() ends the process from within a run, which cannot wait for itself.
  ~NativeExecutor() override {
    if (!native::WorkerPool::any_runs_this_thread()) return;
    for (auto& place : places_) {
      [[maybe_unused]] const auto* left_to_the_system = place.pool.release();
    }
  }

  // A run within a run that finds all pools busy happens on the thread that asks for it: there is
  // enough to do for all cores, and it must not wait for others that may wait for it.
  Report run(const ProgramGraph& program, void* frame, const Options& options) override {
    const auto number = take_place(native::WorkerPool::any_runs_this_thread());
    if (number == kNone) return make_sequential_executor()->run(program, frame, options);
    const Return back{*this, number};
    Options mine = options;
    mine.pin = options.pin && number == 0;  // others move to where there is room
    return places_[number].pool->run(program, frame, mine);
  }

 private:
  struct Place {
    std::unique_ptr<native::WorkerPool> pool;
    bool busy = false;
  };
  struct Return {
    NativeExecutor& executor;
    std::size_t number;
    Return(NativeExecutor& of, std::size_t which) : executor(of), number(which) {}
    Return(const Return&) = delete;
    Return& operator=(const Return&) = delete;
    ~Return() {
      {
        const std::lock_guard lock(executor.mutex_);
        executor.places_[number].busy = false;
      }
      executor.freed_.notify_one();
    }
  };
  static constexpr std::size_t kMaxPools = 8;
  static constexpr std::size_t kNone = kMaxPools;

  std::size_t take_place(bool in_run) {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto free = std::ranges::find(places_, false, &Place::busy);
      if (free != places_.end()) {
        if (!free->pool) free->pool = std::make_unique<native::WorkerPool>();
        free->busy = true;
        return static_cast<std::size_t>(free - places_.begin());
      }
      if (in_run) return kNone;
      freed_.wait(lock);
    }
  }

  std::mutex mutex_;
  std::condition_variable freed_;
  std::array<Place, kMaxPools> places_;  // pools are made when needed and kept
};

}  // namespace

std::unique_ptr<Executor> make_native_executor() { return std::make_unique<NativeExecutor>(); }

}  // namespace raddle::ddm
