// An unstructured mesh for the flow solver: a cube of unit boxes, each cut into six tetrahedra that
// fit those of the next box, with the inner corners moved about at random. Each cell has four faces
// and behind each another cell, the wall (the floor of the cube) or the far field (its other
// sides).
#ifndef RADDLE_BENCHMARKS_CUDA_CFD_MESH_H
#define RADDLE_BENCHMARKS_CUDA_CFD_MESH_H

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "../common/random.h"

namespace benchmark {

constexpr int kFaces = 4;
constexpr int kWall = -1, kFarField = -2;

using Point = std::array<double, 3>;

struct Cell {
  std::array<int, kFaces> neighbour;
  std::array<Point, kFaces> normal;  // outward, as long as the face is large
};

class MeshBuilder {
 public:
  MeshBuilder(int boxes, Random& random) : side_(boxes + 1) {
    const auto moved = [&](int at) {
      const bool inside = at > 0 && at < boxes;
      return at + (inside ? random.uniform(-0.1f, 0.1f) : 0.0f);
    };
    for (int z = 0; z < side_; ++z)
      for (int y = 0; y < side_; ++y)
        for (int x = 0; x < side_; ++x) corners_.push_back({moved(x), moved(y), moved(z)});
    for (int z = 0; z < boxes; ++z)
      for (int y = 0; y < boxes; ++y)
        for (int x = 0; x < boxes; ++x) cut_box(x + side_ * (y + side_ * z));
  }

  std::vector<Cell> take() { return std::move(cells_); }

 private:
  // Each order of the three directions is a way from one corner of the box to the opposite one; its
  // four corners are a tetrahedron.
  void cut_box(int corner) {
    std::array<int, 3> way = {1, side_, side_ * side_};
    do {
      std::array<int, 4> corners = {corner};
      for (int i = 0; i < 3; ++i) corners[i + 1] = corners[i] + way[i];
      add_cell(corners);
    } while (std::next_permutation(way.begin(), way.end()));
  }

  void add_cell(const std::array<int, 4>& corners) {
    const int cell = static_cast<int>(cells_.size());
    cells_.emplace_back();
    for (int face = 0; face < kFaces; ++face) {
      std::array<int, 3> around;  // the corners but one, in rising order as the way is
      std::copy_if(corners.begin(), corners.end(), around.begin(),
                   [&](int corner) { return corner != corners[face]; });
      cells_[cell].normal[face] = normal(around, corners[face]);
      const auto [other, first] = open_.try_emplace(around, Side{cell, face});
      if (first) {
        const bool floor = std::all_of(around.begin(), around.end(),
                                       [&](int corner) { return corner < side_ * side_; });
        cells_[cell].neighbour[face] = floor ? kWall : kFarField;
        continue;
      }
      cells_[cell].neighbour[face] = other->second.cell;
      cells_[other->second.cell].neighbour[other->second.face] = cell;
    }
  }

  // Half the cross product of two edges, away from the corner that is not on the face.
  Point normal(const std::array<int, 3>& face, int opposite) const {
    const Point &a = corners_[face[0]], &b = corners_[face[1]], &c = corners_[face[2]];
    Point result;
    double towards_opposite = 0;
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3, m = (k + 2) % 3;
      result[k] = ((b[l] - a[l]) * (c[m] - a[m]) - (b[m] - a[m]) * (c[l] - a[l])) / 2;
      towards_opposite += result[k] * (corners_[opposite][k] - a[k]);
    }
    if (towards_opposite > 0)
      for (double& component : result) component = -component;
    return result;
  }

  struct Side {
    int cell, face;
  };

  int side_;
  std::vector<Point> corners_;
  std::vector<Cell> cells_;
  std::map<std::array<int, 3>, Side> open_;  // by corners: the first cell that has the face
};

}  // namespace benchmark

#endif
