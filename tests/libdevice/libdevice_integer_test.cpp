// Checks the integer functions of the device math library on the host: the scalar ones against wide
// arithmetic or counting loops, the SIMD video functions lane by lane against their one-line
// definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "raddle/cuda/libdevice/libdevice.h"

namespace raddle::libdevice {
namespace {

constexpr int kSamples = 5000;

std::mt19937_64 random_bits(11);

// Words with runs of equal bits as well as random ones, so that boundaries come up.
int any_int() {
  static const int special[] = {0, 1, -1, INT_MAX, INT_MIN, 0x7f80ff01, 0x00010080};
  const std::uint64_t bits = random_bits();
  return bits % 8 == 0 ? special[(bits >> 8) % 7] : static_cast<int>(bits >> 32);
}
long long any_long() {
  const std::uint64_t high = static_cast<std::uint32_t>(any_int());
  return static_cast<long long>(high << 32 | static_cast<std::uint32_t>(any_int()));
}

TEST(DeviceMathInteger, ScalarFunctionsAgreeWithWideArithmetic) {
  for (int i = 0; i < kSamples; ++i) {
    const int a = any_int(), b = any_int(), c = any_int();
    const auto ua = static_cast<unsigned int>(a), ub = static_cast<unsigned int>(b),
               uc = static_cast<unsigned int>(c);
    const long long la = any_long(), lb = any_long();
    const auto ula = static_cast<unsigned long long>(la), ulb = static_cast<unsigned long long>(lb);
    const std::int64_t wa = a, wb = b;
    EXPECT_EQ(__nv_abs(a), static_cast<int>(wa < 0 ? -wa : wa));
    EXPECT_EQ(__nv_llabs(la), static_cast<long long>(la < 0 ? 0 - ula : ula));
    EXPECT_EQ(__nv_max(a, b), std::max(a, b));
    EXPECT_EQ(__nv_min(a, b), std::min(a, b));
    EXPECT_EQ(__nv_umax(ua, ub), std::max(ua, ub));
    EXPECT_EQ(__nv_umin(ua, ub), std::min(ua, ub));
    EXPECT_EQ(__nv_llmax(la, lb), std::max(la, lb));
    EXPECT_EQ(__nv_llmin(la, lb), std::min(la, lb));
    EXPECT_EQ(__nv_ullmax(ula, ulb), std::max(ula, ulb));
    EXPECT_EQ(__nv_ullmin(ula, ulb), std::min(ula, ulb));
    EXPECT_EQ(__nv_mulhi(a, b), static_cast<int>((wa * wb) >> 32));
    EXPECT_EQ(__nv_umulhi(ua, ub), static_cast<unsigned int>((std::uint64_t{ua} * ub) >> 32));
    EXPECT_EQ(__nv_mul64hi(la, lb), static_cast<long long>((static_cast<__int128>(la) * lb) >> 64));
    EXPECT_EQ(__nv_umul64hi(ula, ulb),
              static_cast<unsigned long long>((static_cast<unsigned __int128>(ula) * ulb) >> 64));
    const auto low24 = [](int v) {
      return (static_cast<std::int64_t>(v & 0xffffff) ^ 0x800000) - 0x800000;
    };
    EXPECT_EQ(__nv_mul24(a, b), static_cast<int>(low24(a) * low24(b)));
    EXPECT_EQ(__nv_umul24(ua, ub),
              static_cast<unsigned int>(std::uint64_t{ua & 0xffffff} * (ub & 0xffffff)));
    EXPECT_EQ(__nv_hadd(a, b), static_cast<int>((wa + wb) >> 1));
    EXPECT_EQ(__nv_rhadd(a, b), static_cast<int>((wa + wb + 1) >> 1));
    EXPECT_EQ(static_cast<unsigned int>(__nv_uhadd(ua, ub)),
              static_cast<unsigned int>((std::uint64_t{ua} + ub) >> 1));
    EXPECT_EQ(__nv_urhadd(ua, ub), static_cast<unsigned int>((std::uint64_t{ua} + ub + 1) >> 1));
    EXPECT_EQ(__nv_sad(a, b, c), static_cast<int>(std::abs(wa - wb) + c));
    EXPECT_EQ(__nv_usad(ua, ub, uc), static_cast<unsigned int>((ua > ub ? ua - ub : ub - ua) + uc));
  }
}

TEST(DeviceMathInteger, BitsAreCountedAndReversed) {
  for (int i = 0; i < kSamples; ++i) {
    const long long a = i == 0 ? 0 : any_long() >> (random_bits() % 64);
    const auto bit = [&](int position) {
      return static_cast<int>((static_cast<unsigned long long>(a) >> position) & 1);
    };
    int count = 0, count32 = 0, top = -1, top32 = -1, lowest = -1;
    for (int p = 0; p < 64; ++p) {
      if (bit(p) == 0) continue;
      ++count;
      top = p;
      if (p < 32) {
        ++count32;
        top32 = p;
      }
      if (lowest < 0) lowest = p;
    }
    EXPECT_EQ(__nv_popcll(static_cast<unsigned long long>(a)), count);
    EXPECT_EQ(__nv_popc(static_cast<unsigned int>(a)), count32);
    EXPECT_EQ(__nv_clzll(a), 63 - top);
    EXPECT_EQ(__nv_clz(static_cast<int>(a)), 31 - top32);
    EXPECT_EQ(__nv_ffsll(a), lowest + 1);
    EXPECT_EQ(__nv_ffs(static_cast<int>(a)), lowest < 32 ? lowest + 1 : 0);
    const auto reversed = static_cast<unsigned long long>(__nv_brevll(a));
    const auto reversed32 = static_cast<unsigned int>(__nv_brev(static_cast<int>(a)));
    for (int p = 0; p < 64; ++p) ASSERT_EQ(static_cast<int>((reversed >> (63 - p)) & 1), bit(p));
    for (int p = 0; p < 32; ++p) ASSERT_EQ(static_cast<int>((reversed32 >> (31 - p)) & 1), bit(p));
  }
}

TEST(DeviceMathInteger, BytePermutationPicksBytesAndSigns) {
  EXPECT_EQ(__nv_byte_perm(0x33221100, 0x77665544, 0x3210), 0x33221100);
  EXPECT_EQ(__nv_byte_perm(0x33221100, 0x77665544, 0x7654), 0x77665544);
  EXPECT_EQ(__nv_byte_perm(0x33221100, 0x77665544, 0x0123), 0x00112233);
  EXPECT_EQ(__nv_byte_perm(0x00008000, 0, 0x9999), -1);
}

// --- SIMD video functions ------------------------------------------------------------------------

using Packed = int (*)(int, int);
using Lane = std::function<int(int, int)>;

struct SimdCase {
  const char* name;
  Packed halves;
  Packed bytes;
  bool is_signed;
  Lane lane;
};

int lane_at(int word, int bits, int index, bool is_signed) {
  const int raw =
      static_cast<int>((static_cast<unsigned int>(word) >> (bits * index)) & ((1u << bits) - 1));
  return is_signed && raw >= 1 << (bits - 1) ? raw - (1 << bits) : raw;
}

void expect_lanes(const SimdCase& test, Packed function, int bits, int a, int b) {
  const int result = function(a, b);
  for (int i = 0; i < 32 / bits; ++i) {
    const int expected =
        test.lane(lane_at(a, bits, i, test.is_signed), lane_at(b, bits, i, test.is_signed));
    ASSERT_EQ(lane_at(result, bits, i, false), expected & ((1 << bits) - 1))
        << test.name << " of " << bits << " bits: " << std::hex << a << ", " << b;
  }
}

#define RADDLE_BOTH(name) #name, __nv_##name##2, __nv_##name##4
#define RADDLE_BOTH_UNARY(name) \
  #name, [](int a, int) { return __nv_##name##2(a); }, [](int a, int) { return __nv_##name##4(a); }

TEST(DeviceMathInteger, SimdVideoFunctionsWorkLaneByLane) {
  const std::vector<SimdCase> cases = {
      {RADDLE_BOTH_UNARY(vabs), true, [](int x, int) { return std::abs(x); }},
      {RADDLE_BOTH_UNARY(vneg), true, [](int x, int) { return -x; }},
      {RADDLE_BOTH(vabsdiffs), true, [](int x, int y) { return std::abs(x - y); }},
      {RADDLE_BOTH(vabsdiffu), false, [](int x, int y) { return std::abs(x - y); }},
      {RADDLE_BOTH(vadd), false, [](int x, int y) { return x + y; }},
      {RADDLE_BOTH(vsub), false, [](int x, int y) { return x - y; }},
      {RADDLE_BOTH(vavgu), false, [](int x, int y) { return (x + y + 1) / 2; }},
      {RADDLE_BOTH(vavgs), true,
       [](int x, int y) { return x + y >= 0 ? (x + y + 1) / 2 : (x + y - 1) / 2; }},
      {RADDLE_BOTH(vhaddu), false, [](int x, int y) { return (x + y) / 2; }},
      {RADDLE_BOTH(vmaxs), true, [](int x, int y) { return std::max(x, y); }},
      {RADDLE_BOTH(vmaxu), false, [](int x, int y) { return std::max(x, y); }},
      {RADDLE_BOTH(vmins), true, [](int x, int y) { return std::min(x, y); }},
      {RADDLE_BOTH(vminu), false, [](int x, int y) { return std::min(x, y); }},
      {RADDLE_BOTH(vcmpeq), false, [](int x, int y) { return -(x == y); }},
      {RADDLE_BOTH(vcmpne), false, [](int x, int y) { return -(x != y); }},
      {RADDLE_BOTH(vcmpges), true, [](int x, int y) { return -(x >= y); }},
      {RADDLE_BOTH(vcmpgeu), false, [](int x, int y) { return -(x >= y); }},
      {RADDLE_BOTH(vcmpgts), true, [](int x, int y) { return -(x > y); }},
      {RADDLE_BOTH(vcmpgtu), false, [](int x, int y) { return -(x > y); }},
      {RADDLE_BOTH(vcmples), true, [](int x, int y) { return -(x <= y); }},
      {RADDLE_BOTH(vcmpleu), false, [](int x, int y) { return -(x <= y); }},
      {RADDLE_BOTH(vcmplts), true, [](int x, int y) { return -(x < y); }},
      {RADDLE_BOTH(vcmpltu), false, [](int x, int y) { return -(x < y); }},
      {RADDLE_BOTH(vseteq), false, [](int x, int y) { return x == y; }},
      {RADDLE_BOTH(vsetne), false, [](int x, int y) { return x != y; }},
      {RADDLE_BOTH(vsetges), true, [](int x, int y) { return x >= y; }},
      {RADDLE_BOTH(vsetgeu), false, [](int x, int y) { return x >= y; }},
      {RADDLE_BOTH(vsetgts), true, [](int x, int y) { return x > y; }},
      {RADDLE_BOTH(vsetgtu), false, [](int x, int y) { return x > y; }},
      {RADDLE_BOTH(vsetles), true, [](int x, int y) { return x <= y; }},
      {RADDLE_BOTH(vsetleu), false, [](int x, int y) { return x <= y; }},
      {RADDLE_BOTH(vsetlts), true, [](int x, int y) { return x < y; }},
      {RADDLE_BOTH(vsetltu), false, [](int x, int y) { return x < y; }},
  };
  for (const SimdCase& test : cases) {
    for (int i = 0; i < 500; ++i) {
      const int a = any_int(), b = i % 4 == 0 ? a : any_int();
      expect_lanes(test, test.halves, 16, a, b);
      expect_lanes(test, test.bytes, 8, a, b);
    }
  }
}

TEST(DeviceMathInteger, SaturatingSimdFunctionsStopAtTheEnds) {
  struct Case {
    const char* name;
    Packed halves;
    Packed bytes;
    bool is_signed;
    Lane exact;
  };
  const std::vector<Case> cases = {
      {RADDLE_BOTH(vaddss), true, [](int x, int y) { return x + y; }},
      {RADDLE_BOTH(vaddus), false, [](int x, int y) { return x + y; }},
      {RADDLE_BOTH(vsubss), true, [](int x, int y) { return x - y; }},
      {RADDLE_BOTH(vsubus), false, [](int x, int y) { return x - y; }},
      {RADDLE_BOTH_UNARY(vabsss), true, [](int x, int) { return std::abs(x); }},
      {RADDLE_BOTH_UNARY(vnegss), true, [](int x, int) { return -x; }},
  };
  for (const Case& test : cases) {
    const auto clamped = [&](int bits) {
      const int high = (1 << (test.is_signed ? bits - 1 : bits)) - 1;
      const int low = test.is_signed ? -high - 1 : 0;
      return [&test, low, high](int x, int y) { return std::clamp(test.exact(x, y), low, high); };
    };
    for (int i = 0; i < 500; ++i) {
      const int a = any_int(), b = any_int();
      expect_lanes({test.name, nullptr, nullptr, test.is_signed, clamped(16)}, test.halves, 16, a,
                   b);
      expect_lanes({test.name, nullptr, nullptr, test.is_signed, clamped(8)}, test.bytes, 8, a, b);
    }
  }
}

TEST(DeviceMathInteger, SumsOfAbsoluteDifferencesAddAllLanes) {
  for (int i = 0; i < kSamples; ++i) {
    const int a = any_int(), b = any_int();
    const auto expected = [&](int bits, bool is_signed) {
      int sum = 0;
      for (int lane = 0; lane < 32 / bits; ++lane) {
        sum += std::abs(lane_at(a, bits, lane, is_signed) - lane_at(b, bits, lane, is_signed));
      }
      return sum;
    };
    EXPECT_EQ(__nv_vsads2(a, b), expected(16, true));
    EXPECT_EQ(__nv_vsadu2(a, b), expected(16, false));
    EXPECT_EQ(__nv_vsads4(a, b), expected(8, true));
    EXPECT_EQ(__nv_vsadu4(a, b), expected(8, false));
  }
}

}  // namespace
}  // namespace raddle::libdevice
