// What the programs here share: a buffer that host and device see, and the end of main.
#pragma once

#include <cstdio>

// `count` numbers, all `value`.
inline float* make_buffer(int count, float value = 1) {
  float* buffer;
  cudaMallocManaged(&buffer, count * sizeof(float));
  for (int i = 0; i < count; ++i) buffer[i] = value;
  return buffer;
}

// Waits for the kernel and compares what it wrote.
template <class Expected>
int check(const char* program, const float* out, int count, Expected expected) {
  int wrong = cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < count; ++i) wrong += !(out[i] == expected(i));
  std::printf("%s: %d of %d wrong\n", program, wrong, count);
  return wrong != 0;
}
