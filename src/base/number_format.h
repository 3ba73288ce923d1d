// Numbers as people read them: grouped by thousands, scaled by SI prefixes, or as a ratio. Values
// are rounded, never cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace raddle {

// 1234567 → "1,234,567".
std::string with_thousands(std::uint64_t value);
std::string with_thousands(std::int64_t value);

// Three significant digits and an SI prefix: 22013000 → "22.0 M", 0.00042 → "420 µ"; with a unit,
// "22.0 MHz". Values from 1 to 999 have no prefix: "7.00", "512 B".
std::string si_scaled(double value, std::string_view unit = {});

// Binary prefixes for sizes: 49152 → "48 KiB", 1536 → "1.5 KiB", 100 → "100 B".
std::string byte_size(std::uint64_t bytes);

// "1.37×"; from 100 on without decimals; "–" where the base is zero or either is not finite.
std::string ratio(double value, double base);

// Time to wait, as a person would say it: "8 s", "3 min", "2.5 h".
std::string rough_duration(double seconds);

}  // namespace raddle
