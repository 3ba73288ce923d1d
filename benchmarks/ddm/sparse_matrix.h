// What sparse Cholesky factorisation knows before it computes: the matrix of a cube of points, each
// joined to its neighbours along three axes, in the order of nested dissection; the columns of its
// factor in panels; and where these have entries. Zeros among the entries of a panel are stored.
#pragma once

#include <array>

#include "application.h"

namespace application {

constexpr std::size_t kPanelWidth = 8;

// A few columns of the factor with the same rows below them: the columns themselves come first.
struct Panel {
  std::size_t first, width;         // columns
  std::vector<std::uint32_t> rows;  // ascending
  std::size_t values;               // where they begin: by rows, `width` in each
  std::size_t depth, path;          // which halves of the cube it is in
};

class SparseMatrix {
 public:
  std::size_t side, n;
  std::vector<Panel> panels;            // by columns
  std::vector<std::uint32_t> panel_of;  // column
  std::vector<double> values;           // of all panels

  explicit SparseMatrix(std::size_t cube_side)
      : side(cube_side),
        n(side * side * side),
        panel_of(n),
        number_(n),
        point_(n),
        is_numbered_(n) {
    dissect({0, 0, 0}, {side, side, side}, 0, 0);
    std::size_t total = 0;
    for (Panel& each : panels) {
      each.values = total;
      total += each.rows.size() * each.width;
    }
    values.resize(total);
    for (const Panel& each : panels) fill(each);
  }

  // Entry of the matrix; neighbours are column numbers.
  [[nodiscard]] double diagonal(std::size_t column) const {
    return 6 + Random(point_[column] + 7).uniform();
  }
  template <class Use>
  void for_each_neighbour(std::size_t column, Use use) const {
    std::size_t stride = 1;
    for (int axis = 0; axis < 3; ++axis, stride *= side) {
      const std::size_t at = point_[column] / stride % side;
      if (at > 0) use(number_[point_[column] - stride]);
      if (at + 1 < side) use(number_[point_[column] + stride]);
    }
  }

  [[nodiscard]] double* row(std::size_t panel, std::size_t r) {
    return &values[panels[panel].values + r * panels[panel].width];
  }
  [[nodiscard]] const double* row(std::size_t panel, std::size_t r) const {
    return &values[panels[panel].values + r * panels[panel].width];
  }

 private:
  using Corner = std::array<std::size_t, 3>;

  // Numbers the points of a part: both halves, then the plane that separates them. Gives the rows
  // outside of the part in which its columns have entries.
  std::vector<std::uint32_t> dissect(const Corner& low, const Corner& high, std::size_t depth,
                                     std::size_t path) {
    std::size_t axis = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
    }
    Corner from = low, to = high;
    std::vector<std::uint32_t> below;
    if (high[axis] - low[axis] > 2) {
      const std::size_t middle = (low[axis] + high[axis]) / 2;
      from[axis] = middle;
      to[axis] = middle + 1;
      Corner cut = high;
      cut[axis] = middle;
      below = dissect(low, cut, depth + 1, path * 2);
      cut = low;
      cut[axis] = middle + 1;
      const auto other = dissect(cut, high, depth + 1, path * 2 + 1);
      below.insert(below.end(), other.begin(), other.end());
    }
    return number_part(from, to, std::move(below), depth, path);
  }

  // What is below a part is known by points until these are numbered.
  std::vector<std::uint32_t> number_part(const Corner& from, const Corner& to,
                                         std::vector<std::uint32_t> below, std::size_t depth,
                                         std::size_t path) {
    const std::size_t first = numbered_;
    for (std::size_t z = from[2]; z < to[2]; ++z) {
      for (std::size_t y = from[1]; y < to[1]; ++y) {
        for (std::size_t x = from[0]; x < to[0]; ++x) {
          const std::size_t point = (z * side + y) * side + x;
          number_[point] = static_cast<std::uint32_t>(numbered_);
          point_[numbered_++] = static_cast<std::uint32_t>(point);
          is_numbered_[point] = true;
        }
      }
    }
    for (std::size_t column = first; column < numbered_; ++column) {
      std::size_t stride = 1;
      for (int axis = 0; axis < 3; ++axis, stride *= side) {
        const std::size_t at = point_[column] / stride % side;
        if (at > 0) below.push_back(static_cast<std::uint32_t>(point_[column] - stride));
        if (at + 1 < side) below.push_back(static_cast<std::uint32_t>(point_[column] + stride));
      }
    }
    std::erase_if(below, [&](std::uint32_t point) { return is_numbered_[point]; });
    std::sort(below.begin(), below.end());
    below.erase(std::unique(below.begin(), below.end()), below.end());
    for (std::size_t column = first; column < numbered_; column += kPanelWidth) {
      const std::size_t width = std::min(kPanelWidth, numbered_ - column);
      std::fill_n(panel_of.begin() + static_cast<std::ptrdiff_t>(column), width,
                  static_cast<std::uint32_t>(panels.size()));
      Panel panel{column, width, {}, 0, depth, path};
      for (std::size_t row = column; row < numbered_; ++row)
        panel.rows.push_back(static_cast<std::uint32_t>(row));
      unnumbered_.push_back(below);
      panels.push_back(std::move(panel));
    }
    if (numbered_ == n) finish_rows();
    return below;
  }
  void finish_rows() {
    for (std::size_t p = 0; p < panels.size(); ++p) {
      const std::size_t own = panels[p].rows.size();
      for (const std::uint32_t point : unnumbered_[p]) panels[p].rows.push_back(number_[point]);
      std::sort(panels[p].rows.begin() + static_cast<std::ptrdiff_t>(own), panels[p].rows.end());
    }
    unnumbered_.clear();
  }

  void fill(const Panel& panel) {
    for (std::size_t c = 0; c < panel.width; ++c) {
      values[panel.values + c * panel.width + c] = diagonal(panel.first + c);
      for_each_neighbour(panel.first + c, [&](std::uint32_t other) {
        if (other < panel.first + c) return;
        const auto found = std::lower_bound(panel.rows.begin(), panel.rows.end(), other);
        values[panel.values + static_cast<std::size_t>(found - panel.rows.begin()) * panel.width +
               c] = -1;
      });
    }
  }

  std::vector<std::uint32_t> number_, point_;  // of a point, of a column
  std::vector<bool> is_numbered_;
  std::size_t numbered_ = 0;
  Lists unnumbered_;  // points below a panel
};

}  // namespace application
