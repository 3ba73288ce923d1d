// The CUDA runtime's own declarations, as the simulated programs see them, for the files that
// implement them. Everything declared here is exported from libraddle-cudart.
#pragma once

#pragma GCC visibility push(default)
#include "../../include/raddle/cuda/cuda.h"
#include "../../include/raddle/cuda/cuda_gl_interop.h"
#include "../../include/raddle/cuda/cuda_runtime_api.h"
#include "../../include/raddle/cuda/nvrtc.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
int __cudaRegisterFunction(void** handle, const char* host_function, char* device_function,
                           const char* device_name, int thread_limit, uint3* thread_id,
                           uint3* block_id, dim3* block_dim, dim3* grid_dim, int* warp_size);
void __cudaRegisterVar(void** handle, char* host_variable, char* device_address,
                       const char* device_name, int is_extern, size_t size, int is_constant,
                       int is_global);
void __cudaRegisterManagedVar(void** handle, void** host_variable, char* device_address,
                              const char* device_name, int is_extern, size_t size, int is_constant,
                              int is_global);
void __cudaRegisterTexture(void** handle, const void* host_variable, const void** device_address,
                           const char* device_name, int dimensions, int normalized_read,
                           int is_extern);
void __cudaRegisterSurface(void** handle, const void* host_variable, const void** device_address,
                           const char* device_name, int dimensions, int is_extern);
char __cudaInitModule(void** handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
}
#pragma GCC visibility pop
