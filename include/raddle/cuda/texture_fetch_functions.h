// Texture fetches in device code: tex1D, tex1Dfetch, tex2D, tex3D, layered, explicit levels and
// gradients (of the one level there is), and gather; for texture references and for texture
// objects. Each is one PTX `tex` whose handle is the reference itself or the object, plus the
// conversions that narrow elements need.
#ifndef RADDLE_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#define RADDLE_CUDA_TEXTURE_FETCH_FUNCTIONS_H

#include "cuda_texture_types.h"
#include "vector_types.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// What a fetch of element type T brings back: four words, and T (or, read as normalized floats, a
// float vector of as many components) made from them.
template <class T>
struct __raddle_texel;

#define RADDLE_TEXEL_1(type, word)                                                  \
  template <>                                                                       \
  struct __raddle_texel<type> {                                                     \
    typedef word Word;                                                              \
    typedef float Normalized;                                                       \
    static __RADDLE_DEVICE_MEMBER__ type from(const word* v) { return (type)v[0]; } \
  };
#define RADDLE_TEXEL_VECTOR(type, normalized, word, ...)       \
  template <>                                                  \
  struct __raddle_texel<type> {                                \
    typedef word Word;                                         \
    typedef normalized Normalized;                             \
    static __RADDLE_DEVICE_MEMBER__ type from(const word* v) { \
      typedef __typeof__(((type*)0)->x) Element;               \
      type result = {__VA_ARGS__};                             \
      return result;                                           \
    }                                                          \
  };
#define RADDLE_TEXELS(scalar, vector, word)                                                 \
  RADDLE_TEXEL_1(scalar, word)                                                              \
  RADDLE_TEXEL_VECTOR(vector##1, float1, word, (Element)v[0])                               \
  RADDLE_TEXEL_VECTOR(vector##2, float2, word, (Element)v[0], (Element)v[1])                \
  RADDLE_TEXEL_VECTOR(vector##3, float3, word, (Element)v[0], (Element)v[1], (Element)v[2]) \
  RADDLE_TEXEL_VECTOR(vector##4, float4, word, (Element)v[0], (Element)v[1], (Element)v[2], \
                      (Element)v[3])

RADDLE_TEXEL_1(char, int)
RADDLE_TEXELS(signed char, char, int)
RADDLE_TEXELS(unsigned char, uchar, unsigned int)
RADDLE_TEXELS(short, short, int)
RADDLE_TEXELS(unsigned short, ushort, unsigned int)
RADDLE_TEXELS(int, int, int)
RADDLE_TEXELS(unsigned int, uint, unsigned int)
RADDLE_TEXELS(float, float, float)
#undef RADDLE_TEXELS
#undef RADDLE_TEXEL_VECTOR
#undef RADDLE_TEXEL_1

template <class T, enum cudaTextureReadMode mode>
struct __raddle_texture_result {
  typedef T Type;
};
template <class T>
struct __raddle_texture_result<T, cudaReadModeNormalizedFloat> {
  typedef typename __raddle_texel<T>::Normalized Type;
};

#define RADDLE_STRIP(...) __VA_ARGS__

// The three word types of one fetch. `operands` are asm operands that the text names.
#define RADDLE_FETCH_WORD(fetch, word, constraint, head, ptx, tail, parameters, operands) \
  template <class Handle>                                                                 \
  __RADDLE_DEVICE__ void fetch(word* v, Handle handle, RADDLE_STRIP parameters) {         \
    __asm__(head ptx tail                                                                 \
            : "=" constraint(v[0]), "=" constraint(v[1]), "=" constraint(v[2]),           \
              "=" constraint(v[3])                                                        \
            : [t] "l"(handle), RADDLE_STRIP operands);                                    \
  }
// The function for references of one texture type and the two for objects.
#define RADDLE_FETCH(name, fetch, texture_type, head, tail, parameters, arguments, operands)    \
  RADDLE_FETCH_WORD(fetch, int, "r", head, "s32", tail, parameters, operands)                   \
  RADDLE_FETCH_WORD(fetch, unsigned int, "r", head, "u32", tail, parameters, operands)          \
  RADDLE_FETCH_WORD(fetch, float, "f", head, "f32", tail, parameters, operands)                 \
  template <class T, enum cudaTextureReadMode mode>                                             \
  __RADDLE_DEVICE__ typename __raddle_texture_result<T, mode>::Type name(                       \
      texture<T, texture_type, mode> reference, RADDLE_STRIP parameters) {                      \
    typedef typename __raddle_texture_result<T, mode>::Type Result;                             \
    typename __raddle_texel<Result>::Word v[4];                                                 \
    fetch(v, reference, RADDLE_STRIP arguments);                                                \
    return __raddle_texel<Result>::from(v);                                                     \
  }                                                                                             \
  template <class T>                                                                            \
  __RADDLE_DEVICE__ T name(cudaTextureObject_t object, RADDLE_STRIP parameters) {               \
    typename __raddle_texel<T>::Word v[4];                                                      \
    fetch(v, object, RADDLE_STRIP arguments);                                                   \
    return __raddle_texel<T>::from(v);                                                          \
  }                                                                                             \
  template <class T>                                                                            \
  __RADDLE_DEVICE__ void name(T* result, cudaTextureObject_t object, RADDLE_STRIP parameters) { \
    *result = name<T>(object, RADDLE_STRIP arguments);                                          \
  }

RADDLE_FETCH(tex1Dfetch, __raddle_tex1Dfetch, cudaTextureType1D, "tex.1d.v4.",
             ".s32 {%0, %1, %2, %3}, [%[t], {%[x]}];", (int x), (x), ([x] "r"(x)))
RADDLE_FETCH(tex1D, __raddle_tex1D, cudaTextureType1D, "tex.1d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x]}];", (float x), (x), ([x] "f"(x)))
RADDLE_FETCH(tex2D, __raddle_tex2D, cudaTextureType2D, "tex.2d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x], %[y]}];", (float x, float y), (x, y),
             ([x] "f"(x), [y] "f"(y)))
RADDLE_FETCH(tex3D, __raddle_tex3D, cudaTextureType3D, "tex.3d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x], %[y], %[z], %[z]}];",
             (float x, float y, float z), (x, y, z), ([x] "f"(x), [y] "f"(y), [z] "f"(z)))
RADDLE_FETCH(tex1DLayered, __raddle_tex1DLayered, cudaTextureType1DLayered, "tex.a1d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[l], %[x]}];", (float x, int layer), (x, layer),
             ([l] "r"(layer), [x] "f"(x)))
RADDLE_FETCH(tex2DLayered, __raddle_tex2DLayered, cudaTextureType2DLayered, "tex.a2d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[l], %[x], %[y], %[y]}];",
             (float x, float y, int layer), (x, y, layer), ([l] "r"(layer), [x] "f"(x), [y] "f"(y)))
RADDLE_FETCH(tex1DLod, __raddle_tex1DLod, cudaTextureType1D, "tex.level.1d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x]}], %[level];", (float x, float level), (x, level),
             ([x] "f"(x), [level] "f"(level)))
RADDLE_FETCH(tex2DLod, __raddle_tex2DLod, cudaTextureType2D, "tex.level.2d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x], %[y]}], %[level];",
             (float x, float y, float level), (x, y, level),
             ([x] "f"(x), [y] "f"(y), [level] "f"(level)))
RADDLE_FETCH(tex3DLod, __raddle_tex3DLod, cudaTextureType3D, "tex.level.3d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x], %[y], %[z], %[z]}], %[level];",
             (float x, float y, float z, float level), (x, y, z, level),
             ([x] "f"(x), [y] "f"(y), [z] "f"(z), [level] "f"(level)))

// One component of the four texels around a point: always a four-vector of the element type.
RADDLE_FETCH(__raddle_tex2Dgather0, __raddle_tld4r, cudaTextureType2D, "tld4.r.2d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x], %[y]}];", (float x, float y), (x, y),
             ([x] "f"(x), [y] "f"(y)))
RADDLE_FETCH(__raddle_tex2Dgather1, __raddle_tld4g, cudaTextureType2D, "tld4.g.2d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x], %[y]}];", (float x, float y), (x, y),
             ([x] "f"(x), [y] "f"(y)))
RADDLE_FETCH(__raddle_tex2Dgather2, __raddle_tld4b, cudaTextureType2D, "tld4.b.2d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x], %[y]}];", (float x, float y), (x, y),
             ([x] "f"(x), [y] "f"(y)))
RADDLE_FETCH(__raddle_tex2Dgather3, __raddle_tld4a, cudaTextureType2D, "tld4.a.2d.v4.",
             ".f32 {%0, %1, %2, %3}, [%[t], {%[x], %[y]}];", (float x, float y), (x, y),
             ([x] "f"(x), [y] "f"(y)))

#undef RADDLE_FETCH
#undef RADDLE_FETCH_WORD

template <class T>
__RADDLE_DEVICE__ T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  switch (component) {
    case 1: return __raddle_tex2Dgather1<T>(object, x, y);
    case 2: return __raddle_tex2Dgather2<T>(object, x, y);
    case 3: return __raddle_tex2Dgather3<T>(object, x, y);
    default: return __raddle_tex2Dgather0<T>(object, x, y);
  }
}

// A gradient or a level chooses between mipmap levels, and there is one.
#define RADDLE_FETCH_OF_LEVEL(name, plain, parameters, rest, arguments)                       \
  template <class T>                                                                          \
  __RADDLE_DEVICE__ T name(cudaTextureObject_t object, RADDLE_STRIP parameters,               \
                           RADDLE_STRIP rest) {                                               \
    return plain<T>(object, RADDLE_STRIP arguments);                                          \
  }                                                                                           \
  template <class T>                                                                          \
  __RADDLE_DEVICE__ void name(T* result, cudaTextureObject_t object, RADDLE_STRIP parameters, \
                              RADDLE_STRIP rest) {                                            \
    *result = plain<T>(object, RADDLE_STRIP arguments);                                       \
  }                                                                                           \
  template <class T, int type, enum cudaTextureReadMode mode>                                 \
  __RADDLE_DEVICE__ typename __raddle_texture_result<T, mode>::Type name(                     \
      texture<T, type, mode> reference, RADDLE_STRIP parameters, RADDLE_STRIP rest) {         \
    return plain(reference, RADDLE_STRIP arguments);                                          \
  }
RADDLE_FETCH_OF_LEVEL(tex1DGrad, tex1D, (float x), (float, float), (x))
RADDLE_FETCH_OF_LEVEL(tex2DGrad, tex2D, (float x, float y), (float2, float2), (x, y))
RADDLE_FETCH_OF_LEVEL(tex3DGrad, tex3D, (float x, float y, float z), (float4, float4), (x, y, z))
RADDLE_FETCH_OF_LEVEL(tex1DLayeredLod, tex1DLayered, (float x, int layer), (float), (x, layer))
RADDLE_FETCH_OF_LEVEL(tex2DLayeredLod, tex2DLayered, (float x, float y, int layer), (float),
                      (x, y, layer))
RADDLE_FETCH_OF_LEVEL(tex1DLayeredGrad, tex1DLayered, (float x, int layer), (float, float),
                      (x, layer))
RADDLE_FETCH_OF_LEVEL(tex2DLayeredGrad, tex2DLayered, (float x, float y, int layer),
                      (float2, float2), (x, y, layer))
#undef RADDLE_FETCH_OF_LEVEL

// A cube map is a layered texture whose layers are faces: the largest coordinate chooses the face,
// the others, divided by it, the place there. Each face is filtered on its own.
__RADDLE_DEVICE__ int __raddle_cube_face(float x, float y, float z, float* s, float* t) {
  const float size_x = x < 0 ? -x : x, size_y = y < 0 ? -y : y, size_z = z < 0 ? -z : z;
  int face;
  float size;
  if (size_x >= size_y && size_x >= size_z) {
    face = x < 0 ? 1 : 0, size = size_x, *s = x < 0 ? z : -z, *t = -y;
  } else if (size_y >= size_z) {
    face = y < 0 ? 3 : 2, size = size_y, *s = x, *t = y < 0 ? -z : z;
  } else {
    face = z < 0 ? 5 : 4, size = size_z, *s = z < 0 ? -x : x, *t = -y;
  }
  *s = (*s / size + 1) / 2;
  *t = (*t / size + 1) / 2;
  return face;
}
#define RADDLE_FETCH_CUBE(name, texture_type, parameters, arguments, map)                       \
  template <class T, enum cudaTextureReadMode mode>                                             \
  __RADDLE_DEVICE__ typename __raddle_texture_result<T, mode>::Type name(                       \
      texture<T, texture_type, mode> reference, RADDLE_STRIP parameters) {                      \
    typedef typename __raddle_texture_result<T, mode>::Type Result;                             \
    typename __raddle_texel<Result>::Word v[4];                                                 \
    float s, t;                                                                                 \
    const int face = __raddle_cube_face(x, y, z, &s, &t);                                       \
    __raddle_tex2DLayered(v, reference, s, t, 6 * (map) + face);                                \
    return __raddle_texel<Result>::from(v);                                                     \
  }                                                                                             \
  template <class T>                                                                            \
  __RADDLE_DEVICE__ T name(cudaTextureObject_t object, RADDLE_STRIP parameters) {               \
    float s, t;                                                                                 \
    const int face = __raddle_cube_face(x, y, z, &s, &t);                                       \
    return tex2DLayered<T>(object, s, t, 6 * (map) + face);                                     \
  }                                                                                             \
  template <class T>                                                                            \
  __RADDLE_DEVICE__ void name(T* result, cudaTextureObject_t object, RADDLE_STRIP parameters) { \
    *result = name<T>(object, RADDLE_STRIP arguments);                                          \
  }
RADDLE_FETCH_CUBE(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z), 0)
RADDLE_FETCH_CUBE(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level),
                  (x, y, z, level), 0)
RADDLE_FETCH_CUBE(texCubemapLayered, cudaTextureTypeCubemapLayered,
                  (float x, float y, float z, int layer), (x, y, z, layer), layer)
RADDLE_FETCH_CUBE(texCubemapLayeredLod, cudaTextureTypeCubemapLayered,
                  (float x, float y, float z, int layer, float level), (x, y, z, layer, level),
                  layer)
#undef RADDLE_FETCH_CUBE

#undef RADDLE_STRIP

#endif
#endif
