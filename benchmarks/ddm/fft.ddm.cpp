// FFT: iterative radix-2 transform of complex numbers whose count is a power of two. An iteration
// is one butterfly; a thread does `grain` of one stage, and needs those of the stage before that
// wrote its points.
#include <algorithm>
#include <complex>
#include <numbers>
#include <vector>

#include "application.h"

using namespace application;

namespace {

struct Point {
  double re, im;
};

struct Transform {
  std::size_t n, stages;
  std::vector<Point> points, roots;

  explicit Transform(std::size_t size) : n(size), stages(0), points(n), roots(n / 2) {
    while ((std::size_t{1} << stages) < n) ++stages;
    Random random(2);
    std::vector<Point> natural(n);
    for (Point& each : natural) each = {random.uniform() - 0.5, random.uniform() - 0.5};
    for (std::size_t i = 0; i < n; ++i) points[reversed(i)] = natural[i];
    for (std::size_t i = 0; i < n / 2; ++i) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
      roots[i] = {std::cos(angle), std::sin(angle)};
    }
  }
  std::size_t reversed(std::size_t i) const {
    std::size_t result = 0;
    for (std::size_t bit = 0; bit < stages; ++bit) result |= (i >> bit & 1) << (stages - 1 - bit);
    return result;
  }
  // Butterfly b of a stage works on points i and i + span.
  static std::size_t upper(std::size_t b, std::size_t span) {
    return b / span * 2 * span + b % span;
  }
  static std::size_t butterfly_of(std::size_t i, std::size_t span) {
    return i / (2 * span) * span + i % span;
  }

  void butterflies(std::size_t stage, std::size_t first, std::size_t last) {
    const std::size_t span = std::size_t{1} << stage;
    for (std::size_t b = first; b < last; ++b) {
      const std::size_t i = upper(b, span);
      const Point root = roots[b % span * (n / 2 / span)];
      Point &u = points[i], &v = points[i + span];
      const Point turned{v.re * root.re - v.im * root.im, v.re * root.im + v.im * root.re};
      v = {u.re - turned.re, u.im - turned.im};
      u = {u.re + turned.re, u.im + turned.im};
    }
  }
};

void transform(Transform& t) {
  for (std::size_t stage = 0; stage < t.stages; ++stage) t.butterflies(stage, 0, t.n / 2);
}

// Threads of the next stage that work on points of this one, each once.
template <class Use>
void for_each_consumer(const Transform& t, std::size_t grain, std::size_t stage, std::size_t thread,
                       Use use) {
  const std::size_t span = std::size_t{1} << stage;
  std::vector<std::size_t> consumers;
  for (std::size_t b = thread * grain; b < std::min(t.n / 2, (thread + 1) * grain); ++b) {
    const std::size_t i = Transform::upper(b, span);
    for (const std::size_t point : {i, i + span}) {
      consumers.push_back(Transform::butterfly_of(point, 2 * span) / grain);
    }
  }
  std::sort(consumers.begin(), consumers.end());
  consumers.erase(std::unique(consumers.begin(), consumers.end()), consumers.end());
  for (const std::size_t each : consumers) use(each);
}

void transform_by_threads(Transform& t, std::size_t grain) {
  const std::size_t threads = divide_up(t.n / 2, grain);
  ddm::Program<> program("fft");
  auto butterflies = program.thread(
      "butterflies", ddm::range(t.stages, threads), [&](std::size_t stage, std::size_t thread) {
        t.butterflies(stage, thread * grain, std::min(t.n / 2, (thread + 1) * grain));
      });
  butterflies.reads([&, grain](std::size_t stage, std::size_t thread) {
    const std::size_t span = std::size_t{1} << stage;
    std::vector<ddm::Operand> reads;
    for (std::size_t b = thread * grain; b < std::min(t.n / 2, (thread + 1) * grain); ++b) {
      const std::size_t i = Transform::upper(b, span);
      for (const auto& operand :
           ddm::data(t.points[i], t.points[i + span], t.roots[b % span * (t.n / 2 / span)])) {
        reads.push_back(operand);
      }
    }
    return reads;
  });
  butterflies.on([threads](std::size_t, std::size_t thread, int nodes) {
    return share_of(thread, threads, nodes);
  });
  butterflies
      .then(butterflies,
            [&, grain](std::size_t stage, std::size_t thread, ddm::To<2> to) {
              if (stage + 1 == t.stages) return;
              for_each_consumer(t, grain, stage, thread,
                                [&](std::size_t next) { to(stage + 1, next); });
            })
      // A node gets the points that it works on and no others: it may have newer ones of these.
      .carries([&, grain](std::size_t stage, std::size_t thread, std::size_t, std::size_t next) {
        const std::size_t span = std::size_t{1} << stage;
        std::vector<ddm::Operand> written;
        for (std::size_t b = thread * grain; b < std::min(t.n / 2, (thread + 1) * grain); ++b) {
          const std::size_t i = Transform::upper(b, span);
          for (const std::size_t point : {i, i + span}) {
            if (Transform::butterfly_of(point, 2 * span) / grain == next)
              written.push_back(ddm::data(t.points[point])[0]);
          }
        }
        return written;
      });
  program.run();
  share(
      threads,
      [threads](std::size_t thread, int nodes) { return share_of(thread, threads, nodes); },
      [&t, grain](std::size_t thread) {
        const std::size_t first = thread * grain, length = std::min(grain, t.n / 2 - first);
        return ddm::data(std::span(t.points).subspan(first, length),
                         std::span(t.points).subspan(first + t.n / 2, length));
      });
}

bool check(const Transform& t) {
  Transform plain(t.n);
  transform(plain);
  for (std::size_t i = 0; i < t.n; ++i) {
    if (t.points[i].re != plain.points[i].re || t.points[i].im != plain.points[i].im) return false;
  }
  // One coefficient from its definition.
  std::complex<double> sum = 0;
  const Transform input(t.n);
  for (std::size_t i = 0; i < t.n; ++i) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(3 * i % t.n) / static_cast<double>(t.n);
    const Point& x = input.points[input.reversed(i)];
    sum += std::complex(x.re, x.im) * std::polar(1.0, angle);
  }
  return std::abs(sum - std::complex(t.points[3].re, t.points[3].im)) <
         1e-9 * static_cast<double>(t.n);
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, 4096);
  if (arguments.size < 8 || (arguments.size & (arguments.size - 1)) != 0) {
    std::fprintf(stderr, "size=%zu: must be a power of two, at least 8\n", arguments.size);
    return 2;
  }
  Transform t(arguments.size);
  if (arguments.sequential) {
    run_sequentially([&] { transform(t); });
  } else {
    transform_by_threads(t, arguments.grain);
  }
  return finish("fft", arguments, check(t), digest(std::span<const Point>(t.points)));
}
