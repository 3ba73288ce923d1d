#include "report/charts/svg_bar_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kGroupShare = 0.78;  // of the band
constexpr double kMaxUpright = 44;    // pixels of a bar's thickness
constexpr double kMaxLying = 20;
constexpr double kBetweenBars = 1;
constexpr double kMaxValue = 0.25;   // of the width, for a value beside a lying bar
constexpr double kMinGap = 11;       // pixels of a bar's thickness, for a dash in its place
constexpr double kMinThickness = 9;  // of a lying bar that has its value beside it

double widest_value(const BarChart& chart) {
  double widest = 0;
  for (const NamedValues& series : chart.series) {
    for (const double value : series.values)
      widest = std::max(widest, text_width(value_text(chart.axes.values, value), kValueSize));
  }
  return widest;
}

struct Bars {
  double thickness = 0;
  double first_offset = 0;
  double distance = 0;
};

Bars lay_out(const BarChart& chart, double band) {
  const auto count = static_cast<double>(std::max<std::size_t>(chart.series.size(), 1));
  const double most = chart.axes.horizontal ? kMaxLying : kMaxUpright;
  const double slot = std::min(band * kGroupShare / count, most + kBetweenBars);
  const double gap = slot > 4 * kBetweenBars ? kBetweenBars : 0;
  return {slot - gap, (band - slot * count + gap) / 2, slot};
}

// Values beside the bars are drawn for all or for none.
bool values_have_room(const BarChart& chart, double band, double width) {
  const Bars bars = lay_out(chart, band);
  if (chart.axes.horizontal)
    return bars.thickness >= kMinThickness && widest_value(chart) <= width * kMaxValue;
  const bool alone = chart.series.size() == 1;
  return widest_value(chart) <= (alone ? band - 4 : bars.distance - 2);
}

// Before the plot is laid out: about how thick a band will be.
double expected_band(const BarChart& chart, const Box& box) {
  constexpr double kTicks = 50;  // about the width of tick labels
  const double length = chart.axes.horizontal ? box.height - kBottomTicksHeight - kAxisTitleHeight
                                              : box.width - kTicks;
  return length / static_cast<double>(std::max<std::size_t>(chart.axes.categories.size(), 1));
}

class BarDrawing {
 public:
  BarDrawing(const BarChart& chart, SvgCanvas& canvas, const BandPlot& plot)
      : chart_(chart), canvas_(canvas), plot_(plot), bars_(lay_out(chart, plot.band())) {}

  void draw_bars(std::size_t series) {
    const NamedValues& values = chart_.series[series];
    canvas_.open_series(series);
    for (std::size_t i = 0; i < chart_.axes.categories.size(); ++i) {
      if (!can_show(chart_.axes.values, values.at(i))) continue;
      canvas_.bar(
          bar(series, i, values.at(i)),
          fmt::format("{}{}{}: {}", chart_.axes.categories[i], values.name.empty() ? "" : ", ",
                      values.name, value_text(chart_.axes.values, values.at(i))));
    }
    canvas_.close_group();
  }

  void draw_values(std::size_t series) {
    for (std::size_t i = 0; i < chart_.axes.categories.size(); ++i) {
      const double value = chart_.series[series].at(i);
      if (!can_show(chart_.axes.values, value)) continue;
      plot_.draw_value(canvas_, bar(series, i, value), value < 0,
                       value_text(chart_.axes.values, value));
    }
  }

  // A dash in place of a bar without value.
  void draw_gaps(std::size_t series) {
    if (bars_.thickness < kMinGap) return;
    const bool below = plot_.scale().domain().high <= plot_.scale().base();
    for (std::size_t i = 0; i < chart_.axes.categories.size(); ++i) {
      if (!can_show(chart_.axes.values, chart_.series[series].at(i)))
        plot_.draw_value(canvas_, bar(series, i, plot_.scale().base()), below, "–");
    }
  }

 private:
  Box bar(std::size_t series, std::size_t category, double value) const {
    return plot_.bar(category, bars_.first_offset + static_cast<double>(series) * bars_.distance,
                     bars_.thickness, plot_.scale().base(), value);
  }

  const BarChart& chart_;
  SvgCanvas& canvas_;
  const BandPlot& plot_;
  Bars bars_;
};

}  // namespace

std::string svg_of(const BarChart& chart) {
  SvgCanvas canvas(chart.frame);
  std::vector<std::string> names;
  Interval data;
  for (const NamedValues& series : chart.series) {
    names.push_back(series.name);
    for (std::size_t i = 0; i < chart.axes.categories.size(); ++i)
      data.add(chart.axes.values, series.at(i));
  }
  const Box box = draw_head(canvas, chart.frame, names, LegendMark::kBar);
  const bool may_have_values = values_have_room(chart, expected_band(chart, box), box.width);
  const double room = chart.axes.horizontal ? widest_value(chart) + 8 : kUprightValueRoom;
  const BandPlot plot(canvas, box, chart.axes, data, may_have_values ? room : 0);
  const bool with_values = plot.has_label_room() && values_have_room(chart, plot.band(), box.width);
  if (data.empty()) {
    draw_no_data(canvas, plot.plot());
  } else {
    BarDrawing drawing(chart, canvas, plot);
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      drawing.draw_bars(s);
      drawing.draw_gaps(s);
      if (with_values) drawing.draw_values(s);
    }
  }
  return canvas.finish("Bar chart. " +
                       described_values(chart.axes.values, chart.axes.categories, chart.series));
}

}  // namespace raddle::report
