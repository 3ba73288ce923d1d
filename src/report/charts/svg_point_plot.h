// The plane between two value axes, shared by lines, distributions, points and rooflines.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_canvas.h"
#include "report/charts/svg_scale.h"

namespace raddle::report {

struct ChartPoint {
  double x = 0, y = 0;  // NaN leaves a gap
  std::string label = {};
};

struct PointAxes {
  ChartAxis x, y;
  bool y_from_zero = false;
  bool infinite_x = false;  // points with it stand at the right end; else they are passed over
};

class PointPlot {
 public:
  // Draws both axes into `box`; empty intervals give empty axes.
  PointPlot(SvgCanvas& canvas, const Box& box, const PointAxes& axes, const Interval& x_data,
            const Interval& y_data);

  const Box& plot() const { return plot_; }
  const Scale& x() const { return x_; }
  const Scale& y() const { return y_; }
  double x_at(const ChartPoint& point) const;

 private:
  Scale x_, y_;
  Box plot_;
};

bool can_show(const PointAxes& axes, const ChartPoint& point);

// "12.0 µs, 3.4 M", led by the names that there are.
std::string described_point(const PointAxes& axes, const std::string& series,
                            const ChartPoint& point);

}  // namespace raddle::report
