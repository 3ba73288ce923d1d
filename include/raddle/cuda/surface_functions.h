// Surface reads and writes in device code, for surface references and surface objects. The x
// coordinate is in bytes; what happens outside the surface is the last argument, as in CUDA.
#ifndef RADDLE_CUDA_SURFACE_FUNCTIONS_H
#define RADDLE_CUDA_SURFACE_FUNCTIONS_H

#include "cuda_surface_types.h"
#include "vector_types.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// How a value of type T travels: `count` words of as many bits as its elements have.
template <int bytes>
struct __raddle_surface_word;
template <>
struct __raddle_surface_word<1> {
  typedef unsigned char Element;
  typedef unsigned short Word;
};
template <>
struct __raddle_surface_word<2> {
  typedef unsigned short Element;
  typedef unsigned short Word;
};
template <>
struct __raddle_surface_word<4> {
  typedef unsigned int Element;
  typedef unsigned int Word;
};
template <>
struct __raddle_surface_word<8> {
  typedef unsigned long long Element;
  typedef unsigned long long Word;
};

template <class T>
struct __raddle_surface_type {
  enum { kElementBytes = sizeof(((T*)0)->x), kCount = sizeof(T) / sizeof(((T*)0)->x) };
};
#define RADDLE_SURFACE_SCALAR(type)                    \
  template <>                                          \
  struct __raddle_surface_type<type> {                 \
    enum { kElementBytes = sizeof(type), kCount = 1 }; \
  };
RADDLE_SURFACE_SCALAR(char)
RADDLE_SURFACE_SCALAR(signed char)
RADDLE_SURFACE_SCALAR(unsigned char)
RADDLE_SURFACE_SCALAR(short)
RADDLE_SURFACE_SCALAR(unsigned short)
RADDLE_SURFACE_SCALAR(int)
RADDLE_SURFACE_SCALAR(unsigned int)
RADDLE_SURFACE_SCALAR(long)
RADDLE_SURFACE_SCALAR(unsigned long)
RADDLE_SURFACE_SCALAR(long long)
RADDLE_SURFACE_SCALAR(unsigned long long)
RADDLE_SURFACE_SCALAR(float)
RADDLE_SURFACE_SCALAR(double)
#undef RADDLE_SURFACE_SCALAR

#define RADDLE_STRIP(...) __VA_ARGS__

#define RADDLE_SURFACE_READ_1(text, bits, clamp, coordinates, constraint, operands) \
  __asm__ __volatile__(text "." bits "." clamp " %0, [%[s], " coordinates "];"      \
                       : "=" constraint(v[0])                                       \
                       : [s] "l"(handle), RADDLE_STRIP operands                     \
                       : "memory")
#define RADDLE_SURFACE_READ_2(text, bits, clamp, coordinates, constraint, operands)     \
  __asm__ __volatile__(text ".v2." bits "." clamp " {%0, %1}, [%[s], " coordinates "];" \
                       : "=" constraint(v[0]), "=" constraint(v[1])                     \
                       : [s] "l"(handle), RADDLE_STRIP operands                         \
                       : "memory")
#define RADDLE_SURFACE_READ_4(text, bits, clamp, coordinates, constraint, operands)             \
  __asm__ __volatile__(text ".v4." bits "." clamp " {%0, %1, %2, %3}, [%[s], " coordinates "];" \
                       : "=" constraint(v[0]), "=" constraint(v[1]), "=" constraint(v[2]),      \
                         "=" constraint(v[3])                                                   \
                       : [s] "l"(handle), RADDLE_STRIP operands                                 \
                       : "memory")
#define RADDLE_SURFACE_WRITE_1(text, bits, clamp, coordinates, constraint, operands)               \
  __asm__ __volatile__(                                                                            \
      text "." bits "." clamp " [%[s], " coordinates "], %0;" ::constraint(v[0]), [s] "l"(handle), \
      RADDLE_STRIP operands                                                                        \
      : "memory")
#define RADDLE_SURFACE_WRITE_2(text, bits, clamp, coordinates, constraint, operands) \
  __asm__ __volatile__(text ".v2." bits "." clamp " [%[s], " coordinates             \
                            "], {%0, %1};" ::constraint(v[0]),                       \
                       constraint(v[1]), [s] "l"(handle), RADDLE_STRIP operands      \
                       : "memory")
#define RADDLE_SURFACE_WRITE_4(text, bits, clamp, coordinates, constraint, operands)               \
  __asm__ __volatile__(                                                                            \
      text ".v4." bits "." clamp " [%[s], " coordinates "], {%0, %1, %2, %3};" ::constraint(v[0]), \
      constraint(v[1]), constraint(v[2]), constraint(v[3]), [s] "l"(handle), RADDLE_STRIP operands \
      : "memory")

// Mode and element count are nearly always constants: one of the branches remains.
#define RADDLE_SURFACE_CLAMPS(access, text, bits, coordinates, constraint, operands) \
  if (mode == cudaBoundaryModeClamp)                                                 \
    access(text, bits, "clamp", coordinates, constraint, operands);                  \
  else if (mode == cudaBoundaryModeZero)                                             \
    access(text, bits, "zero", coordinates, constraint, operands);                   \
  else                                                                               \
    access(text, bits, "trap", coordinates, constraint, operands);

#define RADDLE_SURFACE_ACCESS(function, pointer, access, text, bits, word, constraint,          \
                              coordinates, parameters, operands)                                \
  template <class Handle>                                                                       \
  __RADDLE_DEVICE__ void function(pointer v, int count, Handle handle, RADDLE_STRIP parameters, \
                                  enum cudaSurfaceBoundaryMode mode) {                          \
    if (count == 1) {                                                                           \
      RADDLE_SURFACE_CLAMPS(access##_1, text, bits, coordinates, constraint, operands)          \
    } else if (count == 2) {                                                                    \
      RADDLE_SURFACE_CLAMPS(access##_2, text, bits, coordinates, constraint, operands)          \
    } else {                                                                                    \
      RADDLE_SURFACE_CLAMPS(access##_4, text, bits, coordinates, constraint, operands)          \
    }                                                                                           \
  }

// The element bytes tell apart what reaches the same 16-bit registers.
#define RADDLE_SURFACE_SIZES(function, pointer_suffix, access, text, coordinates, parameters, \
                             operands)                                                        \
  RADDLE_SURFACE_ACCESS(function##_1, unsigned short pointer_suffix, access, text, "b8",      \
                        unsigned short, "h", coordinates, parameters, operands)               \
  RADDLE_SURFACE_ACCESS(function##_2, unsigned short pointer_suffix, access, text, "b16",     \
                        unsigned short, "h", coordinates, parameters, operands)               \
  RADDLE_SURFACE_ACCESS(function##_4, unsigned int pointer_suffix, access, text, "b32",       \
                        unsigned int, "r", coordinates, parameters, operands)                 \
  RADDLE_SURFACE_ACCESS(function##_8, unsigned long long pointer_suffix, access, text, "b64", \
                        unsigned long long, "l", coordinates, parameters, operands)

// `struct prefix##_io<bytes>` forwards to the function of that element size.
#define RADDLE_SURFACE_FORWARD(prefix, bytes, parameters, arguments)                    \
  template <>                                                                           \
  struct prefix##_io<bytes> {                                                           \
    typedef __raddle_surface_word<bytes>::Word Word;                                    \
    template <class Handle>                                                             \
    static __RADDLE_DEVICE_MEMBER__ void read(Word* v, int count, Handle handle,        \
                                              RADDLE_STRIP parameters,                  \
                                              enum cudaSurfaceBoundaryMode mode) {      \
      prefix##_read_##bytes(v, count, handle, RADDLE_STRIP arguments, mode);            \
    }                                                                                   \
    template <class Handle>                                                             \
    static __RADDLE_DEVICE_MEMBER__ void write(const Word* v, int count, Handle handle, \
                                               RADDLE_STRIP parameters,                 \
                                               enum cudaSurfaceBoundaryMode mode) {     \
      prefix##_write_##bytes(v, count, handle, RADDLE_STRIP arguments, mode);           \
    }                                                                                   \
  };

#define RADDLE_SURFACE(name, prefix, geometry, coordinates, parameters, arguments, operands)       \
  RADDLE_SURFACE_SIZES(prefix##_read, *, RADDLE_SURFACE_READ, "suld.b." geometry, coordinates,     \
                       parameters, operands)                                                       \
  RADDLE_SURFACE_SIZES(prefix##_write, const*, RADDLE_SURFACE_WRITE, "sust.b." geometry,           \
                       coordinates, parameters, operands)                                          \
  template <int bytes>                                                                             \
  struct prefix##_io;                                                                              \
  RADDLE_SURFACE_FORWARD(prefix, 1, parameters, arguments)                                         \
  RADDLE_SURFACE_FORWARD(prefix, 2, parameters, arguments)                                         \
  RADDLE_SURFACE_FORWARD(prefix, 4, parameters, arguments)                                         \
  RADDLE_SURFACE_FORWARD(prefix, 8, parameters, arguments)                                         \
  template <class T, class Handle>                                                                 \
  __RADDLE_DEVICE__ T name##read(Handle handle, RADDLE_STRIP parameters,                           \
                                 enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
    typedef __raddle_surface_type<T> Type;                                                         \
    typedef __raddle_surface_word<Type::kElementBytes> Words;                                      \
    typename Words::Word v[4];                                                                     \
    prefix##_io<Type::kElementBytes>::read(v, Type::kCount, handle, RADDLE_STRIP arguments, mode); \
    typename Words::Element elements[Type::kCount];                                                \
    for (int i = 0; i < Type::kCount; ++i) elements[i] = (typename Words::Element)v[i];            \
    T result;                                                                                      \
    __builtin_memcpy(&result, elements, sizeof(T));                                                \
    return result;                                                                                 \
  }                                                                                                \
  template <class T, class Handle>                                                                 \
  __RADDLE_DEVICE__ void name##read(T* result, Handle handle, RADDLE_STRIP parameters,             \
                                    enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
    *result = name##read<T>(handle, RADDLE_STRIP arguments, mode);                                 \
  }                                                                                                \
  template <class T, class Handle>                                                                 \
  __RADDLE_DEVICE__ void name##write(T value, Handle handle, RADDLE_STRIP parameters,              \
                                     enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {   \
    typedef __raddle_surface_type<T> Type;                                                         \
    typedef __raddle_surface_word<Type::kElementBytes> Words;                                      \
    typename Words::Element elements[Type::kCount];                                                \
    __builtin_memcpy(elements, &value, sizeof(T));                                                 \
    typename Words::Word v[4] = {};                                                                \
    for (int i = 0; i < Type::kCount; ++i) v[i] = elements[i];                                     \
    prefix##_io<Type::kElementBytes>::write(v, Type::kCount, handle, RADDLE_STRIP arguments,       \
                                            mode);                                                 \
  }

RADDLE_SURFACE(surf1D, __raddle_surf1D, "1d", "{%[x]}", (int x), (x), ([x] "r"(x)))
RADDLE_SURFACE(surf2D, __raddle_surf2D, "2d", "{%[x], %[y]}", (int x, int y), (x, y),
               ([x] "r"(x), [y] "r"(y)))
RADDLE_SURFACE(surf3D, __raddle_surf3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z),
               (x, y, z), ([x] "r"(x), [y] "r"(y), [z] "r"(z)))
RADDLE_SURFACE(surf1DLayered, __raddle_surf1DLayered, "a1d", "{%[l], %[x]}", (int x, int layer),
               (x, layer), ([l] "r"(layer), [x] "r"(x)))
RADDLE_SURFACE(surf2DLayered, __raddle_surf2DLayered, "a2d", "{%[l], %[x], %[y], %[y]}",
               (int x, int y, int layer), (x, y, layer), ([l] "r"(layer), [x] "r"(x), [y] "r"(y)))

// The faces of a cube map are layers.
RADDLE_SURFACE(surfCubemap, __raddle_surfCubemap, "a2d", "{%[l], %[x], %[y], %[y]}",
               (int x, int y, int face), (x, y, face), ([l] "r"(face), [x] "r"(x), [y] "r"(y)))
RADDLE_SURFACE(surfCubemapLayered, __raddle_surfCubemapLayered, "a2d", "{%[l], %[x], %[y], %[y]}",
               (int x, int y, int layer_face), (x, y, layer_face),
               ([l] "r"(layer_face), [x] "r"(x), [y] "r"(y)))

#undef RADDLE_SURFACE
#undef RADDLE_SURFACE_FORWARD
#undef RADDLE_SURFACE_SIZES
#undef RADDLE_SURFACE_ACCESS
#undef RADDLE_SURFACE_CLAMPS
#undef RADDLE_SURFACE_READ_1
#undef RADDLE_SURFACE_READ_2
#undef RADDLE_SURFACE_READ_4
#undef RADDLE_SURFACE_WRITE_1
#undef RADDLE_SURFACE_WRITE_2
#undef RADDLE_SURFACE_WRITE_4
#undef RADDLE_STRIP

#endif
#endif
