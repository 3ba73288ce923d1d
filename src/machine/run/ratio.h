// Counts as figures.
#pragma once

#include <cstdint>

namespace raddle::machine {

inline double of(std::uint64_t count) { return static_cast<double>(count); }

// 0 where there is nothing to compare with: a hit rate without accesses.
inline double quotient(double value, double base) { return base == 0 ? 0 : value / base; }

}  // namespace raddle::machine
