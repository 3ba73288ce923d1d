// Allocating, freeing and asking about memory.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "host/api_call.h"
#include "host/copying.h"
#include "host/memory_pools.h"
#include "kernel/allocation_text.h"

namespace raddle::host {
namespace {

using kernel::Allocation;
using kernel::AllocationKind;

// Rows of pitched memory start where a warp's access of 16 bytes a thread starts a segment.
constexpr std::size_t kPitchBytes = 512;
constexpr std::size_t kArrayRowBytes = 32;
constexpr std::size_t kNoSize = std::numeric_limits<std::size_t>::max();

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The product, or kNoSize where it does not fit.
std::size_t product(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kNoSize : result;
}

cudaError_t allocate(Session& session, void** pointer, std::size_t size, AllocationKind kind) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  if (size == kNoSize) return cudaErrorMemoryAllocation;
  const std::optional<std::uint64_t> address = session.device().memory().allocate(size, kind);
  if (!address) return cudaErrorMemoryAllocation;
  *pointer = reinterpret_cast<void*>(*address);
  return cudaSuccess;
}

// Why memory cannot be freed.
std::string refused_free(const kernel::DeviceMemory& memory, std::uint64_t address) {
  if (const Allocation* live = memory.find(address); live != nullptr) {
    return fmt::format("{:#x} is {}, which another function frees", address,
                       kernel::whereabouts(memory, address));
  }
  if (const Allocation* freed = memory.find_released(address);
      freed != nullptr && freed->address == address)
    return fmt::format("freed twice: {}", kernel::allocation_text(memory, *freed));
  return fmt::format("nothing was allocated at {:#x}", address);
}

cudaError_t release(Session& session, void* pointer, bool pinned) {
  if (pointer == nullptr) return cudaSuccess;
  kernel::DeviceMemory& memory = session.device().memory();
  const Allocation* allocation = memory.find(address_of(pointer));
  const bool known = allocation != nullptr && allocation->address == address_of(pointer);
  const bool fits = known && (pinned ? allocation->kind == AllocationKind::kPinnedHost
                                     : allocation->kind == AllocationKind::kDevice ||
                                           allocation->kind == AllocationKind::kManaged);
  if (!fits) {
    Session::explain(refused_free(memory, address_of(pointer)));
    return cudaErrorInvalidValue;
  }
  session.synchronised();
  forget_pool_memory(address_of(pointer));
  memory.release(address_of(pointer));
  return cudaSuccess;
}

cudaError_t allocate_array(Session& session, cudaArray_t* array, const cudaChannelFormatDesc* desc,
                           cudaExtent extent, unsigned int flags) {
  if (array == nullptr || desc == nullptr || extent.width == 0) return cudaErrorInvalidValue;
  if ((flags & cudaArrayCubemap) != 0) {
    // Six square faces, for each layer where it has layers.
    const bool layered = (flags & cudaArrayLayered) != 0;
    if (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0 ||
        (!layered && extent.depth != 6)) {
      return cudaErrorInvalidValue;
    }
  }
  const int bits = desc->x + desc->y + desc->z + desc->w;
  const auto element = static_cast<unsigned>(bits / 8);
  const bool known_kind = desc->f == cudaChannelFormatKindSigned ||
                          desc->f == cudaChannelFormatKindUnsigned ||
                          desc->f == cudaChannelFormatKindFloat;
  if (bits <= 0 || bits % 8 != 0 || !std::has_single_bit(element) || element > 16 || !known_kind) {
    return cudaErrorInvalidChannelDescriptor;
  }
  auto made = std::make_unique<cudaArray>();
  made->desc = *desc;
  made->extent = extent;
  made->flags = flags;
  made->element_bytes = element;
  const std::size_t row = product(extent.width, element);
  if (row == kNoSize) return cudaErrorMemoryAllocation;
  made->row_bytes = round_up(row, kArrayRowBytes);
  made->slice_bytes = product(made->row_bytes, made->rows());
  const std::size_t bytes = product(made->slice_bytes, made->slices());
  if (bytes == kNoSize) return cudaErrorMemoryAllocation;
  const auto address = session.device().memory().allocate(bytes, AllocationKind::kArray);
  if (!address) return cudaErrorMemoryAllocation;
  made->address = *address;
  *array = session.device().adopt(std::move(made));
  return cudaSuccess;
}

}  // namespace
}  // namespace raddle::host

using namespace raddle::host;

cudaError_t cudaMalloc(void** pointer, size_t size) {
  return api_call(
      [=](Session& session) { return allocate(session, pointer, size, AllocationKind::kDevice); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned int flags) {
  return api_call([=](Session& session) -> cudaError_t {
    if (size == 0) return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate(session, pointer, size, AllocationKind::kManaged);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t size) { return cudaHostAlloc(pointer, size, 0); }

cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned int) {
  return api_call([=](Session& session) {
    return allocate(session, pointer, size, AllocationKind::kPinnedHost);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api_call([=](Session& session) -> cudaError_t {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    if (width > kNoSize - kPitchBytes) return cudaErrorMemoryAllocation;
    *pitch = round_up(width, kPitchBytes);
    return allocate(session, pointer, product(*pitch, height), AllocationKind::kDevice);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return api_call([=](Session& session) -> cudaError_t {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (extent.width > kNoSize - kPitchBytes) return cudaErrorMemoryAllocation;
    pointer->pitch = round_up(extent.width, kPitchBytes);
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    const std::size_t rows = product(extent.height, extent.depth);
    return allocate(session, &pointer->ptr, product(pointer->pitch, rows), AllocationKind::kDevice);
  });
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                            size_t height, unsigned int flags) {
  return api_call([=](Session& session) {
    return allocate_array(session, array, desc, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                              cudaExtent extent, unsigned int flags) {
  return api_call(
      [=](Session& session) { return allocate_array(session, array, desc, extent, flags); });
}

cudaError_t cudaFree(void* pointer) {
  return api_call([=](Session& session) { return release(session, pointer, false); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return api_call([=](Session& session) { return release(session, pointer, true); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return api_call([=](Session& session) -> cudaError_t {
    if (array == nullptr) return cudaSuccess;
    return session.device().release(array) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned int) {
  return api_call([=](Session& session) -> cudaError_t {
    if (pointer == nullptr || size == 0) return cudaErrorInvalidValue;
    return session.device().register_host_memory(pointer, size)
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api_call([=](Session& session) -> cudaError_t {
    return session.device().unregister_host_memory(pointer) ? cudaSuccess
                                                            : cudaErrorHostMemoryNotRegistered;
  });
}

// Registered memory gets a place on the device when somebody first asks for its device pointer.
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return api_call([=](Session& session) -> cudaError_t {
    if (device == nullptr || host == nullptr || flags != 0) return cudaErrorInvalidValue;
    const Allocation* allocation = session.device().memory().find(address_of(host));
    if (allocation != nullptr && allocation->kind == AllocationKind::kPinnedHost) {
      *device = host;
      return cudaSuccess;
    }
    if (!session.device().is_registered(host)) return cudaErrorInvalidValue;
    const std::optional<std::uint64_t> address = session.device().mirror_registered(host);
    if (!address) return cudaErrorMemoryAllocation;
    *device = reinterpret_cast<void*>(*address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  return api_call([=](Session& session) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const Allocation* allocation = session.device().memory().find(address_of(host));
    if (allocation == nullptr || allocation->kind != AllocationKind::kPinnedHost) {
      return cudaErrorInvalidValue;
    }
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return api_call([=](Session& session) -> cudaError_t {
    if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
    *free_bytes = session.device().memory().free_bytes();
    *total_bytes = session.device().memory().capacity();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api_call([=](Session& session) -> cudaError_t {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    auto* address = const_cast<void*>(pointer);
    const Allocation* allocation = session.device().memory().find(address_of(pointer));
    if (allocation == nullptr && session.device().is_registered(pointer)) {
      *attributes = {cudaMemoryTypeHost, 0, nullptr, address};
    } else if (allocation == nullptr && session.device().mirror_at(pointer) != nullptr) {
      *attributes = {cudaMemoryTypeManaged, 0, address, address};
    } else if (allocation == nullptr) {
      *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, address};
    } else if (allocation->kind == AllocationKind::kManaged) {
      *attributes = {cudaMemoryTypeManaged, 0, address, address};
    } else if (allocation->kind == AllocationKind::kPinnedHost) {
      *attributes = {cudaMemoryTypeHost, 0, address, address};
    } else {
      *attributes = {cudaMemoryTypeDevice, 0, address, nullptr};
    }
    return cudaSuccess;
  });
}

// Where managed memory lies has no cost here: advice is accepted.
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t, int device, cudaStream_t) {
  return api_call([=](Session& session) -> cudaError_t {
    if (device != 0 && device != cudaCpuDeviceId) return cudaErrorInvalidDevice;
    const Allocation* allocation = session.device().memory().find(address_of(pointer));
    const bool managed = allocation != nullptr && allocation->kind == AllocationKind::kManaged;
    return managed ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t count, cudaMemoryAdvise, int) {
  return cudaMemPrefetchAsync(pointer, count, 0, nullptr);
}

cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, size_t count, cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream) {
  if (flags != 0) return Session::record(cudaErrorInvalidValue);
  const bool on_device = location.type == cudaMemLocationTypeDevice;
  return cudaMemPrefetchAsync(pointer, count, on_device ? location.id : cudaCpuDeviceId, stream);
}

cudaError_t cudaMemAdvise_v2(const void* pointer, size_t count, cudaMemoryAdvise advice,
                             cudaMemLocation) {
  return cudaMemAdvise(pointer, count, advice, 0);
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t array) {
  return api_call([=](Session& session) -> cudaError_t {
    if (!session.device().owns(array)) return cudaErrorInvalidResourceHandle;
    if (desc != nullptr) *desc = array->desc;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
  });
}
