// The room that the radiosity program lights: six walls and two boxes on the floor, cut into
// rectangular patches; a lamp in the ceiling. What one point of it sees of another, and how much
// light goes from one rectangle to another.
#pragma once

#include <array>
#include <numbers>

#include "application.h"

namespace application {

struct Vector {
  double x, y, z;
};
inline Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector operator*(const Vector& a, double b) { return {a.x * b, a.y * b, a.z * b}; }
inline double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Rectangle {
  Vector corner, along, across;  // its edges from that corner
  [[nodiscard]] Vector at(double u, double v) const { return corner + along * u + across * v; }
};

struct Patch {
  Rectangle shape;
  Vector normal;
  double area, reflectance, emission;
};

struct Solid {
  Vector low, high;
};

// Points of a rectangle that stand for it where it is not small: rays go between those of the same
// number, which lie in different places of the two.
constexpr std::size_t kRays = 9;

class Scene {
 public:
  std::vector<Patch> patches;
  std::array<Solid, 2> solids{
      {{{0.18, 0.22, 0}, {0.45, 0.49, 0.55}}, {{0.57, 0.53, 0}, {0.84, 0.80, 0.28}}}};

  // Walls are cut into `side` by `side` patches, the faces of boxes into half as many each way.
  explicit Scene(std::size_t side) {
    const Vector o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    add(side, {o, x, y}, z, 0.5);           // floor
    add(side, {z, x, y}, {0, 0, -1}, 0.7);  // ceiling
    const std::size_t ceiling = side * side;
    for (std::size_t i = (side - 1) / 2; i <= side / 2; ++i) {
      for (std::size_t j = (side - 1) / 2; j <= side / 2; ++j)
        patches[ceiling + i * side + j].emission = 1;
    }
    add(side, {o, x, z}, y, 0.6);
    add(side, {y, x, z}, {0, -1, 0}, 0.6);
    add(side, {o, y, z}, x, 0.4);
    add(side, {x, y, z}, {-1, 0, 0}, 0.4);
    for (const Solid& solid : solids) {
      const Vector size = solid.high - solid.low;
      const Vector ex = x * size.x, ey = y * size.y, ez = z * size.z;
      const std::size_t half = std::max<std::size_t>(1, side / 2);
      add(half, {solid.low + ez, ex, ey}, z, 0.6);
      add(half, {solid.low, ex, ez}, {0, -1, 0}, 0.6);
      add(half, {solid.low + ey, ex, ez}, y, 0.6);
      add(half, {solid.low, ey, ez}, {-1, 0, 0}, 0.6);
      add(half, {solid.low + ex, ey, ez}, x, 0.6);
    }
  }

  // Whether nothing stands between two points.
  [[nodiscard]] bool sees(const Vector& from, const Vector& to) const {
    const Vector way = to - from;
    const Vector inverse{reciprocal(way.x), reciprocal(way.y), reciprocal(way.z)};
    for (const Solid& solid : solids) {
      if (hits(solid, from, inverse)) return false;
    }
    return true;
  }

  // The part of the rays between two rectangles that nothing stands in the way of.
  [[nodiscard]] double visibility(const Rectangle& a, const Rectangle& b) const {
    std::size_t free = 0;
    for (std::size_t ray = 0; ray < kRays; ++ray) {
      const double u = (static_cast<double>(ray % 3) + 0.5) / 3;
      const double v = (static_cast<double>(ray / 3) + 0.5) / 3;
      const double other = (static_cast<double>((ray * 2 + 1) % 3) + 0.5) / 3;
      free += sees(a.at(u, v), b.at(v, other)) ? 1u : 0u;
    }
    return static_cast<double>(free) / static_cast<double>(kRays);
  }

 private:
  void add(std::size_t side, const Rectangle& whole, const Vector& normal, double reflectance) {
    const double step = 1 / static_cast<double>(side);
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) {
        const Rectangle shape{
            whole.at(static_cast<double>(i) * step, static_cast<double>(j) * step),
            whole.along * step, whole.across * step};
        const double area =
            std::sqrt(dot(shape.along, shape.along) * dot(shape.across, shape.across));
        patches.push_back({shape, normal, area, reflectance, 0});
      }
    }
  }

  // Of a step along an axis; one that hardly moves never leaves where it starts.
  static double reciprocal(double step) { return std::abs(step) < 1e-12 ? 1e12 : 1 / step; }

  // Whether a segment goes through the inside of a box, by the slabs it is made of.
  static bool hits(const Solid& solid, const Vector& from, const Vector& inverse) {
    constexpr double kSkin = 1e-9;  // a ray may start on the surface
    double enter = 0, leave = 1;
    const auto slab = [&](double low, double high, double start, double per_step) {
      const double a = (low + kSkin - start) * per_step, b = (high - kSkin - start) * per_step;
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
      return enter < leave;
    };
    return slab(solid.low.x, solid.high.x, from.x, inverse.x) &&
           slab(solid.low.y, solid.high.y, from.y, inverse.y) &&
           slab(solid.low.z, solid.high.z, from.z, inverse.z);
  }
};

// The share of what leaves a small surface at `to` that it gets from one of `area` at `from`, seen
// as a disc (Hanrahan, Salzman and Aupperle 1991).
inline double form_factor(const Vector& to, const Vector& to_normal, const Vector& from,
                          const Vector& from_normal, double area) {
  const Vector way = from - to;
  const double distance2 = dot(way, way);
  const double here = dot(way, to_normal), there = -dot(way, from_normal);
  if (here <= 0 || there <= 0) return 0;
  return here * there * area / (distance2 * (std::numbers::pi * distance2 + area));
}

}  // namespace application
