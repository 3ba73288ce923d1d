// The generators of curand_kernel.h: init, the next 32 bits, and skipping ahead.
#ifndef RADDLE_CURAND_GENERATORS_H
#define RADDLE_CURAND_GENERATORS_H

#include "../cuda_runtime.h"
#include "states.h"
#include "xorwow_jumps.h"

#define RADDLE_RAND static inline __device__
#define RADDLE_RAND_BOTH static inline __host__ __device__

namespace raddle_curand {

// Spreads a seed over as many words as a state needs.
RADDLE_RAND unsigned long long spread(unsigned long long& seed) {
  seed += 0x9e3779b97f4a7c15ull;
  unsigned long long z = seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace raddle_curand

// --- XORWOW ----------------------------------------------------------------------------------------------------------

namespace raddle_curand {

RADDLE_RAND void xorshift(unsigned int (&v)[5]) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

// Ahead by 2^k numbers: the sum of the states that the polynomial names.
RADDLE_RAND void jump(unsigned int (&v)[5], int k) {
  unsigned int sum[5] = {0, 0, 0, 0, 0};
  for (int word = 0; word < 5; ++word) {
    unsigned int bits = raddle_xorwow_jumps[k][word];
    for (int i = 0; i < 32; ++i, bits >>= 1) {
      for (int j = 0; j < 5; ++j) sum[j] ^= v[j] & (0u - (bits & 1u));
      xorshift(v);
    }
  }
  for (int j = 0; j < 5; ++j) v[j] = sum[j];
}

}  // namespace raddle_curand

RADDLE_RAND void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  state->d += 362437u * (unsigned int)n;
  for (int k = 0; n != 0; ++k, n >>= 1)
    if (n & 1) raddle_curand::jump(state->v, k);
}

RADDLE_RAND void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  for (int k = 67; n != 0; ++k, n >>= 1)
    if (n & 1) raddle_curand::jump(state->v, k);
}

RADDLE_RAND void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStateXORWOW_t* state) {
  state->d = 6615241u;
  for (int i = 0; i < 5; ++i) state->v[i] = (unsigned int)raddle_curand::spread(seed);
  state->v[0] |= 1;  // never all zero
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

RADDLE_RAND unsigned int curand(curandStateXORWOW_t* state) {
  raddle_curand::xorshift(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

// --- Philox4x32-10 ---------------------------------------------------------------------------------------------------

namespace raddle_curand {

RADDLE_RAND uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned int high0 = __umulhi(0xd2511f53u, counter.x), low0 = 0xd2511f53u * counter.x;
    const unsigned int high1 = __umulhi(0xcd9e8d57u, counter.z), low1 = 0xcd9e8d57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

// Adds n to 64 bits of the counter; whether they overflowed.
RADDLE_RAND bool add(unsigned int& low, unsigned int& high, unsigned long long n) {
  const unsigned long long before = ((unsigned long long)high << 32) | low;
  const unsigned long long after = before + n;
  low = (unsigned int)after;
  high = (unsigned int)(after >> 32);
  return after < before;
}

RADDLE_RAND void advance(curandStatePhilox4_32_10_t* state, unsigned long long n) {
  if (add(state->ctr.x, state->ctr.y, n)) add(state->ctr.z, state->ctr.w, 1);
  state->output = philox(state->ctr, state->key);
}

}  // namespace raddle_curand

RADDLE_RAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  raddle_curand::add(state->ctr.z, state->ctr.w, n);
  raddle_curand::advance(state, 0);
}

RADDLE_RAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned int given = state->STATE + (unsigned int)(n & 3);
  state->STATE = given & 3;
  raddle_curand::advance(state, (n >> 2) + (given >> 2));
}

RADDLE_RAND void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  state->STATE = 0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

RADDLE_RAND unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const unsigned int place = state->STATE;
  const uint4 o = state->output;
  const unsigned int result = place == 0 ? o.x : place == 1 ? o.y : place == 2 ? o.z : o.w;
  state->STATE = (place + 1) & 3;
  if (place == 3) raddle_curand::advance(state, 1);
  return result;
}

RADDLE_RAND uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const unsigned int x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return make_uint4(x, y, z, w);
}

// --- MRG32k3a --------------------------------------------------------------------------------------------------------

namespace raddle_curand {

constexpr unsigned long long kMrgModulus1 = 4294967087ull, kMrgModulus2 = 4294944443ull;

struct Matrix3 {
  unsigned long long m[3][3];
};

RADDLE_RAND_BOTH Matrix3 multiply(const Matrix3& a, const Matrix3& b, unsigned long long modulus) {
  Matrix3 c;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      c.m[i][j] = 0;
      for (int k = 0; k < 3; ++k)
        c.m[i][j] = (c.m[i][j] + a.m[i][k] * b.m[k][j] % modulus) % modulus;
    }
  }
  return c;
}

RADDLE_RAND_BOTH Matrix3 first_step() {
  return {{{0, 1, 0}, {0, 0, 1}, {kMrgModulus1 - 810728, 1403580, 0}}};
}
RADDLE_RAND_BOTH Matrix3 second_step() {
  return {{{0, 1, 0}, {0, 0, 1}, {kMrgModulus2 - 1370589, 0, 527612}}};
}

RADDLE_RAND void apply(unsigned int (&s)[3], const Matrix3& step, unsigned long long modulus) {
  unsigned long long next[3];
  for (int i = 0; i < 3; ++i) {
    next[i] = 0;
    for (int k = 0; k < 3; ++k) next[i] = (next[i] + step.m[i][k] * s[k] % modulus) % modulus;
  }
  for (int i = 0; i < 3; ++i) s[i] = (unsigned int)next[i];
}

// Ahead by n · 2^shift numbers.
RADDLE_RAND void jump(unsigned int (&s)[3], Matrix3 step, unsigned long long modulus,
                      unsigned long long n, int shift) {
  for (int i = 0; i < shift; ++i) step = multiply(step, step, modulus);
  for (; n != 0; n >>= 1, step = multiply(step, step, modulus))
    if (n & 1) apply(s, step, modulus);
}

RADDLE_RAND void jump(curandStateMRG32k3a_t* state, unsigned long long n, int shift) {
  if (n == 0) return;
  jump(state->s1, first_step(), kMrgModulus1, n, shift);
  jump(state->s2, second_step(), kMrgModulus2, n, shift);
}

}  // namespace raddle_curand

RADDLE_RAND void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  raddle_curand::jump(state, n, 0);
}
RADDLE_RAND void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  raddle_curand::jump(state, n, 76);
}

RADDLE_RAND void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStateMRG32k3a_t* state) {
  const bool example = seed == 0;  // L'Ecuyer's own
  for (int i = 0; i < 3; ++i) {
    const unsigned long long spread = raddle_curand::spread(seed);
    state->s1[i] = example ? 12345u : 1 + (unsigned int)(spread % 4294944442ull);
    state->s2[i] = state->s1[i];
  }
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// From 1 to the modulus, as L'Ecuyer's combination gives it.
RADDLE_RAND unsigned int curand(curandStateMRG32k3a_t* state) {
  using namespace raddle_curand;
  unsigned int(&a)[3] = state->s1, (&b)[3] = state->s2;
  const unsigned long long p1 =
      (1403580ull * a[1] + 810728ull * (kMrgModulus1 - a[0])) % kMrgModulus1;
  const unsigned long long p2 =
      (527612ull * b[2] + 1370589ull * (kMrgModulus2 - b[0])) % kMrgModulus2;
  a[0] = a[1], a[1] = a[2], a[2] = (unsigned int)p1;
  b[0] = b[1], b[1] = b[2], b[2] = (unsigned int)p2;
  return (unsigned int)(p1 > p2 ? p1 - p2 : p1 + kMrgModulus1 - p2);
}

#endif
