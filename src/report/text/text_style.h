// Terminal colours, or nothing where they are not wanted.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace raddle::report {

class TextStyle {
 public:
  explicit TextStyle(bool colour) : colour_(colour) {}

  bool has_colour() const { return colour_; }
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string red(std::string_view text) const { return wrap("31", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  // One of seven colours that tell the parts of a whole apart.
  std::string part(std::size_t index, std::string_view text) const {
    constexpr std::array<const char*, 7> kCodes{"34", "33", "32", "35", "36", "31", "90"};
    return wrap(kCodes[index % kCodes.size()], text);
  }

 private:
  std::string wrap(std::string_view code, std::string_view text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  bool colour_;
};

}  // namespace raddle::report
