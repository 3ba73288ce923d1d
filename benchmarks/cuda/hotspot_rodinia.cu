// The temperature of a chip, with the work that Rodinia's hotspot kernel does: temperatures, power
// and results are three tiles in shared memory, thermal resistances and the step are arguments
// that every thread divides by, the part of the chip that a block covers is worked out as limits
// of thread numbers, and the literal 2.0 is double, so that the sums around it are. The second
// kernel has a float there. The tidy form is hotspot.cu.
// Usage: hotspot_rodinia [SIZE] [STEPS] [PYRAMID] [SEED]
#include "common/hotspot.h"

constexpr int kBlock = benchmark::kHotspotBlock;

__device__ __forceinline__ bool within(int value, int low, int high) {
  return value >= low && value <= high;
}

template <typename Literal>
__device__ __forceinline__ void heat(const float* power, const float* from, float* to, int n,
                                     int steps, int halo, benchmark::HotspotChip chip) {
  __shared__ float now[kBlock][kBlock], watts[kBlock][kBlock], next[kBlock][kBlock];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float step = chip.step / chip.capacity;
  const float across = 1 / chip.resistance_x, along = 1 / chip.resistance_y,
              up = 1 / chip.resistance_z;
  const int inner = kBlock - 2 * steps;
  const int block_x = inner * blockIdx.x - halo, block_y = inner * blockIdx.y - halo;
  const int x = block_x + tx, y = block_y + ty, i = n * y + x;
  if (within(y, 0, n - 1) && within(x, 0, n - 1)) {
    now[ty][tx] = from[i];
    watts[ty][tx] = power[i];
  }
  __syncthreads();

  const int end_x = block_x + kBlock - 1, end_y = block_y + kBlock - 1;
  const int first_x = block_x < 0 ? -block_x : 0, first_y = block_y < 0 ? -block_y : 0;
  const int last_x = end_x > n - 1 ? kBlock - 1 - (end_x - n + 1) : kBlock - 1;
  const int last_y = end_y > n - 1 ? kBlock - 1 - (end_y - n + 1) : kBlock - 1;
  const int west = tx - 1 < first_x ? first_x : tx - 1, east = tx + 1 > last_x ? last_x : tx + 1;
  const int north = ty - 1 < first_y ? first_y : ty - 1, south = ty + 1 > last_y ? last_y : ty + 1;
  bool computed = false;
  for (int k = 0; k < steps; ++k) {
    computed = false;
    if (within(tx, k + 1, kBlock - k - 2) && within(ty, k + 1, kBlock - k - 2) &&
        within(tx, first_x, last_x) && within(ty, first_y, last_y)) {
      computed = true;
      next[ty][tx] =
          now[ty][tx] +
          step * (watts[ty][tx] +
                  (now[south][tx] + now[north][tx] - Literal(2.0) * now[ty][tx]) * along +
                  (now[ty][east] + now[ty][west] - Literal(2.0) * now[ty][tx]) * across +
                  (benchmark::kAir - now[ty][tx]) * up);
    }
    __syncthreads();
    if (k == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) to[i] = next[ty][tx];
}

__global__ void hotspot_double_rodinia(const float* power, const float* from, float* to, int n,
                                       int steps, int halo, benchmark::HotspotChip chip) {
  heat<double>(power, from, to, n, steps, halo, chip);
}
__global__ void hotspot_float_rodinia(const float* power, const float* from, float* to, int n,
                                      int steps, int halo, benchmark::HotspotChip chip) {
  heat<float>(power, from, to, n, steps, halo, chip);
}

int main(int argc, char** argv) {
  const char* name = "hotspot_rodinia";
  return benchmark::run_hotspot(argc, argv, name, hotspot_double_rodinia, benchmark::kHotspotChip) |
         benchmark::run_hotspot(argc, argv, name, hotspot_float_rodinia, benchmark::kHotspotChip);
}
