// A generator of cuRAND's host interface, and what fills an array: Raw, Uniform, Normal and Poisson
// over anything that curand() draws from.
#ifndef RADDLE_CURAND_GENERATOR_H
#define RADDLE_CURAND_GENERATOR_H

#include <curand.h>
#include <curand_kernel.h>

struct curandGenerator_st {
  curandRngType_t type;
  bool on_host;  // where the numbers go
  cudaStream_t stream = nullptr;
  unsigned long long seed = 0;
  unsigned long long offset = 0;
  unsigned dimensions = 1;
  void* states = nullptr;        // streams, Mersenne Twister's words, or Sobol's vectors
  int ready = 0;                 // streams that have a state
  unsigned long long drawn = 0;  // items, after the offset
  double lambda = -1;            // of the table
  double* table = nullptr;       // Poisson's cumulative distribution
  int table_first = 0, table_size = 0;
};

namespace raddle_curand_host {

constexpr int kStreams = 4096;

inline curandStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return CURAND_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CURAND_STATUS_ALLOCATION_FAILED
                                            : CURAND_STATUS_LAUNCH_FAILURE;
}

inline bool is_quasi(const curandGenerator_st& g) { return g.type >= CURAND_RNG_QUASI_DEFAULT; }
inline bool has_64_bits(const curandGenerator_st& g) {
  return g.type == CURAND_RNG_QUASI_SOBOL64 || g.type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

// A point of a quasi-random sequence, good for one draw.
template <typename Bits>
struct Point {
  Bits x;
};
template <typename Bits>
__device__ Bits curand(Point<Bits>* point) {
  return point->x;
}

// Numbers that were drawn before.
struct Drawn {
  const unsigned* next;
};
inline __device__ unsigned curand(Drawn* drawn) { return *drawn->next++; }

template <typename State>
__device__ double uniform_double(State* state) {
  return curand_uniform_double(state);
}
template <typename Bits>
__device__ double uniform_double(Point<Bits>* point) {
  return raddle_curand::quasi_uniform_double(point->x);
}

// What becomes of one item. kDraws is how many numbers of 32 bits a pseudo-random one takes.
template <typename Bits>
struct Raw {
  static constexpr int kDraws = 1;
  Bits* out;
  template <typename State>
  __device__ void operator()(State* state, size_t item) const {
    out[item] = curand(state);
  }
};

template <typename Real>
struct Uniform {
  static constexpr int kDraws = sizeof(Real) / 4;
  Real* out;
  template <typename State>
  __device__ void operator()(State* state, size_t item) const {
    out[item] = draw(state, Real());
  }
  template <typename State>
  __device__ static float draw(State* state, float) {
    return curand_uniform(state);
  }
  template <typename Bits>
  __device__ static float draw(Point<Bits>* point, float) {
    return raddle_curand::quasi_uniform(point->x);
  }
  template <typename State>
  __device__ static double draw(State* state, double) {
    return uniform_double(state);
  }
};

// An item of pseudo-random numbers is a pair, as Box and Muller make it.
template <typename Real>
struct Normal {
  static constexpr int kDraws = sizeof(Real) / 2;
  Real* out;
  Real mean, deviation;
  bool exponential;

  __device__ void store(size_t i, Real x) const {
    x = mean + deviation * x;
    out[i] = exponential ? exp(x) : x;
  }
  template <typename State>
  __device__ void operator()(State* state, size_t item) const {
    const auto pair = draw(state, Real());
    store(2 * item, pair.x);
    store(2 * item + 1, pair.y);
  }
  template <typename Bits>
  __device__ void operator()(Point<Bits>* point, size_t item) const {
    store(item, (Real)normcdfinv(uniform_double(point)));
  }
  template <typename State>
  __device__ static float2 draw(State* state, float) {
    return curand_normal2(state);
  }
  template <typename State>
  __device__ static double2 draw(State* state, double) {
    return curand_normal2_double(state);
  }
};

// The first count whose cumulative probability reaches a uniform number.
struct Poisson {
  static constexpr int kDraws = 2;
  unsigned* out;
  const double* table;
  int first, size;
  template <typename State>
  __device__ void operator()(State* state, size_t item) const {
    const double u = uniform_double(state);
    int low = 0, high = size - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (table[middle] >= u) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    out[item] = first + low;
  }
};

// The items of one call, in pseudo.cu, mersenne.cu and sobol.cu.
template <typename Draw>
cudaError_t draw_streams(curandGenerator_t g, size_t items, Draw draw);
template <typename Draw>
cudaError_t draw_mersenne(curandGenerator_t g, size_t items, Draw draw);
template <typename Draw>
cudaError_t draw_sobol(curandGenerator_t g, size_t items, Draw draw);

}  // namespace raddle_curand_host

#define RADDLE_DRAWS(BODY)                  \
  BODY(raddle_curand_host::Raw<unsigned>)   \
  BODY(raddle_curand_host::Uniform<float>)  \
  BODY(raddle_curand_host::Uniform<double>) \
  BODY(raddle_curand_host::Normal<float>)   \
  BODY(raddle_curand_host::Normal<double>)  \
  BODY(raddle_curand_host::Poisson)

#endif
