// Grouped bars: a group for each category, in it a bar for each series.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_band_plot.h"

namespace raddle::report {

struct BarChart {
  ChartFrame frame;
  BandAxes axes;
  std::vector<NamedValues> series;
};

std::string svg_of(const BarChart& chart);

}  // namespace raddle::report
