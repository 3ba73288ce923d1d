#include "report/charts/svg_heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_band_plot.h"
#include "report/charts/svg_palette.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kBarWidth = 12;  // of the colour bar
constexpr double kBarGap = 16;    // between cells and colour bar
constexpr int kBarSteps = 48;
constexpr double kMaxRowNames = 0.3;  // of the width
constexpr double kMaxBelow = 0.4;     // of the height, for names of columns
constexpr double kMaxStretch = 2.2;   // width over height of a cell

double cell_at(const HeatMap& map, std::size_t row, std::size_t column) {
  const bool is_there = row < map.cells.size() && column < map.cells[row].size();
  return is_there ? map.cells[row][column] : std::numeric_limits<double>::quiet_NaN();
}

void draw_colour_bar(SvgCanvas& canvas, const Box& box, Scale scale) {
  const double step = box.height / kBarSteps;
  canvas.open_group("colour-bar");
  for (int i = 0; i < kBarSteps; ++i) {
    // A little overlap hides the seams.
    const Box slice{box.x, box.y + i * step, box.width, step + (i + 1 < kBarSteps ? 0.5 : 0)};
    canvas.cell(slice, heat_colour(1 - (i + 0.5) / kBarSteps), 1, {});
  }
  canvas.close_group();
  scale.place(box.bottom(), box.y);
  for (const Tick& tick : scale.ticks()) {
    canvas.line(box.right(), scale.at(tick.value), box.right() + 3, scale.at(tick.value), 1, 0.5,
                "grid");
    canvas.text(box.right() + 6, scale.at(tick.value), tick.label,
                {.size = kTickSize, .muted = true, .css_class = "tick"});
  }
}

// The scale is placed from 0 to 1.
void draw_cells(SvgCanvas& canvas, const HeatMap& map, const Box& plot, const Scale& scale) {
  constexpr double kGap = 1;
  const double width = plot.width / static_cast<double>(map.columns.size());
  const double height = plot.height / static_cast<double>(map.rows.size());
  const double gap = std::min(width, height) > 6 ? kGap : 0;
  const bool tall = height >= kValueSize * 1.5;
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const double value = cell_at(map, row, column);
      const Box box{plot.x + static_cast<double>(column) * width,
                    plot.y + static_cast<double>(row) * height, width - gap, height - gap};
      const std::string text = value_text(map.values, value);
      const std::string tooltip =
          fmt::format("{}, {}: {}", map.rows[row], map.columns[column], text);
      if (!can_show(map.values, value)) {
        canvas.cell(box, "currentColor", 0.1, tooltip);
        continue;
      }
      const double share = scale.at(value);
      canvas.cell(box, heat_colour(share), 1, tooltip);
      if (!tall || text_width(text, kValueSize) + 4 > box.width) continue;
      canvas.text(box.x + box.width / 2, box.y + box.height / 2, text,
                  {.size = kValueSize,
                   .anchor = Anchor::kMiddle,
                   .css_class = "value",
                   .fill = heat_ink(share)});
    }
  }
}

struct Layout {
  Box plot;
  Scale scale;  // from 0 to 1
  BottomLabels labels;
  double names = 0;  // width of the rows' names
};

Layout lay_out(const HeatMap& map, const Box& box, const Interval& data) {
  const auto make_scale = [&](double height) {
    Scale scale(map.values, data, height, {.exact = true});
    scale.place(0, 1);
    return scale;
  };
  Layout layout{.plot = {}, .scale = make_scale(box.height), .labels = {}};
  layout.names = left_labels_width(map.rows, box.width * kMaxRowNames);
  const double left = layout.names == 0 ? 0 : layout.names + kLabelGap;
  const double title_height = map.column_title.empty() ? 0 : kAxisTitleHeight;
  const auto columns = static_cast<double>(std::max<std::size_t>(map.columns.size(), 1));
  const auto rows = static_cast<double>(std::max<std::size_t>(map.rows.size(), 1));
  Box& plot = layout.plot;
  plot = {box.x + left, box.y + kAxisTitleHeight, box.width, 0};
  const double room = box.bottom() - plot.y - title_height;
  // Cells are not stretched beyond a pleasant shape; a narrower grid may need higher names, and a
  // lower colour bar fewer ticks.
  for (int pass = 0; pass < 4; ++pass) {
    const double right = kBarGap + kBarWidth + 6 + layout.scale.widest_label(kTickSize);
    plot.width = std::max(1.0, std::min(plot.width, box.width - left - right));
    layout.labels =
        lay_out_bottom_labels(map.columns, plot.width / columns, left, room * kMaxBelow);
    plot.height = std::max(1.0, room - layout.labels.height);
    if (pass < 3) plot.width = std::min(plot.width, plot.height / rows * kMaxStretch * columns);
    plot.height = std::min(plot.height, plot.width / columns * kMaxStretch * rows);
    layout.scale = make_scale(plot.height);
  }
  return layout;
}

}  // namespace

std::string svg_of(const HeatMap& map) {
  SvgCanvas canvas(map.frame);
  Interval data;
  for (const std::vector<double>& row : map.cells) {
    for (const double value : row) data.add(map.values, value);
  }
  const Box box = draw_head(canvas, map.frame, {}, LegendMark::kBar);
  const Layout layout = lay_out(map, box, data);
  const std::string heading = layout.scale.heading();
  const std::string above =
      map.row_title.empty() ? heading : fmt::format("{} by {}", heading, map.row_title);
  canvas.text(box.x, box.y + kAxisTitleHeight / 2 - 2, fitted_text(above, kTickSize, box.width),
              {.size = kTickSize, .css_class = "axis-title"}, above);
  const Box& plot = layout.plot;
  if (map.columns.empty() || map.rows.empty() || data.empty()) {
    draw_no_data(canvas, plot);
    return canvas.finish("Heat map. no data");
  }
  draw_cells(canvas, map, plot, layout.scale);
  draw_left_labels(canvas, plot, map.rows, layout.names);
  draw_bottom_labels(canvas, plot, layout.labels, map.columns);
  draw_axis_title_below(canvas, plot, plot.bottom() + layout.labels.height, map.column_title);
  draw_colour_bar(canvas, {plot.right() + kBarGap, plot.y, kBarWidth, plot.height}, layout.scale);
  return canvas.finish(fmt::format(
      "Heat map of {} rows and {} columns, from {} to {}.", map.rows.size(), map.columns.size(),
      value_text(map.values, data.low), value_text(map.values, data.high)));
}

}  // namespace raddle::report
