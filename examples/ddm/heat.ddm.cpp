// A rod that cools, in pieces, over several nodes: each step of a piece needs its neighbours' edges
// of the step before. Run it alone or with `mpirun -n 4`; rank 0 prints the same number.
#include <raddle/ddm.h>

#include <cstdio>
#include <vector>

namespace ddm = raddle::ddm;

constexpr std::size_t kPieces = 16, kLength = 1000, kSteps = 200;

struct Rod {
  // Two versions of each piece, with a cell of the neighbour at either end; odd and even steps
  // alternate.
  std::vector<double> cells = std::vector<double>(2 * kPieces * (kLength + 2), 20.0);
  double total = 0;

  double* piece(std::size_t step, std::size_t p) {
    return &cells[(step % 2 * kPieces + p) * (kLength + 2)];
  }
};

int main() {
  ddm::Program<Rod> program("heat");
  auto heat = program.thread("heat", ddm::range(kPieces), [](Rod& rod, std::size_t p) {
    for (std::size_t i = 0; i < kLength; ++i) rod.piece(0, p)[i + 1] = p == 7 ? 100 : 20;
  });
  auto step = program.thread("step", ddm::range(kSteps, kPieces),
                             [](Rod& rod, std::size_t s, std::size_t p) {
                               double* old = rod.piece(s, p);
                               if (p > 0) old[0] = rod.piece(s, p - 1)[kLength];
                               if (p + 1 < kPieces) old[kLength + 1] = rod.piece(s, p + 1)[1];
                               double* now = rod.piece(s + 1, p);
                               for (std::size_t i = 1; i <= kLength; ++i)
                                 now[i] = old[i] + 0.25 * (old[i - 1] - 2 * old[i] + old[i + 1]);
                             });
  auto add = program.thread("add", [](Rod& rod) {
    for (std::size_t p = 0; p < kPieces; ++p) {
      for (std::size_t i = 1; i <= kLength; ++i) rod.total += rod.piece(kSteps, p)[i] - 20;
    }
  });

  // Neighbouring pieces run on the same node where possible.
  const auto owner = [](std::size_t p, int nodes) { return static_cast<int>(p * nodes / kPieces); };
  heat.on(owner);
  step.on([owner](std::size_t, std::size_t p, int nodes) { return owner(p, nodes); });

  const auto edge = [](Rod& rod, std::size_t s, std::size_t p, bool right) {
    return ddm::data(rod.piece(s, p)[right ? kLength : 1]);
  };
  for (const int to : {-1, 0, 1}) {
    const bool right = to > 0;
    heat.then(step,
              [to](std::size_t p, auto enable) {
                if (p + to < kPieces) enable(0, p + to);
              })
        .carries([edge, right](Rod& rod, std::size_t p) { return edge(rod, 0, p, right); });
    step.then(step, ddm::offset(1, to))
        .carries([edge, right](Rod& rod, std::size_t s, std::size_t p) {
          return edge(rod, s + 1, p, right);
        });
  }
  step.then(add,
            [](std::size_t s, std::size_t, auto enable) {
              if (s + 1 == kSteps) enable();
            })
      .carries([](Rod& rod, std::size_t, std::size_t p) {
        return ddm::data(std::span(rod.piece(kSteps, p), kLength + 2));
      });

  Rod rod;
  program.run(rod);
  if (ddm::node() == 0) std::printf("%.6f\n", rod.total);
}
