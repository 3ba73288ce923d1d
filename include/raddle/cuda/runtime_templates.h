// The C++ face of the CUDA runtime: overloads that take typed pointers, symbols and kernels by
// name.
#ifndef RADDLE_CUDA_RUNTIME_TEMPLATES_H
#define RADDLE_CUDA_RUNTIME_TEMPLATES_H

#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "cuda_surface_types.h"
#include "cuda_texture_types.h"

// --- memory ----------------------------------------------------------------------------------------------------------
template <class T>
static __inline__ __host__ cudaError_t cudaMalloc(T** pointer, size_t size) {
  return ::cudaMalloc((void**)(void*)pointer, size);
}
template <class T>
static __inline__ __host__ cudaError_t cudaMallocHost(T** pointer, size_t size,
                                                      unsigned int flags = 0) {
  return ::cudaHostAlloc((void**)(void*)pointer, size, flags);
}
static __inline__ __host__ cudaError_t cudaMallocHost(void** pointer, size_t size,
                                                      unsigned int flags) {
  return ::cudaHostAlloc(pointer, size, flags);
}
template <class T>
static __inline__ __host__ cudaError_t cudaHostAlloc(T** pointer, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void**)(void*)pointer, size, flags);
}
template <class T>
static __inline__ __host__ cudaError_t cudaHostGetDevicePointer(T** device, void* host,
                                                                unsigned int flags) {
  return ::cudaHostGetDevicePointer((void**)(void*)device, host, flags);
}
template <class T>
static __inline__ __host__ cudaError_t cudaMallocManaged(T** pointer, size_t size,
                                                         unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void**)(void*)pointer, size, flags);
}
template <class T>
static __inline__ __host__ cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width,
                                                       size_t height) {
  return ::cudaMallocPitch((void**)(void*)pointer, pitch, width, height);
}
template <class T>
static __inline__ __host__ cudaError_t cudaMallocAsync(T** pointer, size_t size,
                                                       cudaStream_t stream) {
  return ::cudaMallocAsync((void**)(void*)pointer, size, stream);
}
template <class T>
static __inline__ __host__ cudaError_t cudaMallocAsync(T** pointer, size_t size, cudaMemPool_t pool,
                                                       cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)(void*)pointer, size, pool, stream);
}
template <class T>
static __inline__ __host__ cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t size,
                                                               cudaMemPool_t pool,
                                                               cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)(void*)pointer, size, pool, stream);
}
// The forms of CUDA 13.
static __inline__ __host__ cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t count,
                                                            struct cudaMemLocation location,
                                                            unsigned int flags,
                                                            cudaStream_t stream = 0) {
  return ::cudaMemPrefetchAsync_v2(pointer, count, location, flags, stream);
}
static __inline__ __host__ cudaError_t cudaMemAdvise(const void* pointer, size_t count,
                                                     enum cudaMemoryAdvise advice,
                                                     struct cudaMemLocation location) {
  return ::cudaMemAdvise_v2(pointer, count, advice, location);
}
template <class T>
static __inline__ __host__ cudaError_t cudaStreamAttachMemAsync(
    cudaStream_t stream, T* pointer, size_t length = 0, unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void*)pointer, length, flags);
}
static __inline__ __host__ cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

// --- symbols ---------------------------------------------------------------------------------------------------------
template <class T>
static __inline__ __host__ cudaError_t
cudaMemcpyToSymbol(const T& symbol, const void* source, size_t count, size_t offset = 0,
                   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void*)&symbol, source, count, offset, kind);
}
template <class T>
static __inline__ __host__ cudaError_t cudaMemcpyToSymbolAsync(
    const T& symbol, const void* source, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void*)&symbol, source, count, offset, kind, stream);
}
template <class T>
static __inline__ __host__ cudaError_t
cudaMemcpyFromSymbol(void* destination, const T& symbol, size_t count, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(destination, (const void*)&symbol, count, offset, kind);
}
template <class T>
static __inline__ __host__ cudaError_t cudaMemcpyFromSymbolAsync(
    void* destination, const T& symbol, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(destination, (const void*)&symbol, count, offset, kind,
                                     stream);
}
template <class T>
static __inline__ __host__ cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return ::cudaGetSymbolAddress(address, (const void*)&symbol);
}
template <class P, class T>
static __inline__ __host__ cudaError_t cudaGetSymbolAddress(P** address, const T& symbol) {
  return ::cudaGetSymbolAddress((void**)(void*)address, (const void*)&symbol);
}
template <class T>
static __inline__ __host__ cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, (const void*)&symbol);
}
template <class T>
static __inline__ __host__ cudaError_t cudaGraphAddMemcpyNodeToSymbol(
    cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
    size_t dependency_count, const T& symbol, const void* source, size_t count, size_t offset,
    enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, dependency_count,
                                          (const void*)&symbol, source, count, offset, kind);
}
template <class T>
static __inline__ __host__ cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
    size_t dependency_count, void* destination, const T& symbol, size_t count, size_t offset,
    enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, dependency_count,
                                            destination, (const void*)&symbol, count, offset, kind);
}

// --- kernels ---------------------------------------------------------------------------------------------------------
template <class T>
static __inline__ __host__ cudaError_t cudaLaunchKernel(T* function, dim3 grid, dim3 block,
                                                        void** arguments, size_t shared_bytes = 0,
                                                        cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void*)function, grid, block, arguments, shared_bytes, stream);
}
template <class T>
static __inline__ __host__ cudaError_t cudaLaunchCooperativeKernel(T* function, dim3 grid,
                                                                   dim3 block, void** arguments,
                                                                   size_t shared_bytes = 0,
                                                                   cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void*)function, grid, block, arguments, shared_bytes,
                                       stream);
}
// Arguments are converted to the kernel's own types first.
template <class... Parameters, class... Arguments>
static __inline__ __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                                                          void (*kernel)(Parameters...),
                                                          Arguments&&... arguments) {
  return [&](Parameters... converted) {
    void* pointers[sizeof...(Parameters) + 1] = {(void*)&converted...};
    return ::cudaLaunchKernelExC(config, (const void*)kernel, pointers);
  }(static_cast<Arguments&&>(arguments)...);
}
template <class T>
static __inline__ __host__ cudaError_t cudaSetupArgument(T argument, size_t offset) {
  return ::cudaSetupArgument((const void*)&argument, sizeof(T), offset);
}
template <class T>
static __inline__ __host__ cudaError_t cudaLaunch(T* function) {
  return ::cudaLaunch((const void*)function);
}
template <class T>
static __inline__ __host__ cudaError_t cudaFuncSetCacheConfig(T* function,
                                                              enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void*)function, config);
}
template <class T>
static __inline__ __host__ cudaError_t cudaFuncSetSharedMemConfig(T* function,
                                                                  enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void*)function, config);
}
template <class T>
static __inline__ __host__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes,
                                                             T* function) {
  return ::cudaFuncGetAttributes(attributes, (const void*)function);
}
template <class T>
static __inline__ __host__ cudaError_t cudaFuncSetAttribute(T* function,
                                                            enum cudaFuncAttribute attribute,
                                                            int value) {
  return ::cudaFuncSetAttribute((const void*)function, attribute, value);
}
template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, T function, int block_size, size_t shared_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)function, block_size,
                                                         shared_bytes);
}
template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, T function, int block_size, size_t shared_bytes, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void*)function,
                                                                  block_size, shared_bytes, flags);
}

// The block size, a multiple of the warp size, with which most threads of the kernel are resident;
// the largest of equals. `size_to_shared` gives the dynamic shared memory that a block size needs.
template <class SizeToShared, class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int* min_grid, int* best_block, T function, SizeToShared size_to_shared, int limit = 0,
    unsigned int flags = 0) {
  if (!min_grid || !best_block) return cudaErrorInvalidValue;
  int device = 0, multiprocessors = 0, warp = 0;
  struct cudaFuncAttributes attributes;
  cudaError_t status = ::cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess) status = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (status == cudaSuccess) status = ::cudaFuncGetAttributes(&attributes, (const void*)function);
  if (status != cudaSuccess) return status;

  int largest = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < largest) largest = limit;
  int best_threads = 0;
  for (int size = ((largest + warp - 1) / warp) * warp; size > 0; size -= warp) {
    const int threads = size < largest ? size : largest;
    int blocks = 0;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, (const void*)function, threads, size_to_shared(threads), flags);
    if (status != cudaSuccess) return status;
    if (blocks * threads <= best_threads) continue;
    best_threads = blocks * threads;
    *best_block = threads;
    *min_grid = blocks * multiprocessors;
  }
  return cudaSuccess;
}
template <class SizeToShared, class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int* min_grid, int* best_block, T function, SizeToShared size_to_shared, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, best_block, function,
                                                                 size_to_shared, limit);
}

struct __raddle_constant_shared_size {
  size_t bytes;
  __host__ size_t operator()(int) const { return bytes; }
};
template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(
    int* min_grid, int* best_block, T function, size_t shared_bytes = 0, int limit = 0,
    unsigned int flags = 0) {
  __raddle_constant_shared_size size_to_shared = {shared_bytes};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, best_block, function,
                                                                 size_to_shared, limit, flags);
}
template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int* min_grid, int* best_block, T function, size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(min_grid, best_block, function, shared_bytes,
                                                     limit);
}

// --- texture and surface references ----------------------------------------------------------------------------------
template <class T, int dim, enum cudaTextureReadMode mode>
static __inline__ __host__ cudaError_t cudaBindTexture(size_t* offset,
                                                       const texture<T, dim, mode>& reference,
                                                       const void* pointer,
                                                       const cudaChannelFormatDesc& desc,
                                                       size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, (const textureReference*)&reference, pointer, &desc, size);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __inline__ __host__ cudaError_t cudaBindTexture(size_t* offset,
                                                       const texture<T, dim, mode>& reference,
                                                       const void* pointer,
                                                       size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, (const textureReference*)&reference, pointer,
                           &reference.channelDesc, size);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __inline__ __host__ cudaError_t
cudaBindTexture2D(size_t* offset, const texture<T, dim, mode>& reference, const void* pointer,
                  const cudaChannelFormatDesc& desc, size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, (const textureReference*)&reference, pointer, &desc, width,
                             height, pitch);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __inline__ __host__ cudaError_t cudaBindTexture2D(size_t* offset,
                                                         const texture<T, dim, mode>& reference,
                                                         const void* pointer, size_t width,
                                                         size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, (const textureReference*)&reference, pointer,
                             &reference.channelDesc, width, height, pitch);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __inline__ __host__ cudaError_t
cudaBindTextureToArray(const texture<T, dim, mode>& reference, cudaArray_const_t array,
                       const cudaChannelFormatDesc& desc) {
  return ::cudaBindTextureToArray((const textureReference*)&reference, array, &desc);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __inline__ __host__ cudaError_t
cudaBindTextureToArray(const texture<T, dim, mode>& reference, cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  const cudaError_t status = ::cudaGetChannelDesc(&desc, array);
  if (status != cudaSuccess) return status;
  return ::cudaBindTextureToArray((const textureReference*)&reference, array, &desc);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __inline__ __host__ cudaError_t cudaUnbindTexture(const texture<T, dim, mode>& reference) {
  return ::cudaUnbindTexture((const textureReference*)&reference);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __inline__ __host__ cudaError_t
cudaGetTextureAlignmentOffset(size_t* offset, const texture<T, dim, mode>& reference) {
  return ::cudaGetTextureAlignmentOffset(offset, (const textureReference*)&reference);
}
template <class T, int dim>
static __inline__ __host__ cudaError_t cudaBindSurfaceToArray(const surface<T, dim>& reference,
                                                              cudaArray_const_t array,
                                                              const cudaChannelFormatDesc& desc) {
  return ::cudaBindSurfaceToArray((const surfaceReference*)&reference, array, &desc);
}
template <class T, int dim>
static __inline__ __host__ cudaError_t cudaBindSurfaceToArray(const surface<T, dim>& reference,
                                                              cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  const cudaError_t status = ::cudaGetChannelDesc(&desc, array);
  if (status != cudaSuccess) return status;
  return ::cudaBindSurfaceToArray((const surfaceReference*)&reference, array, &desc);
}

#endif
