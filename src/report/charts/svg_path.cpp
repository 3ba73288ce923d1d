#include "report/charts/svg_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

std::string text_of(const Point& point) {
  return fmt::format("{} {}", svg_number(point.x), svg_number(point.y));
}

double distance(const Point& a, const Point& b) { return std::hypot(b.x - a.x, b.y - a.y); }

// The point `length` away from `from`, towards `to`.
Point towards(const Point& from, const Point& to, double length) {
  const double whole = distance(from, to);
  if (whole == 0) return from;
  return {from.x + (to.x - from.x) * length / whole, from.y + (to.y - from.y) * length / whole};
}

}  // namespace

std::string rounded_box(const Box& box, double radius) {
  radius = std::min({radius, box.width / 2, box.height / 2});
  const std::string r = svg_number(radius);
  const std::string across = svg_number(box.width - 2 * radius);
  const std::string down = svg_number(box.height - 2 * radius);
  return fmt::format(
      "M{} {}h{}a{} {} 0 0 1 {} {}v{}a{} {} 0 0 1 -{} {}h-{}a{} {} 0 0 1 -{} -{}v-{}"
      "a{} {} 0 0 1 {} -{}z",
      svg_number(box.x + radius), svg_number(box.y), across, r, r, r, r, down, r, r, r, r, across,
      r, r, r, r, down, r, r, r, r);
}

std::string rounded_line(std::span<const Point> points, double radius) {
  if (points.empty()) return {};
  std::string path = "M" + text_of(points[0]);
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const double room =
        std::min(distance(points[i - 1], points[i]), distance(points[i], points[i + 1])) / 2;
    const double cut = std::min(radius, room);
    path += fmt::format("L{}Q{} {}", text_of(towards(points[i], points[i - 1], cut)),
                        text_of(points[i]), text_of(towards(points[i], points[i + 1], cut)));
  }
  if (points.size() > 1) path += "L" + text_of(points.back());
  return path;
}

std::string flowing_line(std::span<const Point> points) {
  if (points.empty()) return {};
  std::string path = "M" + text_of(points[0]);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& from = points[i - 1];
    const Point& to = points[i];
    if (from.x == to.x) {
      path += "L" + text_of(to);
      continue;
    }
    const double middle = (from.y + to.y) / 2;
    path +=
        fmt::format("C{} {} {}", text_of({from.x, middle}), text_of({to.x, middle}), text_of(to));
  }
  return path;
}

std::string arrow_head(const Point& from, const Point& tip, double length) {
  const Point base = towards(tip, from, length);
  const double across_x = (tip.y - base.y) * 0.42;
  const double across_y = (base.x - tip.x) * 0.42;
  return fmt::format("M{}L{}L{}z", text_of(tip), text_of({base.x + across_x, base.y + across_y}),
                     text_of({base.x - across_x, base.y - across_y}));
}

}  // namespace raddle::report
