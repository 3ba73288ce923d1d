// Sobol's sequences: direction vectors out of Joe and Kuo's numbers, and a thread per number. The
// scrambled ones are Matousek's random linear scrambling ("On the L2-discrepancy for anchored
// boxes", 1998): vectors times a lower triangular matrix of random bits, and a random shift. The
// bits are splitmix64's, so they differ from NVIDIA's.
#include "direction_numbers.h"
#include "generator.h"

namespace raddle_curand_host {
namespace {

unsigned long long random_bits(unsigned long long& seed) {
  seed += 0x9e3779b97f4a7c15ull;
  unsigned long long z = seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

template <typename Bits>
struct Tables {
  static constexpr int kBits = 8 * sizeof(Bits);
  Bits plain[kSobolDimensions][kBits];
  Bits scrambled[kSobolDimensions][kBits];
  Bits constants[kSobolDimensions];

  Tables() {
    for (int k = 0; k < kBits; ++k) plain[0][k] = Bits(1) << (kBits - 1 - k);
    const unsigned short* row = kJoeKuo;
    for (int d = 1; d < kSobolDimensions; ++d) row = fill(plain[d], row);
    unsigned long long seed = kBits;
    for (int d = 0; d < kSobolDimensions; ++d) scramble(d, seed);
  }

  // Sobol's recurrence: v_k = v_(k-s) ^ (v_(k-s) >> s) ^ those before whose coefficient is 1.
  static const unsigned short* fill(Bits (&v)[kBits], const unsigned short* row) {
    const int degree = row[0];
    const unsigned inner = row[1];
    for (int k = 0; k < kBits; ++k) {
      if (k < degree) {
        v[k] = Bits(row[2 + k]) << (kBits - 1 - k);
        continue;
      }
      v[k] = v[k - degree] ^ (v[k - degree] >> degree);
      for (int i = 1; i < degree; ++i)
        if ((inner >> (degree - 1 - i)) & 1) v[k] ^= v[k - i];
    }
    return row + 2 + degree;
  }

  // Bit b from above depends on itself and on random ones of those above it.
  void scramble(int d, unsigned long long& seed) {
    Bits matrix[kBits];
    for (int b = 0; b < kBits; ++b) {
      const Bits itself = Bits(1) << (kBits - 1 - b);
      const Bits above = b == 0 ? 0 : ~Bits(0) << (kBits - b);
      matrix[b] = itself | ((Bits)random_bits(seed) & above);
    }
    for (int k = 0; k < kBits; ++k) {
      scrambled[d][k] = 0;
      for (int b = 0; b < kBits; ++b)
        if (__builtin_parityll(matrix[b] & plain[d][k]))
          scrambled[d][k] |= Bits(1) << (kBits - 1 - b);
    }
    constants[d] = (Bits)random_bits(seed);
  }
};

template <typename Bits>
Tables<Bits>& tables() {
  static Tables<Bits>* made = new Tables<Bits>;  // for as long as the program runs
  return *made;
}

template <typename Bits, typename Draw>
__global__ void sobol_kernel(const Bits* vectors, const Bits* constants, Bits offset, size_t points,
                             Draw draw) {
  constexpr int kBits = 8 * sizeof(Bits);
  __shared__ Bits v[kBits];
  const int dimension = blockIdx.y;
  if (threadIdx.x < kBits) v[threadIdx.x] = vectors[dimension * kBits + threadIdx.x];
  __syncthreads();
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < points;
       i += (size_t)gridDim.x * blockDim.x) {
    const Bits n = offset + (Bits)i;
    Point<Bits> point = {constants != nullptr ? constants[dimension] : 0};
    Bits code = n ^ (n >> 1);
    for (int k = 0; code != 0; ++k, code >>= 1)
      if (code & 1) point.x ^= v[k];
    draw(&point, dimension * points + i);
  }
}

template <typename Bits, typename Draw>
cudaError_t run(curandGenerator_t g, bool scrambled, size_t items, Draw draw) {
  const Tables<Bits>& t = tables<Bits>();
  if (!g->ready) {
    cudaError_t error = cudaSuccess;
    if (g->states == nullptr) error = cudaMalloc(&g->states, sizeof(t));
    if (error == cudaSuccess) error = cudaMemcpy(g->states, &t, sizeof(t), cudaMemcpyHostToDevice);
    if (error != cudaSuccess) return error;
    g->ready = 1;
  }
  const Tables<Bits>* there = (const Tables<Bits>*)g->states;
  const size_t points = items / g->dimensions;
  const size_t blocks = (points + 127) / 128;
  const dim3 grid(blocks < 256 ? blocks : 256, g->dimensions);
  sobol_kernel<<<grid, 128, 0, g->stream>>>(
      scrambled ? &there->scrambled[0][0] : &there->plain[0][0],
      scrambled ? &there->constants[0] : (const Bits*)nullptr, (Bits)(g->offset + g->drawn), points,
      draw);
  g->drawn += points;
  return cudaGetLastError();
}

}  // namespace

template <typename Draw>
cudaError_t draw_sobol(curandGenerator_t g, size_t items, Draw draw) {
  const bool scrambled = g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
                         g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
  return has_64_bits(*g) ? run<unsigned long long>(g, scrambled, items, draw)
                         : run<unsigned>(g, scrambled, items, draw);
}

}  // namespace raddle_curand_host

#define BODY(Draw) \
  template cudaError_t raddle_curand_host::draw_sobol(curandGenerator_t, size_t, Draw);
RADDLE_DRAWS(BODY)
BODY(raddle_curand_host::Raw<unsigned long long>)
#undef BODY

using namespace raddle_curand_host;

extern "C" {

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[],
                                           curandDirectionVectorSet_t set) {
  if (set == CURAND_DIRECTION_VECTORS_32_JOEKUO6) {
    *vectors = tables<unsigned>().plain;
  } else if (set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) {
    *vectors = tables<unsigned>().scrambled;
  } else {
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[],
                                           curandDirectionVectorSet_t set) {
  if (set == CURAND_DIRECTION_VECTORS_64_JOEKUO6) {
    *vectors = tables<unsigned long long>().plain;
  } else if (set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) {
    *vectors = tables<unsigned long long>().scrambled;
  } else {
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetScrambleConstants32(unsigned int** constants) {
  *constants = tables<unsigned>().constants;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetScrambleConstants64(unsigned long long** constants) {
  *constants = tables<unsigned long long>().constants;
  return CURAND_STATUS_SUCCESS;
}

}  // extern "C"
