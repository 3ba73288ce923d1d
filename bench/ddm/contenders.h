// The libraries that the data-driven runtime is measured against, each as functions that build a
// graph of empty threads (or a blocked Cholesky factorisation), and then run it; only the running
// is timed where the library can separate the two.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace raddle::bench {

inline constexpr std::size_t kThreads = 1'000'000;
inline constexpr std::size_t kSide = 1000;  // of the wavefront

// An empty body that the compiler must not drop.
inline void empty_thread() { asm volatile(""); }

// Runs a graph once.
using Runner = std::function<void()>;

namespace ddm_library {
Runner independent(int workers);
Runner wavefront(int workers);
Runner chain(int workers);
}  // namespace ddm_library

namespace task_group {
Runner independent(int workers);
Runner wavefront(int workers);
Runner chain(int workers);
}  // namespace task_group

namespace flow_graph {
Runner independent(int workers);
Runner wavefront(int workers);
Runner chain(int workers);
}  // namespace flow_graph

namespace openmp {
Runner independent(int workers);
Runner wavefront(int workers);
Runner chain(int workers);
}  // namespace openmp

// A symmetric matrix in blocks of its lower half, factorised in place.
class BlockedMatrix {
 public:
  BlockedMatrix(std::size_t size, std::size_t block);
  void fill();
  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  // The four steps on blocks, by OpenBLAS.
  void factorise(std::size_t k);
  void solve(std::size_t k, std::size_t i);
  void update(std::size_t k, std::size_t i,
              std::size_t j);  // block (i, j) by column k; i == j: its diagonal
  // The largest difference between this factor times its transpose and the matrix that fill()
  // makes, sampled.
  [[nodiscard]] double error() const;

 private:
  [[nodiscard]] double* at(std::size_t i, std::size_t j) const {
    return &values_[(i * blocks_ + j) * block_ * block_];
  }
  [[nodiscard]] static double original(std::size_t row, std::size_t column);

  std::size_t block_;
  std::size_t blocks_;
  std::unique_ptr<double[]> values_;
};

namespace ddm_library {
Runner cholesky(BlockedMatrix& matrix, int workers);
}
namespace task_group {
Runner cholesky(BlockedMatrix& matrix, int workers);
}
namespace flow_graph {
Runner cholesky(BlockedMatrix& matrix, int workers);
}
namespace openmp {
Runner cholesky(BlockedMatrix& matrix, int workers);
}

// The kernels that OpenBLAS has chosen ("Zen", "SkylakeX"…), and whether they use this processor's
// vector instructions.
const char* blas_core();
// Starts this program again with OPENBLAS_CORETYPE set if OpenBLAS does not know the processor and
// chose old kernels.
void insist_on_right_blas_core(char** arguments);

}  // namespace raddle::bench
