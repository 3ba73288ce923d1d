// SVG path data of shapes that drawings are made of.
#pragma once

#include <span>
#include <string>

#include "report/charts/svg_canvas.h"

namespace raddle::report {

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

std::string rounded_box(const Box& box, double radius);

// Straight lines from point to point, corners rounded where there is room.
std::string rounded_line(std::span<const Point> points, double radius);

// Curves that leave and reach every point vertically.
std::string flowing_line(std::span<const Point> points);

// A triangle whose tip is at `tip`, for a line that comes from `from`.
std::string arrow_head(const Point& from, const Point& tip, double length);

}  // namespace raddle::report
