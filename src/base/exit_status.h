// What `raddle` ends with when the simulated program's own status says nothing.
#pragma once

namespace raddle {

inline constexpr int kUserFault = 1;
inline constexpr int kUsageFault = 2;
inline constexpr int kInternalFault = 70;

}  // namespace raddle
