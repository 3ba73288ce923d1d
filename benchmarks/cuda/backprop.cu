// One training step of a neural network with many inputs, 16 hidden units and one output. The first
// kernel multiplies a 16×16 tile of weights by the inputs and adds up its columns by a tree in
// shared memory; the host finishes the sums and computes the errors; the second kernel adjusts the
// weights. Stands for `BPNN` (layerforward) of the dMT-CGRA and BP1, BP2 of the gpu-sharing paper.
// Usage: backprop [INPUTS, a multiple of 16] [SEED]
#include "common/benchmark.h"

using namespace benchmark;

constexpr int kHidden = 16;
constexpr int kRows = 16;  // inputs a block
constexpr float kRate = 0.3f, kMomentum = 0.3f;

// Row 0 of `weights` is the bias; input i has row i + 1.
__global__ void layer_forward(const float* input, const float* weights, float* partial_sums) {
  __shared__ float values[kRows];
  __shared__ float products[kRows][kHidden];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.x * kRows + ty;
  if (tx == 0) values[ty] = input[row];
  __syncthreads();
  products[ty][tx] = weights[(row + 1) * kHidden + tx] * values[ty];
  __syncthreads();
  for (int distance = 1; distance < kRows; distance *= 2) {
    if (ty % (2 * distance) == 0) products[ty][tx] += products[ty + distance][tx];
    __syncthreads();
  }
  if (ty == 0) partial_sums[blockIdx.x * kHidden + tx] = products[0][tx];
}

__global__ void adjust_weights(const float* input, const float* delta, float* weights,
                               float* last_change) {
  int tx = threadIdx.x, row = blockIdx.x * kRows + threadIdx.y;
  int i = (row + 1) * kHidden + tx;
  float change = kRate * delta[tx] * input[row] + kMomentum * last_change[i];
  weights[i] += change;
  last_change[i] = change;
  if (row == 0) {
    float bias_change = kRate * delta[tx] + kMomentum * last_change[tx];
    weights[tx] += bias_change;
    last_change[tx] = bias_change;
  }
}

// What follows from the hidden units' weighted sums: the error of the output against its target,
// and each hidden unit's share in it.
std::vector<float> hidden_deltas(const std::vector<double>& sums,
                                 const std::vector<float>& output_weights, double target) {
  const auto sigmoid = [](double sum) { return 1 / (1 + std::exp(-sum)); };
  double output_sum = output_weights[kHidden];  // the bias
  for (int j = 0; j < kHidden; ++j) output_sum += sigmoid(sums[j]) * output_weights[j];
  const double output = sigmoid(output_sum);
  const double output_delta = output * (1 - output) * (target - output);
  std::vector<float> deltas(kHidden);
  for (int j = 0; j < kHidden; ++j) {
    const double hidden = sigmoid(sums[j]);
    deltas[j] = static_cast<float>(hidden * (1 - hidden) * output_weights[j] * output_delta);
  }
  return deltas;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "backprop [INPUTS, a multiple of 16] [SEED]");
  const int inputs = arguments.multiple_of(kRows, "INPUTS", 1 << 14, kRows, 65535 * kRows);
  Random random(arguments.seed());
  arguments.end();
  // The more inputs, the smaller the weights: else all units would be saturated and nothing learnt.
  const float scale = 2 / std::sqrt(static_cast<float>(inputs));
  const int count = (inputs + 1) * kHidden, blocks = inputs / kRows;
  const std::vector<float> input = random.floats(inputs, 0, 1);
  const std::vector<float> weights = random.floats(count, -scale, scale);
  const std::vector<float> last_change = random.floats(count, -scale, scale);
  const std::vector<float> output_weights = random.floats(kHidden + 1, -1, 1);
  const float target = random.uniform(0, 1);

  DeviceArray<float> device_input(input), device_weights(weights), device_change(last_change);
  DeviceArray<float> partial_sums(static_cast<size_t>(blocks) * kHidden);
  layer_forward<<<blocks, dim3(kHidden, kRows)>>>(device_input, device_weights, partial_sums);
  check(cudaGetLastError());
  std::vector<double> sums(weights.begin(), weights.begin() + kHidden);
  int unit = 0;
  for (float partial : partial_sums.to_host()) sums[unit++ % kHidden] += partial;
  const std::vector<float> deltas = hidden_deltas(sums, output_weights, target);
  DeviceArray<float> device_deltas(deltas);
  adjust_weights<<<blocks, dim3(kHidden, kRows)>>>(device_input, device_deltas, device_weights,
                                                   device_change);
  check(cudaGetLastError());

  // Both kernels in double precision, weight by weight; the bias is the weight of an input of 1.
  std::vector<double> expected_sums(kHidden), expected_weights(count), expected_change(count);
  for (int i = 0; i < count; ++i) {
    const int row = i / kHidden, j = i % kHidden;
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
  return report(result, "backprop: %d inputs, %d hidden units", inputs, kHidden);
}
