// What the units of the datapath compute, one float at a time. The paper's units are separate
// floating-point cores for multiplying and adding (Figure 5), so a product is rounded before it is
// added, unless `Fused`; Altera's cores take denormals as zero and give none, as with `Flush`.
// MIN, MAX, CMP and CND choose among their operands and leave the bits as they are. Dot products
// add in a tree. Functions of one operand are computed in double precision and rounded once.
#pragma once

#include <cfloat>
#include <cmath>
#include <numbers>

namespace raddle::machine::overlay {

struct FloatOptions {
  bool fused = false;           // a*b + c rounds once
  bool flush_denormals = true;  // of operands and results of arithmetic
  bool zero_wins = false;       // 0 * anything is 0, infinity and NaN included (US_CONFIG bit 1)
};

template <bool Fused, bool Flush, bool ZeroWins>
struct FloatUnit {
  static float tidy(float x) {
    if constexpr (Flush) return std::fabs(x) < FLT_MIN ? std::copysign(0.0F, x) : x;
    return x;
  }
  static float mul(float a, float b) {
    a = tidy(a);
    b = tidy(b);
    if constexpr (ZeroWins) {
      if (a == 0 || b == 0) return 0;
    }
    return tidy(a * b);
  }
  static float add(float a, float b) { return tidy(tidy(a) + tidy(b)); }
  static float mad(float a, float b, float c) {
    if constexpr (Fused) {
      a = tidy(a);
      b = tidy(b);
      if constexpr (ZeroWins) {
        if (a == 0 || b == 0) return tidy(c);
      }
      return tidy(std::fma(a, b, tidy(c)));
    }
    return add(mul(a, b), c);
  }
  // a0*b0 + a1*b1, the first level of the adders.
  static float dot2(float a0, float b0, float a1, float b1) { return mad(a0, b0, mul(a1, b1)); }
  static float frc(float a) {
    a = tidy(a);
    return tidy(a - std::floor(a));
  }
  static float ex2(float a) { return round(std::exp2(wide(a))); }
  static float ln2(float a) { return round(std::log2(wide(a))); }
  static float rcp(float a) { return round(1.0 / wide(a)); }
  static float rsq(float a) { return round(1.0 / std::sqrt(wide(a))); }
  static float sin(float a) { return round(std::sin(wide(a) * (2 * std::numbers::pi))); }
  static float cos(float a) { return round(std::cos(wide(a) * (2 * std::numbers::pi))); }

 private:
  static double wide(float a) { return static_cast<double>(tidy(a)); }
  static float round(double a) { return tidy(static_cast<float>(a)); }
};

inline float min_of(float a, float b) { return a < b ? a : b; }
inline float max_of(float a, float b) { return a >= b ? a : b; }
inline float clamp_unit(float a) { return a > 0 ? (a < 1 ? a : 1.0F) : 0.0F; }

}  // namespace raddle::machine::overlay
