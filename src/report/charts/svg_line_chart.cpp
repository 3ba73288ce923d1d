#include "report/charts/svg_line_chart.h"

#include <fmt/format.h>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr std::size_t kMaxMarkers = 60;  // of one line; more would hide it
constexpr std::size_t kDescribedPoints = 12;

std::string path_through(const LineChart& chart, const PointPlot& plot, const PointSeries& series) {
  std::string path;
  bool draws = false;
  for (const ChartPoint& point : series.points) {
    if (!can_show(chart.axes, point)) {
      draws = false;
      continue;
    }
    path += fmt::format("{}{} {}", draws ? "L" : "M", svg_number(plot.x().at(point.x)),
                        svg_number(plot.y().at(point.y)));
    draws = true;
  }
  return path;
}

std::string description_of(const LineChart& chart) {
  std::string text = "Line chart.";
  for (const PointSeries& series : chart.series) {
    text += fmt::format(" {}{}{} {}.", series.name, series.name.empty() ? "" : ": ",
                        series.points.size(), series.points.size() == 1 ? "point" : "points");
    for (std::size_t i = 0; i < std::min(series.points.size(), kDescribedPoints); ++i)
      text += " " + described_point(chart.axes, {}, series.points[i]) + ".";
  }
  return text;
}

}  // namespace

std::string svg_of(const LineChart& chart) {
  SvgCanvas canvas(chart.frame);
  std::vector<std::string> names;
  Interval x_data, y_data;
  for (const PointSeries& series : chart.series) {
    names.push_back(series.name);
    for (const ChartPoint& point : series.points) {
      if (!can_show(chart.axes, point)) continue;
      x_data.add(chart.axes.x, point.x);
      y_data.add(chart.axes.y, point.y);
    }
  }
  const Box box = draw_head(canvas, chart.frame, names, LegendMark::kLine);
  const PointPlot plot(canvas, box, chart.axes, x_data, y_data);
  if (x_data.empty()) draw_no_data(canvas, plot.plot());

  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const PointSeries& series = chart.series[i];
    const std::string path = path_through(chart, plot, series);
    if (path.empty()) continue;
    canvas.open_series(i);
    canvas.stroke(path, 2, "line");
    for (const ChartPoint& point : series.points) {
      if (series.points.size() > kMaxMarkers || !can_show(chart.axes, point)) continue;
      canvas.marker(plot.x().at(point.x), plot.y().at(point.y), i, "point",
                    described_point(chart.axes, series.name, point));
    }
    canvas.close_group();
  }
  return canvas.finish(description_of(chart));
}

}  // namespace raddle::report
