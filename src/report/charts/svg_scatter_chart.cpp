#include "report/charts/svg_scatter_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kLabelSize = 10.5;
constexpr double kRadius = 5;

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

bool inside(const Box& inner, const Box& outer) {
  return inner.x >= outer.x && inner.right() <= outer.right() && inner.y >= outer.y &&
         inner.bottom() <= outer.bottom();
}

struct Placed {
  Box box;
  Anchor anchor;
};

// Right of the point, left of it, above or below.
std::array<Placed, 4> places_around(double x, double y, double width) {
  const double height = kLabelSize * 1.3;
  const double gap = kRadius + 3;
  return {{{{x + gap, y - height / 2, width, height}, Anchor::kStart},
           {{x - gap - width, y - height / 2, width, height}, Anchor::kEnd},
           {{x - width / 2, y - gap - height, width, height}, Anchor::kMiddle},
           {{x - width / 2, y + gap, width, height}, Anchor::kMiddle}}};
}

double anchor_x(const Placed& place) {
  switch (place.anchor) {
    case Anchor::kStart: return place.box.x;
    case Anchor::kMiddle: return place.box.x + place.box.width / 2;
    case Anchor::kEnd: return place.box.right();
  }
  return place.box.x;
}

// A little room around the points, so that labels fit beside those at the edge.
Interval padded(const ChartAxis& axis, Interval data) {
  constexpr double kShare = 0.08;
  if (data.empty()) return data;
  if (axis.logarithmic) {
    const double factor = std::pow(data.high / data.low, kShare);
    return std::isfinite(factor) ? Interval{data.low / factor, data.high * factor} : data;
  }
  const double room = (data.high - data.low) * kShare;
  const bool from_zero = data.low >= 0 && data.low < room;
  return {from_zero ? 0 : data.low - room, data.high + room};
}

}  // namespace

void draw_points(SvgCanvas& canvas, const PointAxes& axes, const PointPlot& plot,
                 const std::vector<PointSeries>& series, std::vector<Box> taken) {
  for (std::size_t i = 0; i < series.size(); ++i) {
    canvas.open_series(i);
    for (const ChartPoint& point : series[i].points) {
      if (!can_show(axes, point)) continue;
      const double x = plot.x_at(point);
      const double y = plot.y().at(point.y);
      canvas.marker(x, y, i, "point", described_point(axes, series[i].name, point));
      taken.push_back({x - kRadius, y - kRadius, 2 * kRadius, 2 * kRadius});
    }
    canvas.close_group();
  }
  for (const PointSeries& one : series) {
    for (const ChartPoint& point : one.points) {
      if (point.label.empty() || !can_show(axes, point)) continue;
      const std::string text = fitted_text(point.label, kLabelSize, plot.plot().width / 3);
      const double width = text_width(text, kLabelSize);
      for (const Placed& place : places_around(plot.x_at(point), plot.y().at(point.y), width)) {
        const bool is_free = std::none_of(taken.begin(), taken.end(), [&](const Box& other) {
          return overlap(place.box, other);
        });
        if (!is_free || !inside(place.box, plot.plot())) continue;
        canvas.text(anchor_x(place), place.box.y + place.box.height / 2, text,
                    {.size = kLabelSize, .anchor = place.anchor, .css_class = "label"},
                    point.label);
        taken.push_back(place.box);
        break;
      }
    }
  }
}

std::string svg_of(const ScatterChart& chart) {
  SvgCanvas canvas(chart.frame);
  std::vector<std::string> names;
  Interval x_data, y_data;
  std::size_t count = 0;
  for (const PointSeries& series : chart.series) {
    names.push_back(series.name);
    for (const ChartPoint& point : series.points) {
      if (!can_show(chart.axes, point)) continue;
      x_data.add(chart.axes.x, point.x);
      y_data.add(chart.axes.y, point.y);
      ++count;
    }
  }
  const Box box = draw_head(canvas, chart.frame, names, LegendMark::kPoint);
  const PointPlot plot(canvas, box, chart.axes, padded(chart.axes.x, x_data),
                       padded(chart.axes.y, y_data));
  if (x_data.empty()) draw_no_data(canvas, plot.plot());
  draw_points(canvas, chart.axes, plot, chart.series, {});
  return canvas.finish(fmt::format("Scatter chart of {} points: {} against {}.", count,
                                   plot.y().heading(), plot.x().heading()));
}

}  // namespace raddle::report
