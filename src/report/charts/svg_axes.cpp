#include "report/charts/svg_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kMargin = 4;
constexpr double kTitleSize = 14;
constexpr double kSubtitleSize = 11.5;
constexpr double kNameSize = 11;
constexpr double kLegendSize = 11.5;
constexpr double kSwatch = 10;
constexpr double kAngle = 35;       // degrees of turned names
constexpr double kMaxTurned = 120;  // pixels of a turned name
constexpr double kShortName = 30;   // pixels; shorter ones are left out rather than turned
constexpr double kGridOpacity = 0.13;
constexpr double kMinorOpacity = 0.06;
constexpr double kBaseOpacity = 0.55;

double widest(const std::vector<std::string>& names, double size) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, text_width(name, size));
  return width;
}

double margin_of(const ChartFrame& frame) { return frame.standalone ? 3 * kMargin : kMargin / 2; }

void draw_legend_mark(SvgCanvas& canvas, double x, double y, std::size_t series, LegendMark mark) {
  canvas.open_series(series);
  if (mark == LegendMark::kBar) {
    canvas.swatch({x, y - kSwatch / 2, kSwatch, kSwatch});
  } else {
    if (mark == LegendMark::kLine) canvas.line(x - 3, y, x + kSwatch + 3, y, 2, 1, "key");
    canvas.marker(x + kSwatch / 2, y, series, "key", {});
  }
  canvas.close_group();
}

struct LegendEntry {
  double x = 0, y = 0;  // from the legend's upper left corner to the middle of the mark's left side
  std::string name;
  bool has_mark = true;
};

double gap_after(LegendMark mark) { return mark == LegendMark::kLine ? 8 : 6; }

// Entries from left to right, in as many lines as they need and have; the last says how many found
// no room.
std::vector<LegendEntry> lay_out_legend(const std::vector<std::string>& series,
                                        const ChartFrame& frame, LegendMark mark) {
  constexpr double kBetween = 18;
  constexpr double kStart = 3;
  constexpr double kMaxHeight = 0.3;  // of the chart
  const double width = frame.width - 2 * margin_of(frame);
  std::vector<LegendEntry> entries;
  double x = kStart;
  double y = kLineSpacing / 2;
  for (std::size_t i = 0; i < series.size(); ++i) {
    std::string text =
        fitted_text(series[i], kLegendSize, width - kSwatch - gap_after(mark) - 2 * kStart);
    const double entry_width = kSwatch + gap_after(mark) + text_width(text, kLegendSize);
    if (x > kStart && x + entry_width > width) {
      x = kStart;
      y += kLineSpacing + 2;
    }
    const bool has_room = frame.whole_legend || y + kLineSpacing <= kMaxHeight * frame.height;
    if (!has_room && i != 0) {
      entries.push_back({x, y, fmt::format("and {} more", series.size() - i), false});
      break;
    }
    entries.push_back({x, y, std::move(text), true});
    x += entry_width + kBetween;
  }
  return entries;
}

void draw_legend(SvgCanvas& canvas, const ChartFrame& frame, const Box& box,
                 const std::vector<std::string>& series, LegendMark mark) {
  const std::vector<LegendEntry> entries = lay_out_legend(series, frame, mark);
  canvas.open_group("legend");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double x = box.x + entries[i].x;
    const double y = box.y + entries[i].y;
    const TextLook look{.size = kLegendSize, .muted = !entries[i].has_mark, .css_class = "name"};
    if (entries[i].has_mark) {
      draw_legend_mark(canvas, x, y, i, mark);
      canvas.text(x + kSwatch + gap_after(mark), y, entries[i].name, look, series[i]);
    } else {
      canvas.text(x, y, entries[i].name, look);
    }
  }
  canvas.close_group();
}

void draw_grid_line(SvgCanvas& canvas, const Box& plot, double place, bool horizontal,
                    double opacity) {
  if (horizontal) {
    canvas.line(plot.x, place, plot.right(), place, 1, opacity, "grid");
  } else {
    canvas.line(place, plot.y, place, plot.bottom(), 1, opacity, "grid");
  }
}

// The line that bars stand on, where it is among the ticks, is drawn stronger.
void draw_grid(SvgCanvas& canvas, const Box& plot, const Scale& scale, bool horizontal) {
  for (const double value : scale.minor_ticks())
    draw_grid_line(canvas, plot, scale.at(value), horizontal, kMinorOpacity);
  for (const Tick& tick : scale.ticks()) {
    const bool is_base = tick.value == 0 && !scale.axis().logarithmic;
    draw_grid_line(canvas, plot, scale.at(tick.value), horizontal,
                   is_base ? kBaseOpacity : kGridOpacity);
  }
}

}  // namespace

double legend_height(const ChartFrame& frame, const std::vector<std::string>& series,
                     LegendMark mark) {
  if (series.size() < 2) return 0;
  return lay_out_legend(series, frame, mark).back().y + kLineSpacing / 2 + 6;
}

Box draw_head(SvgCanvas& canvas, const ChartFrame& frame, const std::vector<std::string>& series,
              LegendMark mark) {
  const double margin = margin_of(frame);
  Box box{margin, margin, frame.width - 2 * margin, frame.height - 2 * margin};
  const double bottom = box.bottom();
  const auto take = [&](double height) { box.y += height; };
  if (frame.standalone && !frame.title.empty()) {
    canvas.text(box.x, box.y + kTitleSize / 2,
                fitted_text(frame.title, kTitleSize * 1.1, box.width),
                {.size = kTitleSize, .bold = true, .css_class = "title"}, frame.title);
    take(kTitleSize + 6);
  }
  if (frame.standalone && !frame.subtitle.empty()) {
    canvas.text(box.x, box.y + kSubtitleSize / 2,
                fitted_text(frame.subtitle, kSubtitleSize, box.width),
                {.size = kSubtitleSize, .muted = true, .css_class = "subtitle"}, frame.subtitle);
    take(kSubtitleSize + 6);
  }
  if (frame.standalone) take(2);
  if (series.size() > 1) draw_legend(canvas, frame, box, series, mark);
  take(legend_height(frame, series, mark));
  box.height = std::max(0.0, bottom - box.y);
  return box;
}

BottomLabels lay_out_bottom_labels(const std::vector<std::string>& names, double band,
                                   double left_room, double most_height) {
  BottomLabels labels;
  labels.texts.resize(names.size());
  const double width = widest(names, kNameSize);
  constexpr double kGap = 6;
  const bool fit = width + kGap <= band;
  if (fit || width <= kShortName) {
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((width + kGap) / band)));
    for (std::size_t i = 0; i < names.size(); i += every) labels.texts[i] = names[i];
    labels.height = kLineSpacing + 3;
    return labels;
  }
  const double radians = kAngle * std::numbers::pi / 180;
  const auto every =
      static_cast<std::size_t>(std::max(1.0, std::ceil(kLineSpacing / std::sin(radians) / band)));
  labels.angle = -kAngle;
  constexpr double kBelow = kNameSize + 4;
  const double most = std::min(kMaxTurned, (most_height - kBelow) / std::sin(radians));
  for (std::size_t i = 0; i < names.size(); i += every) {
    const double room = (left_room + (static_cast<double>(i) + 0.5) * band) / std::cos(radians);
    labels.texts[i] = fitted_text(names[i], kNameSize, std::min(most, room));
    const double height = text_width(labels.texts[i], kNameSize) * std::sin(radians) + kBelow;
    labels.height = std::max(labels.height, height);
  }
  return labels;
}

void draw_bottom_labels(SvgCanvas& canvas, const Box& plot, const BottomLabels& labels,
                        const std::vector<std::string>& names) {
  const double band = plot.width / static_cast<double>(std::max<std::size_t>(names.size(), 1));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = plot.x + (static_cast<double>(i) + 0.5) * band;
    const bool turned = labels.angle != 0;
    canvas.text(turned ? x + 3 : x, plot.bottom() + kLineSpacing / 2 + 3, labels.texts[i],
                {.size = kNameSize,
                 .anchor = turned ? Anchor::kEnd : Anchor::kMiddle,
                 .angle = labels.angle,
                 .css_class = "tick"},
                names[i]);
  }
}

double left_labels_width(const std::vector<std::string>& names, double most) {
  return std::min(widest(names, kNameSize), most);
}

void draw_left_labels(SvgCanvas& canvas, const Box& plot, const std::vector<std::string>& names,
                      double width) {
  const double band = plot.height / static_cast<double>(std::max<std::size_t>(names.size(), 1));
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kLineSpacing * 0.9 / band)));
  for (std::size_t i = 0; i < names.size(); i += every) {
    canvas.text(plot.x - kLabelGap, plot.y + (static_cast<double>(i) + 0.5) * band,
                fitted_text(names[i], kNameSize, width),
                {.size = kNameSize, .anchor = Anchor::kEnd, .css_class = "tick"}, names[i]);
  }
}

void draw_left_axis(SvgCanvas& canvas, const Box& plot, const Scale& scale, double title_x) {
  draw_grid(canvas, plot, scale, true);
  for (const Tick& tick : scale.ticks()) {
    canvas.text(plot.x - kLabelGap, scale.at(tick.value), tick.label,
                {.size = kTickSize, .anchor = Anchor::kEnd, .muted = true, .css_class = "tick"});
  }
  const std::string title = scale.heading();
  canvas.text(title_x, plot.y - kAxisTitleHeight + 6,
              fitted_text(title, kTickSize, plot.right() - title_x),
              {.size = kTickSize, .css_class = "axis-title"}, title);
}

void draw_bottom_axis(SvgCanvas& canvas, const Box& plot, const Scale& scale) {
  draw_grid(canvas, plot, scale, false);
  for (const Tick& tick : scale.ticks()) {
    canvas.text(scale.at(tick.value), plot.bottom() + kBottomTicksHeight / 2 + 2, tick.label,
                {.size = kTickSize, .anchor = Anchor::kMiddle, .muted = true, .css_class = "tick"});
  }
  draw_axis_title_below(canvas, plot, plot.bottom() + kBottomTicksHeight, scale.heading());
}

void draw_axis_title_below(SvgCanvas& canvas, const Box& plot, double y, const std::string& title) {
  canvas.text(plot.x + plot.width / 2, y + kAxisTitleHeight / 2,
              fitted_text(title, kTickSize, plot.width),
              {.size = kTickSize, .anchor = Anchor::kMiddle, .css_class = "axis-title"}, title);
}

void draw_no_data(SvgCanvas& canvas, const Box& plot) {
  canvas.text(plot.x + plot.width / 2, plot.y + plot.height / 2, "no data",
              {.size = 12, .anchor = Anchor::kMiddle, .muted = true, .css_class = "no-data"});
}

}  // namespace raddle::report
