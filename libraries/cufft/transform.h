// Transforms of dense arrays of complex numbers, one axis after the other. All go forward: an
// inverse transform is a forward one between two conjugations, done where numbers are loaded and
// stored.
#ifndef RADDLE_CUFFT_TRANSFORM_H
#define RADDLE_CUFFT_TRANSFORM_H

#include <cufft.h>

#include <vector>

#include "../common/numbers.h"

namespace raddle_cufft {

using namespace raddle_libraries;

// One axis: a line's elements are `inner` apart, and there are outer * inner lines.
struct Axis {
  int n = 1;
  unsigned outer = 1, inner = 1;
  std::vector<int> radices;  // of n, or of `padded`
  void* roots = nullptr;     // exp(-2 pi i k / n) on the device, or those of `padded`
  // Bluestein's way ("A linear filtering approach to the computation of discrete Fourier
  // transform", 1970) for lengths with large prime factors: a convolution of a power of two.
  int padded = 0;
  void* chirp = nullptr;   // exp(-pi i k^2 / n)
  void* filter = nullptr;  // the transform of its conjugate

  unsigned lines() const { return outer * inner; }
  int length() const { return padded != 0 ? padded : n; }
};

// Where the caller keeps an array.
struct Layout {
  long long embed[3];
  long long stride, distance;
};
struct Shape {
  int n[3];  // the last is contiguous; missing ones are 1, in front
  int batch;
  __host__ __device__ unsigned elements() const { return (unsigned)n[0] * n[1] * n[2]; }
};
enum class Element { kComplex, kReal, kHalf };  // kHalf: the half of a spectrum that says it all

// A device function of the caller's through which elements are loaded or stored, and what it is
// given; null: none. One of the half of a spectrum is asked for most elements twice.
struct Callback {
  void* function = nullptr;
  void* info = nullptr;
};

template <typename R>
cudaError_t make_axis(Axis& axis, int n, unsigned outer, unsigned inner);
void free_axis(Axis& axis);

// From a to wherever the result ends up: a or b.
template <typename R>
Complex<R>* transform(cudaStream_t stream, const Axis& axis, Complex<R>* a, Complex<R>* b);
// The same for an axis of Bluestein's, with room for two arrays of the padded length.
template <typename R>
Complex<R>* transform_by_chirp(cudaStream_t stream, const Axis& axis, Complex<R>* a, Complex<R>* x,
                               Complex<R>* y);

template <typename R>
void load(cudaStream_t stream, Callback callback, Element element, const void* in, Layout layout,
          Shape shape, bool conjugates, Complex<R>* work);
template <typename R>
void store(cudaStream_t stream, Callback callback, Element element, const Complex<R>* work,
           Layout layout, Shape shape, bool conjugates, void* out);

}  // namespace raddle_cufft

#endif
