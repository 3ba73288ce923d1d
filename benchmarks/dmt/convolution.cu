// The row pass of a separable image filter with 17 taps between threads, as in Figure 1c of the
// dMT-CGRA paper: each thread loads one pixel and gets those of the 8 threads to either side;
// outside the image all is zero. Threads at the ends of a block only pass their pixels on. The
// shared-memory form is cuda/convolution.cu. Usage: dmt/convolution [COLUMNS] [ROWS] [SEED]
#include <raddle/dmt.h>

#include <utility>

#include "../cuda/common/convolution.h"

constexpr int kRadius = benchmark::kConvolutionRadius;
constexpr int kTile = benchmark::kConvolutionTile;

// The pixel that many threads on, times its tap.
template <int Distance>
__device__ __forceinline__ float tap(float here) {
  const float factor = benchmark::convolution_filter[kRadius - Distance];
  if constexpr (Distance == 0)
    return here * factor;
  else
    return fromThreadOrConst<"pixel", Distance, 0.0f>() * factor;
}

template <int... Tap>
__device__ __forceinline__ float filtered(float here, std::integer_sequence<int, Tap...>) {
  return (... + tap<Tap - kRadius>(here));
}

__global__ void convolution_between_threads(const float* image, float* out, int columns) {
  int tid = threadIdx.x;
  int x = blockIdx.x * kTile + tid - kRadius;
  int row = blockIdx.y * columns;
  float here = x >= 0 && x < columns ? image[row + x] : 0.0f;
  tagValue<"pixel">(here);
  float sum = filtered(here, std::make_integer_sequence<int, benchmark::kConvolutionTaps>());
  if (tid >= kRadius && tid < kRadius + kTile && x < columns) out[row + x] = sum;
}

int main(int argc, char** argv) {
  return benchmark::run_convolution(argc, argv, "dmt/convolution", convolution_between_threads);
}
