#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "bench/ddm/contenders.h"

// The interface of BLAS and LAPACK, as OpenBLAS has it.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b,
            const int* ldb);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
void openblas_set_num_threads(int count);
char* openblas_get_corename();
}

namespace raddle::bench {

BlockedMatrix::BlockedMatrix(std::size_t size, std::size_t block)
    : block_(block), blocks_(size / block), values_(new double[size * size]) {
  openblas_set_num_threads(1);
}

double BlockedMatrix::original(std::size_t row, std::size_t column) {
  if (row == column) return 4096;
  const auto distance = row > column ? row - column : column - row;
  return 1.0 / static_cast<double>(1 + distance % 97);
}

void BlockedMatrix::fill() {
  for (std::size_t i = 0; i < blocks_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double* values = at(i, j);
      for (std::size_t column = 0; column < block_; ++column) {
        for (std::size_t row = 0; row < block_; ++row) {
          values[column * block_ + row] = original(i * block_ + row, j * block_ + column);
        }
      }
    }
  }
}

void BlockedMatrix::factorise(std::size_t k) {
  const int n = static_cast<int>(block_);
  int info = 0;
  dpotrf_("L", &n, at(k, k), &n, &info);
}

void BlockedMatrix::solve(std::size_t k, std::size_t i) {
  const int n = static_cast<int>(block_);
  const double one = 1;
  dtrsm_("R", "L", "T", "N", &n, &n, &one, at(k, k), &n, at(i, k), &n);
}

void BlockedMatrix::update(std::size_t k, std::size_t i, std::size_t j) {
  const int n = static_cast<int>(block_);
  const double one = 1;
  const double minus_one = -1;
  if (i == j) {
    dsyrk_("L", "N", &n, &n, &minus_one, at(i, k), &n, &one, at(i, i), &n);
  } else {
    dgemm_("N", "T", &n, &n, &n, &minus_one, at(i, k), &n, at(j, k), &n, &one, at(i, j), &n);
  }
}

double BlockedMatrix::error() const {
  const auto value = [&](std::size_t row, std::size_t column) {
    return at(row / block_, column / block_)[column % block_ * block_ + row % block_];
  };
  const auto size = blocks_ * block_;
  double worst = 0;
  for (std::size_t sample = 0; sample < 500; ++sample) {
    const auto row = sample * 7919 % size;
    const auto column = sample * 104729 % (row + 1);
    double sum = 0;
    for (std::size_t k = 0; k <= column; ++k) sum += value(row, k) * value(column, k);
    worst = std::max(worst, std::abs(sum - original(row, column)));
  }
  return worst;
}

const char* blas_core() { return openblas_get_corename(); }

void insist_on_right_blas_core(char** arguments) {
#if defined(__x86_64__)
  const std::string_view core = blas_core();
  const bool old = core == "Prescott" || core == "Core2" || core == "Penryn" || core == "Nehalem" ||
                   core == "Generic";
  if (!old || !__builtin_cpu_supports("avx2") || std::getenv("OPENBLAS_CORETYPE") != nullptr)
    return;
  setenv("OPENBLAS_CORETYPE", __builtin_cpu_supports("avx512f") ? "SkylakeX" : "Haswell", 1);
  execv("/proc/self/exe", arguments);
#else
  (void)arguments;
#endif
}

}  // namespace raddle::bench
