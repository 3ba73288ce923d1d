// The bundled CTM programs on the machine, against plain loops of the host in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/atomic_file.h"
#include "lang/ctm/assembler.h"
#include "machine/overlay/host_driver.h"
#include "test_paths.h"

namespace raddle::machine::overlay {
namespace {

Shader bundled(const std::string& name) {
  const std::string path = test_root() + "/benchmarks/cg/" + name + ".ctm";
  return ctm::assemble(read_file(path), path);
}

OverlayMachine machine() { return OverlayMachine(load_parameters("overlay")); }

std::vector<Float4> random_texels(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Float4> texels(count);
  for (Float4& texel : texels) {
    for (float& channel : texel) channel = static_cast<float>(random() >> 8) * 0x1p-24F - 0.5F;
  }
  return texels;
}

// Matrices as the programs take them: M x K and K x N.
struct Product {
  std::uint32_t m = 24, n = 32, k = 40;
  std::vector<Float4> a = random_texels(std::size_t{k} * m / 4, 1);
  std::vector<Float4> b = random_texels(std::size_t{n} / 4 * k, 2);

  double element(std::uint32_t row, std::uint32_t column) const {
    double sum = 0;
    for (std::uint32_t i = 0; i < k; ++i) {
      const double left = a[std::size_t{row / 4} * k + i][row % 4];
      const double right = b[std::size_t{i} * (n / 4) + column / 4][column % 4];
      sum += left * right;
    }
    return sum;
  }
  void bind(HostDriver& driver) const {
    driver.input("A", k, m / 4, a);
    driver.input("B", n / 4, k, b);
    for (const char* output : {"o0", "o1", "o2", "o3"}) driver.output(output, n / 4, m / 4);
  }
};

double ratio(const LaunchResult& result) {
  double alu = 0, tex = 0;
  for (const sim::StatValue& stat : result.stats) {
    if (stat.component != "issue") continue;
    if (stat.name == "alu") alu = stat.value;
    if (stat.name == "tex") tex = stat.value;
  }
  return alu / tex;
}

TEST(BundledPrograms, MatmatmultMultipliesMatrices) {
  const OverlayMachine overlay = machine();
  HostDriver driver(overlay, bundled("matmatmult"));
  const Product product;
  product.bind(driver);
  driver.loop("i0", {0, static_cast<std::uint8_t>(product.k / 4), 0, 1});
  const LaunchResult result = driver.start();
  ASSERT_TRUE(result.complete);
  for (std::uint32_t row = 0; row < product.m; ++row) {
    const auto texels = driver.result("o" + std::to_string(row % 4));
    for (std::uint32_t column = 0; column < product.n; ++column) {
      const float got = texels[std::size_t{row / 4} * (product.n / 4) + column / 4][column % 4];
      ASSERT_NEAR(got, product.element(row, column), 1e-5) << row << " " << column;
    }
  }
  EXPECT_EQ(driver.compare_with_evaluator().texels, 0U);
}

TEST(BundledPrograms, SgemmScalesAndAdds) {
  const OverlayMachine overlay = machine();
  HostDriver driver(overlay, bundled("sgemm"));
  const Product product;
  product.bind(driver);
  std::vector<std::vector<Float4>> before;
  for (unsigned i = 0; i < 4; ++i) {
    before.push_back(random_texels(std::size_t{product.n} / 4 * product.m / 4, 10 + i));
    driver.input("C" + std::to_string(i), product.n / 4, product.m / 4, before.back());
  }
  driver.constant("alpha", {2, 2, 2, 2});
  driver.constant("beta", {-3, -3, -3, -3});
  driver.constant("K", {static_cast<float>(product.k), 0, 0, 0});
  const LaunchResult result = driver.start();
  ASSERT_TRUE(result.complete);
  for (std::uint32_t row = 0; row < product.m; ++row) {
    const auto texels = driver.result("o" + std::to_string(row % 4));
    for (std::uint32_t column = 0; column < product.n; ++column) {
      const std::size_t at = std::size_t{row / 4} * (product.n / 4) + column / 4;
      const double old = before[row % 4][at][column % 4];
      ASSERT_NEAR(texels[at][column % 4], 2 * product.element(row, column) - 3 * old, 2e-5)
          << row << " " << column;
    }
  }
}

TEST(BundledPrograms, HaveThePapersRatiosAndRegisters) {
  const OverlayMachine overlay = machine();
  const auto a = random_texels(128 * 2, 1), b = random_texels(2 * 128, 2), c = random_texels(4, 3);
  HostDriver product(overlay, bundled("matmatmult"));
  product.input("A", 128, 2, a);
  product.input("B", 2, 128, b);
  for (const char* output : {"o0", "o1", "o2", "o3"}) product.output(output, 2, 2);
  product.loop("i0", {0, 32, 0, 1});
  EXPECT_NEAR(ratio(product.start()), 2.25, 0.05);
  EXPECT_EQ(product.shader().temporaries, 15);
  HostDriver sgemm(overlay, bundled("sgemm"));
  sgemm.input("A", 128, 2, a);
  sgemm.input("B", 2, 128, b);
  for (const char* input : {"C0", "C1", "C2", "C3"}) sgemm.input(input, 2, 2, c);
  for (const char* output : {"o0", "o1", "o2", "o3"}) sgemm.output(output, 2, 2);
  sgemm.constant("K", {128, 0, 0, 0});
  EXPECT_NEAR(ratio(sgemm.start()), 2.56, 0.05);
  EXPECT_EQ(sgemm.shader().temporaries, 21);
}

TEST(BundledPrograms, Blur5WeighsATexelAndItsNeighboursClampedAtTheEdge) {
  const OverlayMachine overlay = machine();
  HostDriver driver(overlay, bundled("blur5"));
  constexpr int kWidth = 11, kHeight = 7;
  const auto image = random_texels(kWidth * kHeight, 5);
  driver.input("image", kWidth, kHeight, image);
  driver.output("filtered", kWidth, kHeight);
  ASSERT_TRUE(driver.start().complete);
  const auto at = [&](int x, int y) -> const Float4& {
    const int texel = std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1);
    return image[static_cast<std::size_t>(texel)];
  };
  const auto filtered = driver.result("filtered");
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (unsigned c = 0; c < 4; ++c) {
        const double wanted = 0.5 * at(x, y)[c] + 0.125 * (at(x + 1, y)[c] + at(x - 1, y)[c] +
                                                           at(x, y + 1)[c] + at(x, y - 1)[c]);
        ASSERT_NEAR(filtered[static_cast<std::size_t>(y * kWidth + x)][c], wanted, 1e-6);
      }
    }
  }
}

TEST(BundledPrograms, MandelbrotCountsPassesOfEachThread) {
  const OverlayMachine overlay = machine();
  HostDriver driver(overlay, bundled("mandelbrot"));
  driver.output("picture", 60, 48);
  driver.constant("step", {0.05F, 0.05F, 0.05F, 0.05F});
  const LaunchResult result = driver.start();
  ASSERT_TRUE(result.complete);
  EXPECT_GT(result.divergent_branches, 0U);
  for (int py = 0; py < 48; ++py) {
    for (int px = 0; px < 60; ++px) {
      const float cx = static_cast<float>(px) * 0.05F + -2.2F;
      const float cy = static_cast<float>(py) * 0.05F + -1.2F;
      float x = 0, y = 0, passes = 0;
      for (int i = 0; i < 64; ++i) {
        const float xx = x * x, yy = y * y, xy = x * y;
        if (xx + yy - 4 >= 0) break;
        x = xx + (cx - yy);
        y = xy * 2 + cy;
        ++passes;
      }
      const float wanted = passes * 0.0625F - std::floor(passes * 0.0625F);
      ASSERT_EQ(driver.result("picture")[static_cast<std::size_t>(py * 60 + px)][0], wanted)
          << px << " " << py;
    }
  }
}

TEST(BundledPrograms, MultaddIsThePapersExample) {
  const OverlayMachine overlay = machine();
  HostDriver driver(overlay, bundled("multadd"));
  const auto a = random_texels(30, 1), b = random_texels(30, 2);
  driver.input("A", 6, 5, a);
  driver.input("B", 6, 5, b);
  driver.output("sum", 6, 5);
  ASSERT_TRUE(driver.start().complete);
  for (std::size_t i = 0; i < 30; ++i) {
    for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(driver.result("sum")[i][c], a[i][c] * b[i][c] + 1);
  }
}

}  // namespace
}  // namespace raddle::machine::overlay
