// What device code may ask of the runtime to launch kernels itself. Declared for libraries that
// choose at compile time whether to call it (CUB, Thrust); a simulated device launches no kernels,
// so that a program that does call it is refused when it is linked.
#ifndef RADDLE_CUDA_DEVICE_RUNTIME_API_H
#define RADDLE_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__  // programs test for it

#include "driver_types.h"

#if defined(__CUDACC__) && defined(__cplusplus)
extern "C" {
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t bytes);
__device__ cudaError_t cudaLaunchDevice(void* kernel, void* parameters, dim3 grid, dim3 block,
                                        unsigned int shared_bytes, cudaStream_t stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}

// The kernels of a stream run one after another: a kernel finds the ones before it done, and has
// nothing to trigger in the next one.
static __device__ __inline__ void cudaGridDependencySynchronize(void) {}
static __device__ __inline__ void cudaTriggerProgrammaticLaunchCompletion(void) {}

// The handle of a graph's condition is the address of its number.
static __device__ __inline__ void cudaGraphSetConditional(unsigned long long handle,
                                                          unsigned int value) {
  *(volatile unsigned int*)handle = value;
}
#endif

#endif
