// How samples are distributed: for every value the share of samples at or below it, one stair a
// series, with a mark at the median.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_point_plot.h"

namespace raddle::report {

// A value that came up `weight` times. What the axis cannot show, or is not above zero in weight,
// is passed over.
struct Sample {
  double value = 0;
  double weight = 1;
};

struct Samples {
  std::string name;
  std::vector<Sample> samples;  // in any order
};

struct CdfChart {
  ChartFrame frame;
  ChartAxis x;
  std::string what = "samples";  // "share of WHAT at or below"
  std::vector<Samples> series;
};

std::string svg_of(const CdfChart& chart);

}  // namespace raddle::report
