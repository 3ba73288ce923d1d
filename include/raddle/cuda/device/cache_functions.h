// Loads and stores with a cache operator: __ldcg() and its like. They go to global memory.
#ifndef RADDLE_CUDA_DEVICE_CACHE_FUNCTIONS_H
#define RADDLE_CUDA_DEVICE_CACHE_FUNCTIONS_H

// One element: type, PTX type, asm constraint, the C type that the constraint takes.
#define RADDLE_LOAD_1(name, op, type, ptx, constraint, word)  \
  __RADDLE_DEVICE__ type name(const type* pointer) {          \
    word value;                                               \
    __asm__ __volatile__("ld.global." op "." ptx " %0, [%1];" \
                         : "=" constraint(value)              \
                         : "l"(pointer)                       \
                         : "memory");                         \
    return (type)value;                                       \
  }
#define RADDLE_LOAD_2(name, op, type, ptx, constraint, word)           \
  __RADDLE_DEVICE__ type name(const type* pointer) {                   \
    word x, y;                                                         \
    __asm__ __volatile__("ld.global." op ".v2." ptx " {%0, %1}, [%2];" \
                         : "=" constraint(x), "=" constraint(y)        \
                         : "l"(pointer)                                \
                         : "memory");                                  \
    type value;                                                        \
    value.x = (__typeof__(value.x))x;                                  \
    value.y = (__typeof__(value.y))y;                                  \
    return value;                                                      \
  }
#define RADDLE_LOAD_4(name, op, type, ptx, constraint, word)                        \
  __RADDLE_DEVICE__ type name(const type* pointer) {                                \
    word x, y, z, w;                                                                \
    __asm__ __volatile__("ld.global." op ".v4." ptx " {%0, %1, %2, %3}, [%4];"      \
                         : "=" constraint(x), "=" constraint(y), "=" constraint(z), \
                           "=" constraint(w)                                        \
                         : "l"(pointer)                                             \
                         : "memory");                                               \
    type value;                                                                     \
    value.x = (__typeof__(value.x))x;                                               \
    value.y = (__typeof__(value.y))y;                                               \
    value.z = (__typeof__(value.z))z;                                               \
    value.w = (__typeof__(value.w))w;                                               \
    return value;                                                                   \
  }
#define RADDLE_STORE_1(name, op, type, ptx, constraint, word)                 \
  __RADDLE_DEVICE__ void name(type* pointer, type value) {                    \
    __asm__ __volatile__("st.global." op "." ptx " [%0], %1;" ::"l"(pointer), \
                         constraint((word)value)                              \
                         : "memory");                                         \
  }
#define RADDLE_STORE_2(name, op, type, ptx, constraint, word)                          \
  __RADDLE_DEVICE__ void name(type* pointer, type value) {                             \
    __asm__ __volatile__("st.global." op ".v2." ptx " [%0], {%1, %2};" ::"l"(pointer), \
                         constraint((word)value.x), constraint((word)value.y)          \
                         : "memory");                                                  \
  }
#define RADDLE_STORE_4(name, op, type, ptx, constraint, word)                                  \
  __RADDLE_DEVICE__ void name(type* pointer, type value) {                                     \
    __asm__ __volatile__("st.global." op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(pointer), \
                         constraint((word)value.x), constraint((word)value.y),                 \
                         constraint((word)value.z), constraint((word)value.w)                  \
                         : "memory");                                                          \
  }

#define RADDLE_ALL_TYPES(access, name, op)                                                         \
  access##_1(name, op, char, "s8", "r", int) access##_1(name, op, signed char, "s8", "r", int)     \
      access##_1(name, op, unsigned char, "u8", "r", unsigned int) access##_1(                     \
          name, op, short, "s16", "h",                                                             \
          short) access##_1(name, op, unsigned short, "u16", "h",                                  \
                            unsigned short) access##_1(name, op, int, "s32", "r", int)             \
          access##_1(name, op, unsigned int, "u32", "r", unsigned int) access##_1(                 \
              name, op, long, "s64", "l", long) access##_1(name, op, unsigned long, "u64", "l",    \
                                                           unsigned long)                          \
              access##_1(name, op, long long, "s64", "l", long long) access##_1(                   \
                  name, op, unsigned long long, "u64", "l", unsigned long long)                    \
                  access##_1(name, op, float, "f32", "f", float) access##_1(                       \
                      name, op, double, "f64", "d",                                                \
                      double) access##_2(name, op, char2, "s8", "r", int)                          \
                      access##_2(name, op, uchar2, "u8", "r", unsigned int) access##_2(            \
                          name, op, short2, "s16", "h",                                            \
                          short) access##_2(name, op, ushort2, "u16", "h", unsigned short)         \
                          access##_2(name, op, int2, "s32", "r",                                   \
                                     int) access##_2(name, op, uint2, "u32", "r", unsigned int)    \
                              access##_2(name, op, longlong2, "s64", "l", long long)               \
                                  access##_2(name, op, ulonglong2, "u64", "l", unsigned long long) \
                                      access##_2(name, op, float2, "f32", "f", float) access##_2(  \
                                          name, op, double2, "f64", "d", double)                   \
                                          access##_4(name, op, char4, "s8", "r", int) access##_4(  \
                                              name, op, uchar4, "u8", "r", unsigned int)           \
                                              access##_4(name, op, short4, "s16", "h", short)      \
                                                  access##_4(name, op, ushort4, "u16", "h",        \
                                                             unsigned short)                       \
                                                      access##_4(name, op, int4, "s32", "r", int)  \
                                                          access##_4(name, op, uint4, "u32", "r",  \
                                                                     unsigned int)                 \
                                                              access##_4(name, op, float4, "f32",  \
                                                                         "f", float)

RADDLE_ALL_TYPES(RADDLE_LOAD, __ldca, "ca")
RADDLE_ALL_TYPES(RADDLE_LOAD, __ldcg, "cg")
RADDLE_ALL_TYPES(RADDLE_LOAD, __ldcs, "cs")
RADDLE_ALL_TYPES(RADDLE_LOAD, __ldlu, "lu")
RADDLE_ALL_TYPES(RADDLE_LOAD, __ldcv, "cv")
RADDLE_ALL_TYPES(RADDLE_STORE, __stwb, "wb")
RADDLE_ALL_TYPES(RADDLE_STORE, __stcg, "cg")
RADDLE_ALL_TYPES(RADDLE_STORE, __stcs, "cs")
RADDLE_ALL_TYPES(RADDLE_STORE, __stwt, "wt")

#undef RADDLE_ALL_TYPES
#undef RADDLE_LOAD_1
#undef RADDLE_LOAD_2
#undef RADDLE_LOAD_4
#undef RADDLE_STORE_1
#undef RADDLE_STORE_2
#undef RADDLE_STORE_4

#endif
