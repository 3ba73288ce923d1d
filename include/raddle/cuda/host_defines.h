// The words CUDA adds to C++: where a function runs, where a variable lives, how it is aligned and
// inlined. With clang's CUDA language they are attributes; for a plain C or C++ file they mean
// nothing. Also the attribute sets that Raddle's own inline functions carry, so that an instruction
// keeps the line of the user who called them.
#ifndef RADDLE_CUDA_HOST_DEFINES_H
#define RADDLE_CUDA_HOST_DEFINES_H
#define __HOST_DEFINES_H__  // programs test for it

#define CUDARTAPI
#define CUDAAPI
#define CUDARTAPI_CDECL
#define CUDA_CB
#define CUDART_CB
#define CUDART_DEVICE __device__
#define __CUDA_HOSTDEVICE__ __host__ __device__
#define __cudart_builtin__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __specialization_static static

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#ifndef __no_return__
#define __no_return__ __attribute__((noreturn))
#endif
#ifndef __inline_hint__
#define __inline_hint__
#endif
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#ifndef __annotate__
#define __annotate__(what) __attribute__((what))
#endif
#define __location__(where) __annotate__(where)

// A caller may pass the runtime any number where it expects one of an enumeration's names, and gets
// an error code. Only an enumeration with a fixed type can hold such a number in C++.
#if defined(__cplusplus) && __cplusplus >= 201103L
#define RADDLE_CUDA_OPEN_ENUM : unsigned int
#else
#define RADDLE_CUDA_OPEN_ENUM
#endif

#if defined(__CUDA__) && defined(__clang__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __cluster_dims__(...) __raddle_error_thread_block_clusters_are_not_supported
#define __maxnreg__(count)
#define __nv_pure__ __attribute__((pure))
// A managed variable is a device variable whose host shadow lies in a section of its own. The
// runtime copies one into the other around each launch, which is when either side can have changed.
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device, used))
#else
#define __managed__ __attribute__((device, section("raddle_managed")))
#endif

#define __RADDLE_DEVICE__ static __inline__ __attribute__((device, always_inline, nodebug))
#define __RADDLE_HOST_DEVICE__ \
  static __inline__ __attribute__((host, device, always_inline, nodebug))
#define __RADDLE_MEMBER__ __inline__ __attribute__((host, device, always_inline, nodebug))
#define __RADDLE_DEVICE_MEMBER__ __inline__ __attribute__((device, always_inline, nodebug))

#else

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#define __nv_pure__

#define __RADDLE_DEVICE__ static __inline__
#define __RADDLE_HOST_DEVICE__ static __inline__
#define __RADDLE_MEMBER__ inline
#define __RADDLE_DEVICE_MEMBER__ inline

#endif

// Default arguments exist in C++ alone.
#ifdef __cplusplus
#define __dv(value) = value
#else
#define __dv(value)
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define __RADDLE_CONSTEXPR__ constexpr
#else
#define __RADDLE_CONSTEXPR__
#endif

#endif
