#include "report/charts/svg_stacked_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_palette.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kBarShare = 0.66;  // of the band
constexpr double kMaxUpright = 56;  // pixels of a bar's thickness
constexpr double kMaxLying = 26;
constexpr double kMaxValue = 0.25;    // of the width, for a total beside a lying bar
constexpr double kMinThickness = 12;  // of a bar with a text in it

// What is above and below zero in one category; parts without a value count nothing.
struct Whole {
  double positive = 0, negative = 0;
  bool any = false;

  double magnitude() const { return positive - negative; }
};

Whole whole_of(const StackedChart& chart, std::size_t category) {
  Whole whole;
  for (const NamedValues& part : chart.parts) {
    const double value = part.at(category);
    if (!std::isfinite(value)) continue;
    whole.any = true;
    (value < 0 ? whole.negative : whole.positive) += value;
  }
  return whole;
}

// The axis that is drawn: shares have one of their own, and no logarithm fits a sum.
BandAxes drawn_axes(const StackedChart& chart) {
  BandAxes axes = chart.axes;
  if (chart.as_shares) axes.values = {chart.axes.values.title, "", Numbers::kShare};
  axes.values.logarithmic = false;
  return axes;
}

double thickness_of(const StackedChart& chart, double band) {
  if (chart.continuous) return band;
  return std::min(band * kBarShare, chart.axes.horizontal ? kMaxLying : kMaxUpright);
}

class StackDrawing {
 public:
  StackDrawing(const StackedChart& chart, SvgCanvas& canvas, const BandPlot& plot)
      : chart_(chart), canvas_(canvas), plot_(plot), thickness_(thickness_of(chart, plot.band())) {}

  void draw_part(std::size_t part) {
    canvas_.open_series(part);
    for (std::size_t i = 0; i < chart_.axes.categories.size(); ++i) draw_segment(part, i);
    canvas_.close_group();
  }

  void draw_total(std::size_t category) {
    const Whole whole = whole_of(chart_, category);
    const double end = whole.positive > 0 || whole.negative == 0 ? whole.positive : 0;
    plot_.draw_value(
        canvas_, bar(category, 0, end), false,
        whole.any ? value_text(chart_.axes.values, whole.positive + whole.negative) : "–");
  }

 private:
  Box bar(std::size_t category, double from, double to) const {
    return plot_.bar(category, (plot_.band() - thickness_) / 2, thickness_, from, to);
  }

  void draw_segment(std::size_t part, std::size_t category) {
    const double value = chart_.parts[part].at(category);
    const Whole whole = whole_of(chart_, category);
    if (!std::isfinite(value) || value == 0 || whole.magnitude() == 0) return;
    double before = 0;
    for (std::size_t p = 0; p < part; ++p) {
      const double other = chart_.parts[p].at(category);
      if (std::isfinite(other) && (other < 0) == (value < 0)) before += other;
    }
    const double unit = chart_.as_shares ? whole.magnitude() : 1;
    const std::string share = fmt::format("{:.1f}%", 100 * std::fabs(value) / whole.magnitude());
    const Box box = bar(category, before / unit, (before + value) / unit);
    canvas_.bar(box,
                fmt::format("{}, {}: {} ({})", chart_.axes.categories[category],
                            chart_.parts[part].name, value_text(chart_.axes.values, value), share));
    if (!chart_.as_shares) return;
    const std::string text = fmt::format("{:.0f}%", 100 * std::fabs(value) / whole.magnitude());
    if (text_width(text, kValueSize) + 6 > box.width || box.height < kMinThickness) return;
    canvas_.text(box.x + box.width / 2, box.y + box.height / 2, text,
                 {.size = kValueSize,
                  .anchor = Anchor::kMiddle,
                  .css_class = "on",
                  .fill = series_colour(part).light_ink});
  }

  const StackedChart& chart_;
  SvgCanvas& canvas_;
  const BandPlot& plot_;
  double thickness_;
};

double widest_total(const StackedChart& chart) {
  double widest = 0;
  for (std::size_t i = 0; i < chart.axes.categories.size(); ++i) {
    const Whole whole = whole_of(chart, i);
    const std::string text = value_text(chart.axes.values, whole.positive + whole.negative);
    widest = std::max(widest, text_width(text, kValueSize));
  }
  return widest;
}

// Pixels that the totals at the ends of the bars need; 0: there are none.
double room_for_totals(const StackedChart& chart, const Box& box) {
  if (chart.as_shares) return 0;
  if (!chart.axes.horizontal) return kUprightValueRoom;
  const double widest = widest_total(chart);
  return widest <= box.width * kMaxValue ? widest + 8 : 0;
}

bool totals_fit(const StackedChart& chart, double band) {
  return chart.axes.horizontal ? band >= kMinThickness : widest_total(chart) + 4 <= band;
}

}  // namespace

std::string svg_of(const StackedChart& chart) {
  SvgCanvas canvas(chart.frame);
  const BandAxes axes = drawn_axes(chart);
  std::vector<std::string> names;
  for (const NamedValues& part : chart.parts) names.push_back(part.name);
  Interval data;
  for (std::size_t i = 0; i < axes.categories.size() && !chart.parts.empty(); ++i) {
    const Whole whole = whole_of(chart, i);
    if (!whole.any) continue;
    const double unit = chart.as_shares && whole.magnitude() != 0 ? whole.magnitude() : 1;
    data.add(axes.values, whole.positive / unit);
    data.add(axes.values, whole.negative / unit);
  }
  if (chart.as_shares && !data.empty()) data.add(axes.values, 1);

  const Box box = draw_head(canvas, chart.frame, names, LegendMark::kBar);
  const double room = room_for_totals(chart, box);
  const BandPlot plot(canvas, box, axes, data, room);
  if (data.empty()) {
    draw_no_data(canvas, plot.plot());
  } else {
    StackDrawing drawing(chart, canvas, plot);
    for (std::size_t part = 0; part < chart.parts.size(); ++part) drawing.draw_part(part);
    const bool with_totals = plot.has_label_room() && totals_fit(chart, plot.band());
    for (std::size_t i = 0; i < axes.categories.size() && with_totals; ++i) drawing.draw_total(i);
  }
  return canvas.finish("Stacked bar chart. " +
                       described_values(chart.axes.values, axes.categories, chart.parts));
}

}  // namespace raddle::report
