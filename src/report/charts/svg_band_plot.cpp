#include "report/charts/svg_band_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kMaxNames = 0.42;  // of the width, for names to the left
constexpr double kMaxBelow = 0.4;   // of the height, for names below
constexpr std::size_t kDescribedValues = 40;

Scale make_scale(const BandAxes& axes, const Interval& data, double length) {
  return {
      axes.values,
      data,
      length,
      {.from_zero = true,
       .direction = axes.horizontal ? Scale::Direction::kHorizontal : Scale::Direction::kVertical}};
}

}  // namespace

double NamedValues::at(std::size_t category) const {
  return category < values.size() ? values[category] : std::numeric_limits<double>::quiet_NaN();
}

BandPlot::BandPlot(SvgCanvas& canvas, const Box& box, const BandAxes& axes, const Interval& data,
                   double label_room)
    : horizontal_(axes.horizontal),
      below_zero_(!data.empty() && data.low < 0),
      label_room_(label_room),
      scale_(make_scale(axes, data, axes.horizontal ? box.width : box.height)) {
  if (horizontal_) {
    draw_lying(canvas, box, axes, data);
  } else {
    draw_upright(canvas, box, axes, data);
  }
}

void BandPlot::draw_upright(SvgCanvas& canvas, const Box& box, const BandAxes& axes,
                            const Interval& data) {
  const auto count = static_cast<double>(std::max<std::size_t>(axes.categories.size(), 1));
  const double title_height = axes.category_title.empty() ? 0 : kAxisTitleHeight;
  BottomLabels labels;
  double left = 0;
  // Names need the width that tick labels leave; ticks need the height that names leave.
  for (int pass = 0; pass < 2; ++pass) {
    left = std::max(left, scale_.widest_label(kTickSize) + kLabelGap);
    plot_ = {box.x + left, box.y + kAxisTitleHeight, std::max(1.0, box.width - left), 0};
    band_ = plot_.width / count;
    labels = lay_out_bottom_labels(axes.categories, band_, left, box.height * kMaxBelow);
    plot_.height = std::max(1.0, box.bottom() - plot_.y - labels.height - title_height);
    scale_ = make_scale(axes, data, plot_.height - label_room_ * (below_zero_ ? 2 : 1));
  }
  place_scale();
  draw_left_axis(canvas, plot_, scale_, box.x);
  draw_bottom_labels(canvas, plot_, labels, axes.categories);
  draw_axis_title_below(canvas, plot_, plot_.bottom() + labels.height, axes.category_title);
}

void BandPlot::draw_lying(SvgCanvas& canvas, const Box& box, const BandAxes& axes,
                          const Interval& data) {
  const double names = left_labels_width(axes.categories, box.width * kMaxNames);
  const double left = names == 0 ? 0 : names + kLabelGap;
  double half_label = 0;
  // Labels of the first and last tick stand half beyond the ends of the axis, which they shorten.
  for (int pass = 0; pass < 2; ++pass) {
    half_label = std::max(half_label, scale_.widest_label(kTickSize) / 2);
    const double before = std::max(left, half_label);
    plot_ = {box.x + before, box.y, std::max(1.0, box.width - before - half_label),
             std::max(1.0, box.height - kBottomTicksHeight - kAxisTitleHeight)};
    scale_ = make_scale(axes, data, plot_.width - label_room_ * (below_zero_ ? 2 : 1));
  }
  band_ = plot_.height / static_cast<double>(std::max<std::size_t>(axes.categories.size(), 1));
  place_scale();
  draw_bottom_axis(canvas, plot_, scale_);
  draw_left_labels(canvas, plot_, axes.categories, names);
}

void BandPlot::place_scale() {
  const double length = horizontal_ ? plot_.width : plot_.height;
  if (label_room_ * (below_zero_ ? 2 : 1) > length / 2) label_room_ = 0;
  const double low_room = below_zero_ ? label_room_ : 0;
  if (horizontal_) {
    scale_.place(plot_.x + low_room, plot_.right() - label_room_);
  } else {
    scale_.place(plot_.bottom() - low_room, plot_.y + label_room_);
  }
}

Box BandPlot::bar(std::size_t category, double offset, double thickness, double from,
                  double to) const {
  const double start = band_ * static_cast<double>(category) + offset;
  const double low = std::min(scale_.at(from), scale_.at(to));
  const double length = std::fabs(scale_.at(to) - scale_.at(from));
  if (horizontal_) return {low, plot_.y + start, length, thickness};
  return {plot_.x + start, low, thickness, length};
}

void BandPlot::draw_value(SvgCanvas& canvas, const Box& bar, bool negative,
                          const std::string& text) const {
  TextLook look{.size = kValueSize, .css_class = "value"};
  if (horizontal_) {
    look.anchor = negative ? Anchor::kEnd : Anchor::kStart;
    canvas.text(negative ? bar.x - 5 : bar.right() + 5, bar.y + bar.height / 2, text, look);
    return;
  }
  look.anchor = Anchor::kMiddle;
  const double y = negative ? bar.bottom() + 8 : bar.y - 7;
  canvas.text(bar.x + bar.width / 2, y, text, look);
}

std::string described_values(const ChartAxis& axis, const std::vector<std::string>& categories,
                             const std::vector<NamedValues>& series) {
  std::string text;
  std::size_t written = 0;
  for (const NamedValues& values : series) {
    if (!text.empty()) text += "; ";
    if (!values.name.empty()) text += values.name + ": ";
    for (std::size_t i = 0; i < categories.size(); ++i) {
      if (written++ == kDescribedValues) return text + " …";
      text +=
          fmt::format("{}{} {}", i == 0 ? "" : ", ", categories[i], value_text(axis, values.at(i)));
    }
  }
  return text.empty() ? "no data" : text;
}

}  // namespace raddle::report
