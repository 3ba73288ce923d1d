#include "report/fabric/node_text.h"

#include <fmt/format.h>

#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kTextSize = 11;
constexpr double kLineHeight = 18;
constexpr double kSquare = 10;
constexpr double kGap = 16;

// Gives every entry its place.
template <typename Place>
double lay_out_legend(const std::vector<LegendEntry>& entries, double width, const Place& place) {
  double x = 0;
  double y = 0;
  for (const LegendEntry& entry : entries) {
    const double needed = kSquare + 5 + text_width(entry.text, kTextSize);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += kLineHeight;
    }
    place(entry, x, y);
    x += needed + kGap;
  }
  return entries.empty() ? 0 : y + kLineHeight;
}

}  // namespace

std::string node_title(const machine::cgra::Node& node) {
  return node.label.empty() ? std::string(machine::cgra::name_of(node.kind)) : node.label;
}

std::string node_place(const machine::cgra::Node& node,
                       const machine::cgra::LocationText& location_text) {
  const std::string text = location_text ? location_text(node.location) : std::string();
  return text.substr(text.rfind('/') + 1);  // from the beginning where there is no folder
}

std::string node_tooltip(const machine::cgra::Node& node,
                         const machine::cgra::LocationText& location_text) {
  std::string text = fmt::format("{}, {}", node_title(node), machine::cgra::name_of(node.unit));
  const std::string place = location_text ? location_text(node.location) : std::string();
  if (!place.empty()) text += ", " + place;
  return text;
}

bool loops_to_itself(const machine::cgra::Node& node) {
  return node.loop_shift != 0 && node.inputs.back().shift == 0;
}

std::string shift_text(std::int32_t shift) { return fmt::format("{:+}", shift); }

std::size_t series_of(machine::cgra::UnitClass unit) { return static_cast<std::size_t>(unit); }

double unit_legend_height(const std::vector<LegendEntry>& entries, double width) {
  return lay_out_legend(entries, width, [](const LegendEntry&, double, double) {});
}

void draw_unit_legend(SvgCanvas& canvas, const Box& box, const std::vector<LegendEntry>& entries) {
  lay_out_legend(entries, box.width, [&](const LegendEntry& entry, double x, double y) {
    const double middle = box.y + y + kLineHeight / 2;
    canvas.open_series(series_of(entry.unit));
    canvas.swatch({box.x + x, middle - kSquare / 2, kSquare, kSquare});
    canvas.close_group();
    canvas.text(box.x + x + kSquare + 5, middle,
                fitted_text(entry.text, kTextSize, box.width - x - kSquare - 5),
                {.size = kTextSize, .css_class = "legend"}, entry.text);
  });
}

}  // namespace raddle::report
