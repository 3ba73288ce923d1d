// The Q matrix of a magnetic resonance image reconstruction: for each voxel, a sum over all samples
// of k-space of the sample's weight times the cosine and sine of 2 pi k.x. Stands for Parboil's
// mri-q of the gpu-sharing paper: compute_q is MRI1 (compute-bound, trigonometry in the special
// function units), compute_phi_mag MRI2 (short, memory-bound).
// Usage: mri_q [VOXELS] [SAMPLES] [SEED]
#include <cstdio>

#include "common/benchmark.h"

using namespace benchmark;

constexpr int kPhiBlock = 512;
constexpr int kQBlock = 256;
constexpr int kSamplesPerLaunch = 1024;  // 16 KiB of constant memory
constexpr float kTwoPi = 6.28318530717958648f;

struct Sample {
  float x, y, z, weight;
};

__constant__ Sample samples[kSamplesPerLaunch];

__global__ void compute_phi_mag(const float* real, const float* imaginary, float* magnitude,
                                int count) {
  int i = blockIdx.x * kPhiBlock + threadIdx.x;
  if (i < count) magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

__global__ void compute_q(int count, const float* x, const float* y, const float* z, float* real,
                          float* imaginary, int voxels) {
  int i = blockIdx.x * kQBlock + threadIdx.x;
  if (i >= voxels) return;
  float here_x = x[i], here_y = y[i], here_z = z[i];
  float sum_real = real[i], sum_imaginary = imaginary[i];
#pragma unroll 2
  for (int s = 0; s < count; ++s) {
    float turns = samples[s].x * here_x + samples[s].y * here_y + samples[s].z * here_z;
    // The fast sine and cosine promise their accuracy from -pi to pi alone.
    float angle = kTwoPi * (turns - rintf(turns));
    sum_real += samples[s].weight * __cosf(angle);
    sum_imaginary += samples[s].weight * __sinf(angle);
  }
  real[i] = sum_real;
  imaginary[i] = sum_imaginary;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "mri_q [VOXELS] [SAMPLES] [SEED]");
  const int voxels = arguments.number("VOXELS", 8192, 1, 1 << 22);
  const int count = arguments.number("SAMPLES", 512, 1, 1 << 20);
  Random random(arguments.seed());
  arguments.end();
  // Places within a cube of edge 1, frequencies up to 16 waves across it.
  constexpr float kWaves = 16;
  const std::vector<float> x = random.floats(voxels, -0.5f, 0.5f);
  const std::vector<float> y = random.floats(voxels, -0.5f, 0.5f);
  const std::vector<float> z = random.floats(voxels, -0.5f, 0.5f);
  const std::vector<float> phi_real = random.floats(count, -1, 1);
  const std::vector<float> phi_imaginary = random.floats(count, -1, 1);
  std::vector<Sample> all(count);
  for (Sample& k : all) {
    k.x = random.uniform(-kWaves, kWaves);
    k.y = random.uniform(-kWaves, kWaves);
    k.z = random.uniform(-kWaves, kWaves);
  }

  DeviceArray<float> device_phi_real(phi_real), device_phi_imaginary(phi_imaginary);
  DeviceArray<float> device_magnitude(count);
  compute_phi_mag<<<blocks_for(count, kPhiBlock), kPhiBlock>>>(
      device_phi_real, device_phi_imaginary, device_magnitude, count);
  check(cudaGetLastError());
  const std::vector<float> magnitude = device_magnitude.to_host();
  for (int s = 0; s < count; ++s) all[s].weight = magnitude[s];

  DeviceArray<float> device_x(x), device_y(y), device_z(z);
  DeviceArray<float> device_real(voxels), device_imaginary(voxels);
  check(cudaMemset(device_real, 0, voxels * sizeof(float)));
  check(cudaMemset(device_imaginary, 0, voxels * sizeof(float)));
  for (int begin = 0; begin < count; begin += kSamplesPerLaunch) {
    const int some = std::min(kSamplesPerLaunch, count - begin);
    check(cudaMemcpyToSymbol(samples, &all[begin], some * sizeof(Sample)));
    compute_q<<<blocks_for(voxels, kQBlock), kQBlock>>>(some, device_x, device_y, device_z,
                                                        device_real, device_imaginary, voxels);
    check(cudaGetLastError());
  }

  std::vector<double> real(voxels), imaginary(voxels);

  for (int s = 0; s < count; ++s) {
    const double weight = std::pow(phi_real[s], 2.0) + std::pow(phi_imaginary[s], 2.0);

    for (int i = 0; i < voxels; ++i) {
      const double angle =
          2 * std::acos(-1.0) *
          (double{all[s].x} * x[i] + double{all[s].y} * y[i] + double{all[s].z} * z[i]);
      real[i] += weight * std::cos(angle);
      imaginary[i] += weight * std::sin(angle);
    }
  }
  // An angle errs by four roundings of 2 pi times 24 turns, the fast functions by 2^-21; weights
  // are 2 at most. Terms and partial sums, both of random sign, grow as the root of their number.
  const double angle_error = 4 * kFloatRounding * kTwoPi * 1.5 * kWaves + 0x1p-21;
  const double tolerance = 4 * std::sqrt(count) * angle_error + 2 * count * kFloatRounding;
  const std::vector<float> result = device_real.to_host();
  char what[80];
  std::snprintf(what, sizeof what, "mri_q: %d voxels, %d samples, real part of q[0] %.7g", voxels,
                count, result[0]);
  return report(what, compare(result, real, tolerance) +
                          compare(device_imaginary.to_host(), imaginary, tolerance));
}
