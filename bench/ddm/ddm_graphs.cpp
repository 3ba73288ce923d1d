#include <raddle/ddm.h>

#include "bench/ddm/contenders.h"

namespace raddle::bench::ddm_library {
namespace {

template <class Frame>
Runner runner(std::shared_ptr<ddm::Program<Frame>> program, int workers) {
  ddm::Options options;
  options.workers = workers;
  return [program = std::move(program), options] { program->run(options); };
}

}  // namespace

Runner independent(int workers) {
  auto program = std::make_shared<ddm::Program<>>();
  program->thread("thread", ddm::range(kThreads), [](std::size_t) { empty_thread(); });
  return runner(std::move(program), workers);
}

Runner wavefront(int workers) {
  auto program = std::make_shared<ddm::Program<>>();
  auto thread = program->thread("thread", ddm::range(kSide, kSide),
                                [](std::size_t, std::size_t) { empty_thread(); });
  thread.then(thread, ddm::offset(1, 0));
  thread.then(thread, ddm::offset(0, 1));
  return runner(std::move(program), workers);
}

Runner chain(int workers) {
  auto program = std::make_shared<ddm::Program<>>();
  auto thread =
      program->thread("thread", ddm::range(kThreads), [](std::size_t) { empty_thread(); });
  thread.then(thread, ddm::offset(1));
  return runner(std::move(program), workers);
}

Runner cholesky(BlockedMatrix& matrix, int workers) {
  auto program = std::make_shared<ddm::Program<>>();
  const auto n = matrix.blocks();
  auto factorise =
      program->thread("factorise", ddm::range(n), [&](std::size_t k) { matrix.factorise(k); });
  auto solve = program->thread("solve", ddm::range(n, n),
                               [&](std::size_t k, std::size_t i) { matrix.solve(k, i); });
  auto update =
      program->thread("update", ddm::range(n, n, n),
                      [&](std::size_t k, std::size_t i, std::size_t j) { matrix.update(k, i, j); });
  solve.where([](std::size_t k, std::size_t i) { return k < i; });
  update.where([](std::size_t k, std::size_t i, std::size_t j) { return k < j && j <= i; });
  factorise.then(solve, [n](std::size_t k, auto to) {
    for (auto i = k + 1; i < n; ++i) to(k, i);
  });
  solve.then(update, [n](std::size_t k, std::size_t i, auto to) {
    for (auto j = k + 1; j <= i; ++j) to(k, i, j);
    for (auto below = i + 1; below < n; ++below) to(k, below, i);
  });
  update.then(update, ddm::offset(1, 0, 0));
  update.then(solve, [](std::size_t k, std::size_t i, std::size_t j, auto to) {
    if (k + 1 == j && j < i) to(j, i);
  });
  update.then(factorise, [](std::size_t k, std::size_t i, std::size_t j, auto to) {
    if (k + 1 == j && j == i) to(j);
  });
  return runner(std::move(program), workers);
}

}  // namespace raddle::bench::ddm_library
