// XORWOW, MRG32k3a and Philox: item i of a generator is drawn from subsequence i mod 4096 of its
// seed, each of which has a state in device memory.
#include "generator.h"

namespace raddle_curand_host {
namespace {

constexpr int kThreads = 256;

// The streams as they begin, from which more are made, and as they are now.
template <typename State>
struct Streams {
  State *begin, *now;
  int early;  // streams that give a number less: the offset need not be a multiple of all

  __device__ void set(int stream, State state) const {
    begin[stream] = state;
    if (stream < early) curand(&state);
    now[stream] = state;
  }
};

template <typename State>
__global__ void first_kernel(Streams<State> streams, unsigned long long seed,
                             unsigned long long offset) {
  State state;
  curand_init(seed, 0, offset, &state);
  streams.set(0, state);
}

template <typename State>
struct Ahead {
  int count;
  explicit Ahead(int n) : count(n) {}
  __device__ void operator()(State* state) const { skipahead_sequence(count, state); }
};
// The powers of MRG32k3a's matrices would cost each thread more than all its numbers.
template <>
struct Ahead<curandStateMRG32k3a_t> {
  raddle_curand::Matrix3 first = raddle_curand::first_step();
  raddle_curand::Matrix3 second = raddle_curand::second_step();
  explicit Ahead(int count) {
    for (int i = 0; i < 76; ++i) square();
    for (; count > 1; count /= 2) square();
  }
  void square() {
    first = raddle_curand::multiply(first, first, raddle_curand::kMrgModulus1);
    second = raddle_curand::multiply(second, second, raddle_curand::kMrgModulus2);
  }
  __device__ void operator()(curandStateMRG32k3a_t* state) const {
    raddle_curand::apply(state->s1, first, raddle_curand::kMrgModulus1);
    raddle_curand::apply(state->s2, second, raddle_curand::kMrgModulus2);
  }
};

// Twice as many streams: those there are, `count` subsequences ahead.
template <typename State>
__global__ void double_kernel(Streams<State> streams, int count, Ahead<State> ahead) {
  const int stream = blockIdx.x * blockDim.x + threadIdx.x;
  if (stream >= count) return;
  State state = streams.begin[stream];
  ahead(&state);
  streams.set(count + stream, state);
}

template <typename State, typename Draw>
__global__ void draw_kernel(State* states, int count, int first, size_t items, Draw draw) {
  const int stream = blockIdx.x * blockDim.x + threadIdx.x;
  if (stream >= count) return;
  State state = states[stream];
  for (size_t item = (stream + kStreams - first) % kStreams; item < items; item += kStreams)
    draw(&state, item);
  states[stream] = state;
}

// Streams get their states when they are needed, so that a few numbers cost little.
template <typename State>
cudaError_t make_streams(curandGenerator_t g, unsigned long long needed) {
  if (g->states == nullptr) {
    const cudaError_t error = cudaMalloc(&g->states, 2 * kStreams * sizeof(State));
    if (error != cudaSuccess) return error;
  }
  State* begin = (State*)g->states;
  const Streams<State> streams = {begin, begin + kStreams, (int)(g->offset % kStreams)};
  if (g->ready == 0) {
    first_kernel<<<1, 1, 0, g->stream>>>(streams, g->seed, g->offset / kStreams);
    g->ready = 1;
  }
  for (; g->ready < kStreams && (unsigned long long)g->ready < needed; g->ready *= 2)
    double_kernel<State><<<(g->ready + kThreads - 1) / kThreads, kThreads, 0, g->stream>>>(
        streams, g->ready, Ahead<State>(g->ready));
  return cudaGetLastError();
}

template <typename State, typename Draw>
cudaError_t run(curandGenerator_t g, size_t items, Draw draw) {
  const int first = (int)((g->offset + g->drawn) % kStreams);
  const cudaError_t error = make_streams<State>(g, first + items);
  if (error != cudaSuccess) return error;
  draw_kernel<<<(g->ready + kThreads - 1) / kThreads, kThreads, 0, g->stream>>>(
      (State*)g->states + kStreams, g->ready, first, items, draw);
  g->drawn += items;
  return cudaGetLastError();
}

}  // namespace

template <typename Draw>
cudaError_t draw_streams(curandGenerator_t g, size_t items, Draw draw) {
  switch (g->type) {
    case CURAND_RNG_PSEUDO_MRG32K3A: return run<curandStateMRG32k3a_t>(g, items, draw);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10: return run<curandStatePhilox4_32_10_t>(g, items, draw);
    default: return run<curandStateXORWOW_t>(g, items, draw);
  }
}

}  // namespace raddle_curand_host

#define BODY(Draw) \
  template cudaError_t raddle_curand_host::draw_streams(curandGenerator_t, size_t, Draw);
RADDLE_DRAWS(BODY)
#undef BODY
