// Real and complex numbers in one notation, so that one kernel serves S, D, C and Z. Complex has
// the layout of cuComplex.
#ifndef RADDLE_LIBRARIES_NUMBERS_H
#define RADDLE_LIBRARIES_NUMBERS_H

#include <cuComplex.h>
#include <cuda_runtime.h>

namespace raddle_libraries {

#define RADDLE_BOTH __host__ __device__ inline

template <typename R>
struct alignas(2 * sizeof(R)) Complex {
  R re, im;
  Complex() = default;
  RADDLE_BOTH Complex(R real, R imaginary = 0) : re(real), im(imaginary) {}
};

template <typename R>
RADDLE_BOTH Complex<R> operator+(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename R>
RADDLE_BOTH Complex<R> operator-(Complex<R> a, Complex<R> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename R>
RADDLE_BOTH Complex<R> operator-(Complex<R> a) {
  return {-a.re, -a.im};
}
template <typename R>
RADDLE_BOTH Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// Smith's division, which does not overflow half-way.
template <typename R>
RADDLE_BOTH Complex<R> operator/(Complex<R> a, Complex<R> b) {
  const bool real_is_larger = (b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im);
  const R ratio = real_is_larger ? b.im / b.re : b.re / b.im;
  if (real_is_larger) {
    const R scale = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
  }
  const R scale = b.re * ratio + b.im;
  return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
}
template <typename R>
RADDLE_BOTH bool operator==(Complex<R> a, Complex<R> b) {
  return a.re == b.re && a.im == b.im;
}

template <typename T>
struct NumberTraits {
  using Real = T;
  using Wide = double;  // sums of many are kept in it
};
template <typename R>
struct NumberTraits<Complex<R>> {
  using Real = R;
  using Wide = Complex<double>;
};
template <typename T>
using Real = typename NumberTraits<T>::Real;

template <typename T>
RADDLE_BOTH T conjugate(T x) {
  return x;
}
template <typename R>
RADDLE_BOTH Complex<R> conjugate(Complex<R> x) {
  return {x.re, -x.im};
}
template <typename T>
RADDLE_BOTH T real_part(T x) {
  return x;
}
template <typename R>
RADDLE_BOTH R real_part(Complex<R> x) {
  return x.re;
}
template <typename T>
RADDLE_BOTH T imaginary_part(T) {
  return 0;
}
template <typename R>
RADDLE_BOTH R imaginary_part(Complex<R> x) {
  return x.im;
}
// |re| + |im|, by which BLAS compares complex numbers.
template <typename T>
RADDLE_BOTH Real<T> size_of(T x) {
  return fabs(real_part(x)) + fabs(imaginary_part(x));
}

// The implementation's type of each of the interface's.
template <typename T>
struct NumberOf {
  using Type = T;
};
template <>
struct NumberOf<cuComplex> {
  using Type = Complex<float>;
};
template <>
struct NumberOf<cuDoubleComplex> {
  using Type = Complex<double>;
};
template <typename T>
using Number = typename NumberOf<T>::Type;

template <typename T>
Number<T>* numbers(T* p) {
  return reinterpret_cast<Number<T>*>(p);
}
template <typename T>
const Number<T>* numbers(const T* p) {
  return reinterpret_cast<const Number<T>*>(p);
}
template <typename T>
const Number<T>* const* numbers(const T* const* p) {
  return reinterpret_cast<const Number<T>* const*>(p);
}
template <typename T>
Number<T>* const* numbers(T* const* p) {
  return reinterpret_cast<Number<T>* const*>(p);
}

// A factor that the caller keeps on the host or, in device pointer mode, on the device.
template <typename T>
struct Scalar {
  T value;
  const T* place;  // on the device, or null
  __device__ T get() const { return place != nullptr ? *place : value; }
};
template <typename T>
Scalar<T> known_scalar(T value) {
  return {value, nullptr};
}

}  // namespace raddle_libraries

#endif
