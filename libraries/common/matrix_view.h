// Matrices as kernels see them: any of the two orders, transposed, conjugated, or one of whose
// triangles is stored and stands for the rest. One multiplication serves all of them.
#ifndef RADDLE_LIBRARIES_MATRIX_VIEW_H
#define RADDLE_LIBRARIES_MATRIX_VIEW_H

#include "numbers.h"

namespace raddle_libraries {

enum class Part { kFull, kLower, kUpper };
enum class Mirror { kZero, kSymmetric, kHermitian };  // what stands in the triangle not stored

inline Part flipped(Part part) {
  return part == Part::kLower ? Part::kUpper : part == Part::kUpper ? Part::kLower : Part::kFull;
}

// Many matrices of one shape: at a distance, or each by its pointer.
template <typename T>
struct Batch {
  T* base;
  T* const* array;  // or null
  long long distance;
  __device__ T* at(int i) const { return array != nullptr ? array[i] : base + distance * i; }
};

template <typename T>
struct View {
  Batch<const T> data;
  long long row_step, column_step;
  Part part = Part::kFull;
  Mirror mirror = Mirror::kZero;
  bool unit = false;
  bool conjugated = false;

  __device__ T element(const T* p, int row, int column) const {
    bool conjugates = conjugated;
    if (part != Part::kFull) {
      if (unit && row == column) return T(1);
      const bool stored = part == Part::kLower ? row >= column : row <= column;
      if (!stored) {
        if (mirror == Mirror::kZero) return T(0);
        conjugates ^= mirror == Mirror::kHermitian;
        const int swapped = row;
        row = column, column = swapped;
      }
    }
    const T x = p[row * row_step + column * column_step];
    if (mirror == Mirror::kHermitian && row == column) return T(real_part(x));
    return conjugates ? conjugate(x) : x;
  }
};

template <typename T>
View<T> view(const T* p, long long leading) {
  return {{p, nullptr, 0}, 1, leading};
}
template <typename T>
View<T> view(Batch<const T> data, long long leading) {
  return {data, 1, leading};
}
template <typename T>
View<T> triangle(const T* p, long long leading, Part part, Mirror mirror, bool unit = false) {
  View<T> result = view(p, leading);
  result.part = part;
  result.mirror = mirror;
  result.unit = unit;
  return result;
}
template <typename T>
View<T> transposed(View<T> x, bool conjugates = false) {
  const long long step = x.row_step;
  x.row_step = x.column_step, x.column_step = step;
  x.part = flipped(x.part);
  x.conjugated ^= conjugates;
  return x;
}
template <typename T>
View<T> shifted(View<T> x, long long row, long long column) {
  x.data.base += row * x.row_step + column * x.column_step;
  return x;
}

// Where a product goes.
template <typename T>
struct Target {
  Batch<T> data;
  long long row_step, column_step;
  Part part = Part::kFull;     // the other triangle is left alone
  bool real_diagonal = false;  // of a hermitian result
};
template <typename T>
Target<T> target(T* p, long long leading) {
  return {{p, nullptr, 0}, 1, leading};
}

}  // namespace raddle_libraries

#endif
