// Every kind of chart with data of every kind: whatever comes, the chart is well-formed and no text
// lies over another.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "report/charts/svg_bar_chart.h"
#include "report/charts/svg_cdf_chart.h"
#include "report/charts/svg_roofline_chart.h"
#include "report/charts/svg_scatter_chart.h"
#include "report/charts/svg_stacked_chart.h"
#include "report/svg_checks.h"

namespace raddle::report {
namespace {

constexpr const char* kLongName =
    "a name that goes on and on until it does not fit anywhere at all, not even in a wide chart";

class AnyData {
 public:
  explicit AnyData(unsigned seed) : random_(seed) {}

  std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }

  double value() {
    switch (up_to(11)) {
      case 0: return std::numeric_limits<double>::quiet_NaN();
      case 1: return 0;
      case 2: return -real(1000);
      case 3: return std::pow(10.0, real(600) - 300);
      case 4: return std::numeric_limits<double>::infinity();
      default: return real(1) * scale_;
    }
  }

  std::string name() {
    constexpr auto kNames =
        std::to_array<const char*>({"a", "matmul", "void kernel<float, 16, true>(float*, int)",
                                    "<&>\"'", "", "µ…→", kLongName, "12", "\x01\xff"});
    return kNames[up_to(kNames.size() - 1)];
  }

  std::vector<std::string> names(std::size_t most) {
    std::vector<std::string> all(up_to(most));
    for (std::string& one : all) one = name();
    return all;
  }

  std::vector<double> values(std::size_t most) {
    std::vector<double> all(up_to(most));
    for (double& one : all) one = value();
    return all;
  }

  ChartAxis axis() {
    return {.title = name(),
            .unit = up_to(1) == 0 ? "" : "s",
            .numbers = static_cast<Numbers>(up_to(4)),
            .logarithmic = up_to(2) == 0};
  }

  ChartFrame frame() {
    scale_ = std::pow(10.0, real(24) - 12);
    return {.title = "x" + name(),
            .subtitle = name(),
            .width = 200 + real(800),
            .height = 220 + real(400),
            .standalone = up_to(1) == 0};
  }

  std::vector<NamedValues> series() {
    std::vector<NamedValues> all(up_to(10));
    for (NamedValues& one : all) one = {name(), values(12)};
    return all;
  }

  std::vector<PointSeries> point_series() {
    std::vector<PointSeries> all(up_to(5));
    for (PointSeries& one : all) {
      one.name = name();
      for (std::size_t i = up_to(20); i > 0; --i) one.points.push_back({value(), value(), name()});
    }
    return all;
  }

 private:
  double real(double most) { return std::uniform_real_distribution<double>(0, most)(random_); }

  std::mt19937 random_;
  double scale_ = 1;
};

constexpr unsigned kRuns = 100;

template <class Draw>
void draw_many(Draw draw) {
  for (unsigned seed = 1; seed <= kRuns && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    AnyData data(seed);
    checked_svg(draw(data));
  }
}

TEST(AnyData, MakesAGoodBarChart) {
  draw_many([](AnyData& data) {
    return svg_of(BarChart{data.frame(),
                           {data.axis(), data.names(30), data.name(), data.up_to(1) == 0},
                           data.series()});
  });
}

TEST(AnyData, MakesAGoodStackedChart) {
  draw_many([](AnyData& data) {
    return svg_of(StackedChart{data.frame(),
                               {data.axis(), data.names(12), data.name(), data.up_to(1) == 0},
                               data.series(),
                               data.up_to(1) == 0});
  });
}

TEST(AnyData, MakesAGoodLineChart) {
  draw_many([](AnyData& data) {
    return svg_of(LineChart{
        data.frame(), {data.axis(), data.axis(), data.up_to(1) == 0}, data.point_series()});
  });
}

TEST(AnyData, MakesAGoodScatterChart) {
  draw_many([](AnyData& data) {
    return svg_of(ScatterChart{
        data.frame(), {data.axis(), data.axis(), data.up_to(1) == 0}, data.point_series()});
  });
}

TEST(AnyData, MakesAGoodCdfChart) {
  draw_many([](AnyData& data) {
    CdfChart chart{data.frame(), data.axis(), data.name(), {}};
    for (std::size_t i = data.up_to(4); i > 0; --i) {
      Samples& series = chart.series.emplace_back();
      series.name = data.name();
      for (std::size_t j = data.up_to(40); j > 0; --j) series.samples.push_back({data.value()});
    }
    return svg_of(chart);
  });
}

TEST(AnyData, MakesAGoodRoofline) {
  draw_many([](AnyData& data) {
    const double work = 1 + static_cast<double>(data.up_to(1'000'000'000));
    const double bytes = 1 + static_cast<double>(data.up_to(1'000'000'000));
    return svg_of(RooflineChart{data.frame(), data.name(), work, bytes, data.point_series()});
  });
}

}  // namespace
}  // namespace raddle::report
