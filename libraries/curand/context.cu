// Generators, their settings, and the calls that fill arrays.
#include <math.h>
#include <stdio.h>

#include <vector>

#include "generator.h"

namespace raddle_curand_host {
namespace {

void forget(curandGenerator_t g) {
  g->ready = 0;
  g->drawn = 0;
}

template <typename Draw>
cudaError_t run(curandGenerator_t g, size_t items, Draw draw) {
  if (is_quasi(*g)) return draw_sobol(g, items, draw);
  if (g->type == CURAND_RNG_PSEUDO_MT19937 || g->type == CURAND_RNG_PSEUDO_MTGP32)
    return draw_mersenne(g, items, draw);
  return draw_streams(g, items, draw);
}
cudaError_t run(curandGenerator_t g, size_t items, Raw<unsigned long long> draw) {
  return draw_sobol(g, items, draw);
}

// A host's array is filled through one of the device.
template <typename T, typename Draw>
curandStatus_t fill(curandGenerator_t g, T* out, size_t n, size_t items, Draw draw) {
  if (is_quasi(*g) && n % g->dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (n == 0) return CURAND_STATUS_SUCCESS;
  draw.out = out;
  if (!g->on_host) return status_of(run(g, items, draw));
  cudaError_t error = cudaMalloc(&draw.out, n * sizeof(T));
  if (error != cudaSuccess) return status_of(error);
  error = run(g, items, draw);
  if (error == cudaSuccess) error = cudaStreamSynchronize(g->stream);
  if (error == cudaSuccess)
    error = cudaMemcpy(out, draw.out, n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(draw.out);
  return status_of(error);
}

template <typename Real>
curandStatus_t normal(curandGenerator_t g, Real* out, size_t n, Real mean, Real deviation,
                      bool exponential) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_quasi(*g) && n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return fill(g, out, n, is_quasi(*g) ? n : n / 2,
              Normal<Real>{nullptr, mean, deviation, exponential});
}

// Poisson's cumulative distribution, from where it leaves zero to where it is one in double. It is
// built up from the mode, in both directions, as ratios to it.
curandStatus_t make_table(curandGenerator_t g, double lambda) {
  if (g->lambda == lambda) return CURAND_STATUS_SUCCESS;
  const double reach = 12 * sqrt(lambda) + 30;
  const int first = lambda > reach ? (int)(lambda - reach) : 0;
  const int size = (int)(lambda + reach) - first + 1;
  const int mode = (int)lambda - first;
  std::vector<double> table(size);
  table[mode] = 1;
  for (int k = mode + 1; k < size; ++k) table[k] = table[k - 1] * lambda / (first + k);
  for (int k = mode; k > 0; --k) table[k - 1] = table[k] * (first + k) / lambda;
  long double sum = 0;
  for (double& p : table) p = (double)(sum += p);
  for (double& p : table) p = (double)(p / sum);
  table.back() = 1;
  cudaFree(g->table);
  g->table = nullptr;
  g->lambda = -1;
  cudaError_t error = cudaMalloc(&g->table, size * sizeof(double));
  if (error == cudaSuccess)
    error = cudaMemcpy(g->table, table.data(), size * sizeof(double), cudaMemcpyHostToDevice);
  if (error != cudaSuccess) return status_of(error);
  g->lambda = lambda;
  g->table_first = first;
  g->table_size = size;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: break;
    default: return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = new curandGenerator_st;
  (*generator)->type = type;
  (*generator)->on_host = on_host;
  return CURAND_STATUS_SUCCESS;
}

}  // namespace
}  // namespace raddle_curand_host

using namespace raddle_curand_host;

#define CHECK_GENERATOR(g) \
  if ((g) == nullptr) return CURAND_STATUS_NOT_INITIALIZED

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
  CHECK_GENERATOR(g);
  cudaFree(g->states);
  cudaFree(g->table);
  delete g;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CURAND_VER_MAJOR
           : type == MINOR_VERSION ? CURAND_VER_MINOR
                                   : CURAND_VER_PATCH;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
  CHECK_GENERATOR(g);
  g->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  CHECK_GENERATOR(g);
  if (is_quasi(*g)) return CURAND_STATUS_TYPE_ERROR;
  g->seed = seed;
  forget(g);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  CHECK_GENERATOR(g);
  g->offset = offset;
  forget(g);
  return CURAND_STATUS_SUCCESS;
}
// There is one order for each kind of generator.
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
  CHECK_GENERATOR(g);
  return is_quasi(*g) == (order == CURAND_ORDERING_QUASI_DEFAULT) ? CURAND_STATUS_SUCCESS
                                                                  : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g,
                                                       unsigned int dimensions) {
  CHECK_GENERATOR(g);
  if (!is_quasi(*g)) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions == 0 || dimensions > 20000) return CURAND_STATUS_OUT_OF_RANGE;
  if (dimensions > 128) {
    fprintf(stderr, "raddle: cuRAND: more than 128 dimensions of Sobol are not supported\n");
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  g->dimensions = dimensions;
  forget(g);
  return CURAND_STATUS_SUCCESS;
}
// States are made by the first call that needs them.
curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
  CHECK_GENERATOR(g);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned int* out, size_t n) {
  CHECK_GENERATOR(g);
  if (has_64_bits(*g)) return CURAND_STATUS_TYPE_ERROR;
  return fill(g, out, n, n, Raw<unsigned>{nullptr});
}
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long* out, size_t n) {
  CHECK_GENERATOR(g);
  if (!has_64_bits(*g)) return CURAND_STATUS_TYPE_ERROR;
  return fill(g, out, n, n, Raw<unsigned long long>{nullptr});
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float* out, size_t n) {
  CHECK_GENERATOR(g);
  return fill(g, out, n, n, Uniform<float>{nullptr});
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* out, size_t n) {
  CHECK_GENERATOR(g);
  return fill(g, out, n, n, Uniform<double>{nullptr});
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float* out, size_t n, float mean,
                                    float deviation) {
  return normal(g, out, n, mean, deviation, false);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* out, size_t n, double mean,
                                          double deviation) {
  return normal(g, out, n, mean, deviation, false);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* out, size_t n, float mean,
                                       float deviation) {
  return normal(g, out, n, mean, deviation, true);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* out, size_t n,
                                             double mean, double deviation) {
  return normal(g, out, n, mean, deviation, true);
}
curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int* out, size_t n,
                                     double lambda) {
  CHECK_GENERATOR(g);
  if (!(lambda > 0) || lambda > 1e9) return CURAND_STATUS_OUT_OF_RANGE;
  const curandStatus_t status = make_table(g, lambda);
  if (status != CURAND_STATUS_SUCCESS) return status;
  return fill(g, out, n, n, Poisson{nullptr, g->table, g->table_first, g->table_size});
}

}  // extern "C"
