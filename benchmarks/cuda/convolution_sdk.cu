// The row pass of a separable image filter, with the work that the SDK's `convolutionRowGPU` does:
// a block begins 16 pixels before its tile, so that loads are aligned, threads before the filter's
// reach load nothing, the tile and its margins are clamped to the image, and the first 128 threads
// filter. The taps are unrolled, which is the SDK's default; the kernel without is the other
// branch of its source. A filter of 3 taps, as in Figure 1 of the dMT-CGRA paper, is the third
// kernel. The tidy form is convolution.cu. Usage: convolution_sdk [COLUMNS] [ROWS] [SEED]
#include "common/convolution.h"

constexpr int kTile = benchmark::kConvolutionTile;
constexpr int kAligned = 16;  // pixels before the tile, at least the radius

template <int Radius, bool Unrolled>
__device__ __forceinline__ void filter_row(const float* image, float* out, int columns) {
  __shared__ float pixels[Radius + kTile + Radius];
  const int tile_start = blockIdx.x * kTile, tile_end = tile_start + kTile - 1;
  const int apron_start = tile_start - Radius, apron_end = tile_end + Radius;
  const int last_pixel = min(tile_end, columns - 1);
  const int first_loaded = max(apron_start, 0), last_loaded = min(apron_end, columns - 1);
  const int row = blockIdx.y * columns;

  const int load = tile_start - kAligned + static_cast<int>(threadIdx.x);
  if (load >= apron_start) {
    pixels[load - apron_start] =
        load >= first_loaded && load <= last_loaded ? image[row + load] : 0.0f;
  }
  __syncthreads();

  const int pixel = tile_start + static_cast<int>(threadIdx.x);
  if (pixel > last_pixel) return;
  const int place = pixel - apron_start;
  float sum = 0;
  if constexpr (Unrolled) {
#pragma unroll
    for (int k = -Radius; k <= Radius; ++k)
      sum += pixels[place + k] * benchmark::convolution_filter[Radius - k];
  } else {
#pragma unroll 1
    for (int k = -Radius; k <= Radius; ++k)
      sum += pixels[place + k] * benchmark::convolution_filter[Radius - k];
  }
  out[row + pixel] = sum;
}

__global__ void convolution_unrolled_sdk(const float* image, float* out, int columns) {
  filter_row<8, true>(image, out, columns);
}
__global__ void convolution_rolled_sdk(const float* image, float* out, int columns) {
  filter_row<8, false>(image, out, columns);
}
__global__ void convolution_3_taps_sdk(const float* image, float* out, int columns) {
  filter_row<1, true>(image, out, columns);
}

int main(int argc, char** argv) {
  const auto name = "convolution_sdk";
  return benchmark::run_convolution<8>(argc, argv, name, convolution_unrolled_sdk, kAligned) |
         benchmark::run_convolution<8>(argc, argv, name, convolution_rolled_sdk, kAligned) |
         benchmark::run_convolution<1>(argc, argv, name, convolution_3_taps_sdk, kAligned);
}
