#include "base/number_format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace raddle {
namespace {

std::string group_digits(std::string digits) {
  for (std::size_t position = digits.size(); position > 3;) {
    position -= 3;
    digits.insert(position, ",");
  }
  return digits;
}

// Three significant digits of a value in [1, 1000).
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string with_thousands(std::uint64_t value) { return group_digits(fmt::format("{}", value)); }

std::string with_thousands(std::int64_t value) {
  if (value >= 0) return with_thousands(static_cast<std::uint64_t>(value));
  return "-" + with_thousands(std::uint64_t{0} - static_cast<std::uint64_t>(value));
}

std::string si_scaled(double value, std::string_view unit) {
  constexpr std::array<const char*, 11> kPrefixes{"p", "n", "µ", "m", "", "k",
                                                  "M", "G", "T", "P", "E"};
  constexpr int kNoPrefix = 4;
  if (!std::isfinite(value)) return fmt::format("{}{}{}", value, unit.empty() ? "" : " ", unit);

  const double magnitude = std::fabs(value);
  int prefix = kNoPrefix;
  double scaled = magnitude;
  // 999.5 would print as "1000": it belongs to the next prefix.
  while (scaled >= 999.5 && prefix + 1 < static_cast<int>(kPrefixes.size())) {
    scaled /= 1000;
    ++prefix;
  }
  while (scaled > 0 && scaled < 0.9995 && prefix > 0) {
    scaled *= 1000;
    --prefix;
  }
  const std::string number = magnitude == 0 ? "0" : three_digits(scaled);
  const std::string suffix = fmt::format("{}{}", kPrefixes[static_cast<std::size_t>(prefix)], unit);
  return fmt::format("{}{}{}{}", value < 0 ? "-" : "", number, suffix.empty() ? "" : " ", suffix);
}

std::string byte_size(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> kPrefixes{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t prefix = 0;
  auto scaled = static_cast<double>(bytes);
  while (scaled >= 1024 && prefix + 1 < kPrefixes.size()) {
    scaled /= 1024;
    ++prefix;
  }
  // One decimal, where there is one.
  const double rounded = std::round(scaled * 10) / 10;
  return rounded == std::floor(rounded) ? fmt::format("{:.0f} {}", rounded, kPrefixes[prefix])
                                        : fmt::format("{:.1f} {}", rounded, kPrefixes[prefix]);
}

std::string ratio(double value, double base) {
  const double quotient = value / base;
  if (base == 0 || !std::isfinite(quotient)) return "–";
  return std::fabs(quotient) < 99.995 ? fmt::format("{:.2f}×", quotient)
                                      : fmt::format("{:.0f}×", quotient);
}

std::string rough_duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace raddle
