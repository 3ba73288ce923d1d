// The row pass of a separable image filter with 17 taps: a block loads 128 pixels of a row and 8
// more to either side into shared memory, one a thread, and the threads of the middle filter them;
// outside the image all is zero. Stands for `convolution` (kernel convolutionRowGPU) of the
// dMT-CGRA paper. Usage: convolution [COLUMNS] [ROWS] [SEED]
#include "common/convolution.h"

constexpr int kRadius = benchmark::kConvolutionRadius;
constexpr int kTile = benchmark::kConvolutionTile;

__global__ void convolution_row(const float* image, float* out, int columns) {
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

int main(int argc, char** argv) {
  return benchmark::run_convolution(argc, argv, "convolution", convolution_row);
}
