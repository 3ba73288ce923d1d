// The hidden units' sums of a neural network as Rodinia lays them out: weights have a column for
// the bias of every unit beside the 16 of the hidden units, row and column 0 are not touched, and
// the kernel leaves what its tree has in the weights' place. The program around the kernel, for its
// form with shared memory and the one between threads.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_BACKPROP_RODINIA_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_BACKPROP_RODINIA_H

#include "backprop.h"

namespace benchmark {

// kernel(input, weights, partial_sums, hidden): input i and the weights of row i, from 1 on
template <typename Kernel>
int run_layer_forward(int argc, char** argv, const char* name, Kernel kernel) {
  Arguments arguments(argc, argv, name, "[INPUTS, a multiple of 16] [SEED]");
  const int inputs =
      arguments.multiple_of(kBackpropRows, "INPUTS", 1 << 14, kBackpropRows, 65535 * kBackpropRows);
  Random random(arguments.seed());
  arguments.end();
  constexpr int kColumns = kBackpropHidden + 1;
  const int blocks = inputs / kBackpropRows;
  const std::vector<float> input = random.floats(inputs + 1, 0, 1);
  const std::vector<float> weights =
      random.floats(static_cast<size_t>(inputs + 1) * kColumns, -1, 1);

  DeviceArray<float> device_input(input), device_weights(weights);
  DeviceArray<float> partial_sums(static_cast<size_t>(blocks) * kBackpropHidden);
  kernel<<<dim3(1, blocks), dim3(kBackpropHidden, kBackpropRows)>>>(device_input, device_weights,
                                                                    partial_sums, kBackpropHidden);
  check(cudaGetLastError());

  // Row r of a block has been added to from as many rows after it as the largest power of two that
  // divides r; row 0 has the sum of all.
  std::vector<double> expected_sums(static_cast<size_t>(blocks) * kBackpropHidden),
      expected_weights(weights.begin(), weights.end());
  for (int block = 0; block < blocks; ++block) {
    for (int r = 0; r < kBackpropRows; ++r) {
      const int rows = r == 0 ? kBackpropRows : r & -r;
      for (int j = 0; j < kBackpropHidden; ++j) {
        double sum = 0;
        for (int row = r; row < r + rows; ++row) {
          const int i = block * kBackpropRows + row + 1;
          sum += static_cast<double>(input[i]) * weights[static_cast<size_t>(i) * kColumns + j + 1];
        }
        const int i = block * kBackpropRows + r + 1;
        expected_weights[static_cast<size_t>(i) * kColumns + j + 1] = sum;
        if (r == 0) expected_sums[static_cast<size_t>(block) * kBackpropHidden + j] = sum;
      }
    }
  }
  // A product and four levels of the tree round sums below 16.
  const double tolerance = 5 * kFloatRounding * kBackpropRows;
  const Comparison result = compare(partial_sums.to_host(), expected_sums, tolerance) +
                            compare(device_weights.to_host(), expected_weights, tolerance);
  return report(result, "%s: %d inputs, %d hidden units", name, inputs, kBackpropHidden);
}

}  // namespace benchmark

#endif
