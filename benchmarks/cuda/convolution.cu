// The row pass of a separable image filter, with 17 taps and with 3: a block loads 128 pixels of a
// row and 8 more (or one) to either side into shared memory, one a thread, and the threads of the
// middle filter them; outside the image all is zero. Stands for `convolution` (kernel
// convolutionRowGPU) of the dMT-CGRA paper, whose Figure 1 has 3 taps. Usage: convolution [COLUMNS]
// [ROWS] [SEED]
#include "common/convolution.h"

constexpr int kTile = benchmark::kConvolutionTile;

template <int kRadius>
__device__ __forceinline__ void filter_row(const float* image, float* out, int columns) {
  __shared__ float pixels[kRadius + kTile + kRadius];
  int tid = threadIdx.x;
  int x = blockIdx.x * kTile + tid - kRadius;
  int row = blockIdx.y * columns;
  pixels[tid] = x >= 0 && x < columns ? image[row + x] : 0.0f;
  __syncthreads();
  if (tid < kRadius || tid >= kRadius + kTile || x >= columns) return;
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k)
    sum += pixels[tid + k] * benchmark::convolution_filter[kRadius - k];
  out[row + x] = sum;
}

__global__ void convolution_row(const float* image, float* out, int columns) {
  filter_row<8>(image, out, columns);
}
__global__ void convolution_3_taps(const float* image, float* out, int columns) {
  filter_row<1>(image, out, columns);
}

int main(int argc, char** argv) {
  return benchmark::run_convolution<8>(argc, argv, "convolution", convolution_row) |
         benchmark::run_convolution<1>(argc, argv, "convolution", convolution_3_taps);
}
