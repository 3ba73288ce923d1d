// The SIMD-in-a-word video functions: two 16-bit or four 8-bit lanes in one int. clang calls these
// only when it believes in CUDA 9.0 or 9.1; newer toolkits write them in its own headers, so
// clarity wins here.
#pragma once

#include "primitives.h"

namespace raddle::libdevice {

// One lane after the other: `operation` takes two lanes as int (sign- or zero-extended) and gives a
// lane.
template <int kLaneBits, bool kSigned>
RADDLE_LIBDEVICE_HELPER int lane_of(int packed, int index) {
  const unsigned int top = static_cast<unsigned int>(packed) << (32 - kLaneBits * (index + 1));
  return kSigned ? static_cast<int>(top) >> (32 - kLaneBits)
                 : static_cast<int>(top >> (32 - kLaneBits));
}

template <int kLaneBits, bool kSigned, typename Operation>
RADDLE_LIBDEVICE_HELPER int for_each_lane(int a, int b, Operation operation) {
  const unsigned int mask = (1u << kLaneBits) - 1;
  unsigned int result = 0;
  for (int i = 0; i < 32 / kLaneBits; ++i) {
    const int lane =
        operation(lane_of<kLaneBits, kSigned>(a, i), lane_of<kLaneBits, kSigned>(b, i));
    result |= (static_cast<unsigned int>(lane) & mask) << (kLaneBits * i);
  }
  return static_cast<int>(result);
}

template <int kLaneBits, bool kSigned>
RADDLE_LIBDEVICE_HELPER int sum_of_absolute_differences(int a, int b) {
  int sum = 0;
  for (int i = 0; i < 32 / kLaneBits; ++i) {
    const int difference = lane_of<kLaneBits, kSigned>(a, i) - lane_of<kLaneBits, kSigned>(b, i);
    sum += difference < 0 ? -difference : difference;
  }
  return sum;
}

template <int kLaneBits, bool kSigned>
RADDLE_LIBDEVICE_HELPER int saturated(int value) {
  const int high = kSigned ? (1 << (kLaneBits - 1)) - 1 : (1 << kLaneBits) - 1;
  const int low = kSigned ? -(1 << (kLaneBits - 1)) : 0;
  return value > high ? high : (value < low ? low : value);
}

RADDLE_LIBDEVICE int __nv_vabs2(int a) {
  return for_each_lane<16, true>(a, 0, [](int x, int) { return x < 0 ? -x : x; });
}
RADDLE_LIBDEVICE int __nv_vabs4(int a) {
  return for_each_lane<8, true>(a, 0, [](int x, int) { return x < 0 ? -x : x; });
}
RADDLE_LIBDEVICE int __nv_vabsss2(int a) {
  return for_each_lane<16, true>(a, 0,
                                 [](int x, int) { return saturated<16, true>(x < 0 ? -x : x); });
}
RADDLE_LIBDEVICE int __nv_vabsss4(int a) {
  return for_each_lane<8, true>(a, 0,
                                [](int x, int) { return saturated<8, true>(x < 0 ? -x : x); });
}
RADDLE_LIBDEVICE int __nv_vneg2(int a) {
  return for_each_lane<16, true>(a, 0, [](int x, int) { return -x; });
}
RADDLE_LIBDEVICE int __nv_vneg4(int a) {
  return for_each_lane<8, true>(a, 0, [](int x, int) { return -x; });
}
RADDLE_LIBDEVICE int __nv_vnegss2(int a) {
  return for_each_lane<16, true>(a, 0, [](int x, int) { return saturated<16, true>(-x); });
}
RADDLE_LIBDEVICE int __nv_vnegss4(int a) {
  return for_each_lane<8, true>(a, 0, [](int x, int) { return saturated<8, true>(-x); });
}
RADDLE_LIBDEVICE int __nv_vabsdiffs2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });
}
RADDLE_LIBDEVICE int __nv_vabsdiffs4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });
}
RADDLE_LIBDEVICE int __nv_vabsdiffu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });
}
RADDLE_LIBDEVICE int __nv_vabsdiffu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });
}
RADDLE_LIBDEVICE int __nv_vadd2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x + y; });
}
RADDLE_LIBDEVICE int __nv_vadd4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x + y; });
}
RADDLE_LIBDEVICE int __nv_vaddss2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return saturated<16, true>(x + y); });
}
RADDLE_LIBDEVICE int __nv_vaddss4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return saturated<8, true>(x + y); });
}
RADDLE_LIBDEVICE int __nv_vaddus2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return saturated<16, false>(x + y); });
}
RADDLE_LIBDEVICE int __nv_vaddus4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return saturated<8, false>(x + y); });
}
RADDLE_LIBDEVICE int __nv_vsub2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x - y; });
}
RADDLE_LIBDEVICE int __nv_vsub4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x - y; });
}
RADDLE_LIBDEVICE int __nv_vsubss2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return saturated<16, true>(x - y); });
}
RADDLE_LIBDEVICE int __nv_vsubss4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return saturated<8, true>(x - y); });
}
RADDLE_LIBDEVICE int __nv_vsubus2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return saturated<16, false>(x - y); });
}
RADDLE_LIBDEVICE int __nv_vsubus4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return saturated<8, false>(x - y); });
}

// vavrg rounds halves away from zero: (x + y + (x + y >= 0)) >> 1.
RADDLE_LIBDEVICE int __nv_vavgs2(int a, int b) {
  return for_each_lane<16, true>(a, b,
                                 [](int x, int y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; });
}
RADDLE_LIBDEVICE int __nv_vavgs4(int a, int b) {
  return for_each_lane<8, true>(a, b,
                                [](int x, int y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; });
}
RADDLE_LIBDEVICE int __nv_vavgu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return (x + y + 1) >> 1; });
}
RADDLE_LIBDEVICE int __nv_vavgu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return (x + y + 1) >> 1; });
}
RADDLE_LIBDEVICE int __nv_vhaddu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return (x + y) >> 1; });
}
RADDLE_LIBDEVICE int __nv_vhaddu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return (x + y) >> 1; });
}
RADDLE_LIBDEVICE int __nv_vmaxs2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x > y ? x : y; });
}
RADDLE_LIBDEVICE int __nv_vmaxs4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x > y ? x : y; });
}
RADDLE_LIBDEVICE int __nv_vmins2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x < y ? x : y; });
}
RADDLE_LIBDEVICE int __nv_vmins4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x < y ? x : y; });
}
RADDLE_LIBDEVICE int __nv_vmaxu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x > y ? x : y; });
}
RADDLE_LIBDEVICE int __nv_vmaxu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x > y ? x : y; });
}
RADDLE_LIBDEVICE int __nv_vminu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x < y ? x : y; });
}
RADDLE_LIBDEVICE int __nv_vminu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x < y ? x : y; });
}

// vcmp answers with a mask.
RADDLE_LIBDEVICE int __nv_vcmpeq2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x == y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpeq4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x == y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpne2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x != y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpne4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x != y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpges2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpges4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpgeu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpgeu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpgts2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpgts4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpgtu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpgtu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmples2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmples4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpleu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpleu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmplts2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmplts4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpltu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vcmpltu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}

// vset answers with 0 or 1.
RADDLE_LIBDEVICE int __nv_vseteq2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x == y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vseteq4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x == y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetne2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x != y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetne4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x != y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetges2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetges4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetgeu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetgeu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetgts2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetgts4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetgtu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetgtu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetles2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetles4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetleu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetleu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetlts2(int a, int b) {
  return for_each_lane<16, true>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetlts4(int a, int b) {
  return for_each_lane<8, true>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetltu2(int a, int b) {
  return for_each_lane<16, false>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}
RADDLE_LIBDEVICE int __nv_vsetltu4(int a, int b) {
  return for_each_lane<8, false>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}

RADDLE_LIBDEVICE int __nv_vsads2(int a, int b) {
  return sum_of_absolute_differences<16, true>(a, b);
}
RADDLE_LIBDEVICE int __nv_vsads4(int a, int b) {
  return sum_of_absolute_differences<8, true>(a, b);
}
RADDLE_LIBDEVICE int __nv_vsadu2(int a, int b) {
  return sum_of_absolute_differences<16, false>(a, b);
}
RADDLE_LIBDEVICE int __nv_vsadu4(int a, int b) {
  return sum_of_absolute_differences<8, false>(a, b);
}

}  // namespace raddle::libdevice
