// A loop whose end is not known before: square roots by Newton's method. A switch thread goes round
// or out.
#include <raddle/ddm.h>

#include <cmath>
#include <cstdio>

namespace ddm = raddle::ddm;

struct Root {
  double of;
  double guess = 1;
};

int main() {
  struct Roots {
    Root done[10];
  };
  ddm::Program<Roots> program;
  auto root = program.block<Root>("root");

  auto begin = root.thread("begin", [](Root& f) { f.guess = f.of / 2; });
  auto test = root.choose(
      "test", [](Root& f) { return std::abs(f.guess * f.guess - f.of) < 1e-12 * f.of; });
  auto improve = root.thread("improve", [](Root& f) { f.guess = (f.guess + f.of / f.guess) / 2; });
  auto end = root.thread("end", [] {});
  begin.then(test);
  test.when(false, improve).when(true, end);
  improve.again(test);

  program.call(
      "roots", ddm::range(10), root, [](std::size_t i) { return Root{static_cast<double>(i + 1)}; },
      [](Roots& f, std::size_t i, Root& found) { f.done[i] = found; });
  Roots roots{};
  program.run(roots);
  for (const Root& found : roots.done) std::printf("%.6f ", found.guess);
  std::printf("\n");
}
