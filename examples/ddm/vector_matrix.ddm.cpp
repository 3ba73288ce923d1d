// The paper's example (DDM §2.4): a vector times a matrix, the outer loop as one code block and the
// inner product as another.
#include <raddle/ddm.h>

#include <cstdio>
#include <vector>

namespace ddm = raddle::ddm;

constexpr std::size_t kRows = 64, kColumns = 100;

struct InnerProduct {  // the data frame of one invocation
  const double* row;
  const double* column;
  double products[kRows];
  double sum;
};

struct Multiply {
  std::vector<double> vector = std::vector<double>(kRows, 0.5);
  std::vector<double> matrix = std::vector<double>(kRows * kColumns, 2.0);  // by columns
  std::vector<double> result = std::vector<double>(kColumns);
};

int main() {
  ddm::Program<Multiply> program("multiply");
  auto inner = program.block<InnerProduct>("inner product");

  auto multiply = inner.thread("multiply", ddm::range(kRows), [](InnerProduct& f, std::size_t i) {
    f.products[i] = f.row[i] * f.column[i];
  });
  auto add = inner.thread("add", [](InnerProduct& f) {
    f.sum = 0;
    for (const double product : f.products) f.sum += product;
  });
  multiply.then(add);

  program.call(
      "column", ddm::range(kColumns), inner,
      [](Multiply& f, std::size_t c) {
        return InnerProduct{f.vector.data(), &f.matrix[c * kRows], {}, 0};
      },
      [](Multiply& f, std::size_t c, InnerProduct& done) { f.result[c] = done.sum; });

  Multiply frame;
  const auto report = program.run(frame);
  std::printf("%g, %zu contexts\n", frame.result[99], static_cast<std::size_t>(report.contexts));
}
