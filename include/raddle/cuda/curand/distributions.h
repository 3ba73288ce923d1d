// The distributions of curand_kernel.h over any of its generators: uniform in (0, 1], normal by Box
// and Muller, log-normal, and Poisson (Knuth's product for small means, rounded normal for large
// ones).
#ifndef RADDLE_CURAND_DISTRIBUTIONS_H
#define RADDLE_CURAND_DISTRIBUTIONS_H

#include "generators.h"

namespace raddle_curand {

RADDLE_RAND float uniform(unsigned int x) { return (float)x * 0x1p-32f + 0x1p-33f; }
RADDLE_RAND double uniform_double(unsigned int x, unsigned int y) {
  const unsigned long long bits = (unsigned long long)x ^ ((unsigned long long)y << 21);
  return (double)bits * 0x1p-53 + 0x1p-54;
}

RADDLE_RAND float2 box_muller(float u, float v) {
  float2 result;
  const float radius = sqrtf(-2.0f * logf(u));
  sincospif(2.0f * v, &result.x, &result.y);
  result.x *= radius;
  result.y *= radius;
  return result;
}
RADDLE_RAND double2 box_muller(double u, double v) {
  double2 result;
  const double radius = sqrt(-2.0 * log(u));
  sincospi(2.0 * v, &result.x, &result.y);
  result.x *= radius;
  result.y *= radius;
  return result;
}

}  // namespace raddle_curand

template <typename State>
RADDLE_RAND float curand_uniform(State* state) {
  return raddle_curand::uniform(curand(state));
}
RADDLE_RAND float curand_uniform(curandStateMRG32k3a_t* state) {
  return (float)((double)curand(state) / (double)raddle_curand::kMrgModulus1);
}

template <typename State>
RADDLE_RAND double curand_uniform_double(State* state) {
  const unsigned int x = curand(state);
  return raddle_curand::uniform_double(x, curand(state));
}
RADDLE_RAND double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return (double)curand(state) / (double)raddle_curand::kMrgModulus1;
}

template <typename State>
RADDLE_RAND float2 curand_normal2(State* state) {
  const float u = curand_uniform(state);
  return raddle_curand::box_muller(u, curand_uniform(state));
}
template <typename State>
RADDLE_RAND double2 curand_normal2_double(State* state) {
  const double u = curand_uniform_double(state);
  return raddle_curand::box_muller(u, curand_uniform_double(state));
}

template <typename State>
RADDLE_RAND float curand_normal(State* state) {
  if (state->boxmuller_flag) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 pair = curand_normal2(state);
  state->boxmuller_flag = 1;
  state->boxmuller_extra = pair.y;
  return pair.x;
}
template <typename State>
RADDLE_RAND double curand_normal_double(State* state) {
  if (state->boxmuller_flag_double) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 pair = curand_normal2_double(state);
  state->boxmuller_flag_double = 1;
  state->boxmuller_extra_double = pair.y;
  return pair.x;
}

template <typename State>
RADDLE_RAND float curand_log_normal(State* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <typename State>
RADDLE_RAND double curand_log_normal_double(State* state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
template <typename State>
RADDLE_RAND float2 curand_log_normal2(State* state, float mean, float deviation) {
  const float2 pair = curand_normal2(state);
  return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
template <typename State>
RADDLE_RAND double2 curand_log_normal2_double(State* state, double mean, double deviation) {
  const double2 pair = curand_normal2_double(state);
  return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}

template <typename State>
RADDLE_RAND unsigned int curand_poisson(State* state, double mean) {
  if (mean > 64) {
    const double x = mean + sqrt(mean) * curand_normal_double(state);
    return x < 0 ? 0 : (unsigned int)(x + 0.5);
  }
  const double limit = exp(-mean);
  double product = curand_uniform_double(state);
  unsigned int count = 0;
  for (; product > limit; product *= curand_uniform_double(state)) ++count;
  return count;
}

// --- four at a time, of Philox ---------------------------------------------------------------------------------------
RADDLE_RAND float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return make_float4(raddle_curand::uniform(x.x), raddle_curand::uniform(x.y),
                     raddle_curand::uniform(x.z), raddle_curand::uniform(x.w));
}
RADDLE_RAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return make_double2(raddle_curand::uniform_double(x.x, x.y),
                      raddle_curand::uniform_double(x.z, x.w));
}
RADDLE_RAND float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const float4 u = curand_uniform4(state);
  const float2 a = raddle_curand::box_muller(u.x, u.y), b = raddle_curand::box_muller(u.z, u.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
RADDLE_RAND float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean,
                                      float deviation) {
  const float4 z = curand_normal4(state);
  return make_float4(expf(mean + deviation * z.x), expf(mean + deviation * z.y),
                     expf(mean + deviation * z.z), expf(mean + deviation * z.w));
}
RADDLE_RAND uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double mean) {
  const unsigned int x = curand_poisson(state, mean), y = curand_poisson(state, mean),
                     z = curand_poisson(state, mean), w = curand_poisson(state, mean);
  return make_uint4(x, y, z, w);
}

#endif
