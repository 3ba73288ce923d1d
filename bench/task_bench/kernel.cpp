#include "bench/task_bench/kernel.h"

#include <algorithm>
#include <cstring>

namespace raddle::bench::task_bench {
namespace {

void keep(double value) { asm volatile("" : : "x"(value)); }

// 64 numbers that are squared and added, then multiplied with each other.
[[gnu::always_inline]] inline void multiply(long iterations) {
  using Four = double __attribute__((vector_size(32)));
  Four a[16];
  for (Four& four : a) four = Four{1, 2, 3, 4};
  for (long i = 0; i < iterations; ++i) {
#pragma GCC unroll 16  // so that they stay in registers
    for (int n = 0; n < 16; ++n) a[n] = a[n] * a[n] + a[n];
  }
  double product = 1;
  for (const Four& four : a) {
    for (int lane = 0; lane < 4; ++lane) product *= four[lane];
  }
  keep(product);
}

[[gnu::always_inline]] inline void accumulate(long iterations) {
  using Four = double __attribute__((vector_size(32)));
  Four sums[8] = {};
  Four a = {1.2345, 1.2345, 1.2345, 1.2345}, b = {1.01, 1.01, 1.01, 1.01};
  for (long i = 0; i < iterations; ++i) {
    asm volatile("" : "+m"(a), "+m"(b));  // or the loop is one multiplication
#pragma GCC unroll 8
    for (int n = 0; n < 8; ++n) sums[n] += a * b;
  }
  double all = 0;
  for (const Four& sum : sums) all += sum[0] + sum[1] + sum[2] + sum[3];
  keep(all);
}

// The fastest instructions of this host, in a program that starts on any.
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiply_fast(long iterations) { multiply(iterations); }
[[gnu::target("avx2,fma")]] void accumulate_fast(long iterations) { accumulate(iterations); }
bool is_fast() {
  static const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return fast;
}
#else
void multiply_fast(long iterations) { multiply(iterations); }
void accumulate_fast(long iterations) { accumulate(iterations); }
bool is_fast() { return false; }
#endif
void compute_bound(long iterations) {
  is_fast() ? multiply_fast(iterations) : multiply(iterations);
}
void compute_bound2(long iterations) {
  is_fast() ? accumulate_fast(iterations) : accumulate(iterations);
}

void busy_wait(long iterations) {
  long long value = 113;
  for (long i = 0; i < iterations; ++i) value = value * 139 % 2147483647;
  keep(static_cast<double>(value));
}

// Each iteration copies half of one sample to its other half; timesteps go through all samples.
void memory_bound(const TaskGraph& graph, long step, std::byte* scratch) {
  const auto samples = static_cast<long>(graph.kernel.samples);
  const std::size_t bytes = graph.scratch_bytes / static_cast<std::size_t>(samples);
  for (long i = 0; i < graph.kernel.iterations; ++i) {
    const auto sample = (step * graph.kernel.iterations + i) % samples;
    std::byte* from = scratch + static_cast<std::size_t>(sample) * bytes;
    std::memcpy(from + bytes / 2, from, bytes / 2);
    asm volatile("" : : "r"(from) : "memory");
  }
}

}  // namespace

void run_kernel(const TaskGraph& graph, long step, long point, std::byte* scratch) {
  switch (graph.kernel.type) {
    case KernelType::kEmpty: return;
    case KernelType::kBusyWait: return busy_wait(graph.kernel.iterations);
    case KernelType::kMemoryBound: return memory_bound(graph, step, scratch);
    case KernelType::kComputeBound: return compute_bound(graph.kernel.iterations);
    case KernelType::kComputeBound2: return compute_bound2(graph.kernel.iterations);
    case KernelType::kLoadImbalance: return compute_bound(graph.iterations_at(step, point));
  }
}

}  // namespace raddle::bench::task_bench
