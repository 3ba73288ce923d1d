// Stockham's transforms of mixed radix: a pass per factor of the length, a thread per butterfly.
#include "transform.h"

#include <math.h>

#include <type_traits>

namespace raddle_cufft {
namespace {

constexpr int kThreads = 256;
constexpr int kRadices[] = {4, 2, 3, 5, 7, 11, 13};

inline unsigned blocks_for(unsigned long long n) {
  return (unsigned)((n + kThreads - 1) / kThreads);
}

// The transform of kRadix numbers; root k is exp(-2 pi i k / kRadix) at k * step.
template <int kRadix, typename R>
__device__ void butterfly(Complex<R> (&x)[kRadix], const Complex<R>* roots, int step) {
  Complex<R> y[kRadix];
#pragma unroll
  for (int u = 0; u < kRadix; ++u) {
    y[u] = x[0];
#pragma unroll
    for (int t = 1; t < kRadix; ++t)
      y[u] = y[u] + (t * u % kRadix == 0 ? x[t] : x[t] * roots[t * u % kRadix * step]);
  }
#pragma unroll
  for (int u = 0; u < kRadix; ++u) x[u] = y[u];
}
template <typename R>
__device__ void butterfly(Complex<R> (&x)[2], const Complex<R>*, int) {
  const Complex<R> difference = x[0] - x[1];
  x[0] = x[0] + x[1];
  x[1] = difference;
}
template <typename R>
__device__ void butterfly(Complex<R> (&x)[4], const Complex<R>*, int) {
  const Complex<R> even = x[0] + x[2], odd = x[1] + x[3];
  const Complex<R> left = x[0] - x[2], right = x[1] - x[3];
  const Complex<R> turned = {right.im, -right.re};
  x[0] = even + odd;
  x[1] = left + turned;
  x[2] = even - odd;
  x[3] = left - turned;
}

// `done` is the product of the factors before.
template <typename R, int kRadix>
__global__ void pass_kernel(const Complex<R>* in, Complex<R>* out, const Complex<R>* roots,
                            unsigned butterflies, int n, unsigned inner, int done) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= butterflies) return;
  const int part = n / kRadix;
  const unsigned lane = g % inner, line = g / inner;
  const int j = line % part, k = j % done;
  const size_t base = (size_t)(line / part) * n * inner + lane;
  const int step = n / (done * kRadix);
  Complex<R> x[kRadix];
#pragma unroll
  for (int t = 0; t < kRadix; ++t) {
    x[t] = in[base + (size_t)(j + t * part) * inner];
    if (t > 0) x[t] = x[t] * roots[k * t * step];
  }
  butterfly(x, roots, part);
  const int place = (j - k) * kRadix + k;
#pragma unroll
  for (int t = 0; t < kRadix; ++t) out[base + (size_t)(place + t * done) * inner] = x[t];
}

template <typename R>
void pass(cudaStream_t stream, int radix, const Axis& axis, int done, const Complex<R>* in,
          Complex<R>* out) {
  const unsigned butterflies = axis.lines() * (unsigned)(axis.length() / radix);
  const int threads = radix > 5 ? 64 : kThreads;  // as many numbers as that take many registers
  const auto launch = [&](auto kernel) {
    kernel<<<(butterflies + threads - 1) / threads, threads, 0, stream>>>(
        in, out, (const Complex<R>*)axis.roots, butterflies, axis.length(), axis.inner, done);
  };
  switch (radix) {
    case 2: return launch(pass_kernel<R, 2>);
    case 3: return launch(pass_kernel<R, 3>);
    case 4: return launch(pass_kernel<R, 4>);
    case 5: return launch(pass_kernel<R, 5>);
    case 7: return launch(pass_kernel<R, 7>);
    case 11: return launch(pass_kernel<R, 11>);
    default: return launch(pass_kernel<R, 13>);
  }
}

// Times the chirp, and zeros after it.
template <typename R>
__global__ void widen_kernel(const Complex<R>* in, Complex<R>* out, const Complex<R>* chirp, int n,
                             int padded, unsigned inner, unsigned count) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= count) return;
  const unsigned lane = g % inner, line = g / inner;
  const int j = line % padded;
  const size_t place = ((size_t)(line / padded) * n + j) * inner + lane;
  out[g] = j < n ? in[place] * chirp[j] : Complex<R>(0);
}
// Conjugated, so that the forward transform that follows is the inverse one.
template <typename R>
__global__ void filter_kernel(Complex<R>* x, const Complex<R>* filter, int padded, unsigned inner,
                              unsigned count) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < count) x[g] = conjugate(x[g] * filter[g / inner % padded]);
}
template <typename R>
__global__ void narrow_kernel(const Complex<R>* in, Complex<R>* out, const Complex<R>* chirp, int n,
                              int padded, unsigned inner, unsigned count) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= count) return;
  const unsigned lane = g % inner, line = g / inner;
  const int j = line % n;
  const size_t place = ((size_t)(line / n) * padded + j) * inner + lane;
  out[g] = conjugate(in[place]) * chirp[j] * Complex<R>(R(1) / padded);
}

__device__ size_t place_of(const Layout& layout, unsigned batch, const unsigned (&at)[3]) {
  return batch * layout.distance +
         ((at[0] * layout.embed[1] + at[1]) * layout.embed[2] + at[2]) * layout.stride;
}
__device__ unsigned decode(const Shape& shape, unsigned g, unsigned (&at)[3]) {
  at[2] = g % shape.n[2], g /= shape.n[2];
  at[1] = g % shape.n[1], g /= shape.n[1];
  at[0] = g % shape.n[0];
  return g / shape.n[0];
}

// How elements get out of the caller's array and into it: directly, or through his functions.
template <typename R>
struct Memory {
  __device__ R real(const void* in, size_t i) const { return ((const R*)in)[i]; }
  __device__ Complex<R> complex(const void* in, size_t i) const {
    return ((const Complex<R>*)in)[i];
  }
  __device__ void put_real(void* out, size_t i, R x) const { ((R*)out)[i] = x; }
  __device__ void put_complex(void* out, size_t i, Complex<R> x) const {
    ((Complex<R>*)out)[i] = x;
  }
};
template <typename R>
struct Calls {
  using C = typename std::conditional<sizeof(R) == 4, cufftComplex, cufftDoubleComplex>::type;
  Callback callback;
  __device__ R real(const void* in, size_t i) const {
    return ((R(*)(void*, size_t, void*, void*))callback.function)((void*)in, i, callback.info,
                                                                  nullptr);
  }
  __device__ Complex<R> complex(const void* in, size_t i) const {
    const C x = ((C(*)(void*, size_t, void*, void*))callback.function)((void*)in, i, callback.info,
                                                                       nullptr);
    return {x.x, x.y};
  }
  __device__ void put_real(void* out, size_t i, R x) const {
    ((void (*)(void*, size_t, R, void*, void*))callback.function)(out, i, x, callback.info,
                                                                  nullptr);
  }
  __device__ void put_complex(void* out, size_t i, Complex<R> x) const {
    ((void (*)(void*, size_t, C, void*, void*))callback.function)(out, i, {x.re, x.im},
                                                                  callback.info, nullptr);
  }
};

template <typename R, typename Access>
__global__ void load_kernel(Access access, Element element, const void* in, Layout layout,
                            Shape shape, bool conjugates, Complex<R>* work) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= shape.elements() * shape.batch) return;
  unsigned at[3];
  const unsigned batch = decode(shape, g, at);
  Complex<R> x;
  if (element == Element::kReal) {
    x = access.real(in, place_of(layout, batch, at));
  } else {
    // The other half is the conjugate at the opposite frequency.
    const bool mirrored = element == Element::kHalf && at[2] > shape.n[2] / 2;
    if (mirrored) {
      for (int i = 0; i < 3; ++i) at[i] = at[i] == 0 ? 0 : shape.n[i] - at[i];
    }
    x = access.complex(in, place_of(layout, batch, at));
    if (mirrored != conjugates) x = conjugate(x);
  }
  work[g] = x;
}
template <typename R, typename Access>
__global__ void store_kernel(Access access, Element element, const Complex<R>* work, Layout layout,
                             Shape shape, bool conjugates, void* out) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= shape.elements() * shape.batch) return;
  unsigned at[3];
  const unsigned batch = decode(shape, g, at);
  if (element == Element::kHalf && at[2] > shape.n[2] / 2) return;
  const size_t place = place_of(layout, batch, at);
  if (element == Element::kReal) {
    access.put_real(out, place, work[g].re);
  } else {
    access.put_complex(out, place, conjugates ? conjugate(work[g]) : work[g]);
  }
}

std::vector<int> factors(int n) {
  std::vector<int> result;
  for (const int radix : kRadices) {
    for (; n % radix == 0; n /= radix) result.push_back(radix);
  }
  return n == 1 ? result : std::vector<int>();
}

// exp(-2 pi i k / n) for the numbers k that `power` gives.
template <typename R, typename Power>
cudaError_t upload(void** place, int count, long long n, Power power) {
  const double pi = 3.14159265358979323846;
  std::vector<Complex<R>> values(count);
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * pi * (double)(power((long long)k) % n) / (double)n;
    values[k] = {R(cos(angle)), R(-sin(angle))};
  }
  const cudaError_t error = cudaMalloc(place, count * sizeof(Complex<R>));
  if (error != cudaSuccess) return error;
  return cudaMemcpy(*place, values.data(), count * sizeof(Complex<R>), cudaMemcpyHostToDevice);
}

// The conjugate of the chirp for -n < k < n around zero, transformed.
template <typename R>
cudaError_t make_filter(Axis& axis) {
  const size_t bytes = axis.padded * sizeof(Complex<R>);
  std::vector<Complex<R>> chirp(axis.n), wide(axis.padded, Complex<R>(0));
  cudaError_t error =
      cudaMemcpy(chirp.data(), axis.chirp, axis.n * sizeof(Complex<R>), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return error;
  for (int k = 0; k < axis.n; ++k) {
    wide[k] = conjugate(chirp[k]);
    wide[(axis.padded - k) % axis.padded] = wide[k];
  }
  Complex<R>* room;
  error = cudaMalloc(&room, 2 * bytes);
  if (error != cudaSuccess) return error;
  cudaMemcpy(room, wide.data(), bytes, cudaMemcpyHostToDevice);
  Axis alone = axis;
  alone.outer = alone.inner = 1;
  const Complex<R>* result = transform(nullptr, alone, room, room + axis.padded);
  error = cudaMalloc(&axis.filter, bytes);
  if (error == cudaSuccess)
    error = cudaMemcpy(axis.filter, result, bytes, cudaMemcpyDeviceToDevice);
  cudaFree(room);
  return error;
}

}  // namespace

template <typename R>
cudaError_t make_axis(Axis& axis, int n, unsigned outer, unsigned inner) {
  axis.n = n, axis.outer = outer, axis.inner = inner;
  axis.radices = factors(n);
  if (axis.radices.empty() && n > 1) {
    for (axis.padded = 1; axis.padded < 2 * n - 1;) axis.padded *= 2;
    axis.radices = factors(axis.padded);
  }
  const auto plain = [](long long k) { return k; };
  cudaError_t error = upload<R>(&axis.roots, axis.length(), axis.length(), plain);
  if (error != cudaSuccess || axis.padded == 0) return error;
  error = upload<R>(&axis.chirp, n, 2LL * n, [](long long k) { return k * k; });
  return error == cudaSuccess ? make_filter<R>(axis) : error;
}

void free_axis(Axis& axis) {
  for (void* p : {axis.roots, axis.chirp, axis.filter}) cudaFree(p);
}

template <typename R>
Complex<R>* transform(cudaStream_t stream, const Axis& axis, Complex<R>* a, Complex<R>* b) {
  int done = 1;
  for (const int radix : axis.radices) {
    pass<R>(stream, radix, axis, done, a, b);
    done *= radix;
    std::swap(a, b);
  }
  return a;
}

template <typename R>
Complex<R>* transform_by_chirp(cudaStream_t stream, const Axis& axis, Complex<R>* a, Complex<R>* x,
                               Complex<R>* y) {
  const Complex<R>* chirp = (const Complex<R>*)axis.chirp;
  const unsigned wide = axis.lines() * axis.padded, narrow = axis.lines() * axis.n;
  widen_kernel<<<blocks_for(wide), kThreads, 0, stream>>>(a, x, chirp, axis.n, axis.padded,
                                                          axis.inner, wide);
  Complex<R>* result = transform(stream, axis, x, y);
  filter_kernel<<<blocks_for(wide), kThreads, 0, stream>>>(result, (const Complex<R>*)axis.filter,
                                                           axis.padded, axis.inner, wide);
  result = transform(stream, axis, result, result == x ? y : x);
  narrow_kernel<<<blocks_for(narrow), kThreads, 0, stream>>>(result, a, chirp, axis.n, axis.padded,
                                                             axis.inner, narrow);
  return a;
}

template <typename R>
void load(cudaStream_t stream, Callback callback, Element element, const void* in, Layout layout,
          Shape shape, bool conjugates, Complex<R>* work) {
  const unsigned blocks = blocks_for((unsigned long long)shape.elements() * shape.batch);
  if (callback.function == nullptr) {
    load_kernel<R><<<blocks, kThreads, 0, stream>>>(Memory<R>(), element, in, layout, shape,
                                                    conjugates, work);
  } else {
    load_kernel<R><<<blocks, kThreads, 0, stream>>>(Calls<R>{callback}, element, in, layout, shape,
                                                    conjugates, work);
  }
}
template <typename R>
void store(cudaStream_t stream, Callback callback, Element element, const Complex<R>* work,
           Layout layout, Shape shape, bool conjugates, void* out) {
  const unsigned blocks = blocks_for((unsigned long long)shape.elements() * shape.batch);
  if (callback.function == nullptr) {
    store_kernel<R><<<blocks, kThreads, 0, stream>>>(Memory<R>(), element, work, layout, shape,
                                                     conjugates, out);
  } else {
    store_kernel<R><<<blocks, kThreads, 0, stream>>>(Calls<R>{callback}, element, work, layout,
                                                     shape, conjugates, out);
  }
}

#define BODY(R)                                                                                \
  template cudaError_t make_axis<R>(Axis&, int, unsigned, unsigned);                           \
  template Complex<R>* transform(cudaStream_t, const Axis&, Complex<R>*, Complex<R>*);         \
  template Complex<R>* transform_by_chirp(cudaStream_t, const Axis&, Complex<R>*, Complex<R>*, \
                                          Complex<R>*);                                        \
  template void load(cudaStream_t, Callback, Element, const void*, Layout, Shape, bool,        \
                     Complex<R>*);                                                             \
  template void store(cudaStream_t, Callback, Element, const Complex<R>*, Layout, Shape, bool, \
                      void*);
BODY(float)
BODY(double)
#undef BODY

}  // namespace raddle_cufft
