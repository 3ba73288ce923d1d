// Speckle-reducing anisotropic diffusion, with the work that the two kernels of Rodinia's srad_v2
// do: every thread copies a pixel of each margin and its own one to tiles in shared memory, with a
// barrier after each; which neighbours come from a margin is decided by a chain of conditions;
// results pass through shared memory on their way out; and literals are double. The second pair of
// kernels has floats there. The tidy form is srad.cu.
// Usage: srad_rodinia [ROWS] [COLUMNS] [ITERATIONS] [SEED], ROWS and COLUMNS multiples of 16
#include "common/srad.h"

constexpr int kTile = benchmark::kSradTile;
constexpr int kLast = kTile - 1;
constexpr float kLambda = benchmark::kSradLambda;

template <typename Literal>
__device__ __forceinline__ void coefficients(const float* image, float* north_out, float* south_out,
                                             float* west_out, float* east_out, float* coefficient,
                                             int columns, float noise) {
  __shared__ float tile[kTile][kTile], result[kTile][kTile];
  __shared__ float north[kTile][kTile], south[kTile][kTile], west[kTile][kTile], east[kTile][kTile];
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int corner = columns * kTile * by + kTile * bx;
  const int i = corner + columns * ty + tx;
  const int last_x = static_cast<int>(gridDim.x) - 1, last_y = static_cast<int>(gridDim.y) - 1;

  north[ty][tx] = by == 0 ? image[kTile * bx + tx] : image[corner + tx - columns];
  south[ty][tx] =
      by == last_y ? image[corner + columns * kLast + tx] : image[corner + columns * kTile + tx];
  __syncthreads();
  west[ty][tx] = bx == 0 ? image[corner + columns * ty] : image[corner + columns * ty - 1];
  east[ty][tx] =
      bx == last_x ? image[corner + columns * ty + kLast] : image[corner + columns * ty + kTile];
  __syncthreads();
  tile[ty][tx] = image[i];
  __syncthreads();

  const float here = tile[ty][tx];
  float n, s, w, e;
  if (ty == 0 && tx == 0) {
    n = north[ty][tx] - here, s = tile[ty + 1][tx] - here;
    w = west[ty][tx] - here, e = tile[ty][tx + 1] - here;
  } else if (ty == 0 && tx == kLast) {
    n = north[ty][tx] - here, s = tile[ty + 1][tx] - here;
    w = tile[ty][tx - 1] - here, e = east[ty][tx] - here;
  } else if (ty == kLast && tx == kLast) {
    n = tile[ty - 1][tx] - here, s = south[ty][tx] - here;
    w = tile[ty][tx - 1] - here, e = east[ty][tx] - here;
  } else if (ty == kLast && tx == 0) {
    n = tile[ty - 1][tx] - here, s = south[ty][tx] - here;
    w = west[ty][tx] - here, e = tile[ty][tx + 1] - here;
  } else if (ty == 0) {
    n = north[ty][tx] - here, s = tile[ty + 1][tx] - here;
    w = tile[ty][tx - 1] - here, e = tile[ty][tx + 1] - here;
  } else if (tx == kLast) {
    n = tile[ty - 1][tx] - here, s = tile[ty + 1][tx] - here;
    w = tile[ty][tx - 1] - here, e = east[ty][tx] - here;
  } else if (ty == kLast) {
    n = tile[ty - 1][tx] - here, s = south[ty][tx] - here;
    w = tile[ty][tx - 1] - here, e = tile[ty][tx + 1] - here;
  } else if (tx == 0) {
    n = tile[ty - 1][tx] - here, s = tile[ty + 1][tx] - here;
    w = west[ty][tx] - here, e = tile[ty][tx + 1] - here;
  } else {
    n = tile[ty - 1][tx] - here, s = tile[ty + 1][tx] - here;
    w = tile[ty][tx - 1] - here, e = tile[ty][tx + 1] - here;
  }
  const float c = benchmark::srad_coefficient<Literal>(here, n, s, w, e, noise);
  if (c < 0)
    result[ty][tx] = 0;
  else if (c > 1)
    result[ty][tx] = 1;
  else
    result[ty][tx] = c;
  __syncthreads();
  coefficient[i] = result[ty][tx];
  east_out[i] = e;
  west_out[i] = w;
  south_out[i] = s;
  north_out[i] = n;
}

template <typename Literal>
__device__ __forceinline__ void diffuse(float* image, const float* north, const float* south,
                                        const float* west, const float* east,
                                        const float* coefficient, int columns) {
  __shared__ float below_tile[kTile][kTile], right_tile[kTile][kTile], own[kTile][kTile];
  __shared__ float result[kTile][kTile], tile[kTile][kTile];
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int corner = columns * kTile * by + kTile * bx;
  const int i = corner + columns * ty + tx;
  const int last_x = static_cast<int>(gridDim.x) - 1, last_y = static_cast<int>(gridDim.y) - 1;

  tile[ty][tx] = image[i];
  __syncthreads();
  below_tile[ty][tx] = by == last_y ? coefficient[corner + columns * kLast + tx]
                                    : coefficient[corner + columns * kTile + tx];
  __syncthreads();
  right_tile[ty][tx] = bx == last_x ? coefficient[corner + columns * ty + kLast]
                                    : coefficient[corner + columns * ty + kTile];
  __syncthreads();
  own[ty][tx] = coefficient[i];
  __syncthreads();

  const float here = own[ty][tx];
  float below, right;
  if (ty == kLast && tx == kLast) {
    below = below_tile[ty][tx], right = right_tile[ty][tx];
  } else if (tx == kLast) {
    below = own[ty + 1][tx], right = right_tile[ty][tx];
  } else if (ty == kLast) {
    below = below_tile[ty][tx], right = own[ty][tx + 1];
  } else {
    below = own[ty + 1][tx], right = own[ty][tx + 1];
  }
  const float sum = here * north[i] + below * south[i] + here * west[i] + right * east[i];
  result[ty][tx] = tile[ty][tx] + Literal(0.25) * kLambda * sum;
  __syncthreads();
  image[i] = result[ty][tx];
}

__global__ void srad_coefficients_double_rodinia(const float* image, float* north, float* south,
                                                 float* west, float* east, float* coefficient,
                                                 int /*rows*/, int columns, float noise) {
  coefficients<double>(image, north, south, west, east, coefficient, columns, noise);
}
__global__ void srad_diffuse_double_rodinia(float* image, const float* north, const float* south,
                                            const float* west, const float* east,
                                            const float* coefficient, int /*rows*/, int columns) {
  diffuse<double>(image, north, south, west, east, coefficient, columns);
}
__global__ void srad_coefficients_float_rodinia(const float* image, float* north, float* south,
                                                float* west, float* east, float* coefficient,
                                                int /*rows*/, int columns, float noise) {
  coefficients<float>(image, north, south, west, east, coefficient, columns, noise);
}
__global__ void srad_diffuse_float_rodinia(float* image, const float* north, const float* south,
                                           const float* west, const float* east,
                                           const float* coefficient, int /*rows*/, int columns) {
  diffuse<float>(image, north, south, west, east, coefficient, columns);
}

int main(int argc, char** argv) {
  const char* name = "srad_rodinia";
  return benchmark::run_srad(argc, argv, name, srad_coefficients_double_rodinia,
                             srad_diffuse_double_rodinia) |
         benchmark::run_srad(argc, argv, name, srad_coefficients_float_rodinia,
                             srad_diffuse_float_rodinia);
}
