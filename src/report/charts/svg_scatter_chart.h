// Points between two axes, one shape and colour a series, labelled where a label has room.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_line_chart.h"

namespace raddle::report {

struct ScatterChart {
  ChartFrame frame;
  PointAxes axes;
  std::vector<PointSeries> series;
};

std::string svg_of(const ScatterChart& chart);

// The points of all series with their labels, on axes that are drawn already. Labels that would
// touch a point, another label or one of `taken` are left to the tooltip.
void draw_points(SvgCanvas& canvas, const PointAxes& axes, const PointPlot& plot,
                 const std::vector<PointSeries>& series, std::vector<Box> taken);

}  // namespace raddle::report
