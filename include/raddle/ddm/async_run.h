// A run under way: wait for it, ask whether it has ended, cancel it.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <stop_token>
#include <utility>

#include "raddle/ddm/executor.h"

namespace raddle::ddm {

class AsyncRun {
 public:
  AsyncRun(Options options, std::function<Report(const Options&)> run)
      : result_(std::async(std::launch::async, [own = stop_, options = std::move(options),
                                                run = std::move(run)] {
          // Ended by either: this handle or the caller's own token.
          std::stop_source both = own;
          const std::stop_callback link(options.stop, [both]() mutable { both.request_stop(); });
          Options mine = options;
          mine.stop = both.get_token();
          return run(mine);
        })) {}
  AsyncRun(AsyncRun&&) = default;
  AsyncRun& operator=(AsyncRun&&) = default;
  AsyncRun(const AsyncRun&) = delete;
  AsyncRun& operator=(const AsyncRun&) = delete;
  // A run that nobody has waited for is waited for here, whatever it ends with.
  ~AsyncRun() = default;

  // Waits for the end: the report, or what the run has thrown. Once.
  Report get() { return result_.get(); }
  void wait() const { result_.wait(); }
  [[nodiscard]] bool has_ended() const {
    return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  // Threads that have not begun do not run; get() throws CancelledError unless all had ended.
  void cancel() { stop_.request_stop(); }
  // The future itself, for whoever collects several.
  std::future<Report> take_future() { return std::move(result_); }

 private:
  std::stop_source stop_;
  std::future<Report> result_;
};

}  // namespace raddle::ddm
