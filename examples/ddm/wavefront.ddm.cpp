// A loop over a table where each cell needs the one above and the one to the left: the longest
// common subsequence of two texts.
#include <raddle/ddm.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace ddm = raddle::ddm;

int main() {
  std::string a, b;
  for (int i = 0; i < 1200; ++i) {
    a += static_cast<char>('a' + i * i % 7);
    b += static_cast<char>('a' + i * 3 % 5);
  }
  const std::size_t width = b.size() + 1;
  std::vector<int> length((a.size() + 1) *
                          width);  // of the subsequence of the first i and j letters

  ddm::Program program;
  auto cell =
      program.thread("cell", ddm::range(a.size(), b.size()), [&](std::size_t i, std::size_t j) {
        const int* above = &length[i * width + j];
        int* here = &length[(i + 1) * width + j];
        here[1] = a[i] == b[j] ? above[0] + 1 : std::max(above[1], here[0]);
      });
  cell.then(cell, ddm::offset(1, 0));  // the cell below
  cell.then(cell, ddm::offset(0, 1));  // the cell to the right
  const auto report = program.run();

  std::printf("%d letters in common, %zu threads\n", length.back(),
              static_cast<std::size_t>(report.threads_fired));
}
