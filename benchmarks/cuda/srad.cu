// Speckle-reducing anisotropic diffusion of an ultrasound image. Each iteration has two kernels
// with 16×16 tiles and their halo in shared memory: the first computes the differences to the four
// neighbours and from them a diffusion coefficient, the second diffuses by the coefficients of the
// cell and of its lower and right neighbour. Stands for `srad` (Rodinia's version 2) of the
// dMT-CGRA paper. Usage: srad [ROWS] [COLUMNS] [ITERATIONS] [SEED], ROWS and COLUMNS multiples of
// 16
#include "common/srad.h"

constexpr int kTile = benchmark::kSradTile;
constexpr float kLambda = benchmark::kSradLambda;

// `noise` is the variance of the sample over its mean squared. Outside the image lie copies of its
// edge.
__global__ void srad_coefficients(const float* image, float* north, float* south, float* west,
                                  float* east, float* coefficient, int rows, int columns,
                                  float noise) {
  __shared__ float tile[kTile + 2][kTile + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  int i = y * columns + x;
  tile[ty][tx] = image[i];
  if (ty == 1) tile[0][tx] = image[max(y - 1, 0) * columns + x];
  if (ty == kTile) tile[kTile + 1][tx] = image[min(y + 1, rows - 1) * columns + x];
  if (tx == 1) tile[ty][0] = image[y * columns + max(x - 1, 0)];
  if (tx == kTile) tile[ty][kTile + 1] = image[y * columns + min(x + 1, columns - 1)];
  __syncthreads();

  float here = tile[ty][tx];
  float n = tile[ty - 1][tx] - here, s = tile[ty + 1][tx] - here;
  float w = tile[ty][tx - 1] - here, e = tile[ty][tx + 1] - here;
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

__global__ void srad_diffuse(float* image, const float* north, const float* south,
                             const float* west, const float* east, const float* coefficient,
                             int rows, int columns) {
  __shared__ float tile[kTile + 1][kTile + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  int i = y * columns + x;
  tile[ty][tx] = coefficient[i];
  if (ty == kTile - 1) tile[kTile][tx] = coefficient[min(y + 1, rows - 1) * columns + x];
  if (tx == kTile - 1) tile[ty][kTile] = coefficient[y * columns + min(x + 1, columns - 1)];
  __syncthreads();
  float here = tile[ty][tx];
  float divergence =
      here * (north[i] + west[i]) + tile[ty + 1][tx] * south[i] + tile[ty][tx + 1] * east[i];
  image[i] += 0.25f * kLambda * divergence;
}

int main(int argc, char** argv) {
  return benchmark::run_srad(argc, argv, "srad", srad_coefficients, srad_diffuse);
}
