// Places in the program that called the API: return addresses while the program runs, and lines of
// source only for those that a message needs. addr2line finds these; without it, or without line
// tables in the program, messages name no line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/source_line.h"
#include "kernel/call_sites.h"

namespace raddle::host {

// The functions that were being executed, the innermost first; those of this library are left out.
struct CallStack {
  static constexpr std::size_t kFrames = 24;

  std::array<std::uintptr_t, kFrames> frames{};  // within the call instructions
  std::uintptr_t api = 0;  // within the function of the API that the program called; 0: none
  auto operator<=>(const CallStack&) const = default;
};

// Of the calling thread. Allocates nothing and takes no lock, so that signal handlers may ask, who
// are called from the instruction that failed.
CallStack call_stack();

// While it lives, what this thread does is done at a <<<…>>>: the launch itself is in a function
// that the compiler makes for the kernel.
class LaunchSite {
 public:
  explicit LaunchSite(std::uint32_t site);  // 0: not at one
  ~LaunchSite();
  LaunchSite(const LaunchSite&) = delete;
  LaunchSite& operator=(const LaunchSite&) = delete;
  static bool is_set();
};

class CallSites : public kernel::CallSites {
 public:
  static CallSites& get();

  std::uint32_t here() override;
  std::string text(std::uint32_t site) override;
  std::uint32_t add(const CallStack& stack);
  // The innermost line that is the program's own, rather than that of a header of CUDA or Thrust.
  SourcePlace place(std::uint32_t site);
  // "cudaMalloc"; empty if not known.
  std::string function(std::uint32_t site);

 private:
  struct Site {
    CallStack stack;
    std::optional<SourcePlace> place;  // once somebody asked
  };

  std::mutex mutex_;
  std::map<CallStack, std::uint32_t> index_;
  std::deque<Site> sites_;  // [n - 1]
};

}  // namespace raddle::host
