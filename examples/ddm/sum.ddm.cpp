// The smallest data-driven program that computes something: squares, then their sum.
#include <raddle/ddm.h>

#include <cstdio>
#include <numeric>
#include <vector>

namespace ddm = raddle::ddm;

int main() {
  std::vector<double> x(1000, 1.5);
  double sum = 0;

  ddm::Program program;
  auto square =
      program.thread("square", ddm::range(x.size()), [&](std::size_t i) { x[i] *= x[i]; });
  auto add = program.thread("add", [&] { sum = std::accumulate(x.begin(), x.end(), 0.0); });
  square.then(add);
  program.run();

  std::printf("%g\n", sum);
}
