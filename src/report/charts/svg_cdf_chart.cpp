#include "report/charts/svg_cdf_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kMinStep = 0.25;  // pixels; smaller stairs are joined

std::vector<Sample> sorted_samples(const ChartAxis& axis, const Samples& series) {
  std::vector<Sample> samples;
  for (const Sample& sample : series.samples) {
    const bool counts = std::isfinite(sample.weight) && sample.weight > 0;
    if (counts && can_show(axis, sample.value)) samples.push_back(sample);
  }
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.value < b.value; });
  return samples;
}

double total_weight(const std::vector<Sample>& samples) {
  double total = 0;
  for (const Sample& sample : samples) total += sample.weight;
  return total;
}

double median_of(const std::vector<Sample>& samples) {
  const double half = total_weight(samples) / 2;
  double weight = 0;
  for (const Sample& sample : samples) {
    weight += sample.weight;
    if (weight >= half) return sample.value;
  }
  return samples.back().value;
}

// From the left end of the axis at 0 to its right end at 1.
std::string stairs(const PointPlot& plot, const std::vector<Sample>& samples) {
  const double total = total_weight(samples);
  double weight = 0;
  double x = plot.plot().x;
  double y = plot.y().at(0);
  std::string path = fmt::format("M{} {}", svg_number(x), svg_number(y));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool is_last = i + 1 == samples.size();
    weight += samples[i].weight;
    const double next_x = plot.x().at(samples[i].value);
    const double next_y = plot.y().at(is_last ? 1 : weight / total);
    const bool is_same = !is_last && samples[i + 1].value == samples[i].value;
    const bool is_small = std::fabs(next_x - x) < kMinStep && std::fabs(next_y - y) < kMinStep;
    if (is_same || (is_small && !is_last)) continue;
    path += fmt::format("H{}V{}", svg_number(next_x), svg_number(next_y));
    x = next_x;
    y = next_y;
  }
  return path + fmt::format("H{}", svg_number(plot.plot().right()));
}

}  // namespace

std::string svg_of(const CdfChart& chart) {
  SvgCanvas canvas(chart.frame);
  const PointAxes axes{
      chart.x, {fmt::format("share of {} at or below", chart.what), "", Numbers::kShare}, true};
  std::vector<std::string> names;
  std::vector<std::vector<Sample>> sorted;
  Interval x_data, y_data;
  for (const Samples& series : chart.series) {
    names.push_back(series.name);
    sorted.push_back(sorted_samples(chart.x, series));
    for (const Sample& sample : sorted.back()) x_data.add(chart.x, sample.value);
  }
  y_data.add(axes.y, 1);

  const Box box = draw_head(canvas, chart.frame, names, LegendMark::kLine);
  const PointPlot plot(canvas, box, axes, x_data, y_data);
  if (x_data.empty()) draw_no_data(canvas, plot.plot());
  std::string description = "Cumulative distribution.";
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::vector<Sample>& samples = sorted[i];
    if (samples.empty()) continue;
    const double median = median_of(samples);
    const std::string text = fmt::format("{}{}median {}, least {}, greatest {}, of {}", names[i],
                                         names[i].empty() ? "" : ": ", value_text(chart.x, median),
                                         value_text(chart.x, samples.front().value),
                                         value_text(chart.x, samples.back().value),
                                         value_text({.title = {}}, total_weight(samples)));
    description += " " + text + ".";
    canvas.open_series(i);
    canvas.stroke(stairs(plot, samples), 2, "line");
    canvas.marker(plot.x().at(median), plot.y().at(0.5), i, "point", text);
    canvas.close_group();
  }
  return canvas.finish(description);
}

}  // namespace raddle::report
