// What --check looks for. Which of these a machine can find is in its documentation.
#pragma once

#include <string>
#include <string_view>

namespace raddle {

struct Checks {
  bool memory = false;   // out-of-bounds, misaligned and stale accesses
  bool barrier = false;  // barriers that not all threads reach
  bool race = false;     // accesses of two threads that nothing orders

  constexpr Checks() = default;
  // All of them, or none.
  constexpr Checks(bool all) : memory(all), barrier(all), race(all) {}  // NOLINT(*-explicit-*)
  // Whether there are any.
  constexpr operator bool() const {  // NOLINT(*-explicit-*)
    return memory || barrier || race;
  }
  bool operator==(const Checks&) const = default;
};

// "memory,race"; empty for none. "1" and "all" stand for all of them, "0" and "" for none. Throws
// Error that names the checks there are.
Checks checks_from_text(std::string_view text);
std::string to_text(const Checks& checks);

}  // namespace raddle
