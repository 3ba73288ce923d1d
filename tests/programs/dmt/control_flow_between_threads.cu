// Calls of raddle/dmt.h in helper functions, nested loops, breaks and switches that all threads of a block take alike,
// against the same on the host.
#include <raddle/dmt.h>

#include <vector>

#include "../check.h"

constexpr int kThreads = 70;
constexpr int kTurns = 3;

// Called at several places: each call is a turn of its own.
__device__ int shifted(int value) {
  tagValue<"shifted">(value);
  return fromThreadOrConst<"shifted", -1, 100>();
}

__device__ __noinline__ int doubled(int value) { return 2 * value; }

__global__ void mixed(const int* in, int* out, int turns, int mode) {
  int value = in[threadIdx.x];
  value = shifted(value);
  value = doubled(value);
  value = shifted(value);
  for (int turn = 0; turn < turns; ++turn) {
    if (turn == mode) break;
    for (int i = 0; i < 2; ++i) value = shifted(value) + i;
    switch (mode) {
      case 1: value += fromThreadOrMem<1>(in[threadIdx.x], false); break;
      case 2:
        tagValue<"ahead">(value);
        value -= fromThreadOrConst<"ahead", {3}, 7>();
        break;
      default: value ^= 1;
    }
  }
  out[threadIdx.x] = value;
}

std::vector<int> shifted_on_host(const std::vector<int>& values) {
  std::vector<int> result{100};
  result.insert(result.end(), values.begin(), values.end() - 1);
  return result;
}

std::vector<int> mixed_on_host(const std::vector<int>& in, int mode) {
  std::vector<int> values = shifted_on_host(in);
  for (int& value : values) value *= 2;
  values = shifted_on_host(values);
  for (int turn = 0; turn < kTurns && turn != mode; ++turn) {
    for (int i = 0; i < 2; ++i) {
      values = shifted_on_host(values);
      for (int& value : values) value += i;
    }
    const std::vector<int> before = values;
    for (int t = 0; t < kThreads; ++t) {
      if (mode == 1) {
        values[t] += in[kThreads - 1];
      } else if (mode == 2) {
        values[t] -= t + 3 < kThreads ? before[t + 3] : 7;
      } else {
        values[t] ^= 1;
      }
    }
  }
  return values;
}

int main() {
  std::vector<int> in(kThreads), out(kThreads);
  for (int i = 0; i < kThreads; ++i) in[i] = i * i - 50;
  int *device_in, *device_out;
  CUDA_CHECK(cudaMalloc(&device_in, kThreads * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&device_out, kThreads * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(device_in, in.data(), kThreads * sizeof(int), cudaMemcpyDefault));
  for (int mode = 0; mode < 5; ++mode) {
    mixed<<<1, kThreads>>>(device_in, device_out, kTurns, mode);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(out.data(), device_out, kThreads * sizeof(int), cudaMemcpyDefault));
    const std::vector<int> expected = mixed_on_host(in, mode);
    for (int t = 0; t < kThreads; ++t) CHECK_EQUAL_AT(mode * kThreads + t, out[t], expected[t]);
  }
  puts("ok");
}
