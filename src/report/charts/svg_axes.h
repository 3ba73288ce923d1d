// What charts have in common around the marks: title and legend above, value axes with grid and
// ticks, names of categories below or to the left. Names that have no room are turned, cut or left
// out, never written over each other.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_canvas.h"
#include "report/charts/svg_scale.h"

namespace raddle::report {

enum class LegendMark { kBar, kLine, kPoint };

// Title, subtitle and, for more than one series, the legend. Gives back the box that is left.
Box draw_head(SvgCanvas& canvas, const ChartFrame& frame, const std::vector<std::string>& series,
              LegendMark mark);

// What the legend takes of the chart's height; 0 for one series.
double legend_height(const ChartFrame& frame, const std::vector<std::string>& series,
                     LegendMark mark);

// Names under bands of equal width.
struct BottomLabels {
  std::vector<std::string> texts;  // empty: left out
  double angle = 0;
  double height = 0;
};
// `left_room`: pixels between the left end of the bands and the left end of the chart.
BottomLabels lay_out_bottom_labels(const std::vector<std::string>& names, double band,
                                   double left_room, double most_height);
void draw_bottom_labels(SvgCanvas& canvas, const Box& plot, const BottomLabels& labels,
                        const std::vector<std::string>& names);

// Names to the left of bands of equal height; as wide as `width` at most.
double left_labels_width(const std::vector<std::string>& names, double most);
void draw_left_labels(SvgCanvas& canvas, const Box& plot, const std::vector<std::string>& names,
                      double width);

// Grid lines, tick labels and the axis title (above the left axis, below the bottom one). The scale
// has been placed.
void draw_left_axis(SvgCanvas& canvas, const Box& plot, const Scale& scale, double title_x);
void draw_bottom_axis(SvgCanvas& canvas, const Box& plot, const Scale& scale);
void draw_axis_title_below(SvgCanvas& canvas, const Box& plot, double y, const std::string& title);
// In place of marks where there are none.
void draw_no_data(SvgCanvas& canvas, const Box& plot);

inline constexpr double kLabelGap = 7;          // between labels and the plot
inline constexpr double kAxisTitleHeight = 22;  // above a left axis, below a bottom one
inline constexpr double kBottomTicksHeight = 18;
inline constexpr double kLineSpacing = 15;  // of names and legends

}  // namespace raddle::report
