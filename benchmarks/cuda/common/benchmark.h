// What the benchmark programs share around their kernels: CUDA calls that must succeed, arrays on
// the device, and, from the headers beside this one, arguments, seeded inputs and the check of the
// result. Kernels stay in the programs.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_BENCHMARK_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_BENCHMARK_H

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "arguments.h"
#include "comparison.h"
#include "random.h"

namespace benchmark {

// The call must succeed; otherwise the program ends here. After a launch:
// check(cudaGetLastError()).
inline void check(cudaError_t error, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
  std::exit(1);
}

// So many blocks of `size` cover `count` elements.
constexpr int blocks_for(int count, int size) { return (count + size - 1) / size; }

// An array in the device's memory. It turns into its pointer where a kernel or a CUDA call wants
// one.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    from_host(values);
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  operator T*() const { return data_; }

  void from_host(const std::vector<T>& values) {
    check(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  // Waits for the kernels before it, and reports their errors.
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

}  // namespace benchmark

#endif
