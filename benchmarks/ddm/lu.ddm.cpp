// LU: dense factorisation without pivoting, in blocks of 16 as SPLASH-2 has it. An iteration is one
// element of a block in the interior, one row or column of a block of the perimeter; a thread does
// `grain` of them. A block begins a step when the blocks it needs have ended it, and ends it when
// all its elements are done.
#include <algorithm>
#include <vector>

#include "application.h"

using namespace application;

namespace {

constexpr std::size_t kBlock = 16;

// Blocks lie one after another, each by rows.
struct Matrix {
  std::size_t n, blocks;
  std::vector<double> data;

  explicit Matrix(std::size_t size) : n(size), blocks(size / kBlock), data(n * n) {
    Random random(3);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        at(i, j) = random.uniform() + (i == j ? static_cast<double>(n) : 0);
    }
  }
  double* block(std::size_t i, std::size_t j) { return &data[(i * blocks + j) * kBlock * kBlock]; }
  const double* block(std::size_t i, std::size_t j) const {
    return &data[(i * blocks + j) * kBlock * kBlock];
  }
  double& at(std::size_t i, std::size_t j) {
    return block(i / kBlock, j / kBlock)[i % kBlock * kBlock + j % kBlock];
  }
};

void factor_diagonal(double* d) {
  for (std::size_t k = 0; k < kBlock; ++k) {
    for (std::size_t i = k + 1; i < kBlock; ++i) {
      const double factor = d[i * kBlock + k] / d[k * kBlock + k];
      d[i * kBlock + k] = factor;
      for (std::size_t j = k + 1; j < kBlock; ++j) d[i * kBlock + j] -= factor * d[k * kBlock + j];
    }
  }
}

// Row `row` of a block below the diagonal: x·U = row.
void solve_row(double* x, const double* d, std::size_t row) {
  for (std::size_t k = 0; k < kBlock; ++k) {
    double value = x[row * kBlock + k];
    for (std::size_t m = 0; m < k; ++m) value -= x[row * kBlock + m] * d[m * kBlock + k];
    x[row * kBlock + k] = value / d[k * kBlock + k];
  }
}

// Column `column` of a block right of the diagonal: L·x = column.
void solve_column(double* x, const double* d, std::size_t column) {
  for (std::size_t k = 1; k < kBlock; ++k) {
    double value = x[k * kBlock + column];
    for (std::size_t m = 0; m < k; ++m) value -= d[k * kBlock + m] * x[m * kBlock + column];
    x[k * kBlock + column] = value;
  }
}

void update_element(double* c, const double* a, const double* b, std::size_t element) {
  const std::size_t row = element / kBlock, column = element % kBlock;
  double value = c[element];
  for (std::size_t k = 0; k < kBlock; ++k) value -= a[row * kBlock + k] * b[k * kBlock + column];
  c[element] = value;
}

// What block (i, j) has to do in step k, in iterations.
std::size_t iterations(std::size_t k, std::size_t i, std::size_t j) {
  if (i == k && j == k) return 1;
  return i == k || j == k ? kBlock : kBlock * kBlock;
}

void iterate(Matrix& m, std::size_t k, std::size_t i, std::size_t j, std::size_t first,
             std::size_t last) {
  double* c = m.block(i, j);
  const double* d = m.block(k, k);
  if (i == k && j == k) {
    factor_diagonal(c);
  } else if (j == k) {
    for (std::size_t row = first; row < last; ++row) solve_row(c, d, row);
  } else if (i == k) {
    for (std::size_t column = first; column < last; ++column) solve_column(c, d, column);
  } else {
    for (std::size_t e = first; e < last; ++e) update_element(c, m.block(i, k), m.block(k, j), e);
  }
}

void factor(Matrix& m) {
  for (std::size_t k = 0; k < m.blocks; ++k) {
    iterate(m, k, k, k, 0, 1);
    for (std::size_t i = k + 1; i < m.blocks; ++i) {
      iterate(m, k, i, k, 0, kBlock);
      iterate(m, k, k, i, 0, kBlock);
    }
    for (std::size_t i = k + 1; i < m.blocks; ++i) {
      for (std::size_t j = k + 1; j < m.blocks; ++j) iterate(m, k, i, j, 0, kBlock * kBlock);
    }
  }
}

// Blocks are dealt out to a grid of nodes.
int node_of(std::size_t i, std::size_t j, int nodes) {
  int rows = 1;
  while (rows * rows * 4 <= nodes) rows *= 2;
  while (nodes % rows != 0) rows /= 2;
  const int columns = nodes / rows;
  return static_cast<int>(i) % rows * columns + static_cast<int>(j) % columns;
}

void factor_by_threads(Matrix& m, std::size_t grain) {
  const std::size_t nb = m.blocks;
  const auto active = [nb](std::size_t k, std::size_t ij) { return ij / nb >= k && ij % nb >= k; };
  const auto on_block = [nb](std::size_t, std::size_t ij, int nodes) {
    return node_of(ij / nb, ij % nb, nodes);
  };
  const auto block_data = [&m](std::size_t i, std::size_t j) {
    return ddm::data(std::span(m.block(i, j), kBlock * kBlock));
  };

  ddm::Program<> program("lu");
  auto begin = program.thread("begin", ddm::range(nb, nb * nb), [](std::size_t, std::size_t) {});
  auto work = program.thread("work", ddm::range(nb, nb * nb, divide_up(kBlock * kBlock, grain)),
                             [&](std::size_t k, std::size_t ij, std::size_t part) {
                               const std::size_t i = ij / nb, j = ij % nb;
                               iterate(m, k, i, j, part * grain,
                                       std::min(iterations(k, i, j), (part + 1) * grain));
                             });
  auto end = program.thread("end", ddm::range(nb, nb * nb), [](std::size_t, std::size_t) {});
  begin.where(active).on(on_block);
  end.where(active).on(on_block);
  work.where([=](std::size_t k, std::size_t ij, std::size_t part) {
        return active(k, ij) && part * grain < iterations(k, ij / nb, ij % nb);
      })
      .on([on_block](std::size_t k, std::size_t ij, std::size_t, int nodes) {
        return on_block(k, ij, nodes);
      });
  work.reads([&, nb, grain](std::size_t k, std::size_t ij, std::size_t part) {
    const std::size_t i = ij / nb, j = ij % nb;
    const std::size_t first = part * grain, last = std::min(iterations(k, i, j), first + grain);
    const auto rows = [](const double* block, std::size_t from, std::size_t to) {
      return ddm::data(std::span(block + from * kBlock, (to - from) * kBlock))[0];
    };
    std::vector<ddm::Operand> reads;
    if (i == k && j == k) {
      reads.push_back(rows(m.block(i, j), 0, kBlock));
    } else if (i == k) {
      reads.push_back(rows(m.block(i, j), 0, kBlock));
      reads.push_back(rows(m.block(k, k), 0, kBlock));
    } else if (j == k) {
      reads.push_back(rows(m.block(i, j), first, last));
      reads.push_back(rows(m.block(k, k), 0, kBlock));
    } else {
      const std::size_t top = first / kBlock, bottom = (last - 1) / kBlock + 1;
      reads.push_back(ddm::data(std::span(m.block(i, j) + first, last - first))[0]);
      reads.push_back(rows(m.block(i, k), top, bottom));
      reads.push_back(rows(m.block(k, j), 0, kBlock));
    }
    return reads;
  });
  begin.then(work, [=](std::size_t k, std::size_t ij, ddm::To<3> to) {
    const std::size_t parts = divide_up(iterations(k, ij / nb, ij % nb), grain);
    for (std::size_t part = 0; part < parts; ++part) to(k, ij, part);
  });
  work.then(end, [](std::size_t k, std::size_t ij, std::size_t, ddm::To<2> to) { to(k, ij); });
  // The diagonal block lets the perimeter begin, each block of the perimeter its row or column, and
  // a block of the interior its own next step.
  end.then(begin,
           [=](std::size_t k, std::size_t ij, ddm::To<2> to) {
             const std::size_t i = ij / nb, j = ij % nb;
             for (std::size_t other = k + 1; other < nb; ++other) {
               if (i == k && j == k) {
                 to(k, other * nb + k);
                 to(k, k * nb + other);
               } else if (j == k) {
                 to(k, i * nb + other);
               } else if (i == k) {
                 to(k, other * nb + j);
               }
             }
             if (i > k && j > k) to(k + 1, ij);
           })
      .carries([=](std::size_t, std::size_t ij) { return block_data(ij / nb, ij % nb); });
  program.run();
  share(
      nb * nb, [nb](std::size_t ij, int nodes) { return node_of(ij / nb, ij % nb, nodes); },
      [=](std::size_t ij) { return block_data(ij / nb, ij % nb); });
}

bool check(const Matrix& m) {
  Matrix plain(m.n);
  factor(plain);
  return m.data == plain.data;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, {256, 1024});
  if (arguments.size % kBlock != 0) {
    std::fprintf(stderr, "size=%zu: must be a multiple of %zu\n", arguments.size, kBlock);
    return 2;
  }
  Matrix matrix(arguments.size);
  if (arguments.sequential) {
    run_sequentially([&] { factor(matrix); });
  } else {
    factor_by_threads(matrix, arguments.grain);
  }
  return finish("lu", arguments, check(matrix), digest(std::span<const double>(matrix.data)));
}
