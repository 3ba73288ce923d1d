// fromThreadOrMem over distances for which a fabric has too few elevators: what was loaded is handed on all the same.
#include <raddle/dmt.h>

#include <vector>

#include "../check.h"

struct Block {
  int x, y, z;
  int count() const { return x * y * z; }
};

__device__ int linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// Which threads load by themselves: all of the first `rows` rows, and every `every`-th thread.
struct Loads {
  int rows, every;
  __host__ __device__ bool operator()(int y, int thread) const {
    return y < rows || (every != 0 && thread % every == 0);
  }
};

template <class T, raddle::dmt::Delta delta, int window = 0>
__global__ void one(const T* in, T* out, Loads loads) {
  const int thread = linear_thread(), i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + thread;
  out[i] = fromThreadOrMem<delta, window>(in[i], loads(threadIdx.y, thread)) + T(1);
}

// Two of them, and a channel over the same distance; what is received is loaded from.
__global__ void several(const int* in, int* out, Loads loads) {
  const int thread = linear_thread(), first = blockIdx.x * blockDim.x * blockDim.y * blockDim.z;
  const bool load = loads(threadIdx.y, thread);
  const int a = fromThreadOrMem<{0, -1}>(in[first + thread], load);
  const int b = fromThreadOrMem<{0, 1}>(in[first + (a & 63)], threadIdx.y + 1 == blockDim.y);
  tagValue<"b">(b);
  out[first + thread] = a * 1000 + b + fromThreadOrConst<"b", {0, -1}, 5>();
}

static int neighbour(Block block, int thread, raddle::dmt::Delta delta, int window) {
  const int x = thread % block.x + delta.x, y = thread / block.x % block.y + delta.y;
  const int z = thread / block.x / block.y + delta.z;
  if (x < 0 || x >= block.x || y < 0 || y >= block.y || z < 0 || z >= block.z) return -1;
  const int other = x + block.x * (y + block.y * z);
  return window != 0 && other / window != thread / window ? -1 : other;
}

// The thread whose element this one gets.
template <class Loading>
int source(Block block, int thread, raddle::dmt::Delta delta, int window, Loading loads) {
  while (!loads(thread)) {
    const int sender = neighbour(block, thread, delta, window);
    if (sender < 0) break;
    thread = sender;
  }
  return thread;
}

constexpr int kBlocks = 2;

template <class T>
std::vector<T> values(int count) {
  std::vector<T> all(count);
  for (int i = 0; i < count; ++i) all[i] = static_cast<T>((i * 37 + 11) % 1009 + 1);
  return all;
}

template <class T, class Kernel>
std::vector<T> run(Kernel kernel, Block block, const std::vector<T>& in, Loads loads) {
  T *device_in = nullptr, *device_out = nullptr;
  std::vector<T> out(in.size());
  CUDA_CHECK(cudaMalloc(&device_in, in.size() * sizeof(T)));
  CUDA_CHECK(cudaMalloc(&device_out, in.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(T), cudaMemcpyDefault));
  kernel<<<kBlocks, dim3(block.x, block.y, block.z)>>>(device_in, device_out, loads);
  CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy(out.data(), device_out, out.size() * sizeof(T), cudaMemcpyDefault));
  CUDA_CHECK(cudaFree(device_in));
  CUDA_CHECK(cudaFree(device_out));
  return out;
}

template <class T, raddle::dmt::Delta delta, int window = 0>
void check_one(Block block, Loads loads) {
  const std::vector<T> in = values<T>(kBlocks * block.count());
  const std::vector<T> out = run(one<T, delta, window>, block, in, loads);
  for (int i = 0; i < kBlocks * block.count(); ++i) {
    const int thread = i % block.count();
    const int from = source(block, thread, delta, window,
                            [&](int t) { return loads(t / block.x % block.y, t); });
    CHECK_EQUAL_AT(i, out[i], in[i - thread + from] + T(1));
  }
}

void check_several(Block block, Loads loads) {
  const std::vector<int> in = values<int>(kBlocks * block.count());
  const std::vector<int> out = run(several, block, in, loads);
  for (int first = 0; first < kBlocks * block.count(); first += block.count()) {
    std::vector<int> a(block.count()), b(block.count());
    for (int t = 0; t < block.count(); ++t)
      a[t] = in[first + source(block, t, {0, -1}, 0, [&](int s) { return loads(s / block.x, s); })];
    for (int t = 0; t < block.count(); ++t)
      b[t] = in[first + (a[source(block, t, {0, 1}, 0, [&](int s) { return s / block.x + 1 == block.y; })] & 63)];
    for (int t = 0; t < block.count(); ++t) {
      const int before = neighbour(block, t, {0, -1}, 0);
      CHECK_EQUAL_AT(first + t, out[first + t], a[t] * 1000 + b[t] + (before < 0 ? 5 : b[before]));
    }
  }
}

int main() {
  check_one<float, {0, -1}>({256, 4, 1}, {1, 0});
  check_one<float, {0, 1}>({256, 4, 1}, {0, 0});          // nobody is told to load: those without a sender do
  check_one<int, {0, -1}>({320, 3, 1}, {1, 7});           // some load in between
  check_one<double, {0, -1}>({512, 2, 1}, {1, 0});
  check_one<unsigned long long, {0, 0, -1}>({32, 8, 4}, {0, 0});
  check_one<int, {-1, -1, -1}>({20, 20, 2}, {0, 5});
  check_one<int, {0, -1}, 600>({300, 2, 1}, {0, 0});
  check_one<float, {-300}, 1000>({1000, 1, 1}, {0, 11});
  check_several({256, 3, 1}, {1, 0});
  return all_ok();
}
