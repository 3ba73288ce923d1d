// What a program sets for the floating-point arithmetic of its own code does not reach its kernels, and theirs does not
// reach it: traps, the direction of rounding, flushing of subnormal numbers, exceptions that were seen.
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <xmmintrin.h>

#include "check.h"

constexpr int kCount = 64;

__global__ void compute(const float* in, float* out) {
  const int i = threadIdx.x;
  out[4 * i] = 1.0f / in[i];
  out[4 * i + 1] = rsqrtf(-in[i]);
  out[4 * i + 2] = in[i] * 1.0e-39f;
  out[4 * i + 3] = logf(in[i] - 3.0f);
}

template <class T>
static T* managed(int count) {
  T* pointer;
  CUDA_CHECK(cudaMallocManaged(&pointer, count * sizeof(T)));
  return pointer;
}

static void run(const float* in, float* out) {
  for (int i = 0; i < 4 * kCount; ++i) out[i] = -1;
  compute<<<1, kCount>>>(in, out);
  CHECK_LAUNCH();
}

int main() {
  float *in = managed<float>(kCount), *plain = managed<float>(4 * kCount), *out = managed<float>(4 * kCount);
  for (int i = 0; i < kCount; ++i) in[i] = i;
  run(in, plain);
  for (int i = 1; i < kCount; ++i) {
    CHECK_EQUAL_AT(i, plain[4 * i], 1.0f / i);
    CHECK(std::isnan(plain[4 * i + 1]));
    CHECK_EQUAL_AT(i, plain[4 * i + 2], (float)(i * (double)1.0e-39f));
  }
  CHECK(std::isinf(plain[0]));

  // Invalid operations, divisions by zero and overflow would end the host's own code.
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  run(in, out);
  CHECK(fegetexcept() == (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW));
  CHECK(fetestexcept(FE_INVALID | FE_DIVBYZERO) == 0);
  fedisableexcept(FE_ALL_EXCEPT);
  CHECK(memcmp(out, plain, 4 * kCount * sizeof(float)) == 0);

  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    fesetround(rounding);
    run(in, out);
    CHECK(fegetround() == rounding);
    CHECK(memcmp(out, plain, 4 * kCount * sizeof(float)) == 0);
  }
  fesetround(FE_TONEAREST);

  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  run(in, out);
  CHECK(_MM_GET_FLUSH_ZERO_MODE() == _MM_FLUSH_ZERO_ON);
  CHECK(memcmp(out, plain, 4 * kCount * sizeof(float)) == 0);
  return all_ok();
}
