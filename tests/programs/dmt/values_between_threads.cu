// Every form of Table 1 of the dMT-CGRA paper against the same on the host: distances of either sign in one, two and
// three dimensions, windows, all types of values, tags before and after receives, recurrences, loops.
#include <raddle/dmt.h>

#include <functional>
#include <vector>

#include "../check.h"

struct Block {
  int x, y, z;
  int count() const { return x * y * z; }
};

// The thread at a distance, or -1 where there is none in the block or the window.
static int neighbour(Block block, int thread, raddle::dmt::Delta delta, int window = 0) {
  const int x = thread % block.x + delta.x, y = thread / block.x % block.y + delta.y;
  const int z = thread / block.x / block.y + delta.z;
  if (x < 0 || x >= block.x || y < 0 || y >= block.y || z < 0 || z >= block.z) return -1;
  const int other = x + block.x * (y + block.y * z);
  return window != 0 && other / window != thread / window ? -1 : other;
}

__device__ int linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
    CUDA_CHECK(cudaMalloc(&data_, count_ * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyDefault));
  }
  ~DeviceArray() { cudaFree(data_); }
  operator T*() const { return data_; }
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    CUDA_CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDefault));
    return values;
  }

 private:
  size_t count_;
  T* data_;
};

constexpr int kBlocks = 3;

// Runs a kernel of in, out and more on blocks of this shape, and compares with expected(in of the block, thread).
template <class T, class Kernel, class... More>
void run(int line, Kernel kernel, Block block, std::function<T(const T*, int)> expected, More... more) {
  const int threads = block.count(), n = kBlocks * threads;
  std::vector<T> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<T>((i * 37 + 11) % 101 - 50);
  DeviceArray<T> device_in(in), device_out(in);
  kernel<<<kBlocks, dim3(block.x, block.y, block.z)>>>(device_in, device_out, more...);
  CHECK_LAUNCH();
  const std::vector<T> out = device_out.to_host();
  for (int i = 0; i < n; ++i) {
    const T wanted = expected(&in[i / threads * threads], i % threads);
    if (out[i] == wanted) continue;
    fprintf(stderr, "%s:%d: thread %d got %.9g, expected %.9g\n", __FILE__, line, i, (double)out[i], (double)wanted);
    exit(1);
  }
}

__device__ int element() {
  return blockIdx.x * blockDim.x * blockDim.y * blockDim.z + linear_thread();
}

// Figure 6: the value to be passed on needs the one that is received.
template <class T, int Step>
__global__ void prefix_sum(const T* in, T* out) {
  const T sum = fromThreadOrConst<"sum", Step, T(0)>() + in[element()];
  tagValue<"sum">(sum);
  out[element()] = sum;
}

template <class T, int Step>
void check_prefix_sums() {
  for (const int threads : {1, 7, 32, 33, 100, 256, 1024}) {
    run<T>(__LINE__, prefix_sum<T, Step>, {threads, 1, 1}, [threads](const T* in, int thread) {
      T sum = 0;
      for (int i = thread; i >= 0 && i < threads; i += Step) sum += in[i];
      return sum;
    });
  }
}

// Figure 1c: neighbours on both sides, tagged before they are received.
template <raddle::dmt::Delta Left, raddle::dmt::Delta Right, int Window>
__global__ void stencil(const float* in, float* out) {
  const float here = in[element()];
  tagValue<"element">(here);
  const float left = fromThreadOrConst<"element", Left, 0.5f, Window>();
  const float right = fromThreadOrConst<"element", Right, -2.0f, Window>();
  out[element()] = 4 * left + 2 * here + right;
}

template <raddle::dmt::Delta Left, raddle::dmt::Delta Right, int Window>
void check_stencil(Block block) {
  run<float>(__LINE__, stencil<Left, Right, Window>, block, [block](const float* in, int thread) {
    const int left = neighbour(block, thread, Left, Window), right = neighbour(block, thread, Right, Window);
    return 4 * (left < 0 ? 0.5f : in[left]) + 2 * in[thread] + (right < 0 ? -2.0f : in[right]);
  });
}

// A wave through the block: each value needs those of two neighbours.
__global__ void wave(const int* in, int* out) {
  const int west = fromThreadOrConst<"cost", {-1, 0}, 0>();
  const int north = fromThreadOrConst<"cost", {0, -1}, 0>();
  const int cost = max(west, north) + in[element()];
  tagValue<"cost">(cost);
  out[element()] = cost;
}

void check_wave(Block block) {
  run<int>(__LINE__, wave, block, [block](const int* in, int thread) {
    std::vector<int> cost(block.count());
    for (int i = 0; i < block.count(); ++i) {
      const int west = neighbour(block, i, -1), north = neighbour(block, i, {0, -1});
      cost[i] = max(west < 0 ? 0 : cost[west], north < 0 ? 0 : cost[north]) + in[i];
    }
    return cost[thread];
  });
}

// Two channels in opposite directions, of different types; and one that needs the other's result.
__global__ void two_ways(const long long* in, long long* out) {
  const long long up = fromThreadOrConst<"up", 1, 7LL>() + in[element()];
  tagValue<"up">(up);
  const unsigned down = fromThreadOrConst<"down", -1, 3u>() + static_cast<unsigned>(up);
  tagValue<"down">(down);
  out[element()] = up * 16 + down;
}

void check_two_ways(int threads) {
  run<long long>(__LINE__, two_ways, {threads, 1, 1}, [threads](const long long* in, int thread) {
    std::vector<long long> up(threads);
    std::vector<unsigned> down(threads);
    for (int i = threads - 1; i >= 0; --i) up[i] = (i + 1 < threads ? up[i + 1] : 7) + in[i];
    for (int i = 0; i < threads; ++i) down[i] = (i > 0 ? down[i - 1] : 3) + static_cast<unsigned>(up[i]);
    return up[thread] * 16 + down[thread];
  });
}

// A loop whose length the compiler does not know, with a recurrence and a neighbour in every turn.
__global__ void turns(const int* in, int* out, int count) {
  int value = in[element()];
  for (int turn = 0; turn < count; ++turn) {
    tagValue<"value">(value);
    const int next = fromThreadOrConst<"value", 1, 1>();
    const int sum = fromThreadOrConst<"sum", -2, 0>() + next;
    tagValue<"sum">(sum);
    value = sum % 1000 + turn;
  }
  out[element()] = value;
}

__global__ void five_turns_unrolled(const int* in, int* out) {
  int value = in[element()];
#pragma unroll
  for (int turn = 0; turn < 5; ++turn) {
    tagValue<"value">(value);
    const int next = fromThreadOrConst<"value", 1, 1>();
    const int sum = fromThreadOrConst<"sum", -2, 0>() + next;
    tagValue<"sum">(sum);
    value = sum % 1000 + turn;
  }
  out[element()] = value;
}

int after_turns(const int* in, int threads, int thread, int count) {
  std::vector<int> value(in, in + threads), sum(threads);
  for (int turn = 0; turn < count; ++turn) {
    for (int i = 0; i < threads; ++i)
      sum[i] = (i >= 2 ? sum[i - 2] : 0) + (i + 1 < threads ? value[i + 1] : 1);
    for (int i = 0; i < threads; ++i) value[i] = sum[i] % 1000 + turn;
  }
  return value[thread];
}

// Figure 2b: rows and columns are loaded once and passed on.
__global__ void product(const float* a, const float* b, float* c, int inner) {
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int i = 0; i < inner; ++i) {
    sum += fromThreadOrMem<{-1, 0}>(a[y * inner + i], x == 0) *
           fromThreadOrMem<{0, -1}>(b[i * blockDim.x + x], y == 0);
  }
  c[y * blockDim.x + x] = sum;
}

__global__ void product_unrolled(const double* a, const double* b, double* c) {
  const int x = threadIdx.x, y = threadIdx.y;
  double sum = 0;
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    // From the other end, by the thread that has no further neighbour.
    sum += fromThreadOrMem<{1, 0}>(a[y * 6 + i], false) * fromThreadOrMem<{0, 1}>(b[i * blockDim.x + x], false);
  }
  c[y * blockDim.x + x] = sum;
}

template <class T>
void check_products(int rows, int columns, int inner, std::function<void(const T*, const T*, T*)> launch) {
  std::vector<T> a(rows * inner), b(inner * columns), c(rows * columns);
  for (int i = 0; i < rows * inner; ++i) a[i] = i % 13 - 6;
  for (int i = 0; i < inner * columns; ++i) b[i] = i % 7 - 3;
  DeviceArray<T> device_a(a), device_b(b), device_c(c);
  launch(device_a, device_b, device_c);
  CHECK_LAUNCH();
  c = device_c.to_host();
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      T sum = 0;
      for (int i = 0; i < inner; ++i) sum += a[y * inner + i] * b[i * columns + x];
      CHECK_EQUAL_AT(y * columns + x, c[y * columns + x], sum);
    }
  }
}

// Every window loads its first element and passes it on; the result is not used by the last.
__global__ void first_of_window(const unsigned* in, unsigned* out) {
  out[element()] = fromThreadOrMem<-1, 8>(in[element()], false);
}

// Lanes of a warp load here and there.
__global__ void held(const int* in, int* out) {
  out[element()] = fromThreadOrMem<-3>(in[element()], linear_thread() % 7 == 2);
}

// Values pass through barriers and branches that all threads of a block take alike.
__global__ void with_barriers(const int* in, int* out, int limit) {
  __shared__ int total;
  if (linear_thread() == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, in[element()]);
  __syncthreads();
  int value = total;
  if (limit > 5) {
    tagValue<"value">(linear_thread());
    value += fromThreadOrConst<"value", -5, 1000>();
  } else {
    value -= fromThreadOrMem<5>(in[element()], false);
  }
  out[element()] = value;
}

void check_with_barriers(int threads, int limit) {
  run<int>(__LINE__, with_barriers, {threads, 1, 1}, [=](const int* in, int thread) {
    int total = 0, last = thread;
    for (int k = 0; k < threads; ++k) total += in[k];
    while (last + 5 < threads) last += 5;
    return limit > 5 ? total + (thread < 5 ? 1000 : thread - 5) : total - in[last];
  }, limit);
}

int main() {
  check_prefix_sums<float, -1>();
  check_prefix_sums<float, 1>();
  check_prefix_sums<double, -3>();
  check_prefix_sums<int, 40>();
  check_prefix_sums<unsigned, -64>();
  check_prefix_sums<long, 1>();
  check_prefix_sums<unsigned long long, -2>();

  check_stencil<-1, +1, 0>({64, 1, 1});
  check_stencil<-1, +1, 16>({64, 1, 1});
  check_stencil<-1, +1, 5>({35, 1, 1});
  check_stencil<-1, +1, 1 + 1>({2, 3, 1});
  check_stencil<-40, +33, 0>({100, 1, 1});
  check_stencil<{-1, 0}, {0, 1}, 0>({16, 16, 1});
  check_stencil<{0, -2}, {1, 1}, 0>({7, 9, 1});
  check_stencil<{0, -2}, {1, 1}, 21>({7, 9, 1});
  check_stencil<{0, 0, -1}, {1, -1, 1}, 0>({4, 5, 6});
  check_stencil<{0, 0, -1}, {1, -1, 1}, 40>({4, 5, 6});
  check_stencil<{200, 0, 0}, {0, 1, 0}, 0>({64, 2, 1});

  check_wave({16, 16, 1});
  check_wave({33, 5, 1});
  check_two_ways(96);
  check_two_ways(31);

  for (const int count : {0, 1, 2, 5, 50}) {
    run<int>(__LINE__, turns, {70, 1, 1},
             [=](const int* in, int thread) { return after_turns(in, 70, thread, count); }, count);
  }
  run<int>(__LINE__, five_turns_unrolled, {70, 1, 1},
           [](const int* in, int thread) { return after_turns(in, 70, thread, 5); });

  check_products<float>(16, 16, 20, [](const float* a, const float* b, float* c) {
    product<<<1, dim3(16, 16)>>>(a, b, c, 20);
  });
  check_products<float>(5, 33, 3, [](const float* a, const float* b, float* c) {
    product<<<1, dim3(33, 5)>>>(a, b, c, 3);
  });
  check_products<double>(9, 11, 6, [](const double* a, const double* b, double* c) {
    product_unrolled<<<1, dim3(11, 9)>>>(a, b, c);
  });
  run<unsigned>(__LINE__, first_of_window, {40, 1, 1},
                [](const unsigned* in, int thread) { return in[thread / 8 * 8]; });
  run<int>(__LINE__, held, {100, 1, 1}, [](const int* in, int thread) {
    while (thread >= 3 && thread % 7 != 2) thread -= 3;
    return in[thread];
  });

  check_with_barriers(90, 6);
  check_with_barriers(90, 5);
  puts("ok");
}
