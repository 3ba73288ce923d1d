// Electrostatic potential of atoms on a lattice of points half an angstrom apart, each atom
// reaching as far as a cutoff where its potential is smoothly zero. Atoms are sorted into bins of
// four angstroms; a block computes the 8 x 8 x 8 points of one bin, four a thread, and passes the
// bins in reach through shared memory. Stands for Parboil's cutcp of the gpu-sharing paper:
// cutoff_potential is CUTCP (compute-bound).
// Usage: cutcp [BINS, along each edge] [CUTOFF, in angstroms] [SEED]
#include <cstdio>

#include "common/benchmark.h"

using namespace benchmark;

constexpr float kSpacing = 0.5f;
constexpr int kRegion =
    8;  // points along each edge of a block's region, which is as large as a bin
constexpr float kBinEdge = kRegion * kSpacing;
constexpr int kBinDepth = 8;  // atoms of a bin; those that are missing have no charge
constexpr int kBlockY = 2, kPointsPerThread = kRegion / kBlockY;
constexpr int kThreads = kRegion * kBlockY * kRegion;
constexpr int kBatch = 32;  // bins in shared memory at a time, 4 KiB
constexpr int kReach = 3;   // bins; the cutoff is at most 12 angstroms
constexpr int kMostNeighbours = (2 * kReach + 1) * (2 * kReach + 1) * (2 * kReach + 1);

__constant__ int3 neighbours[kMostNeighbours];  // where the bins in reach lie from a block's own

__global__ void cutoff_potential(const float4* bins, float* potential, int edge,
                                 int neighbour_count, float cutoff_squared) {
  __shared__ float4 atoms[kBatch * kBinDepth];
  __shared__ int bin[kBatch];  // -1 if it lies outside of the box
  const int tid = threadIdx.x + kRegion * (threadIdx.y + kBlockY * threadIdx.z);
  const int column = blockIdx.x * kRegion + threadIdx.x;
  const int row = blockIdx.y * kRegion + threadIdx.y;  // and each second one above it
  const int plane = blockIdx.z * kRegion + threadIdx.z;
  const float x = kSpacing * column, y = kSpacing * row, z = kSpacing * plane;
  const float inverse = 1 / cutoff_squared;
  float sum[kPointsPerThread] = {};

  for (int first = 0; first < neighbour_count; first += kBatch) {
    const int batch = min(kBatch, neighbour_count - first);
    if (tid < batch) {
      const int3 offset = neighbours[first + tid];
      const int i = blockIdx.x + offset.x, j = blockIdx.y + offset.y, k = blockIdx.z + offset.z;
      const bool inside = i >= 0 && i < edge && j >= 0 && j < edge && k >= 0 && k < edge;
      bin[tid] = inside ? i + edge * (j + edge * k) : -1;
    }
    __syncthreads();
    for (int i = tid; i < batch * kBinDepth; i += kThreads)
      if (bin[i / kBinDepth] >= 0) atoms[i] = bins[bin[i / kBinDepth] * kBinDepth + i % kBinDepth];
    __syncthreads();
    for (int b = 0; b < batch; ++b) {
      if (bin[b] < 0) continue;
      for (int i = b * kBinDepth; i < (b + 1) * kBinDepth; ++i) {
        const float4 atom = atoms[i];
        if (atom.w == 0) break;
        const float dx = atom.x - x, dz = atom.z - z, aside = dx * dx + dz * dz;
#pragma unroll
        for (int p = 0; p < kPointsPerThread; ++p) {
          const float dy = atom.y - y - p * kBlockY * kSpacing;
          const float squared = aside + dy * dy;
          if (squared >= cutoff_squared) continue;
          const float fade = 1 - squared * inverse;
          sum[p] += atom.w * rsqrtf(squared) * fade * fade;
        }
      }
    }
    __syncthreads();
  }
  const int points = edge * kRegion;
#pragma unroll
  for (int p = 0; p < kPointsPerThread; ++p)
    potential[column + points * (row + p * kBlockY + points * plane)] = sum[p];
}

// The bins that come nearer than the cutoff to some place of the bin in the middle.
std::vector<int3> bins_in_reach(float cutoff) {
  std::vector<int3> offsets;
  const auto gap = [](int offset) { return std::max(std::abs(offset) - 1, 0) * kBinEdge; };
  for (int k = -kReach; k <= kReach; ++k)
    for (int j = -kReach; j <= kReach; ++j)
      for (int i = -kReach; i <= kReach; ++i)
        if (std::hypot(gap(i), gap(j), gap(k)) < cutoff) offsets.push_back({i, j, k});
  return offsets;
}

// Four to eight atoms a bin, about as many as in water, off its faces, so that rounding moves none
// into the next; charges of either sign, none of them zero.
std::vector<float4> random_atoms(int edge, Random& random) {
  std::vector<float4> atoms;
  for (int bin = 0; bin < edge * edge * edge; ++bin)
    for (int left = 4 + random.below(kBinDepth - 3); left > 0; --left) {
      const auto within = [&](int index) {
        return (static_cast<float>(index) + random.uniform(0.01f, 0.99f)) * kBinEdge;
      };
      const float x = within(bin % edge), y = within(bin / edge % edge),
                  z = within(bin / edge / edge);
      const float charge = random.uniform(0.1f, 1.0f);
      atoms.push_back({x, y, z, random.below(2) == 0 ? charge : -charge});
    }
  return atoms;
}

std::vector<float4> sorted_into_bins(const std::vector<float4>& atoms, int edge) {
  std::vector<float4> bins(static_cast<std::size_t>(edge) * edge * edge * kBinDepth, float4{});
  for (const float4& atom : atoms) {
    const auto index = [](float at) { return static_cast<int>(at / kBinEdge); };
    float4* slot =
        &bins[(index(atom.x) + edge * (index(atom.y) + edge * index(atom.z))) * kBinDepth];
    while (slot->w != 0) ++slot;
    *slot = atom;
  }
  return bins;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "cutcp [BINS] [CUTOFF] [SEED]");
  const int edge = arguments.number("BINS", 4, 1, 64);
  const int cutoff = arguments.number("CUTOFF", 12, 1, static_cast<int>(kReach * kBinEdge));
  Random random(arguments.seed());
  arguments.end();
  const std::vector<float4> atoms = random_atoms(edge, random);
  const std::vector<int3> offsets = bins_in_reach(static_cast<float>(cutoff));

  const int points = edge * kRegion;
  DeviceArray<float4> bins(sorted_into_bins(atoms, edge));
  DeviceArray<float> potential(static_cast<std::size_t>(points) * points * points);
  check(cudaMemcpyToSymbol(neighbours, offsets.data(), offsets.size() * sizeof(int3)));
  cutoff_potential<<<dim3(edge, edge, edge), dim3(kRegion, kBlockY, kRegion)>>>(
      bins, potential, edge, static_cast<int>(offsets.size()), static_cast<float>(cutoff * cutoff));
  check(cudaGetLastError());
  std::vector<float> result = potential.to_host();
  const float first = result[0];

  // All atoms for all points, without bins. Charges cancel, so values are compared in parts of what
  // the atoms in reach would amount to if all had the same sign and nothing faded: a term errs by
  // some ten roundings of its part, and their sum, with random signs, by less.
  std::vector<double> expected(result.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double x = kSpacing * static_cast<double>(i % points);
    const double y = kSpacing * static_cast<double>(i / points % points);
    const double z = kSpacing * static_cast<double>(i / points / points);
    double sum = 0, scale = 0;
    for (const float4& atom : atoms) {
      const double squared =
          (atom.x - x) * (atom.x - x) + (atom.y - y) * (atom.y - y) + (atom.z - z) * (atom.z - z);
      if (squared >= cutoff * cutoff) continue;
      const double unfaded = atom.w / std::sqrt(squared);
      sum += unfaded * std::pow(1 - squared / (cutoff * cutoff), 2);
      scale += std::fabs(unfaded);
    }
    expected[i] = scale > 0 ? sum / scale : 0;
    if (scale > 0) result[i] = static_cast<float>(result[i] / scale);
  }
  char what[120];
  std::snprintf(what, sizeof what, "cutcp: %zu atoms, %d x %d x %d points, cutoff %d, first %.7g",
                atoms.size(), points, points, points, cutoff, first);
  return report(what, compare(result, expected, 32 * kFloatRounding));
}
