// MT19937 (Matsumoto and Nishimura, "Mersenne Twister", 1998), one sequence for the whole
// generator. 227 of its 624 words depend only on words before them, so a block makes them in three
// turns.
#include "generator.h"

namespace raddle_curand_host {
namespace {

constexpr int kWords = 624, kDistance = 397, kTurn = kWords - kDistance;

struct Twister {
  unsigned words[kWords];
  int next;
};

// initialize by one word, or by two as by an array, with the constants of the authors' program.
void seed_by_word(Twister& twister, unsigned seed) {
  twister.words[0] = seed;
  for (int i = 1; i < kWords; ++i) {
    const unsigned before = twister.words[i - 1];
    twister.words[i] = 1812433253u * (before ^ (before >> 30)) + i;
  }
  twister.next = kWords;
}
void seed_by_words(Twister& twister, const unsigned (&key)[2]) {
  seed_by_word(twister, 19650218u);
  unsigned* w = twister.words;
  int i = 1;
  const auto step = [&] {
    if (++i < kWords) return;
    w[0] = w[kWords - 1];
    i = 1;
  };
  for (int k = 0; k < kWords; ++k) {
    w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1664525u)) + key[k % 2] + k % 2;
    step();
  }
  for (int k = 0; k < kWords - 1; ++k) {
    w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1566083941u)) - i;
    step();
  }
  w[0] = 0x80000000u;
}

__device__ unsigned tempered(unsigned y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

__device__ void renew(unsigned* words) {
  for (int turn = 0; turn < kWords; turn += kTurn) {
    const int i = turn + threadIdx.x;
    const bool mine = threadIdx.x < kTurn && i < kWords;
    unsigned fresh = 0;
    if (mine) {
      const unsigned y = (words[i] & 0x80000000u) | (words[(i + 1) % kWords] & 0x7fffffffu);
      fresh = words[(i + kDistance) % kWords] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
    }
    __syncthreads();
    if (mine) words[i] = fresh;
    __syncthreads();
  }
}

__global__ void twister_kernel(Twister* twister, size_t count, unsigned* out) {
  __shared__ unsigned words[kWords];
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = twister->words[i];
  int next = twister->next;
  __syncthreads();
  for (size_t done = 0; done < count;) {
    if (next == kWords) {
      renew(words);
      next = 0;
    }
    const size_t left = count - done;
    const int part = left < kWords - next ? (int)left : kWords - next;
    for (int i = threadIdx.x; i < part; i += blockDim.x)
      if (out != nullptr) out[done + i] = tempered(words[next + i]);
    __syncthreads();
    done += part;
    next += part;
  }
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) twister->words[i] = words[i];
  if (threadIdx.x == 0) twister->next = next;
}

template <typename Draw>
__global__ void drawn_kernel(const unsigned* numbers, size_t items, Draw draw) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < items;
       i += (size_t)gridDim.x * blockDim.x) {
    Drawn state = {numbers + i * Draw::kDraws};
    draw(&state, i);
  }
}

cudaError_t make_twister(curandGenerator_t g) {
  if (g->ready) return cudaSuccess;
  Twister twister;
  const unsigned key[2] = {(unsigned)g->seed, (unsigned)(g->seed >> 32)};
  if (key[1] == 0) {
    seed_by_word(twister, key[0]);
  } else {
    seed_by_words(twister, key);
  }
  cudaError_t error = cudaSuccess;
  if (g->states == nullptr) error = cudaMalloc(&g->states, sizeof(Twister));
  if (error == cudaSuccess)
    error = cudaMemcpy(g->states, &twister, sizeof(Twister), cudaMemcpyHostToDevice);
  if (error == cudaSuccess && g->offset > 0)
    twister_kernel<<<1, 256, 0, g->stream>>>((Twister*)g->states, g->offset, nullptr);
  g->ready = 1;
  return error;
}

}  // namespace

template <typename Draw>
cudaError_t draw_mersenne(curandGenerator_t g, size_t items, Draw draw) {
  cudaError_t error = make_twister(g);
  if (error != cudaSuccess) return error;
  unsigned* numbers;
  const size_t count = items * Draw::kDraws;
  error = cudaMalloc(&numbers, count * sizeof(unsigned));
  if (error != cudaSuccess) return error;
  twister_kernel<<<1, 256, 0, g->stream>>>((Twister*)g->states, count, numbers);
  const size_t all = (items + 255) / 256;
  const unsigned blocks = all < 1024 ? (unsigned)all : 1024;
  drawn_kernel<<<blocks, 256, 0, g->stream>>>(numbers, items, draw);
  error = cudaStreamSynchronize(g->stream);
  cudaFree(numbers);
  return error;
}

}  // namespace raddle_curand_host

#define BODY(Draw) \
  template cudaError_t raddle_curand_host::draw_mersenne(curandGenerator_t, size_t, Draw);
RADDLE_DRAWS(BODY)
#undef BODY
