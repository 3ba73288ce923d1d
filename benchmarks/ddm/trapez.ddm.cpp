// Trapez: the integral of 4/(1+x²) from 0 to 1 by the trapezoidal rule, which is π. An iteration is
// one point; threads of `grain` points leave partial sums that two further stages add up.
#include <algorithm>
#include <numbers>
#include <vector>

#include "application.h"

using namespace application;

namespace {

constexpr std::size_t kFanIn = 64;

double value(double x) { return 4.0 / (1.0 + x * x); }

double integrate(double width, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double x = static_cast<double>(i) * width;
    sum += (value(x) + value(x + width)) * 0.5 * width;
  }
  return sum;
}

double integrate_by_threads(const Arguments& arguments) {
  const std::size_t points = arguments.size, grain = arguments.grain;
  const double width = 1.0 / static_cast<double>(points);
  const std::size_t threads = divide_up(points, grain);
  const std::size_t groups = divide_up(threads, kFanIn);
  std::vector<double> partial(threads), group(groups);
  double total = 0;

  ddm::Program<> program("trapez");
  auto area = program.thread("area", ddm::range(threads), [&, width, grain, points](std::size_t t) {
    partial[t] = integrate(width, t * grain, std::min(points, (t + 1) * grain));
  });
  auto add = program.thread("add", ddm::range(groups), [&](std::size_t g) {
    double sum = 0;
    for (std::size_t t = g * kFanIn; t < std::min(threads, (g + 1) * kFanIn); ++t)
      sum += partial[t];
    group[g] = sum;
  });
  add.reads([&](std::size_t g) {
    return ddm::data(
        std::span(partial).subspan(g * kFanIn, std::min(kFanIn, threads - g * kFanIn)));
  });
  auto sum = program.thread("sum", [&] {
    double all = 0;
    for (const double each : group) all += each;
    total = all;
  });
  sum.reads([&] { return ddm::data(std::span(group)); });
  area.then(add, [](std::size_t t, ddm::To<1> to) { to(t / kFanIn); }).carries([&](std::size_t t) {
    return ddm::data(partial[t]);
  });
  add.then(sum).carries([&](std::size_t g) { return ddm::data(group[g]); });
  program.run();
  share(1, [](std::size_t, int) { return 0; }, [&](std::size_t) { return ddm::data(total); });
  return total;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, {65536, 1048576});
  double total = 0;
  if (arguments.sequential) {
    run_sequentially(
        [&] { total = integrate(1.0 / static_cast<double>(arguments.size), 0, arguments.size); });
  } else {
    total = integrate_by_threads(arguments);
  }
  return finish("trapez", arguments, close(total, std::numbers::pi, 1e-6),
                digest(std::span<const double>(&total, 1)));
}
