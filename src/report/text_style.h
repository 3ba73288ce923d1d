// Terminal colours, or nothing where they are not wanted.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace raddle::report {

class TextStyle {
 public:
  explicit TextStyle(bool colour) : colour_(colour) {}

  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string red(std::string_view text) const { return wrap("31", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  bool colour_;
};

}  // namespace raddle::report
