// threadIdx, blockIdx, blockDim, gridDim and warpSize. Reading a field reads the special register;
// the readers carry no debug information, so that the instruction keeps the line of the expression
// that names the variable.
#ifndef RADDLE_CUDA_DEVICE_BUILTIN_VARIABLES_H
#define RADDLE_CUDA_DEVICE_BUILTIN_VARIABLES_H

#include "../vector_types.h"

#define RADDLE_FIELD(field, reading)                                                            \
  __declspec(property(get = __raddle_get_##field)) unsigned int field;                          \
  static __inline__                                                                             \
      __attribute__((device, always_inline, nodebug)) unsigned int __raddle_get_##field(void) { \
    return reading;                                                                             \
  }

// No program can make or copy one of these; it can read fields and convert to uint3 and dim3.
#if __cplusplus >= 201103L
#define RADDLE_NO_COPIES(Name)                        \
  __attribute__((device)) Name() = delete;            \
  __attribute__((device)) Name(const Name&) = delete; \
  __attribute__((device)) void operator=(const Name&) const = delete
#else
#define RADDLE_NO_COPIES(Name)               \
  __attribute__((device)) Name();            \
  __attribute__((device)) Name(const Name&); \
  __attribute__((device)) void operator=(const Name&) const
#endif

#define RADDLE_BUILTIN_VARIABLE(Name, special)                                          \
  struct Name {                                                                         \
    RADDLE_FIELD(x, __nvvm_read_ptx_sreg_##special##_x())                               \
    RADDLE_FIELD(y, __nvvm_read_ptx_sreg_##special##_y())                               \
    RADDLE_FIELD(z, __nvvm_read_ptx_sreg_##special##_z())                               \
    __inline__ __attribute__((device, always_inline, nodebug)) operator dim3() const {  \
      return dim3(__raddle_get_x(), __raddle_get_y(), __raddle_get_z());                \
    }                                                                                   \
    __inline__ __attribute__((device, always_inline, nodebug)) operator uint3() const { \
      uint3 result = {__raddle_get_x(), __raddle_get_y(), __raddle_get_z()};            \
      return result;                                                                    \
    }                                                                                   \
                                                                                        \
   private:                                                                             \
    RADDLE_NO_COPIES(Name);                                                             \
  }

RADDLE_BUILTIN_VARIABLE(__raddle_thread_index, tid);
RADDLE_BUILTIN_VARIABLE(__raddle_block_index, ctaid);
RADDLE_BUILTIN_VARIABLE(__raddle_block_dimension, ntid);
RADDLE_BUILTIN_VARIABLE(__raddle_grid_dimension, nctaid);

extern const __attribute__((device, weak)) __raddle_thread_index threadIdx;
extern const __attribute__((device, weak)) __raddle_block_index blockIdx;
extern const __attribute__((device, weak)) __raddle_block_dimension blockDim;
extern const __attribute__((device, weak)) __raddle_grid_dimension gridDim;
__attribute__((device)) const int warpSize = 32;

#undef RADDLE_BUILTIN_VARIABLE
#undef RADDLE_NO_COPIES
#undef RADDLE_FIELD

#endif
