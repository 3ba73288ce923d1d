#include "report/charts/svg_roofline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/number_format.h"
#include "report/charts/svg_axes.h"
#include "report/charts/svg_scatter_chart.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kRoofLabelSize = 10.5;
constexpr double kRoofLabelHeight = 16;
constexpr double kAround = 8;  // the axis goes at least this factor beyond the ridge
constexpr double kRoom = 1.3;  // and this one beyond a point

PointAxes axes_of(const RooflineChart& chart) {
  return {{fmt::format("{} per byte of memory traffic", chart.work), "", Numbers::kCount, true},
          {fmt::format("{} per second", chart.work), "", Numbers::kCount, true},
          false,
          true};
}

class Roof {
 public:
  Roof(const RooflineChart& chart, const PointPlot& plot)
      : chart_(chart), plot_(plot), ridge_(chart.work_per_second / chart.bytes_per_second) {}

  double height_at(double intensity) const {
    return std::min(chart_.work_per_second, intensity * chart_.bytes_per_second);
  }

  // The slope may begin at the left end of the plot or at its bottom.
  double slope_start() const {
    const double at_bottom = plot_.y().domain().low / chart_.bytes_per_second;
    return std::max(plot_.x().domain().low, at_bottom);
  }

  void draw(SvgCanvas& canvas) const {
    const double start = slope_start();
    const double end = plot_.x().domain().high;
    const auto x = [this](double value) { return svg_number(plot_.x().at(value)); };
    const auto y = [this](double value) { return svg_number(plot_.y().at(value)); };
    canvas.stroke(fmt::format("M{} {}L{} {}L{} {}", x(start), y(height_at(start)), x(ridge_),
                              y(chart_.work_per_second), x(end), y(chart_.work_per_second)),
                  2, "roof");
  }

  // Along the slope and above the flat part, where there is room. Gives back what they take up.
  std::vector<Box> draw_labels(SvgCanvas& canvas) const {
    std::vector<Box> taken;
    const double ridge_x = plot_.x().at(ridge_);
    const double roof_y = plot_.y().at(chart_.work_per_second);
    const std::string flat = fmt::format("{}/s", si_scaled(chart_.work_per_second));
    const double flat_width = text_width(flat, kRoofLabelSize);
    if (ridge_x + flat_width + 8 <= plot_.plot().right()) {
      const bool above = roof_y - kRoofLabelHeight >= plot_.plot().y;
      const double top = above ? roof_y - kRoofLabelHeight : roof_y;
      canvas.text(plot_.plot().right() - 2, top + kRoofLabelHeight / 2, flat,
                  {.size = kRoofLabelSize, .anchor = Anchor::kEnd, .css_class = "label"});
      taken.push_back({plot_.plot().right() - 2 - flat_width, top, flat_width, kRoofLabelHeight});
    }
    const double start_x = plot_.x().at(slope_start());
    const double start_y = plot_.y().at(height_at(slope_start()));
    const std::string slope = si_scaled(chart_.bytes_per_second, "B/s");
    const double length = std::hypot(ridge_x - start_x, start_y - roof_y);
    const double slope_width = text_width(slope, kRoofLabelSize);
    if (length < slope_width + 24) return taken;
    const double angle = -std::atan2(start_y - roof_y, ridge_x - start_x) * 180 / std::numbers::pi;
    // Moved off the line at a right angle.
    const double radians = angle * std::numbers::pi / 180;
    const double middle_x = (start_x + ridge_x) / 2 + 9 * std::sin(radians);
    const double middle_y = (start_y + roof_y) / 2 - 9 * std::cos(radians);
    canvas.text(
        middle_x, middle_y, slope,
        {.size = kRoofLabelSize, .anchor = Anchor::kMiddle, .angle = angle, .css_class = "label"});
    const double half_x = slope_width / 2 * std::cos(radians) + 8;
    const double half_y = slope_width / 2 * std::fabs(std::sin(radians)) + 8;
    taken.push_back({middle_x - half_x, middle_y - half_y, 2 * half_x, 2 * half_y});
    return taken;
  }

 private:
  const RooflineChart& chart_;
  const PointPlot& plot_;
  double ridge_;
};

}  // namespace

std::string svg_of(const RooflineChart& chart) {
  RADDLE_ASSERT(chart.work_per_second > 0 && chart.bytes_per_second > 0);
  SvgCanvas canvas(chart.frame);
  const PointAxes axes = axes_of(chart);
  const double ridge = chart.work_per_second / chart.bytes_per_second;
  std::vector<std::string> names;
  Interval x_data, y_data;
  x_data.add(axes.x, ridge / kAround);
  x_data.add(axes.x, ridge * kAround);
  y_data.add(axes.y, chart.work_per_second / kAround);
  y_data.add(axes.y, chart.work_per_second * 1.5);
  std::string description = fmt::format(
      "Roofline: at most {} {} per second, and {} of memory traffic.",
      si_scaled(chart.work_per_second), chart.work, si_scaled(chart.bytes_per_second, "B/s"));
  for (const PointSeries& series : chart.series) {
    names.push_back(series.name);
    for (const ChartPoint& point : series.points) {
      if (!can_show(axes, point)) continue;
      // Some room below and beside, so that no mark lies on the edge.
      x_data.add(axes.x, point.x * kRoom);
      y_data.add(axes.y, point.y / kRoom);
      description += " " + described_point(axes, series.name, point) + ".";
    }
  }
  const Box box = draw_head(canvas, chart.frame, names, LegendMark::kPoint);
  const PointPlot plot(canvas, box, axes, x_data, y_data);
  const Roof roof(chart, plot);
  roof.draw(canvas);
  draw_points(canvas, axes, plot, chart.series, roof.draw_labels(canvas));
  return canvas.finish(description);
}

}  // namespace raddle::report
