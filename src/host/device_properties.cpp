#include "host/device_properties.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace raddle::host {
namespace {

// Limits that no simulated machine has of its own: those of compute capability 7.0.
constexpr int kMaxTexture1D = 131072;
constexpr int kMaxTexture1DLinear = 1 << 28;
constexpr int kMaxTexture2D[2] = {131072, 65536};
constexpr int kMaxTexture3D = 16384;
constexpr int kMaxLayers = 2048;
constexpr int kTextureAlignment = 512;
constexpr int kTexturePitchAlignment = 32;
constexpr int kMaxPitch = std::numeric_limits<int>::max();

int to_int(std::int64_t value) {
  return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
}

void set_texture_limits(cudaDeviceProp& properties) {
  properties.textureAlignment = kTextureAlignment;
  properties.texturePitchAlignment = kTexturePitchAlignment;
  properties.surfaceAlignment = kTextureAlignment;
  properties.maxTexture1D = properties.maxSurface1D = kMaxTexture1D;
  properties.maxTexture1DLinear = kMaxTexture1DLinear;
  std::copy_n(kMaxTexture2D, 2, properties.maxTexture2D);
  std::copy_n(kMaxTexture2D, 2, properties.maxSurface2D);
  std::copy_n(kMaxTexture2D, 2, properties.maxTexture2DGather);
  properties.maxTexture2DLinear[0] = kMaxTexture2D[0];
  properties.maxTexture2DLinear[1] = kMaxTexture2D[1];
  properties.maxTexture2DLinear[2] = 1 << 21;
  std::fill_n(properties.maxTexture3D, 3, kMaxTexture3D);
  std::fill_n(properties.maxSurface3D, 3, kMaxTexture3D);
  properties.maxTexture1DLayered[0] = properties.maxSurface1DLayered[0] = kMaxTexture1D;
  properties.maxTexture1DLayered[1] = properties.maxSurface1DLayered[1] = kMaxLayers;
  properties.maxTexture2DLayered[0] = properties.maxSurface2DLayered[0] = kMaxTexture2D[0];
  properties.maxTexture2DLayered[1] = properties.maxSurface2DLayered[1] = kMaxTexture2D[1];
  properties.maxTexture2DLayered[2] = properties.maxSurface2DLayered[2] = kMaxLayers;
  properties.maxTextureCubemap = properties.maxSurfaceCubemap = kMaxTexture2D[1];
}

}  // namespace

cudaDeviceProp properties_of(const machine::DeviceDescription& device) {
  cudaDeviceProp properties;
  std::memset(&properties, 0, sizeof(properties));
  device.name.copy(properties.name, sizeof(properties.name) - 1);
  properties.totalGlobalMem = static_cast<std::size_t>(device.memory_bytes);
  properties.sharedMemPerBlock = static_cast<std::size_t>(device.shared_bytes_per_block);
  properties.sharedMemPerBlockOptin =
      static_cast<std::size_t>(device.shared_bytes_per_multiprocessor);
  properties.sharedMemPerMultiprocessor =
      static_cast<std::size_t>(device.shared_bytes_per_multiprocessor);
  properties.regsPerBlock = device.registers_per_block;
  properties.regsPerMultiprocessor = device.registers_per_multiprocessor;
  properties.warpSize = device.warp_size;
  properties.memPitch = kMaxPitch;
  properties.maxThreadsPerBlock = device.max_threads_per_block;
  for (std::size_t i = 0; i < 3; ++i) {
    properties.maxThreadsDim[i] = device.max_block[i];
    properties.maxGridSize[i] = to_int(device.max_grid[i]);
  }
  properties.clockRate = device.clock_khz;
  properties.totalConstMem = static_cast<std::size_t>(device.constant_bytes);
  properties.major = device.compute_major;
  properties.minor = device.compute_minor;
  properties.multiProcessorCount = device.multiprocessors;
  properties.maxThreadsPerMultiProcessor = device.max_threads_per_multiprocessor;
  properties.maxBlocksPerMultiProcessor = device.max_blocks_per_multiprocessor;
  properties.memoryClockRate = device.memory_clock_khz;
  properties.memoryBusWidth = device.memory_bus_bits;
  properties.l2CacheSize = device.l2_bytes;
  properties.singleToDoublePrecisionPerfRatio = 2;
  // Programs choose their path by these and some give up when deviceOverlap is 0.
  properties.deviceOverlap = 1;
  properties.asyncEngineCount = 1;
  properties.canMapHostMemory = 1;
  properties.concurrentKernels = device.concurrent_kernels > 1 ? 1 : 0;
  properties.unifiedAddressing = 1;
  properties.managedMemory = 1;
  properties.streamPrioritiesSupported = 1;
  properties.globalL1CacheSupported = 1;
  properties.localL1CacheSupported = 1;
  properties.cooperativeLaunch = 1;
  properties.hostRegisterSupported = 1;
  properties.memoryPoolsSupported = 1;
  properties.computeMode = cudaComputeModeDefault;
  properties.pciBusID = 1;
  set_texture_limits(properties);
  return properties;
}

std::optional<int> attribute_of(const machine::DeviceDescription& device,
                                cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return device.max_threads_per_block;
    case cudaDevAttrMaxBlockDimX: return device.max_block[0];
    case cudaDevAttrMaxBlockDimY: return device.max_block[1];
    case cudaDevAttrMaxBlockDimZ: return device.max_block[2];
    case cudaDevAttrMaxGridDimX: return to_int(device.max_grid[0]);
    case cudaDevAttrMaxGridDimY: return to_int(device.max_grid[1]);
    case cudaDevAttrMaxGridDimZ: return to_int(device.max_grid[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock: return device.shared_bytes_per_block;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return device.shared_bytes_per_multiprocessor;
    case cudaDevAttrTotalConstantMemory: return to_int(device.constant_bytes);
    case cudaDevAttrWarpSize: return device.warp_size;
    case cudaDevAttrMaxPitch: return kMaxPitch;
    case cudaDevAttrMaxRegistersPerBlock: return device.registers_per_block;
    case cudaDevAttrMaxRegistersPerMultiprocessor: return device.registers_per_multiprocessor;
    case cudaDevAttrClockRate: return device.clock_khz;
    case cudaDevAttrMemoryClockRate: return device.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth: return device.memory_bus_bits;
    case cudaDevAttrL2CacheSize: return device.l2_bytes;
    case cudaDevAttrMultiProcessorCount: return device.multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return device.max_threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return device.max_blocks_per_multiprocessor;
    case cudaDevAttrComputeCapabilityMajor: return device.compute_major;
    case cudaDevAttrComputeCapabilityMinor: return device.compute_minor;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: return 2;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment: return kTextureAlignment;
    case cudaDevAttrTexturePitchAlignment: return kTexturePitchAlignment;
    case cudaDevAttrMaxTexture1DWidth: return kMaxTexture1D;
    case cudaDevAttrMaxTexture2DWidth: return kMaxTexture2D[0];
    case cudaDevAttrMaxTexture2DHeight: return kMaxTexture2D[1];
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth: return kMaxTexture3D;
    case cudaDevAttrConcurrentKernels: return device.concurrent_kernels > 1 ? 1 : 0;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrVirtualMemoryManagementSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrPciBusId: return 1;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeMultiDeviceLaunch:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost: return 0;
  }
  return std::nullopt;
}

}  // namespace raddle::host
