// Host side of the two blur examples: rows of 256 pixels, a block for each, checked on the host.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kPixels = 256;
constexpr int kRows = 64;

template <typename Kernel>
int blur_rows(Kernel kernel) {
  std::vector<float> image(kRows * kPixels), result(image.size());
  for (int i = 0; i < kRows * kPixels; ++i) image[i] = static_cast<float>(i * 37 % 101);
  const size_t bytes = image.size() * sizeof(float);
  float *in, *out;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(in, image.data(), bytes, cudaMemcpyHostToDevice);
  kernel<<<kRows, kPixels>>>(in, out);
  cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost);

  int wrong = 0;
  for (int i = 0; i < kRows * kPixels; ++i) {
    const int x = i % kPixels;
    const float left = x > 0 ? image[i - 1] : 0, right = x + 1 < kPixels ? image[i + 1] : 0;
    const float expected = 0.25f * left + 0.5f * image[i] + 0.25f * right;
    wrong += std::fabs(result[i] - expected) > 1e-3f ? 1 : 0;
  }
  std::printf("%d of %d pixels wrong\n", wrong, kRows * kPixels);
  return wrong == 0 ? 0 : 1;
}
