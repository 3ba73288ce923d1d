// The two kinds of fault. `Error` is the user's: it says what is wrong, where, and what to do about
// it, is thrown from anywhere and printed by the command line or the CUDA runtime. `RADDLE_ASSERT`
// is ours: bad input never reaches it, and when it fails it says so and names the place to report.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace raddle {

// Something the user can mend. `where` is "file:line" or empty; `hint` is one sentence or empty.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string what, std::string where = {}, std::string hint = {});

  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }

  // The text that a person sees: "where: what" and, on a second line, "hint: …".
  std::string full_text() const;

 private:
  std::string where_;
  std::string hint_;
};

// A fault of Raddle's own; the command line reports it and exits with 70.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace raddle

#define RADDLE_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::raddle::assertion_failed(#condition, __FILE__, __LINE__))
