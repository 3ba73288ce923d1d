// The row pass of a separable image filter with 17 taps: a block loads 128 pixels of a row and 8
// more to either side into shared memory, one a thread, and the threads of the middle filter them;
// outside the image all is zero. Stands for `convolution` (kernel convolutionRowGPU) of the
// dMT-CGRA paper. Usage: convolution [COLUMNS] [ROWS] [SEED]
#include "common/benchmark.h"

using namespace benchmark;

constexpr int kRadius = 8;
constexpr int kTaps = 2 * kRadius + 1;
constexpr int kTile = 128;

__constant__ float filter[kTaps];

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
  for (int k = -kRadius; k <= kRadius; ++k) sum += pixels[tid + k] * filter[kRadius - k];
  out[row + x] = sum;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "convolution [COLUMNS] [ROWS] [SEED]");
  const int columns = arguments.number("COLUMNS", 512, 1, 1 << 15);
  const int rows = arguments.number("ROWS", 256, 1, 1 << 15);
  Random random(arguments.seed());
  arguments.end();
  const std::vector<float> image = random.floats(static_cast<size_t>(columns) * rows, 0, 1);
  const std::vector<float> taps = random.floats(kTaps, -1, 1);

  DeviceArray<float> in(image), out(image.size());
  check(cudaMemcpyToSymbol(filter, taps.data(), sizeof filter));
  const dim3 grid(blocks_for(columns, kTile), rows);
  convolution_row<<<grid, kRadius + kTile + kRadius>>>(in, out, columns);
  check(cudaGetLastError());

  // Each pixel spreads over its neighbours: the same sums, gathered the other way round.
  std::vector<double> expected(image.size());
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      for (int k = 0; k < kTaps; ++k) {
        const int to = x + k - kRadius;
        if (to < 0 || to >= columns) continue;
        expected[static_cast<size_t>(y) * columns + to] +=
            static_cast<double>(image[static_cast<size_t>(y) * columns + x]) * taps[k];
      }
    }
  }
  // kTaps products below 1 are rounded and added, and each addition rounds a sum below kTaps.
  const Comparison result = compare(out.to_host(), expected, (kTaps + 1) * kFloatRounding * kTaps);
  return report(result, "convolution: %dx%d, %d taps", columns, rows, kTaps);
}
