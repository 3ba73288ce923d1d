// The plane that bars stand on: one band a category, a value axis across, upright or lying. Grouped
// and stacked bars share it.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_canvas.h"
#include "report/charts/svg_scale.h"

namespace raddle::report {

// Values of one series, one a category; missing ones and NaN leave a gap.
struct NamedValues {
  std::string name;
  std::vector<double> values;

  double at(std::size_t category) const;
};

struct BandAxes {
  ChartAxis values;
  std::vector<std::string> categories = {};
  std::string category_title = {};
  bool horizontal = false;  // bars lie, names stand to the left
};

class BandPlot {
 public:
  // Draws axes, grid and names into `box`. `label_room`: pixels kept free beyond the longest bar.
  BandPlot(SvgCanvas& canvas, const Box& box, const BandAxes& axes, const Interval& data,
           double label_room);

  const Box& plot() const { return plot_; }
  const Scale& scale() const { return scale_; }
  double band() const { return band_; }
  // Whether the room that was asked for is there.
  bool has_label_room() const { return label_room_ > 0; }

  // A bar between two values, `offset` pixels into its band.
  Box bar(std::size_t category, double offset, double thickness, double from, double to) const;
  // A text beyond the end of a bar.
  void draw_value(SvgCanvas& canvas, const Box& bar, bool negative, const std::string& text) const;

 private:
  void draw_upright(SvgCanvas& canvas, const Box& box, const BandAxes& axes, const Interval& data);
  void draw_lying(SvgCanvas& canvas, const Box& box, const BandAxes& axes, const Interval& data);
  void place_scale();

  bool horizontal_;
  bool below_zero_;
  double label_room_;
  Scale scale_;
  Box plot_;
  double band_ = 0;
};

inline constexpr double kValueSize = 10.5;  // type of values at bars
inline constexpr double kUprightValueRoom = 15;

// "ref: vecadd 608, matmul 1.2 M; fast: …", cut after some forty values.
std::string described_values(const ChartAxis& axis, const std::vector<std::string>& categories,
                             const std::vector<NamedValues>& series);

}  // namespace raddle::report
