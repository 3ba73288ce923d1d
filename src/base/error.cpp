#include "base/error.h"

#include <fmt/format.h>

namespace raddle {

// By value, though the standard class copies it: callers hand over what they have just formatted.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Error::Error(std::string what, std::string where, std::string hint)
    : std::runtime_error(what), where_(std::move(where)), hint_(std::move(hint)) {}

std::string Error::full_text() const {
  std::string text = where_.empty() ? std::string(what()) : fmt::format("{}: {}", where_, what());
  if (!hint_.empty()) text += fmt::format("\nhint: {}", hint_);
  return text;
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw InternalError(fmt::format("assertion `{}` failed at {}:{}", condition, file, line));
}

}  // namespace raddle
