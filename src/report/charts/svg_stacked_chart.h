// Stacked bars: how each category's whole splits into parts, upright or lying, as it is or as
// shares of 100 %.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_band_plot.h"

namespace raddle::report {

struct StackedChart {
  ChartFrame frame;
  BandAxes axes;
  std::vector<NamedValues> parts;
  // Every bar has the whole length; axes.values then says what the values are in tooltips.
  bool as_shares = false;
  // The categories are stretches of one axis, such as time: bars touch each other.
  bool continuous = false;
};

std::string svg_of(const StackedChart& chart);

}  // namespace raddle::report
