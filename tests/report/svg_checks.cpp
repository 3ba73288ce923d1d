#include "report/svg_checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

// A text's place, in a frame that is turned with the text.
struct TextBox {
  Box box;
  double angle = 0;
  std::string text;
};

TextBox text_box(const XmlElement& element) {
  TextBox result{.box = {}, .angle = 0, .text = element.text};
  const double size = element.number("font-size");
  const double width = text_width(element.text, size);
  double x = element.number("x");
  double y = element.number("y");
  double centre_x = 0, centre_y = 0;
  const std::string transform = element.attribute("transform");
  if (!transform.empty()) {
    EXPECT_EQ(
        std::sscanf(transform.c_str(), "rotate(%lf %lf %lf)", &result.angle, &centre_x, &centre_y),
        3)
        << transform;
    // The text lies around the centre; seen along the text, the centre itself is elsewhere.
    const double radians = -result.angle * std::numbers::pi / 180;
    const double turned_x = centre_x * std::cos(radians) - centre_y * std::sin(radians);
    const double turned_y = centre_x * std::sin(radians) + centre_y * std::cos(radians);
    x += turned_x - centre_x;
    y += turned_y - centre_y;
  }
  const std::string anchor = element.attribute("text-anchor");
  const double left = anchor == "end" ? x - width : anchor == "middle" ? x - width / 2 : x;
  result.box = {left, y - 0.72 * size, width, 0.9 * size};
  return result;
}

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

void expect_inside(const TextBox& text, double width, double height) {
  constexpr double kSlack = 0.5;
  if (text.angle != 0) return;
  EXPECT_GE(text.box.x, -kSlack) << text.text;
  EXPECT_LE(text.box.right(), width + kSlack) << text.text;
  EXPECT_GE(text.box.y, -kSlack) << text.text;
  EXPECT_LE(text.box.bottom(), height + kSlack) << text.text;
}

}  // namespace

XmlElement checked_svg(const std::string& svg) {
  XmlElement root;
  try {
    root = read_xml(svg);
  } catch (const std::runtime_error& error) {
    ADD_FAILURE() << error.what();
    return root;
  }
  EXPECT_EQ(root.name, "svg");
  EXPECT_EQ(root.attribute("role"), "img");
  EXPECT_FALSE(root.attribute("aria-label").empty());
  EXPECT_FALSE(root.all("desc").empty() || root.all("desc")[0]->text.empty());
  const double width = root.number("width");
  const double height = root.number("height");
  EXPECT_EQ(root.attribute("viewBox"),
            fmt::format("0 0 {} {}", root.attribute("width"), root.attribute("height")));
  for (const XmlElement* rectangle : root.all("rect")) {
    if (rectangle->has_class("paper")) continue;
    const Box box = box_of(*rectangle);
    EXPECT_GE(box.width, 0);
    EXPECT_GE(box.height, 0);
    EXPECT_GE(box.x, -0.5);
    EXPECT_LE(box.right(), width + 0.5);
    EXPECT_LE(box.bottom(), height + 0.5);
  }
  for (const XmlElement* path : root.all("path"))
    EXPECT_EQ(path->attribute("d").find("nan"), std::string::npos);

  std::vector<TextBox> texts;
  for (const XmlElement* element : root.all("text")) {
    texts.push_back(text_box(*element));
    expect_inside(texts.back(), width, height);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      if (texts[i].angle != texts[j].angle) continue;
      EXPECT_FALSE(overlap(texts[i].box, texts[j].box))
          << "'" << texts[i].text << "' lies over '" << texts[j].text << "'";
    }
  }
  return root;
}

std::vector<std::string> texts_of(const XmlElement& svg, const std::string& css_class) {
  std::vector<std::string> texts;
  for (const XmlElement* element : svg.all("text", css_class)) texts.push_back(element->text);
  return texts;
}

Box box_of(const XmlElement& rectangle) {
  return {rectangle.number("x"), rectangle.number("y"), rectangle.number("width"),
          rectangle.number("height")};
}

}  // namespace raddle::report
