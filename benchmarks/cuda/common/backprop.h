// One training step of a neural network: the program around the kernel for the hidden units' sums,
// for its form with shared memory and the one between threads. The kernel that adjusts the weights
// is the same in both.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_BACKPROP_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_BACKPROP_H

#include "benchmark.h"

namespace benchmark {

constexpr int kBackpropHidden = 16;
constexpr int kBackpropRows = 16;  // inputs a block
constexpr float kRate = 0.3f, kMomentum = 0.3f;

}  // namespace benchmark

using benchmark::kBackpropHidden, benchmark::kBackpropRows, benchmark::kRate, benchmark::kMomentum;

__global__ void adjust_weights(const float* input, const float* delta, float* weights,
                               float* last_change) {
  int tx = threadIdx.x, row = blockIdx.x * kBackpropRows + threadIdx.y;
  int i = (row + 1) * kBackpropHidden + tx;
  float change = kRate * delta[tx] * input[row] + kMomentum * last_change[i];
  weights[i] += change;
  last_change[i] = change;
  if (row == 0) {
    float bias_change = kRate * delta[tx] + kMomentum * last_change[tx];
    weights[tx] += bias_change;
    last_change[tx] = bias_change;
  }
}

namespace benchmark {

// What follows from the hidden units' weighted sums: the error of the output against its target,
// and each hidden unit's share in it.
inline std::vector<float> hidden_deltas(const std::vector<double>& sums,
                                        const std::vector<float>& output_weights, double target) {
  const auto sigmoid = [](double sum) { return 1 / (1 + std::exp(-sum)); };
  double output_sum = output_weights[kBackpropHidden];  // the bias
  for (int j = 0; j < kBackpropHidden; ++j) output_sum += sigmoid(sums[j]) * output_weights[j];
  const double output = sigmoid(output_sum);
  const double output_delta = output * (1 - output) * (target - output);
  std::vector<float> deltas(kBackpropHidden);
  for (int j = 0; j < kBackpropHidden; ++j) {
    const double hidden = sigmoid(sums[j]);
    deltas[j] = static_cast<float>(hidden * (1 - hidden) * output_weights[j] * output_delta);
  }
  return deltas;
}

// layer_forward(input, weights, partial_sums): row 0 of `weights` is the bias, input i has row i +
// 1
template <typename Kernel>
int run_backprop(int argc, char** argv, const char* name, Kernel layer_forward) {
  Arguments arguments(argc, argv, name, "[INPUTS, a multiple of 16] [SEED]");
  const int inputs =
      arguments.multiple_of(kBackpropRows, "INPUTS", 1 << 14, kBackpropRows, 65535 * kBackpropRows);
  Random random(arguments.seed());
  arguments.end();
  // The more inputs, the smaller the weights: else all units would be saturated and nothing learnt.
  const float scale = 2 / std::sqrt(static_cast<float>(inputs));
  const int count = (inputs + 1) * kBackpropHidden, blocks = inputs / kBackpropRows;
  const std::vector<float> input = random.floats(inputs, 0, 1);
  const std::vector<float> weights = random.floats(count, -scale, scale);
  const std::vector<float> last_change = random.floats(count, -scale, scale);
  const std::vector<float> output_weights = random.floats(kBackpropHidden + 1, -1, 1);
  const float target = random.uniform(0, 1);

  DeviceArray<float> device_input(input), device_weights(weights), device_change(last_change);
  DeviceArray<float> partial_sums(static_cast<size_t>(blocks) * kBackpropHidden);
  layer_forward<<<blocks, dim3(kBackpropHidden, kBackpropRows)>>>(device_input, device_weights,
                                                                  partial_sums);
  check(cudaGetLastError());
  std::vector<double> sums(weights.begin(), weights.begin() + kBackpropHidden);
  int unit = 0;
  for (float partial : partial_sums.to_host()) sums[unit++ % kBackpropHidden] += partial;
  const std::vector<float> deltas = hidden_deltas(sums, output_weights, target);
  DeviceArray<float> device_deltas(deltas);
  adjust_weights<<<blocks, dim3(kBackpropHidden, kBackpropRows)>>>(device_input, device_deltas,
                                                                   device_weights, device_change);
  check(cudaGetLastError());

  // Both kernels in double precision, weight by weight; the bias is the weight of an input of 1.
  std::vector<double> expected_sums(kBackpropHidden), expected_weights(count),
      expected_change(count);
  for (int i = 0; i < count; ++i) {
    const int row = i / kBackpropHidden, j = i % kBackpropHidden;
    const double value = row == 0 ? 1 : input[row - 1];
    expected_sums[j] += value * weights[i];
    expected_change[i] = kRate * value * deltas[j] + double{kMomentum} * last_change[i];
    expected_weights[i] = weights[i] + expected_change[i];
  }
  // A product and four levels of the tree round terms below `scale`; an adjustment rounds values
  // below 1 four times.
  const Comparison result =
      compare(sums, expected_sums, 5 * kFloatRounding * scale * inputs) +
      compare(device_weights.to_host(), expected_weights, 4 * kFloatRounding) +
      compare(device_change.to_host(), expected_change, 4 * kFloatRounding);
  return report(result, "%s: %d inputs, %d hidden units", name, inputs, kBackpropHidden);
}

}  // namespace benchmark

#endif
