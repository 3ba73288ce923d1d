// The row pass of a separable image filter with 17 taps between threads, as in Figure 1c of the
// dMT-CGRA paper: each thread loads one pixel and gets those of the 8 threads to either side;
// outside the image all is zero. Threads at the ends of a block only pass their pixels on. The
// shared-memory form is cuda/convolution.cu. Usage: dmt/convolution [COLUMNS] [ROWS] [SEED]
#include <raddle/dmt.h>

#include <utility>

#include "../cuda/common/convolution.h"

constexpr int kTile = benchmark::kConvolutionTile;

// The pixel that many threads on, times its tap.
template <int Radius, int Distance>
__device__ __forceinline__ float tap(float here) {
  const float factor = benchmark::convolution_filter[Radius - Distance];
  if constexpr (Distance == 0)
    return here * factor;
  else
    return fromThreadOrConst<"pixel", Distance, 0.0f>() * factor;
}

template <int Radius, int... Tap>
__device__ __forceinline__ float filtered(float here, std::integer_sequence<int, Tap...>) {
  return (... + tap<Radius, Tap - Radius>(here));
}

template <int Radius>
__device__ __forceinline__ void filter_row(const float* image, float* out, int columns) {
  int tid = threadIdx.x;
  int x = blockIdx.x * kTile + tid - Radius;
  int row = blockIdx.y * columns;
  float here = x >= 0 && x < columns ? image[row + x] : 0.0f;
  tagValue<"pixel">(here);
  float sum = filtered<Radius>(here, std::make_integer_sequence<int, 2 * Radius + 1>());
  if (tid >= Radius && tid < Radius + kTile && x < columns) out[row + x] = sum;
}

__global__ void convolution_between_threads(const float* image, float* out, int columns) {
  filter_row<8>(image, out, columns);
}
__global__ void convolution_3_taps_between_threads(const float* image, float* out, int columns) {
  filter_row<1>(image, out, columns);
}

int main(int argc, char** argv) {
  return benchmark::run_convolution<8>(argc, argv, "dmt/convolution", convolution_between_threads) |
         benchmark::run_convolution<1>(argc, argv, "dmt/convolution",
                                       convolution_3_taps_between_threads);
}
