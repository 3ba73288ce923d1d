// Sobol's quasi-random sequences for curand_kernel.h, in the order of Gray codes (Antonov and
// Saleev, 1979): point n is the sum (exclusive or) of the direction vectors that the bits of
// n ^ (n >> 1) name. A scrambled one begins at a constant instead of zero.
#ifndef RADDLE_CURAND_SOBOL_H
#define RADDLE_CURAND_SOBOL_H

#include "generators.h"

#define RADDLE_SOBOL(Name, Bits, kBits)                                               \
  /* Point `offset` as a sum of its own: the way there does not matter. */            \
  RADDLE_RAND void raddle_sobol_seek(curandState##Name##_t* state, Bits offset) {     \
    state->i = offset;                                                                \
    state->x = state->c;                                                              \
    const Bits code = offset ^ (offset >> 1);                                         \
    for (int k = 0; k < kBits; ++k)                                                   \
      if ((code >> k) & 1) state->x ^= state->direction_vectors[k];                   \
  }                                                                                   \
  RADDLE_RAND void raddle_sobol_init(const Bits* vectors, Bits scramble, Bits offset, \
                                     curandState##Name##_t* state) {                  \
    for (int k = 0; k < kBits; ++k) state->direction_vectors[k] = vectors[k];         \
    state->c = scramble;                                                              \
    raddle_sobol_seek(state, offset);                                                 \
  }                                                                                   \
  RADDLE_RAND void skipahead(Bits n, curandState##Name##_t* state) {                  \
    raddle_sobol_seek(state, state->i + n);                                           \
  }                                                                                   \
  RADDLE_RAND Bits curand(curandState##Name##_t* state) {                             \
    const Bits result = state->x;                                                     \
    int lowest = 0;                                                                   \
    while (lowest < kBits - 1 && ((state->i >> lowest) & 1)) ++lowest;                \
    state->x ^= state->direction_vectors[lowest];                                     \
    ++state->i;                                                                       \
    return result;                                                                    \
  }
RADDLE_SOBOL(Sobol32, unsigned int, 32)
RADDLE_SOBOL(ScrambledSobol32, unsigned int, 32)
RADDLE_SOBOL(Sobol64, unsigned long long, 64)
RADDLE_SOBOL(ScrambledSobol64, unsigned long long, 64)
#undef RADDLE_SOBOL

RADDLE_RAND void curand_init(unsigned int* vectors, unsigned int offset,
                             curandStateSobol32_t* state) {
  raddle_sobol_init(vectors, 0, offset, state);
}
RADDLE_RAND void curand_init(unsigned long long* vectors, unsigned int offset,
                             curandStateSobol64_t* state) {
  raddle_sobol_init(vectors, 0, offset, state);
}
RADDLE_RAND void curand_init(unsigned int* vectors, unsigned int scramble, unsigned int offset,
                             curandStateScrambledSobol32_t* state) {
  raddle_sobol_init(vectors, scramble, offset, state);
}
RADDLE_RAND void curand_init(unsigned long long* vectors, unsigned long long scramble,
                             unsigned int offset, curandStateScrambledSobol64_t* state) {
  raddle_sobol_init(vectors, scramble, offset, state);
}

// Each number of a quasi-random sequence gives one of a distribution, by the inverse of its
// cumulative function: two together would not be spread evenly.
namespace raddle_curand {

RADDLE_RAND float quasi_uniform(unsigned int x) { return (float)x * 0x1p-32f + 0x1p-33f; }
RADDLE_RAND float quasi_uniform(unsigned long long x) {
  return quasi_uniform((unsigned int)(x >> 32));
}
RADDLE_RAND double quasi_uniform_double(unsigned int x) { return (double)x * 0x1p-32 + 0x1p-33; }
RADDLE_RAND double quasi_uniform_double(unsigned long long x) {
  return (double)(x >> 11) * 0x1p-53 + 0x1p-54;
}
// In float, 1 is among the uniform numbers, and has no finite normal one.
template <typename Bits>
RADDLE_RAND float quasi_normal(Bits x) {
  return (float)normcdfinv(quasi_uniform_double(x));
}

}  // namespace raddle_curand

#define RADDLE_QUASI(State)                                                                  \
  RADDLE_RAND float curand_uniform(State* state) {                                           \
    return raddle_curand::quasi_uniform(curand(state));                                      \
  }                                                                                          \
  RADDLE_RAND double curand_uniform_double(State* state) {                                   \
    return raddle_curand::quasi_uniform_double(curand(state));                               \
  }                                                                                          \
  RADDLE_RAND float curand_normal(State* state) {                                            \
    return raddle_curand::quasi_normal(curand(state));                                       \
  }                                                                                          \
  RADDLE_RAND double curand_normal_double(State* state) {                                    \
    return normcdfinv(raddle_curand::quasi_uniform_double(curand(state)));                   \
  }                                                                                          \
  RADDLE_RAND float curand_log_normal(State* state, float mean, float deviation) {           \
    return expf(mean + deviation * curand_normal(state));                                    \
  }                                                                                          \
  RADDLE_RAND double curand_log_normal_double(State* state, double mean, double deviation) { \
    return exp(mean + deviation * curand_normal_double(state));                              \
  }
RADDLE_QUASI(curandStateSobol32_t)
RADDLE_QUASI(curandStateScrambledSobol32_t)
RADDLE_QUASI(curandStateSobol64_t)
RADDLE_QUASI(curandStateScrambledSobol64_t)
#undef RADDLE_QUASI

#endif
