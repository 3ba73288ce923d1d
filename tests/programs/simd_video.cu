// The SIMD-in-a-word functions (__vadd2, __vabsdiffu4 …), dot products of bytes and half-words, and the functions of dynamic programming
// (__viaddmax_s32 …), against loops over the parts of a word.
#include "check.h"

struct Out {
  unsigned add2, subss2, addus4, absdiffu4, absdiffs2, avgu4, haddu2, maxs2, minu4, cmpeq4, cmpgts2, setltu4, sadu4, sads2, neg2, abs4;
  int dot4, dot_mixed;
  unsigned dot2_low, dot2_high;
  int sum_or_more, least;
  unsigned pairs, relu_pairs, first_pairs;
  bool first, high, low;
};

__global__ void operations(const unsigned* a, const unsigned* b, Out* out) {
  const int i = threadIdx.x;
  const unsigned x = a[i], y = b[i];
  Out& o = out[i];
  o.add2 = __vadd2(x, y);
  o.subss2 = __vsubss2(x, y);
  o.addus4 = __vaddus4(x, y);
  o.absdiffu4 = __vabsdiffu4(x, y);
  o.absdiffs2 = __vabsdiffs2(x, y);
  o.avgu4 = __vavgu4(x, y);
  o.haddu2 = __vhaddu2(x, y);
  o.maxs2 = __vmaxs2(x, y);
  o.minu4 = __vminu4(x, y);
  o.cmpeq4 = __vcmpeq4(x, y);
  o.cmpgts2 = __vcmpgts2(x, y);
  o.setltu4 = __vsetltu4(x, y);
  o.sadu4 = __vsadu4(x, y);
  o.sads2 = __vsads2(x, y);
  o.neg2 = __vneg2(x);
  o.abs4 = __vabs4(x);
  o.dot4 = __dp4a((int)x, (int)y, -7);
  o.dot_mixed = __dp4a(make_char4((char)x, (char)(x >> 8), (char)(x >> 16), (char)(x >> 24)), make_char4(1, -2, 3, -4), 5);
  o.dot2_low = __dp2a_lo(x, y, 9u);
  o.dot2_high = __dp2a_hi(x, y, 9u);
  o.sum_or_more = __viaddmax_s32((int)x, (int)y, i * 1000);
  o.least = __vimin3_s32_relu((int)x, (int)y, 77);
  o.pairs = __viaddmin_u16x2(x, y, 0x40008000u);
  o.relu_pairs = __vimax3_s16x2_relu(x, y, 0x8001fff0u);
  o.first_pairs = __vibmax_s16x2(x, y, &o.high, &o.low);
  __vibmin_u32(x, y, &o.first);
}

// Applies `each` to the parts of two words, which are sign-extended if is_signed.
template <class Each>
static unsigned by_parts(unsigned x, unsigned y, int bits, bool is_signed, Each each) {
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits) {
    const unsigned mask = (1u << bits) - 1;
    int p = (int)(x >> at & mask), q = (int)(y >> at & mask);
    if (is_signed && p >> (bits - 1)) p -= 1 << bits;
    if (is_signed && q >> (bits - 1)) q -= 1 << bits;
    result |= ((unsigned)each(p, q) & mask) << at;
  }
  return result;
}
static int part(unsigned x, int at, int bits, bool is_signed) {
  const int p = (int)(x >> at & ((1u << bits) - 1));
  return is_signed && p >> (bits - 1) ? p - (1 << bits) : p;
}

int main() {
  const int n = 128;
  unsigned *a, *b;
  Out* out;
  CUDA_CHECK(cudaMallocManaged(&a, n * 4));
  CUDA_CHECK(cudaMallocManaged(&b, n * 4));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(Out)));
  for (int i = 0; i < n; ++i) a[i] = 0x9e3779b9u * (i + 1), b[i] = i % 8 == 0 ? a[i] ^ 0xff0000u : 0x85ebca6bu * (i + 7);
  a[1] = 0x80008000u, b[1] = 0x7fff8000u;
  operations<<<1, n>>>(a, b, out);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    const unsigned x = a[i], y = b[i];
    const Out& o = out[i];
    CHECK_EQUAL_AT(i, o.add2, by_parts(x, y, 16, false, [](int p, int q) { return p + q; }));
    CHECK_EQUAL_AT(i, o.subss2, by_parts(x, y, 16, true, [](int p, int q) { return p - q > 32767 ? 32767 : p - q < -32768 ? -32768 : p - q; }));
    CHECK_EQUAL_AT(i, o.addus4, by_parts(x, y, 8, false, [](int p, int q) { return p + q > 255 ? 255 : p + q; }));
    CHECK_EQUAL_AT(i, o.absdiffu4, by_parts(x, y, 8, false, [](int p, int q) { return abs(p - q); }));
    CHECK_EQUAL_AT(i, o.absdiffs2, by_parts(x, y, 16, true, [](int p, int q) { return abs(p - q); }));
    CHECK_EQUAL_AT(i, o.avgu4, by_parts(x, y, 8, false, [](int p, int q) { return (p + q + 1) / 2; }));
    CHECK_EQUAL_AT(i, o.haddu2, by_parts(x, y, 16, false, [](int p, int q) { return (p + q) / 2; }));
    CHECK_EQUAL_AT(i, o.maxs2, by_parts(x, y, 16, true, [](int p, int q) { return p > q ? p : q; }));
    CHECK_EQUAL_AT(i, o.minu4, by_parts(x, y, 8, false, [](int p, int q) { return p < q ? p : q; }));
    CHECK_EQUAL_AT(i, o.cmpeq4, by_parts(x, y, 8, false, [](int p, int q) { return p == q ? -1 : 0; }));
    CHECK_EQUAL_AT(i, o.cmpgts2, by_parts(x, y, 16, true, [](int p, int q) { return p > q ? -1 : 0; }));
    CHECK_EQUAL_AT(i, o.setltu4, by_parts(x, y, 8, false, [](int p, int q) { return p < q ? 1 : 0; }));
    CHECK_EQUAL_AT(i, o.neg2, by_parts(x, y, 16, true, [](int p, int) { return -p; }));
    CHECK_EQUAL_AT(i, o.abs4, by_parts(x, y, 8, true, [](int p, int) { return abs(p); }));
    unsigned bytes = 0, words = 0, low = 9, high = 9;
    int dot = -7, mixed = 5;
    const int weights[] = {1, -2, 3, -4};
    for (int k = 0; k < 4; ++k) {
      bytes += abs(part(x, k * 8, 8, false) - part(y, k * 8, 8, false));
      dot += part(x, k * 8, 8, true) * part(y, k * 8, 8, true);
      mixed += part(x, k * 8, 8, true) * weights[k];
    }
    for (int k = 0; k < 2; ++k) {
      words += abs(part(x, k * 16, 16, true) - part(y, k * 16, 16, true));
      low += (unsigned)part(x, k * 16, 16, false) * (unsigned)part(y, k * 8, 8, false);
      high += (unsigned)part(x, k * 16, 16, false) * (unsigned)part(y, 16 + k * 8, 8, false);
    }
    CHECK_EQUAL_AT(i, o.sadu4, bytes);
    CHECK_EQUAL_AT(i, o.sads2, words);
    CHECK_EQUAL_AT(i, o.dot4, dot);
    CHECK_EQUAL_AT(i, o.dot_mixed, mixed);
    CHECK_EQUAL_AT(i, o.dot2_low, low);
    CHECK_EQUAL_AT(i, o.dot2_high, high);
    const int wrapped = (int)(x + y), smaller = (int)x < (int)y ? (int)x : (int)y;
    CHECK_EQUAL_AT(i, o.sum_or_more, wrapped > i * 1000 ? wrapped : i * 1000);
    CHECK_EQUAL_AT(i, o.least, smaller < 0 ? 0 : smaller < 77 ? smaller : 77);
    const unsigned sums = by_parts(x, y, 16, false, [](int p, int q) { return p + q; });
    CHECK_EQUAL_AT(i, o.pairs, by_parts(sums, 0x40008000u, 16, false, [](int p, int q) { return p < q ? p : q; }));
    const unsigned larger = by_parts(x, y, 16, true, [](int p, int q) { return p > q ? p : q; });
    CHECK_EQUAL_AT(i, o.relu_pairs, by_parts(larger, 0x8001fff0u, 16, true, [](int p, int q) { return p > q ? (p > 0 ? p : 0) : (q > 0 ? q : 0); }));
    CHECK_EQUAL_AT(i, o.first_pairs, larger);
    CHECK_EQUAL_AT(i, o.low, part(x, 0, 16, true) >= part(y, 0, 16, true));
    CHECK_EQUAL_AT(i, o.high, part(x, 16, 16, true) >= part(y, 16, 16, true));
    CHECK_EQUAL_AT(i, o.first, x <= y);
  }
  return all_ok();
}
