#include <vector>

#include "bench/ddm/contenders.h"

namespace raddle::bench::openmp {

Runner independent(int workers) {
  auto tokens = std::make_shared<std::vector<char>>(kThreads);
  return [tokens, workers] {
    [[maybe_unused]] char* token = tokens->data();
#pragma omp parallel num_threads(workers)
#pragma omp single
    for (std::size_t i = 0; i < kThreads; ++i) {
#pragma omp task depend(out : token[i])
      empty_thread();
    }
  };
}

Runner wavefront(int workers) {
  auto tokens = std::make_shared<std::vector<char>>((kSide + 1) * (kSide + 1));
  return [tokens, workers] {
    [[maybe_unused]] char* token = tokens->data();
    constexpr std::size_t kRow = kSide + 1;
#pragma omp parallel num_threads(workers)
#pragma omp single
    for (std::size_t i = 1; i <= kSide; ++i) {
      for (std::size_t j = 1; j <= kSide; ++j) {
#pragma omp task depend(in : token[(i - 1) * kRow + j], token[i * kRow + j - 1]) \
    depend(out : token[i * kRow + j])
        empty_thread();
      }
    }
  };
}

Runner chain(int workers) {
  auto tokens = std::make_shared<std::vector<char>>(1);
  return [tokens, workers] {
    [[maybe_unused]] char* token = tokens->data();
#pragma omp parallel num_threads(workers)
#pragma omp single
    for (std::size_t i = 0; i < kThreads; ++i) {
#pragma omp task depend(inout : token[0])
      empty_thread();
    }
  };
}

Runner cholesky(BlockedMatrix& matrix, int workers) {
  const auto n = matrix.blocks();
  auto tokens = std::make_shared<std::vector<char>>(n * n);
  return [&matrix, tokens, n, workers] {
    [[maybe_unused]] char* token = tokens->data();
#pragma omp parallel num_threads(workers)
#pragma omp single
    for (std::size_t k = 0; k < n; ++k) {
#pragma omp task depend(inout : token[k * n + k])
      matrix.factorise(k);
      for (auto i = k + 1; i < n; ++i) {
#pragma omp task depend(in : token[k * n + k]) depend(inout : token[i * n + k])
        matrix.solve(k, i);
      }
      for (auto i = k + 1; i < n; ++i) {
        for (auto j = k + 1; j <= i; ++j) {
#pragma omp task depend(in : token[i * n + k], token[j * n + k]) depend(inout : token[i * n + j])
          matrix.update(k, i, j);
        }
      }
    }
  };
}

}  // namespace raddle::bench::openmp
