// What the lanes of a warp exchange beyond what clang's headers define: votes and shuffles without
// a mask (they take part with the lanes that are active, as before Volta), match, and small things
// that PTX has an instruction for.
#ifndef RADDLE_CUDA_DEVICE_WARP_FUNCTIONS_H
#define RADDLE_CUDA_DEVICE_WARP_FUNCTIONS_H

__RADDLE_DEVICE__ int __all(int predicate) { return __all_sync(__activemask(), predicate); }
__RADDLE_DEVICE__ int __any(int predicate) { return __any_sync(__activemask(), predicate); }
__RADDLE_DEVICE__ unsigned int __ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}

#define RADDLE_SHUFFLES(type)                                                          \
  __RADDLE_DEVICE__ type __shfl(type value, int lane, int width = 32) {                \
    return __shfl_sync(__activemask(), value, lane, width);                            \
  }                                                                                    \
  __RADDLE_DEVICE__ type __shfl_up(type value, unsigned int delta, int width = 32) {   \
    return __shfl_up_sync(__activemask(), value, delta, width);                        \
  }                                                                                    \
  __RADDLE_DEVICE__ type __shfl_down(type value, unsigned int delta, int width = 32) { \
    return __shfl_down_sync(__activemask(), value, delta, width);                      \
  }                                                                                    \
  __RADDLE_DEVICE__ type __shfl_xor(type value, int lane_mask, int width = 32) {       \
    return __shfl_xor_sync(__activemask(), value, lane_mask, width);                   \
  }
RADDLE_SHUFFLES(int)
RADDLE_SHUFFLES(unsigned int)
RADDLE_SHUFFLES(long)
RADDLE_SHUFFLES(unsigned long)
RADDLE_SHUFFLES(long long)
RADDLE_SHUFFLES(unsigned long long)
RADDLE_SHUFFLES(float)
RADDLE_SHUFFLES(double)
#undef RADDLE_SHUFFLES

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700

#define RADDLE_MATCHES(type, bits, word)                                                     \
  __RADDLE_DEVICE__ unsigned int __match_any_sync(unsigned int mask, type value) {           \
    word raw;                                                                                \
    __builtin_memcpy(&raw, &value, sizeof(raw));                                             \
    return __match##bits##_any_sync(mask, raw);                                              \
  }                                                                                          \
  __RADDLE_DEVICE__ unsigned int __match_all_sync(unsigned int mask, type value, int* all) { \
    word raw;                                                                                \
    __builtin_memcpy(&raw, &value, sizeof(raw));                                             \
    return __match##bits##_all_sync(mask, raw, all);                                         \
  }
RADDLE_MATCHES(int, 32, unsigned int)
RADDLE_MATCHES(unsigned int, 32, unsigned int)
RADDLE_MATCHES(float, 32, unsigned int)
RADDLE_MATCHES(long, 64, unsigned long long)
RADDLE_MATCHES(unsigned long, 64, unsigned long long)
RADDLE_MATCHES(long long, 64, unsigned long long)
RADDLE_MATCHES(unsigned long long, 64, unsigned long long)
RADDLE_MATCHES(double, 64, unsigned long long)
#undef RADDLE_MATCHES

__RADDLE_DEVICE__ void __nanosleep(unsigned int nanoseconds) {
  __asm__ __volatile__("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

#endif

// --- reductions over a warp ------------------------------------------------------------------------------------------
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

#define RADDLE_REDUCTION(name, type, builtin)                  \
  __RADDLE_DEVICE__ type name(unsigned int mask, type value) { \
    return (type)builtin(value, (int)mask);                    \
  }
RADDLE_REDUCTION(__reduce_add_sync, unsigned int, __nvvm_redux_sync_add)
RADDLE_REDUCTION(__reduce_min_sync, unsigned int, __nvvm_redux_sync_umin)
RADDLE_REDUCTION(__reduce_max_sync, unsigned int, __nvvm_redux_sync_umax)
RADDLE_REDUCTION(__reduce_add_sync, int, __nvvm_redux_sync_add)
RADDLE_REDUCTION(__reduce_min_sync, int, __nvvm_redux_sync_min)
RADDLE_REDUCTION(__reduce_max_sync, int, __nvvm_redux_sync_max)
RADDLE_REDUCTION(__reduce_and_sync, unsigned int, __nvvm_redux_sync_and)
RADDLE_REDUCTION(__reduce_or_sync, unsigned int, __nvvm_redux_sync_or)
RADDLE_REDUCTION(__reduce_xor_sync, unsigned int, __nvvm_redux_sync_xor)
#undef RADDLE_REDUCTION

#endif

// --- dot products of bytes and half-words ----------------------------------------------------------------------------
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610

#define RADDLE_DOT(name, instruction, result_type, a_type, b_type)                   \
  __RADDLE_DEVICE__ result_type name(a_type a, b_type b, result_type c) {            \
    result_type result;                                                              \
    __asm__(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c)); \
    return result;                                                                   \
  }
RADDLE_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
RADDLE_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
RADDLE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
RADDLE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
RADDLE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
RADDLE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
#undef RADDLE_DOT

#define RADDLE_DOT_OF_VECTORS(name, result_type, a_type, b_type)          \
  __RADDLE_DEVICE__ result_type name(a_type a, b_type b, result_type c) { \
    result_type raw_a, raw_b;                                             \
    __builtin_memcpy(&raw_a, &a, sizeof(raw_a));                          \
    __builtin_memcpy(&raw_b, &b, sizeof(raw_b));                          \
    return name(raw_a, raw_b, c);                                         \
  }
RADDLE_DOT_OF_VECTORS(__dp4a, int, char4, char4)
RADDLE_DOT_OF_VECTORS(__dp4a, unsigned int, uchar4, uchar4)
RADDLE_DOT_OF_VECTORS(__dp2a_lo, int, short2, char4)
RADDLE_DOT_OF_VECTORS(__dp2a_lo, unsigned int, ushort2, uchar4)
RADDLE_DOT_OF_VECTORS(__dp2a_hi, int, short2, char4)
RADDLE_DOT_OF_VECTORS(__dp2a_hi, unsigned int, ushort2, uchar4)
#undef RADDLE_DOT_OF_VECTORS

#endif
#endif
