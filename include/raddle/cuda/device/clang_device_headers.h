// Device functions that come with clang itself (its __clang_cuda_*.h), in the order of clang's own
// runtime wrapper but with no file of a CUDA toolkit in between. They call __nv_* functions, which
// libdevice/ defines. While they are read,
// __device__ also means "no debug information", so that instructions keep the line of the user's
// call.
#ifndef RADDLE_CUDA_DEVICE_CLANG_DEVICE_HEADERS_H
#define RADDLE_CUDA_DEVICE_CLANG_DEVICE_HEADERS_H

#pragma push_macro("__device__")
#pragma push_macro("__forceinline__")
#pragma push_macro("CUDA_VERSION")
#undef __device__
#undef __forceinline__
#define __device__ __attribute__((device, nodebug))
#define __forceinline__ __inline__ __attribute__((always_inline))

// At this version clang's headers reach the byte and half-word SIMD functions as __nv_v*; later
// ones write PTX video instructions for them.
#undef CUDA_VERSION
#define CUDA_VERSION 9010

// Votes without a mask are in warp_functions.h.
#pragma push_macro("__all")
#pragma push_macro("__any")
#pragma push_macro("__ballot")
#define __all __raddle_unused_all
#define __any __raddle_unused_any
#define __ballot __raddle_unused_ballot
#include <__clang_cuda_libdevice_declares.h>

#include <__clang_cuda_device_functions.h>
#pragma pop_macro("__all")
#pragma pop_macro("__any")
#pragma pop_macro("__ballot")

#include <__clang_cuda_math.h>

#undef CUDA_VERSION
#pragma pop_macro("CUDA_VERSION")

#include <__clang_cuda_cmath.h>

#undef __device__
#define __device__ __attribute__((device, nodebug, always_inline))

// Shuffles without a mask are in warp_functions.h, and so are reductions, where clang 19 gives the
// mask in place of the value.
#pragma push_macro("__shfl")
#pragma push_macro("__shfl_up")
#pragma push_macro("__shfl_down")
#pragma push_macro("__shfl_xor")
#define __shfl __raddle_unused_shfl
#define __shfl_up __raddle_unused_shfl_up
#define __shfl_down __raddle_unused_shfl_down
#define __shfl_xor __raddle_unused_shfl_xor
#pragma push_macro("__reduce_add_sync")
#pragma push_macro("__reduce_min_sync")
#pragma push_macro("__reduce_max_sync")
#pragma push_macro("__reduce_and_sync")
#pragma push_macro("__reduce_or_sync")
#pragma push_macro("__reduce_xor_sync")
#define __reduce_add_sync __raddle_unused_reduce_add_sync
#define __reduce_min_sync __raddle_unused_reduce_min_sync
#define __reduce_max_sync __raddle_unused_reduce_max_sync
#define __reduce_and_sync __raddle_unused_reduce_and_sync
#define __reduce_or_sync __raddle_unused_reduce_or_sync
#define __reduce_xor_sync __raddle_unused_reduce_xor_sync
static __inline__ __device__ unsigned int __isGlobal(const void* pointer) {
  return __nvvm_isspacep_global(pointer);
}
static __inline__ __device__ unsigned int __isShared(const void* pointer) {
  return __nvvm_isspacep_shared(pointer);
}
static __inline__ __device__ unsigned int __isConstant(const void* pointer) {
  return __nvvm_isspacep_const(pointer);
}
static __inline__ __device__ unsigned int __isLocal(const void* pointer) {
  return __nvvm_isspacep_local(pointer);
}
static __inline__ __device__ size_t __cvta_generic_to_shared(const void* pointer) {
  return (size_t)(void __attribute__((address_space(3)))*)pointer;
}
#include <__clang_cuda_intrinsics.h>
#pragma pop_macro("__shfl")
#pragma pop_macro("__shfl_up")
#pragma pop_macro("__shfl_down")
#pragma pop_macro("__shfl_xor")
#pragma pop_macro("__reduce_add_sync")
#pragma pop_macro("__reduce_min_sync")
#pragma pop_macro("__reduce_max_sync")
#pragma pop_macro("__reduce_and_sync")
#pragma pop_macro("__reduce_or_sync")
#pragma pop_macro("__reduce_xor_sync")

#undef __device__
#define __device__ __attribute__((device, nodebug))
#include <__clang_cuda_complex_builtins.h>

#pragma pop_macro("__forceinline__")
#pragma pop_macro("__device__")

__RADDLE_DEVICE__ size_t __cvta_generic_to_global(const void* pointer) {
  return __nv_cvta_generic_to_global_impl(pointer);
}
__RADDLE_DEVICE__ size_t __cvta_generic_to_constant(const void* pointer) {
  return __nv_cvta_generic_to_constant_impl(pointer);
}
__RADDLE_DEVICE__ size_t __cvta_generic_to_local(const void* pointer) {
  return __nv_cvta_generic_to_local_impl(pointer);
}
__RADDLE_DEVICE__ void* __cvta_global_to_generic(size_t address) {
  return __nv_cvta_global_to_generic_impl(address);
}
__RADDLE_DEVICE__ void* __cvta_shared_to_generic(size_t address) {
  return __nv_cvta_shared_to_generic_impl(address);
}
__RADDLE_DEVICE__ void* __cvta_constant_to_generic(size_t address) {
  return __nv_cvta_constant_to_generic_impl(address);
}
__RADDLE_DEVICE__ void* __cvta_local_to_generic(size_t address) {
  return __nv_cvta_local_to_generic_impl(address);
}

#endif
