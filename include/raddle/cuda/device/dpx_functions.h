// The functions of dynamic programming (DPX): sums, maxima and minima of three numbers in one call,
// on 32-bit numbers and on pairs of 16-bit ones, on both sides.
#ifndef RADDLE_CUDA_DEVICE_DPX_FUNCTIONS_H
#define RADDLE_CUDA_DEVICE_DPX_FUNCTIONS_H

// The pairs' functions apply `name` of 16-bit numbers to both halves; sums wrap.
#define RADDLE_DPX_HALF(word, shift, part) ((part)((word) >> (shift)))
#define RADDLE_DPX_JOIN(low, high) \
  (((unsigned int)(unsigned short)(high) << 16) | (unsigned int)(unsigned short)(low))

#define RADDLE_DPX_THREE(name, type, part, suffix, pairs, expression)                         \
  __RADDLE_HOST_DEVICE__ part __raddle_##name##_##pairs(part a, part b, part c) {             \
    typedef part number;                                                                      \
    return (part)(expression);                                                                \
  }                                                                                           \
  __RADDLE_HOST_DEVICE__ type __##name##_##suffix(const type a, const type b, const type c) { \
    typedef type number;                                                                      \
    return (type)(expression);                                                                \
  }                                                                                           \
  __RADDLE_HOST_DEVICE__ unsigned int __##name##_##pairs(                                     \
      const unsigned int a, const unsigned int b, const unsigned int c) {                     \
    return RADDLE_DPX_JOIN(                                                                   \
        __raddle_##name##_##pairs(RADDLE_DPX_HALF(a, 0, part), RADDLE_DPX_HALF(b, 0, part),   \
                                  RADDLE_DPX_HALF(c, 0, part)),                               \
        __raddle_##name##_##pairs(RADDLE_DPX_HALF(a, 16, part), RADDLE_DPX_HALF(b, 16, part), \
                                  RADDLE_DPX_HALF(c, 16, part)));                             \
  }
#define RADDLE_DPX_MAX(x, y) ((x) > (y) ? (x) : (y))
#define RADDLE_DPX_MIN(x, y) ((x) < (y) ? (x) : (y))
#define RADDLE_DPX_SUM ((number)((unsigned int)a + (unsigned int)b))
#define RADDLE_DPX_FAMILY(type, part, suffix, pairs)                                           \
  RADDLE_DPX_THREE(viaddmax, type, part, suffix, pairs, RADDLE_DPX_MAX(RADDLE_DPX_SUM, c))     \
  RADDLE_DPX_THREE(viaddmin, type, part, suffix, pairs, RADDLE_DPX_MIN(RADDLE_DPX_SUM, c))     \
  RADDLE_DPX_THREE(vimax3, type, part, suffix, pairs, RADDLE_DPX_MAX(RADDLE_DPX_MAX(a, b), c)) \
  RADDLE_DPX_THREE(vimin3, type, part, suffix, pairs, RADDLE_DPX_MIN(RADDLE_DPX_MIN(a, b), c))
RADDLE_DPX_FAMILY(int, short, s32, s16x2)
RADDLE_DPX_FAMILY(unsigned int, unsigned short, u32, u16x2)
#undef RADDLE_DPX_FAMILY

// No less than 0.
#define RADDLE_DPX_RELU(name, expression)                  \
  RADDLE_DPX_THREE(name, int, short, s32_relu, s16x2_relu, \
                   RADDLE_DPX_MAX((number)(expression), (number)0))
RADDLE_DPX_RELU(viaddmax, RADDLE_DPX_MAX(RADDLE_DPX_SUM, c))
RADDLE_DPX_RELU(viaddmin, RADDLE_DPX_MIN(RADDLE_DPX_SUM, c))
RADDLE_DPX_RELU(vimax3, RADDLE_DPX_MAX(RADDLE_DPX_MAX(a, b), c))
RADDLE_DPX_RELU(vimin3, RADDLE_DPX_MIN(RADDLE_DPX_MIN(a, b), c))
#undef RADDLE_DPX_RELU
#undef RADDLE_DPX_THREE
#undef RADDLE_DPX_SUM

__RADDLE_HOST_DEVICE__ int __vimax_s32_relu(const int a, const int b) {
  return __vimax3_s32(a, b, 0);
}
__RADDLE_HOST_DEVICE__ int __vimin_s32_relu(const int a, const int b) {
  return __vimin3_s32_relu(a, b, b);
}
__RADDLE_HOST_DEVICE__ unsigned int __vimax_s16x2_relu(const unsigned int a, const unsigned int b) {
  return __vimax3_s16x2(a, b, 0);
}
__RADDLE_HOST_DEVICE__ unsigned int __vimin_s16x2_relu(const unsigned int a, const unsigned int b) {
  return __vimin3_s16x2_relu(a, b, b);
}

// With a predicate that says whether the result is the first number.
#define RADDLE_DPX_CHOICE(name, op, type, part, suffix, pairs)                                     \
  __RADDLE_HOST_DEVICE__ type __##name##_##suffix(const type a, const type b, bool* const first) { \
    *first = a op b;                                                                               \
    return *first ? a : b;                                                                         \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ unsigned int __##name##_##pairs(                                          \
      const unsigned int a, const unsigned int b, bool* const high, bool* const low) {             \
    *low = RADDLE_DPX_HALF(a, 0, part) op RADDLE_DPX_HALF(b, 0, part);                             \
    *high = RADDLE_DPX_HALF(a, 16, part) op RADDLE_DPX_HALF(b, 16, part);                          \
    return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                           \
  }
RADDLE_DPX_CHOICE(vibmax, >=, int, short, s32, s16x2)
RADDLE_DPX_CHOICE(vibmax, >=, unsigned int, unsigned short, u32, u16x2)
RADDLE_DPX_CHOICE(vibmin, <=, int, short, s32, s16x2)
RADDLE_DPX_CHOICE(vibmin, <=, unsigned int, unsigned short, u32, u16x2)
#undef RADDLE_DPX_CHOICE
#undef RADDLE_DPX_HALF
#undef RADDLE_DPX_JOIN
#undef RADDLE_DPX_MAX
#undef RADDLE_DPX_MIN

#endif
