// Lines through points, one a series, on linear or logarithmic axes. Points that cannot be shown
// leave a gap in their line.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_point_plot.h"

namespace raddle::report {

struct PointSeries {
  std::string name;
  std::vector<ChartPoint> points;
};

struct LineChart {
  ChartFrame frame;
  PointAxes axes;
  std::vector<PointSeries> series;
};

std::string svg_of(const LineChart& chart);

}  // namespace raddle::report
