// Speckle-reducing anisotropic diffusion between threads, by the algorithm of Rodinia's srad_v2 and
// with its literals: double in the first pair of kernels, float in the second. A thread receives
// its neighbours' pixels; at the edge of a block it loads them. The shared-memory form is
// cuda/srad_rodinia.cu. Usage: dmt/srad_rodinia [ROWS] [COLUMNS] [ITERATIONS] [SEED], ROWS and
// COLUMNS multiples of 16
#include <raddle/dmt.h>

#include "../cuda/common/srad.h"

constexpr int kTile = benchmark::kSradTile;
constexpr int kLast = kTile - 1;
constexpr float kLambda = benchmark::kSradLambda;

template <typename Literal>
__device__ __forceinline__ void coefficients(const float* image, float* north, float* south,
                                             float* west, float* east, float* coefficient, int rows,
                                             int columns, float noise) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  const int i = y * columns + x;
  const float here = image[i];
  tagValue<"pixel">(here);
  float above = fromThreadOrConst<"pixel", {0, -1}, 0.0f>();
  float below = fromThreadOrConst<"pixel", {0, 1}, 0.0f>();
  float left = fromThreadOrConst<"pixel", {-1, 0}, 0.0f>();
  float right = fromThreadOrConst<"pixel", {1, 0}, 0.0f>();
  if (ty == 0) above = image[max(y - 1, 0) * columns + x];
  if (ty == kLast) below = image[min(y + 1, rows - 1) * columns + x];
  if (tx == 0) left = image[y * columns + max(x - 1, 0)];
  if (tx == kLast) right = image[y * columns + min(x + 1, columns - 1)];
  const float n = above - here, s = below - here, w = left - here, e = right - here;
  const float c = benchmark::srad_coefficient<Literal>(here, n, s, w, e, noise);
  coefficient[i] = fminf(fmaxf(c, 0.0f), 1.0f);
  east[i] = e;
  west[i] = w;
  south[i] = s;
  north[i] = n;
}

template <typename Literal>
__device__ __forceinline__ void diffuse(float* image, const float* north, const float* south,
                                        const float* west, const float* east,
                                        const float* coefficient, int rows, int columns) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  const int i = y * columns + x;
  const float here = coefficient[i];
  tagValue<"coefficient">(here);
  float below = fromThreadOrConst<"coefficient", {0, 1}, 0.0f>();
  float right = fromThreadOrConst<"coefficient", {1, 0}, 0.0f>();
  if (ty == kLast) below = coefficient[min(y + 1, rows - 1) * columns + x];
  if (tx == kLast) right = coefficient[y * columns + min(x + 1, columns - 1)];
  const float sum = here * north[i] + below * south[i] + here * west[i] + right * east[i];
  image[i] = image[i] + Literal(0.25) * kLambda * sum;
}

__global__ void srad_coefficients_double_rodinia_between_threads(const float* image, float* north,
                                                                 float* south, float* west,
                                                                 float* east, float* coefficient,
                                                                 int rows, int columns,
                                                                 float noise) {
  coefficients<double>(image, north, south, west, east, coefficient, rows, columns, noise);
}
__global__ void srad_diffuse_double_rodinia_between_threads(float* image, const float* north,
                                                            const float* south, const float* west,
                                                            const float* east,
                                                            const float* coefficient, int rows,
                                                            int columns) {
  diffuse<double>(image, north, south, west, east, coefficient, rows, columns);
}
__global__ void srad_coefficients_float_rodinia_between_threads(const float* image, float* north,
                                                                float* south, float* west,
                                                                float* east, float* coefficient,
                                                                int rows, int columns,
                                                                float noise) {
  coefficients<float>(image, north, south, west, east, coefficient, rows, columns, noise);
}
__global__ void srad_diffuse_float_rodinia_between_threads(float* image, const float* north,
                                                           const float* south, const float* west,
                                                           const float* east,
                                                           const float* coefficient, int rows,
                                                           int columns) {
  diffuse<float>(image, north, south, west, east, coefficient, rows, columns);
}

int main(int argc, char** argv) {
  const char* name = "dmt/srad_rodinia";
  return benchmark::run_srad(argc, argv, name, srad_coefficients_double_rodinia_between_threads,
                             srad_diffuse_double_rodinia_between_threads) |
         benchmark::run_srad(argc, argv, name, srad_coefficients_float_rodinia_between_threads,
                             srad_diffuse_float_rodinia_between_threads);
}
