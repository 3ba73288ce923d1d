// Everything a CUDA program may name without including anything else: nvcc, and so Raddle's driver,
// includes this file before the first line of every .cu file. A C or C++ file that includes it gets
// the runtime interface alone.
#ifndef RADDLE_CUDA_RUNTIME_H
#define RADDLE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__  // programs test for it

#if defined(__CUDA__) && defined(__clang__)

// Device overloads must be declared before <cmath> is first read.
#include <__clang_cuda_math_forward_declares.h>

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 3
#define __CUDACC_VER_BUILD__ 0
#ifndef __NVCC__
#define __NVCC__ 1
#endif

#include <cmath>
#include <cstdlib>

#endif

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "host_defines.h"
#include "vector_functions.h"

#ifdef __cplusplus
#include <utility>  // and with it initializer_list, as programs expect

#include "cuda_surface_types.h"
#include "cuda_texture_types.h"
#include "runtime_templates.h"
#endif

#if defined(__CUDA__) && defined(__clang__)

#include "cuda.h"
#include "device/builtin_variables.h"
#include "device/clang_device_headers.h"
#include "device/system_calls.h"

#include "device/host_math.h"
#include "device/math_overloads.h"

#include "cuda_device_runtime_api.h"
#include "device/atomic_functions.h"
#include "device/cache_functions.h"
#include "device/dpx_functions.h"
#include "device/warp_functions.h"

#include "surface_functions.h"
#include "texture_fetch_functions.h"

#ifdef __CUDA_ARCH__
#include "libdevice/libdevice.h"
#endif

// How <<<…>>> reaches the runtime; clang generates calls of these and of cudaLaunchKernel.
extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                  void* stream);
#ifdef cudaLaunchKernel  // per_thread_default_stream.h
extern "C" unsigned __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared_bytes,
                                                     void* stream);
static inline unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                   void* stream = 0) {
  return __cudaPushCallConfiguration_ptsz(grid, block, shared_bytes, stream);
}
#pragma push_macro("cudaLaunchKernel")
#undef cudaLaunchKernel
extern "C" cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared_bytes, cudaStream_t stream);
#pragma pop_macro("cudaLaunchKernel")
#else
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                void* stream = 0);
#endif

// operator new and delete in device code.
#include <new>

#endif

#endif
