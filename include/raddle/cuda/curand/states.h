// The states of curand_kernel.h's generators, which host code may hold and copy.
#ifndef RADDLE_CURAND_STATES_H
#define RADDLE_CURAND_STATES_H

#include "../curand.h"
#include "../vector_types.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;  // how many of the output's numbers have been given
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

// Sobol's: the index of the next point, the point, the scramble, and the dimension's vectors.
#define RADDLE_SOBOL(Name, Bits, kBits) \
  struct curandState##Name {            \
    Bits i, x, c;                       \
    Bits direction_vectors[kBits];      \
  };                                    \
  typedef struct curandState##Name curandState##Name##_t;
RADDLE_SOBOL(Sobol32, unsigned int, 32)
RADDLE_SOBOL(ScrambledSobol32, unsigned int, 32)
RADDLE_SOBOL(Sobol64, unsigned long long, 64)
RADDLE_SOBOL(ScrambledSobol64, unsigned long long, 64)
#undef RADDLE_SOBOL

#endif
