#include "report/fabric/dot_text.h"

#include <fmt/format.h>

#include "report/charts/svg_palette.h"
#include "report/fabric/node_text.h"

namespace raddle::report {

namespace {

using namespace machine::cgra;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + '"';
}

std::string_view shape_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::kSource:
    case NodeKind::kExit: return "oval";
    case NodeKind::kElevator: return "hexagon";
    default: return "box";
  }
}

}  // namespace

std::string dot_head(std::string_view name) {
  return fmt::format(
      "digraph {} {{\n"
      "  node [fontname=\"sans-serif\", fontsize=10, style=\"filled,rounded\", height=0.3];\n"
      "  edge [color=\"#6a7280\", arrowsize=0.6, fontname=\"sans-serif\", fontsize=9];\n",
      quoted(name));
}

std::string dot_node(std::string_view id, const Node& node, const LocationText& location_text,
                     std::string_view more) {
  std::string label = node_title(node);
  const std::string place = node_place(node, location_text);
  if (!place.empty()) label += "\n" + place;
  const std::string colour = series_colour(series_of(node.unit)).light;
  // The alpha channel makes the fill a tint of the frame.
  return fmt::format("  {} [label={}, shape={}, color={}, fillcolor={}, tooltip={}{}];\n", id,
                     quoted(label), shape_of(node), quoted(colour), quoted(colour + "30"),
                     quoted(node_tooltip(node, location_text)), more);
}

std::string dot_edge(std::string_view from, std::string_view to, const Input& input, bool backwards,
                     std::string_view label) {
  std::string look;
  const auto add = [&look](const std::string& attribute) {
    look += (look.empty() ? "" : ", ") + attribute;
  };
  std::string text(label);
  if (input.shift != 0) {
    const std::string colour = quoted(series_colour(series_of(UnitClass::kControl)).light);
    text = shift_text(input.shift) + (text.empty() ? "" : ", " + text);
    add(fmt::format("style=\"dashed,bold\", color={0}, fontcolor={0}", colour));
  } else if (input.control) {
    add("style=dotted");
  }
  if (!text.empty()) add("label=" + quoted(text));
  if (backwards) add("constraint=false");
  return fmt::format("  {} -> {}{};\n", from, to, look.empty() ? "" : " [" + look + "]");
}

}  // namespace raddle::report
