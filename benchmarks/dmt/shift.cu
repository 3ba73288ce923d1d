// Values passed on over distances that need one, two and more elevators of 16 threads each (section
// 4.3 and Figure 10a of the dMT-CGRA paper): each kernel gives every thread the value of the thread
// so many before it, or -1. Usage: dmt/shift [BLOCKS] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/benchmark.h"

constexpr int kBlock = 128;

template <int Distance>
__device__ __forceinline__ void shift(const float* in, float* out) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  tagValue<"value">(in[i]);
  out[i] = fromThreadOrConst<"value", -Distance, -1.0f>();
}

__global__ void shift_by_2(const float* in, float* out) { shift<2>(in, out); }
__global__ void shift_by_16(const float* in, float* out) { shift<16>(in, out); }
__global__ void shift_by_18(const float* in, float* out) { shift<18>(in, out); }
__global__ void shift_by_40(const float* in, float* out) { shift<40>(in, out); }
__global__ void shift_by_100(const float* in, float* out) { shift<100>(in, out); }

int main(int argc, char** argv) {
  benchmark::Arguments arguments(argc, argv, "dmt/shift", "[BLOCKS] [SEED]");
  const int blocks = arguments.number("BLOCKS", 8, 1, 65535);
  benchmark::Random random(arguments.seed());
  arguments.end();
  const int n = blocks * kBlock;
  const std::vector<float> values = random.floats(n, 0, 1);

  struct Case {
    void (*kernel)(const float*, float*);
    int distance;
  };
  const Case cases[] = {
      {shift_by_2, 2}, {shift_by_16, 16}, {shift_by_18, 18}, {shift_by_40, 40}, {shift_by_100, 100},
  };
  std::vector<float> results;
  std::vector<double> expected;
  for (const Case& one : cases) {
    benchmark::DeviceArray<float> in(values), out(n);
    one.kernel<<<blocks, kBlock>>>(in, out);
    benchmark::check(cudaGetLastError());
    const std::vector<float> shifted = out.to_host();
    results.insert(results.end(), shifted.begin(), shifted.end());
    for (int i = 0; i < n; ++i)
      expected.push_back(i % kBlock < one.distance ? -1 : values[i - one.distance]);
  }
  return benchmark::report(benchmark::compare(results, expected, 0), "dmt/shift: %d threads", n);
}
