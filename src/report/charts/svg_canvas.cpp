#include "report/charts/svg_canvas.h"

#include <fmt/format.h>

#include "report/charts/svg_palette.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr const char* kFontFamily =
    "system-ui, -apple-system, &quot;Segoe UI&quot;, Roboto, &quot;Helvetica Neue&quot;, Arial, "
    "sans-serif";
constexpr double kMutedOpacity = 0.75;
constexpr double kRepeatedOpacity = 0.55;  // series beyond the palette
constexpr double kBaseline = 0.35;         // of the type size, below the middle of a line

std::string title_element(std::string_view tooltip) {
  return tooltip.empty() ? std::string() : fmt::format("<title>{}</title>", xml_escaped(tooltip));
}

std::string closed(std::string_view tag, const std::string& content) {
  return content.empty() ? "/>\n" : fmt::format(">{}</{}>\n", content, tag);
}

std::string box_attributes(const Box& box) {
  return fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", svg_number(box.x),
                     svg_number(box.y), svg_number(box.width), svg_number(box.height));
}

const char* name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart: return "start";
    case Anchor::kMiddle: return "middle";
    case Anchor::kEnd: return "end";
  }
  return "start";
}

// Circle, square, triangle, diamond, of about the same area.
std::string marker_path(double x, double y, std::size_t series) {
  const auto n = [](double value) { return svg_number(value); };
  switch (series % 4) {
    case 1: return fmt::format("M{} {}h6.2v6.2h-6.2z", n(x - 3.1), n(y - 3.1));
    case 2: return fmt::format("M{} {}l4.3 7.4h-8.6z", n(x), n(y - 4.6));
    case 3: return fmt::format("M{} {}l4.6 4.6l-4.6 4.6l-4.6 -4.6z", n(x), n(y - 4.6));
    default: return fmt::format("M{} {}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", n(x - 3.5), n(y));
  }
}

}  // namespace

SvgCanvas::SvgCanvas(const ChartFrame& frame) : frame_(frame) {}

void SvgCanvas::open_series(std::size_t series) {
  const bool repeated = series / kSeriesColours % 2 == 1;
  body_ += fmt::format("<g class=\"series s{}\" color=\"{}\"{}>\n", series % kSeriesColours,
                       series_colour(series).light,
                       repeated ? fmt::format(" opacity=\"{}\"", kRepeatedOpacity) : "");
}

void SvgCanvas::open_group(std::string_view css_class) {
  body_ += fmt::format("<g class=\"{}\">\n", css_class);
}

void SvgCanvas::open_tint(std::string_view css_class, std::string_view colour,
                          std::string_view tooltip) {
  body_ +=
      fmt::format("<g class=\"{}\" color=\"{}\">{}\n", css_class, colour, title_element(tooltip));
}

void SvgCanvas::close_group() { body_ += "</g>\n"; }

void SvgCanvas::text(double x, double y, std::string_view text, const TextLook& look,
                     std::string_view whole) {
  if (text.empty()) return;
  std::string element = "<text";
  if (!look.css_class.empty()) element += fmt::format(" class=\"{}\"", look.css_class);
  element += fmt::format(R"( x="{}" y="{}" font-size="{}")", svg_number(x),
                         svg_number(y + kBaseline * look.size), svg_number(look.size));
  if (look.anchor != Anchor::kStart)
    element += fmt::format(" text-anchor=\"{}\"", name_of(look.anchor));
  if (look.bold) element += " font-weight=\"600\"";
  if (look.angle != 0) {
    element += fmt::format(" transform=\"rotate({} {} {})\"", svg_number(look.angle), svg_number(x),
                           svg_number(y));
  }
  element += fmt::format(" fill=\"{}\"", look.fill);
  if (look.muted) element += fmt::format(" fill-opacity=\"{}\"", kMutedOpacity);
  const bool was_cut = !whole.empty() && whole != text;
  body_ += fmt::format("{}>{}{}</text>\n", element, xml_escaped(text),
                       was_cut ? title_element(whole) : "");
}

void SvgCanvas::bar(const Box& box, std::string_view tooltip) {
  body_ += fmt::format("<rect class=\"bar\" {} fill=\"currentColor\"", box_attributes(box)) +
           closed("rect", title_element(tooltip));
}

void SvgCanvas::cell(const Box& box, std::string_view fill, double opacity,
                     std::string_view tooltip) {
  body_ += fmt::format("<rect class=\"cell\" {} fill=\"{}\"", box_attributes(box), fill);
  if (opacity != 1) body_ += fmt::format(" fill-opacity=\"{}\"", svg_number(opacity));
  body_ += closed("rect", title_element(tooltip));
}

void SvgCanvas::swatch(const Box& box) {
  body_ += fmt::format("<rect class=\"swatch\" {} fill=\"currentColor\"/>\n", box_attributes(box));
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, double stroke_width,
                     double opacity, std::string_view css_class) {
  body_ += fmt::format(
      R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}" stroke="currentColor" stroke-width="{}")",
      css_class, svg_number(x1), svg_number(y1), svg_number(x2), svg_number(y2),
      svg_number(stroke_width));
  if (opacity != 1) body_ += fmt::format(" stroke-opacity=\"{}\"", svg_number(opacity));
  body_ += "/>\n";
}

void SvgCanvas::stroke(std::string_view path, double stroke_width, std::string_view css_class,
                       std::string_view dashes) {
  body_ +=
      fmt::format(R"(<path class="{}" d="{}" fill="none" stroke="currentColor" stroke-width="{}" )"
                  R"(stroke-linejoin="round" stroke-linecap="round")",
                  css_class, path, svg_number(stroke_width));
  if (!dashes.empty()) body_ += fmt::format(" stroke-dasharray=\"{}\"", dashes);
  body_ += "/>\n";
}

void SvgCanvas::fill(std::string_view path, double opacity, std::string_view css_class,
                     std::string_view tooltip) {
  body_ += fmt::format(R"(<path class="{}" d="{}" fill="currentColor")", css_class, path);
  if (opacity != 1) body_ += fmt::format(" fill-opacity=\"{}\"", svg_number(opacity));
  body_ += closed("path", title_element(tooltip));
}

void SvgCanvas::marker(double x, double y, std::size_t series, std::string_view css_class,
                       std::string_view tooltip) {
  body_ += fmt::format(R"(<path class="{}" d="{}" fill="currentColor")", css_class,
                       marker_path(x, y, series)) +
           closed("path", title_element(tooltip));
}

std::string SvgCanvas::finish(std::string_view description) {
  const std::string width = svg_number(frame_.width);
  const std::string height = svg_number(frame_.height);
  std::string result = "<svg ";
  if (frame_.standalone) result += R"(xmlns="http://www.w3.org/2000/svg" )";
  result += fmt::format(
      R"(class="raddle-chart" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" height="{}" )"
      R"(color="#1f2328" font-family="{}">)",
      xml_escaped(frame_.title), width, height, width, height, kFontFamily);
  result += fmt::format("\n<desc>{}</desc>\n", xml_escaped(description));
  if (frame_.standalone) {
    result += fmt::format("<style>\n{}</style>\n", svg_style_sheet());
    result +=
        fmt::format(R"(<rect class="paper" width="{}" height="{}" fill="#fff"/>)", width, height) +
        "\n";
  }
  return result + body_ + "</svg>\n";
}

}  // namespace raddle::report
