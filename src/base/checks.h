// What --check looks for. Which of these a machine can find is in its documentation.
#pragma once

#include <string>
#include <string_view>

namespace raddle {

struct Checks {
  bool memory = false;   // out-of-bounds, misaligned and stale accesses
  bool barrier = false;  // barriers that not all threads reach
  bool race = false;  // accesses that nothing orders: of two threads, or of the host and a kernel
  bool init = false;  // reads of memory that nobody has written
  bool api = false;   // errors of API calls that the program does not look at
  bool leak = false;  // memory that is never freed

  constexpr Checks() = default;
  // What is looked for where nothing is chosen, or none. Leaks are not part of it: that the end of
  // the program frees memory is common.
  constexpr Checks(bool usual)  // NOLINT(*-explicit-*)
      : memory(usual), barrier(usual), race(usual), init(usual), api(usual) {}
  // Whether there are any.
  constexpr operator bool() const {  // NOLINT(*-explicit-*)
    return memory || barrier || race || init || api || leak;
  }
  bool operator==(const Checks&) const = default;
};

// "memory,race"; empty for none. "1" stands for the usual ones, "all" for those and leaks, "0" and
// "" for none. Throws Error that names the checks there are.
Checks checks_from_text(std::string_view text);
std::string to_text(const Checks& checks);

}  // namespace raddle
