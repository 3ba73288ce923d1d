// The quadtree of the fast multipole method: boxes by level, and for each box which others act on
// it in which way. It depends on the particles' places alone and is made before the program runs.
#pragma once

#include "application.h"

namespace application {

struct Complex {
  double re, im;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex operator*(Complex a, double b) { return {a.re * b, a.im * b}; }
inline Complex reciprocal(Complex a) {
  const double scale = 1 / (a.re * a.re + a.im * a.im);
  return {a.re * scale, -a.im * scale};
}

struct Particle {
  Complex position;
  double charge;
};

struct Box {
  Complex centre;
  double width;
  std::uint32_t level, parent;
  std::uint32_t first_child, children;  // those with particles, next to each other
  std::uint32_t first, last;            // particles
};

constexpr std::size_t kMostInLeaf = 12;
constexpr std::uint32_t kMostLevels = 24;
constexpr std::uint32_t kTopLevel = 2;  // above it all boxes touch each other

class Tree {
 public:
  // Boxes whose field a box takes as a whole: by their expansions (list V of the paper), and after
  // these leaves whose particles it takes one by one (list X).
  struct Sources {
    std::vector<std::uint32_t> boxes;
    std::size_t expansions = 0;
  };

  std::vector<Particle> particles;  // as they lie in the tree
  std::vector<Box> boxes;           // by level
  std::size_t top = 0;              // first box of kTopLevel
  std::vector<std::uint32_t> leaf_of;
  std::vector<Sources> sources;
  Lists neighbours;  // of a leaf: leaves that touch it, itself among them (list U)
  Lists finer;       // of a leaf: boxes that do not touch it while their parents do (list W)

  explicit Tree(std::size_t size) : particles(size), leaf_of(size) {
    place_particles();
    divide();
    while (top < boxes.size() && boxes[top].level < kTopLevel) ++top;
    find_sources();
    find_near();
  }

 private:
  // Two clusters as of Plummer's model, cut off at a radius.
  void place_particles() {
    Random random(6);
    const Complex centres[2] = {{0.3, 0.35}, {0.68, 0.6}};
    for (Particle& each : particles) {
      const Complex centre = centres[random.next() >> 63];
      double radius = 1;
      while (radius > 0.28)
        radius = 0.06 / std::sqrt(std::pow(random.uniform() + 1e-9, -2.0 / 3.0) - 1);
      const double angle = random.uniform() * 6.283185307179586;
      each.position = {centre.re + radius * std::cos(angle), centre.im + radius * std::sin(angle)};
      each.charge = (0.5 + random.uniform()) / static_cast<double>(particles.size());
    }
  }

  void divide() {
    boxes.push_back({{0.5, 0.5}, 1, 0, 0, 0, 0, 0, static_cast<std::uint32_t>(particles.size())});
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const Box box = boxes[b];
      if (box.last - box.first <= kMostInLeaf || box.level == kMostLevels) {
        for (std::size_t i = box.first; i < box.last; ++i)
          leaf_of[i] = static_cast<std::uint32_t>(b);
        continue;
      }
      boxes[b].first_child = static_cast<std::uint32_t>(boxes.size());
      const std::vector<Particle> all(particles.begin() + box.first, particles.begin() + box.last);
      std::uint32_t next = box.first;
      for (unsigned quarter = 0; quarter < 4; ++quarter) {
        const std::uint32_t first = next;
        for (const Particle& each : all) {
          if ((each.position.re >= box.centre.re ? 1u : 0u) +
                  (each.position.im >= box.centre.im ? 2u : 0u) ==
              quarter)
            particles[next++] = each;
        }
        if (next == first) continue;
        const double step = box.width / 4;
        const Complex centre{box.centre.re + (quarter % 2 == 1 ? step : -step),
                             box.centre.im + (quarter / 2 == 1 ? step : -step)};
        boxes.push_back({centre, box.width / 2, box.level + 1, static_cast<std::uint32_t>(b), 0, 0,
                         first, next});
        ++boxes[b].children;
      }
    }
  }

  // Centres and widths are sums of powers of two, so this is exact.
  [[nodiscard]] bool touch(std::size_t a, std::size_t b) const {
    const double reach = (boxes[a].width + boxes[b].width) / 2;
    return std::abs(boxes[a].centre.re - boxes[b].centre.re) <= reach &&
           std::abs(boxes[a].centre.im - boxes[b].centre.im) <= reach;
  }

  // Of the children of what touches a box's parent, some touch the box and the others are sources.
  void find_sources() {
    sources.resize(boxes.size());
    colleagues_.resize(boxes.size());
    colleagues_[0] = {0};
    for (std::size_t b = 1; b < boxes.size(); ++b) {
      for (const std::uint32_t uncle : colleagues_[boxes[b].parent]) {
        const Box& box = boxes[uncle];
        for (std::uint32_t c = box.first_child; c < box.first_child + box.children; ++c)
          (touch(b, c) ? colleagues_[b] : sources[b].boxes).push_back(c);
      }
      sources[b].expansions = sources[b].boxes.size();
    }
  }

  void find_near() {
    neighbours.resize(boxes.size());
    finer.resize(boxes.size());
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      if (boxes[b].children > 0) continue;
      for (const std::uint32_t colleague : colleagues_[b]) look_into(b, colleague);
    }
  }
  void look_into(std::size_t leaf, std::uint32_t b) {
    const Box& box = boxes[b];
    if (!touch(leaf, b)) {
      finer[leaf].push_back(b);
      sources[b].boxes.push_back(static_cast<std::uint32_t>(leaf));
    } else if (box.children == 0) {
      neighbours[leaf].push_back(b);
      if (box.level > boxes[leaf].level) neighbours[b].push_back(static_cast<std::uint32_t>(leaf));
    } else {
      for (std::uint32_t c = box.first_child; c < box.first_child + box.children; ++c)
        look_into(leaf, c);
    }
  }

  Lists colleagues_;  // boxes of the same level that touch, itself among them
};

}  // namespace application
