// A number that threads sleep on until another one raises it. Sleeping threads neither spin nor
// yield: on a busy machine a thread that yields waits for the whole time slices of all others,
// whereas one that sleeps runs soon after it is woken. (std::atomic::wait yields before it sleeps.)
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

namespace raddle::ddm::native {

// Waits for an instant without leaving the core.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class Signal {
 public:
  [[nodiscard]] std::uint32_t value() const { return value_.load(std::memory_order_seq_cst); }
  // Whether anybody slept.
  bool wake_one() { return raise(1) > 0; }
  void wake_all() { raise(INT_MAX); }

  // Until the number is no longer the one that was seen; may also return for no reason.
  void wait(std::uint32_t seen) const { wait(seen, nullptr); }
  // The same, but not longer than that.
  void wait_for(std::uint32_t seen, std::chrono::nanoseconds most) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
    const timespec time{static_cast<std::time_t>(seconds.count()),
                        static_cast<long>((most - seconds).count())};
    wait(seen, &time);
  }

 private:
  long raise(int sleepers) {
    value_.fetch_add(1, std::memory_order_seq_cst);
    return syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, sleepers, nullptr, nullptr, 0);
  }
  void wait(std::uint32_t seen, const timespec* most) const {
    if (value() != seen) return;
    syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, seen, most, nullptr, 0);
  }

  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  std::atomic<std::uint32_t> value_{0};
};

}  // namespace raddle::ddm::native
