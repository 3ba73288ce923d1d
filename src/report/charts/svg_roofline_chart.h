// A roofline (Williams, Waterman and Patterson 2009; with instructions as the work, Ding and
// Williams 2019): how much work a second a program does against how much of it it does for each
// byte of memory traffic. No program can lie above the roof: to the left the memory limits it, to
// the right the machine's own speed.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_line_chart.h"

namespace raddle::report {

struct RooflineChart {
  ChartFrame frame;
  std::string work = "instructions";  // what is counted: "thread instructions"
  double work_per_second = 0;         // the flat roof; above zero
  double bytes_per_second = 0;        // the slope of the other; above zero
  // x: work a byte, y: work a second. Points without both are passed over. Infinite work a byte (no
  // traffic at all) stands at the right end of the axis.
  std::vector<PointSeries> series;
};

std::string svg_of(const RooflineChart& chart);

}  // namespace raddle::report
