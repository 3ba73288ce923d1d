#include "report/charts/svg_point_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

Scale make_x(const PointAxes& axes, const Interval& data, double length) {
  return {axes.x, data, length, {.direction = Scale::Direction::kHorizontal}};
}

Scale make_y(const PointAxes& axes, const Interval& data, double length) {
  return {axes.y, data, length, {.from_zero = axes.y_from_zero}};
}

bool is_endless(const ChartPoint& point) { return std::isinf(point.x) && point.x > 0; }

}  // namespace

PointPlot::PointPlot(SvgCanvas& canvas, const Box& box, const PointAxes& axes,
                     const Interval& x_data, const Interval& y_data)
    : x_(make_x(axes, x_data, box.width)), y_(make_y(axes, y_data, box.height)) {
  const double below = kBottomTicksHeight + kAxisTitleHeight;
  const double height = std::max(1.0, box.height - kAxisTitleHeight - below);
  y_ = make_y(axes, y_data, height);
  double half_label = 0;
  // Labels of the first and last tick stand half beyond the ends of the axis, which they shorten.
  for (int pass = 0; pass < 2; ++pass) {
    half_label = std::max(half_label, x_.widest_label(kTickSize) / 2);
    const double left = std::max(y_.widest_label(kTickSize) + kLabelGap, half_label);
    plot_ = {box.x + left, box.y + kAxisTitleHeight, std::max(1.0, box.width - left - half_label),
             height};
    x_ = make_x(axes, x_data, plot_.width);
  }
  x_.place(plot_.x, plot_.right());
  y_.place(plot_.bottom(), plot_.y);
  draw_left_axis(canvas, plot_, y_, box.x);
  draw_bottom_axis(canvas, plot_, x_);
}

bool can_show(const PointAxes& axes, const ChartPoint& point) {
  const bool has_x = can_show(axes.x, point.x) || (axes.infinite_x && is_endless(point));
  return has_x && can_show(axes.y, point.y);
}

double PointPlot::x_at(const ChartPoint& point) const {
  return is_endless(point) ? plot_.right() : x_.at(point.x);
}

std::string described_point(const PointAxes& axes, const std::string& series,
                            const ChartPoint& point) {
  std::string text = series;
  if (!point.label.empty()) text += (text.empty() ? "" : ", ") + point.label;
  const auto named = [](const ChartAxis& axis, double value) {
    const std::string number = std::isinf(value) ? "∞" : value_text(axis, value);
    return axis.title.empty() ? number : fmt::format("{} {}", axis.title, number);
  };
  return fmt::format("{}{}{}, {}", text, text.empty() ? "" : ": ", named(axes.x, point.x),
                     named(axes.y, point.y));
}

}  // namespace raddle::report
