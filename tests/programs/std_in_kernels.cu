// The standard library's constexpr functions in kernels, as nvcc allows with --expt-relaxed-constexpr; a parameter that all threads share
// (__grid_constant__); and the clocks.
// compiled with: --expt-relaxed-constexpr -std=c++17
#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "check.h"

struct Weights {
  std::array<int, 4> values;
};

struct Out {
  int smaller, larger, clamped, sum, gcd, first, second, kept, biggest;
  float real, imaginary, norm, least;
  unsigned long long cycles, nanoseconds;
};

constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }  // of the host, and constexpr

__global__ void use(const __grid_constant__ Weights weights, const int* in, Out* out) {
  const int i = threadIdx.x;
  unsigned long long t0, t1;
  const long long start = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  Out& o = out[i];
  o.smaller = std::min(in[i], 10);
  o.larger = std::max({in[i], 3, factorial(3)});
  o.clamped = std::clamp(in[i], 4, 12);
  std::array<int, 4> values = weights.values;
  values[i % 4] += i;
  o.sum = 0;
  for (const int value : values) o.sum += value;
  o.gcd = std::gcd(in[i], 12);
  const auto pair = std::make_tuple(in[i], in[i] * 2.5f);
  o.first = std::get<0>(pair);
  o.second = (int)std::get<1>(pair);
  const std::optional<int> kept = i % 2 == 0 ? std::optional<int>(i) : std::nullopt;
  o.kept = kept.value_or(-1);
  o.biggest = std::numeric_limits<int>::max();
  o.least = std::numeric_limits<float>::min();
  const std::complex<float> z(1.0f, (float)i), w = z * std::complex<float>(0.0f, 2.0f) + z;
  o.real = w.real();
  o.imaginary = w.imag();
  o.norm = std::norm(z);
  __nanosleep(100);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  o.cycles = clock64() - start;
  o.nanoseconds = t1 - t0;
}

int main() {
  const int n = 32;
  int* in;
  Out* out;
  CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(Out)));
  for (int i = 0; i < n; ++i) in[i] = (i * 7 + 1) % 23;
  Weights weights = {{{1, 20, 300, 4000}}};
  use<<<1, n>>>(weights, in, out);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    const Out& o = out[i];
    const int x = in[i];
    int a = x, b = 12;
    while (b != 0) {
      const int rest = a % b;
      a = b;
      b = rest;
    }
    CHECK_EQUAL_AT(i, o.smaller, x < 10 ? x : 10);
    CHECK_EQUAL_AT(i, o.larger, x > 6 ? x : 6);
    CHECK_EQUAL_AT(i, o.clamped, x < 4 ? 4 : x > 12 ? 12 : x);
    CHECK_EQUAL_AT(i, o.sum, 4321 + i);
    CHECK_EQUAL_AT(i, o.gcd, a);
    CHECK_EQUAL_AT(i, o.first, x);
    CHECK_EQUAL_AT(i, o.second, (int)(x * 2.5f));
    CHECK_EQUAL_AT(i, o.kept, i % 2 == 0 ? i : -1);
    CHECK_EQUAL_AT(i, o.biggest, 2147483647);
    CHECK_EQUAL_AT(i, o.least, 0x1p-126f);
    CHECK_EQUAL_AT(i, o.real, 1.0f - 2 * i);
    CHECK_EQUAL_AT(i, o.imaginary, 2.0f + i);
    CHECK_EQUAL_AT(i, o.norm, 1.0f + i * i);
    CHECK(o.cycles > 0 && o.cycles < 10000000);
    CHECK(o.nanoseconds < 10000000);
  }
  return all_ok();
}
