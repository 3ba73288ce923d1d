// Mult: blocked product of two square matrices. An iteration is one element of the product within
// one block of the inner dimension; a thread does `grain` neighbours of a row, and the blocks of
// the inner dimension follow each other. So do the neighbours of a chunk of rows, which then finds
// the columns that they share in the cache.
#include <algorithm>
#include <vector>

#include "application.h"

using namespace application;

namespace {

constexpr std::size_t kBlock = 16;
constexpr std::size_t kChunks = 32;  // of rows

// Rows are longer by a line of the cache than they need be: the rows of a block, a power of two
// apart, would lie in the same few sets.
struct Matrices {
  static constexpr std::size_t kPadding = 4;

  std::size_t n, stride;
  std::vector<double> a, b, c;  // b is kept by columns

  explicit Matrices(std::size_t size)
      : n(size), stride(n + kPadding), a(n * stride), b(n * stride), c(n * stride) {
    Random random(1);
    for (double& each : a) each = random.uniform();
    for (double& each : b) each = random.uniform();
  }

  double inner(std::size_t i, std::size_t j, std::size_t block) const {
    const double* row = &a[i * stride + block * kBlock];
    const double* column = &b[j * stride + block * kBlock];
    const std::size_t length = std::min(kBlock, n - block * kBlock);
    double sum = 0;
    for (std::size_t k = 0; k < length; ++k) sum += row[k] * column[k];
    return sum;
  }
};

// Blocked in all three dimensions: three blocks of 2 KB stay in the L1.
void multiply(Matrices& m) {
  const std::size_t blocks = divide_up(m.n, kBlock);
  for (std::size_t ij = 0; ij < blocks * blocks; ++ij) {
    const std::size_t top = ij / blocks * kBlock, left = ij % blocks * kBlock;
    for (std::size_t block = 0; block < blocks; ++block) {
      for (std::size_t i = top; i < std::min(m.n, top + kBlock); ++i) {
        for (std::size_t j = left; j < std::min(m.n, left + kBlock); ++j)
          m.c[i * m.stride + j] += m.inner(i, j, block);
      }
    }
  }
}

void multiply_by_threads(Matrices& m, std::size_t grain) {
  const std::size_t n = m.n, parts = divide_up(n, grain), blocks = divide_up(n, kBlock);
  ddm::Program<> program("mult");
  auto element = program.thread("element", ddm::range(n, parts, blocks),
                                [&](std::size_t i, std::size_t part, std::size_t block) {
                                  for (std::size_t j = part * grain;
                                       j < std::min(n, (part + 1) * grain); ++j) {
                                    m.c[i * m.stride + j] += m.inner(i, j, block);
                                  }
                                });
  element.reads([&, n, grain](std::size_t i, std::size_t part, std::size_t block) {
    const std::size_t first = part * grain, count = std::min(grain, n - first);
    const std::size_t length = std::min(kBlock, n - block * kBlock);
    std::vector<ddm::Operand> reads{
        ddm::data(std::span(m.c).subspan(i * m.stride + first, count))[0],
        ddm::data(std::span(m.a).subspan(i * m.stride + block * kBlock, length))[0]};
    for (std::size_t j = first; j < first + count; ++j) {
      reads.push_back(ddm::data(std::span(m.b).subspan(j * m.stride + block * kBlock, length))[0]);
    }
    return reads;
  });
  // A row is computed where it lies, so nothing has to be sent.
  element.on(
      [n](std::size_t i, std::size_t, std::size_t, int nodes) { return share_of(i, n, nodes); });
  element.then(element, ddm::offset(0, 0, 1));
  const std::size_t chunk = divide_up(n, kChunks);
  auto done = program.thread("part_done", ddm::range(divide_up(n, chunk), parts),
                             [](std::size_t, std::size_t) {});
  done.on(
      [n, chunk](std::size_t c, std::size_t, int nodes) { return share_of(c * chunk, n, nodes); });
  element.then(done,
               [blocks, chunk](std::size_t i, std::size_t part, std::size_t block, ddm::To<2> to) {
                 if (block + 1 == blocks) to(i / chunk, part);
               });
  done.then(element, [n, parts, chunk](std::size_t c, std::size_t part, ddm::To<3> to) {
    if (part + 1 == parts) return;
    for (std::size_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) to(i, part + 1, 0);
  });
  program.run();
  share(
      n, [n](std::size_t i, int nodes) { return share_of(i, n, nodes); },
      [&m, n](std::size_t i) { return ddm::data(std::span(m.c).subspan(i * m.stride, n)); });
}

bool check(const Matrices& m) {
  Matrices plain(m.n);
  multiply(plain);
  for (std::size_t i = 0; i < m.c.size(); ++i) {
    if (!close(m.c[i], plain.c[i], 1e-12)) return false;
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, {256, 1024});
  Matrices matrices(arguments.size);
  if (arguments.sequential) {
    run_sequentially([&] { multiply(matrices); });
  } else {
    multiply_by_threads(matrices, arguments.grain);
  }
  return finish("mult", arguments, check(matrices), digest(std::span<const double>(matrices.c)));
}
