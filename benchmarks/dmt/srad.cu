// Speckle-reducing anisotropic diffusion of an ultrasound image between threads: the algorithm of
// cuda/srad.cu, its form with shared memory. Each thread passes its pixel, and in the second kernel
// its coefficient, to its neighbours; threads at the edge of a block load what lies outside of it.
// Usage: dmt/srad [ROWS] [COLUMNS] [ITERATIONS] [SEED], ROWS and COLUMNS multiples of 16
#include <raddle/dmt.h>

#include "../cuda/common/srad.h"

constexpr int kTile = benchmark::kSradTile;
constexpr float kLambda = benchmark::kSradLambda;

// `noise` is the variance of the sample over its mean squared. Outside the image lie copies of its
// edge.
__global__ void srad_coefficients_between_threads(const float* image, float* north, float* south,
                                                  float* west, float* east, float* coefficient,
                                                  int rows, int columns, float noise) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  int i = y * columns + x;
  float here = image[i];
  tagValue<"pixel">(here);
  float above = fromThreadOrConst<"pixel", {0, -1}, 0.0f>();
  float below = fromThreadOrConst<"pixel", {0, 1}, 0.0f>();
  float left = fromThreadOrConst<"pixel", {-1, 0}, 0.0f>();
  float right = fromThreadOrConst<"pixel", {1, 0}, 0.0f>();
  if (ty == 0) above = image[max(y - 1, 0) * columns + x];
  if (ty == kTile - 1) below = image[min(y + 1, rows - 1) * columns + x];
  if (tx == 0) left = image[y * columns + max(x - 1, 0)];
  if (tx == kTile - 1) right = image[y * columns + min(x + 1, columns - 1)];

  float n = above - here, s = below - here, w = left - here, e = right - here;
  float gradient = (n * n + s * s + w * w + e * e) / (here * here);
  float laplacian = (n + s + w + e) / here;
  float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian;
  float denominator = 1.0f + 0.25f * laplacian;
  float variation = numerator / (denominator * denominator);
  float c = 1.0f / (1.0f + (variation - noise) / (noise * (1.0f + noise)));
  north[i] = n;
  south[i] = s;
  west[i] = w;
  east[i] = e;
  coefficient[i] = fminf(fmaxf(c, 0.0f), 1.0f);
}

__global__ void srad_diffuse_between_threads(float* image, const float* north, const float* south,
                                             const float* west, const float* east,
                                             const float* coefficient, int rows, int columns) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  int i = y * columns + x;
  float here = coefficient[i];
  tagValue<"coefficient">(here);
  float below = fromThreadOrConst<"coefficient", {0, 1}, 0.0f>();
  float right = fromThreadOrConst<"coefficient", {1, 0}, 0.0f>();
  if (ty == kTile - 1) below = coefficient[min(y + 1, rows - 1) * columns + x];
  if (tx == kTile - 1) right = coefficient[y * columns + min(x + 1, columns - 1)];
  float divergence = here * (north[i] + west[i]) + below * south[i] + right * east[i];
  image[i] += 0.25f * kLambda * divergence;
}

int main(int argc, char** argv) {
  return benchmark::run_srad(argc, argv, "dmt/srad", srad_coefficients_between_threads,
                             srad_diffuse_between_threads);
}
