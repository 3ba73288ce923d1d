// A sheet to draw a chart on: shapes and text in pixels, each mark with a tooltip, colours by
// series number. What comes out is one <svg> element that names and describes itself to screen
// readers and follows the reader's light or dark setting; it needs no script, font or file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace raddle::report {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

// What every chart has.
struct ChartFrame {
  std::string title;
  std::string subtitle = {};
  double width = 560, height = 320;
  // A file of its own, with title and colours. Otherwise for a page that has svg_style_sheet() and
  // writes the titles itself.
  bool standalone = true;
  // The height was chosen with legend_height: the legend has all its lines. Otherwise it takes no
  // more than a share of the chart and says how many names are left out.
  bool whole_legend = false;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextLook {
  double size = 11;
  Anchor anchor = Anchor::kStart;
  bool bold = false;
  bool muted = false;
  double angle = 0;                 // degrees, turned around the anchor
  std::string_view css_class = {};  // "tick", "value" …: for tests and style sheets
  std::string_view fill = "currentColor";
};

class SvgCanvas {
 public:
  explicit SvgCanvas(const ChartFrame& frame);

  // Everything in between has the colour of one series.
  void open_series(std::size_t series);
  void open_group(std::string_view css_class);
  // Everything in between has a colour of its own, "#rrggbb", and one tooltip.
  void open_tint(std::string_view css_class, std::string_view colour, std::string_view tooltip);
  void close_group();

  // `y` is the middle of the line. Text that was cut carries the whole as a tooltip.
  void text(double x, double y, std::string_view text, const TextLook& look,
            std::string_view whole = {});
  // Filled with the series' colour.
  void bar(const Box& box, std::string_view tooltip);
  // Filled with a colour of its own.
  void cell(const Box& box, std::string_view fill, double opacity, std::string_view tooltip);
  void swatch(const Box& box);
  void line(double x1, double y1, double x2, double y2, double stroke_width, double opacity,
            std::string_view css_class);
  // `path` is SVG path data.
  void stroke(std::string_view path, double stroke_width, std::string_view css_class,
              std::string_view dashes = {});
  // An area, filled with the series' colour.
  void fill(std::string_view path, double opacity, std::string_view css_class,
            std::string_view tooltip = {});
  // One of four shapes by series, so that colour alone need not tell them apart.
  void marker(double x, double y, std::size_t series, std::string_view css_class,
              std::string_view tooltip);

  // The finished element; `description` is one or two sentences for whoever cannot see it.
  std::string finish(std::string_view description);

 private:
  ChartFrame frame_;
  std::string body_;
};

}  // namespace raddle::report
