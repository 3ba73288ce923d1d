// The temperature of a chip between threads, by the algorithm of Rodinia's hotspot kernel and with
// its literals: double in the first kernel, float in the second. Neighbours' temperatures are
// received; at the edge of the chip a thread takes its own. The shared-memory form is
// cuda/hotspot_rodinia.cu. Usage: dmt/hotspot_rodinia [SIZE] [STEPS] [PYRAMID] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/hotspot.h"

constexpr int kBlock = benchmark::kHotspotBlock;

// What a block's outermost threads compute from the constant is wrong, and one ring more in every
// step. These threads write nothing, so that no step has to know which they are.
template <typename Literal>
__device__ __forceinline__ void heat(const float* power, const float* from, float* to, int n,
                                     int steps, int halo, benchmark::HotspotChip chip) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float step = chip.step / chip.capacity;
  const float across = 1 / chip.resistance_x, along = 1 / chip.resistance_y,
              up = 1 / chip.resistance_z;
  const int inner = kBlock - 2 * steps;
  const int x = inner * blockIdx.x - halo + tx, y = inner * blockIdx.y - halo + ty, i = n * y + x;
  const bool on_chip = x >= 0 && x < n && y >= 0 && y < n;
  const float watts = on_chip ? power[i] : 0.0f;
  float here = on_chip ? from[i] : 0.0f;
  for (int k = 0; k < steps; ++k) {
    tagValue<"cell">(here);
    float north = fromThreadOrConst<"cell", {0, -1}, 0.0f>();
    float south = fromThreadOrConst<"cell", {0, 1}, 0.0f>();
    float west = fromThreadOrConst<"cell", {-1, 0}, 0.0f>();
    float east = fromThreadOrConst<"cell", {1, 0}, 0.0f>();
    if (y == 0) north = here;
    if (y == n - 1) south = here;
    if (x == 0) west = here;
    if (x == n - 1) east = here;
    here = here +
           step * (watts + (south + north - Literal(2.0) * here) * along +
                   (east + west - Literal(2.0) * here) * across + (benchmark::kAir - here) * up);
  }
  const int to_edge = min(min(tx, kBlock - 1 - tx), min(ty, kBlock - 1 - ty));
  if (on_chip && to_edge >= steps) to[i] = here;
}

__global__ void hotspot_double_rodinia_between_threads(const float* power, const float* from,
                                                       float* to, int n, int steps, int halo,
                                                       benchmark::HotspotChip chip) {
  heat<double>(power, from, to, n, steps, halo, chip);
}
__global__ void hotspot_float_rodinia_between_threads(const float* power, const float* from,
                                                      float* to, int n, int steps, int halo,
                                                      benchmark::HotspotChip chip) {
  heat<float>(power, from, to, n, steps, halo, chip);
}

int main(int argc, char** argv) {
  const char* name = "dmt/hotspot_rodinia";
  return benchmark::run_hotspot(argc, argv, name, hotspot_double_rodinia_between_threads,
                                benchmark::kHotspotChip) |
         benchmark::run_hotspot(argc, argv, name, hotspot_float_rodinia_between_threads,
                                benchmark::kHotspotChip);
}
