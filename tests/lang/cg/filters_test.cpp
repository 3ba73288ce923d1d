// The picture filters in Cg against plain computations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <functional>
#include <sstream>

#include "lang/cg/compiler.h"
#include "machine/overlay/evaluator.h"
#include "test_paths.h"

namespace raddle::cg {
namespace {

namespace overlay = machine::overlay;
using overlay::Float4;

constexpr int kWidth = 12, kHeight = 9;

Float4 pixel(int x, int y) {
  x = std::clamp(x, 0, kWidth - 1);
  y = std::clamp(y, 0, kHeight - 1);
  Float4 result{};
  for (int c = 0; c < 4; ++c)
    result[static_cast<std::size_t>(c)] =
        static_cast<float>((x * 7 + y * 13 + c * 5 + x * y) % 17) / 16;
  return result;
}

void expect_filter(const std::string& name, const std::function<Float4(int, int)>& expected,
                   double tolerance) {
  std::ifstream file(test_root() + "/benchmarks/cg/" + name);
  std::stringstream text;
  text << file.rdbuf();
  overlay::Configuration configuration;
  configuration.set_shader(compile(text.str(), name).shader);
  std::vector<Float4> memory;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) memory.push_back(pixel(x, y));
  }
  configuration.samplers[0] = {true, 0, kWidth, kHeight, overlay::Addressing::kClamp};
  configuration.outputs[0] = {true, memory.size(), kWidth, kHeight};
  configuration.domain = {0, 0, kWidth, kHeight};
  const std::size_t first = memory.size();
  memory.resize(first * 2);
  overlay::evaluate(configuration, memory);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const Float4 wanted = expected(x, y);
      const Float4& got = memory[first + static_cast<std::size_t>(y * kWidth + x)];
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_NEAR(got[c], wanted[c], tolerance) << name << " at " << x << ", " << y;
    }
  }
}

TEST(CgFilters, Blur5TakesTheWeightedMeanOfNeighbours) {
  expect_filter(
      "blur5.cg",
      [](int x, int y) {
        Float4 sum{};
        for (std::size_t c = 0; c < 4; ++c)
          sum[c] = pixel(x, y)[c] / 2 + (pixel(x + 1, y)[c] + pixel(x - 1, y)[c] +
                                         pixel(x, y + 1)[c] + pixel(x, y - 1)[c]) /
                                            8;
        return sum;
      },
      1e-6);
}

TEST(CgFilters, SobelFindsHowSteepBrightnessIs) {
  expect_filter(
      "sobel.cg",
      [](int x, int y) {
        const auto grey = [&](int dx, int dy) {
          const Float4 p = pixel(x + dx, y + dy);
          return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
        };
        const double across = grey(1, -1) + 2 * grey(1, 0) + grey(1, 1) - grey(-1, -1) -
                              2 * grey(-1, 0) - grey(-1, 1);
        const double down = grey(-1, 1) + 2 * grey(0, 1) + grey(1, 1) - grey(-1, -1) -
                            2 * grey(0, -1) - grey(1, -1);
        const auto steep = static_cast<float>(std::min(1.0, std::hypot(across, down)));
        return Float4{steep, steep, steep, 1};
      },
      1e-5);
}

TEST(CgFilters, MandelbrotCountsTheTurnsOfEachPoint) {
  expect_filter(
      "mandelbrot.cg",
      [](int x, int y) {
        const std::complex<float> c(-0.6F + (static_cast<float>(x) - 64) * 0.025F,
                                    (static_cast<float>(y) - 48) * 0.025F);
        std::complex<float> z = 0;
        int turns = 0;
        while (turns < 64 && std::norm(z) <= 4) {
          z = z * z + c;
          ++turns;
        }
        const float t = static_cast<float>(turns) / 64;
        if (turns == 64) return Float4{0, 0, 0, 1};
        return Float4{t, t * t, std::sqrt(t), 1};
      },
      1e-5);
}

}  // namespace
}  // namespace raddle::cg
