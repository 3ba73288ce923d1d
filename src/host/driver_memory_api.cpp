// The driver interface: memory, copies, fills and arrays. An address is a number here and a pointer
// in the runtime, whose memory it is.
#include <algorithm>
#include <limits>

#include "host/copying.h"
#include "host/driver_call.h"

using namespace raddle::host;

namespace {

using raddle::kernel::Allocation;
using raddle::kernel::AllocationKind;

// What the runtime writes as a pointer.
template <class Allocate>
CUresult allocate(CUdeviceptr* pointer, Allocate allocate) {
  if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
  void* memory = nullptr;
  const CUresult result = through_runtime([&] { return allocate(&memory); });
  *pointer = reinterpret_cast<std::uintptr_t>(memory);
  return result;
}

CUresult copy(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind,
              CUstream stream) {
  return through_runtime([=] { return cudaMemcpyAsync(destination, source, bytes, kind, stream); });
}

CUresult fill(CUdeviceptr pointer, size_t pitch, const Pattern& pattern, size_t width,
              size_t height, CUstream stream) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    if (pointer % pattern.bytes != 0 || pitch % pattern.bytes != 0 ||
        width > std::numeric_limits<size_t>::max() / pattern.bytes) {
      return cudaErrorInvalidValue;
    }
    const Box box{width * pattern.bytes, height, 1};
    if (height > 1 && box.width > pitch) return cudaErrorInvalidValue;
    return fill_box(session, {pointer, pitch, 0}, pattern, box);
  });
}

// One side of a 2-D or 3-D copy as the driver describes it. The runtime counts elements as soon as
// an array takes part; here everything is in bytes.
struct CopySide {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch, rows;
  size_t x, y, z;
};

struct RuntimeSide {
  cudaArray_t array = nullptr;
  cudaPitchedPtr pointer{};
  cudaPos position{};
};

// Null where the handle is no array; 1 for memory.
size_t unit_of(Session& session, const CopySide& side) {
  if (side.type != CU_MEMORYTYPE_ARRAY) return 1;
  return session.device().owns(side.array) ? side.array->element_bytes : 0;
}

RuntimeSide runtime_side(const CopySide& side, size_t width, size_t height, size_t unit) {
  RuntimeSide result;
  if (side.type == CU_MEMORYTYPE_ARRAY) {
    result.array = side.array;
    result.position = {side.x / unit, side.y, side.z};
    return result;
  }
  void* memory =
      side.type == CU_MEMORYTYPE_HOST ? const_cast<void*>(side.host) : to_pointer(side.device);
  const size_t pitch = side.pitch != 0 ? side.pitch : side.x + width;
  result.pointer = {memory, pitch, pitch, side.rows != 0 ? side.rows : side.y + height};
  result.position = {side.x, side.y, side.z};
  return result;
}

CUresult copy_box_of(const CopySide& from, const CopySide& to, size_t width, size_t height,
                     size_t depth, CUstream stream) {
  size_t from_unit = 0;
  size_t to_unit = 0;
  const CUresult known = driver_call([&](Session& session) -> cudaError_t {
    from_unit = unit_of(session, from);
    to_unit = unit_of(session, to);
    return from_unit == 0 || to_unit == 0 ? cudaErrorInvalidResourceHandle : cudaSuccess;
  });
  if (known != CUDA_SUCCESS) return known;
  const size_t unit = std::max(from_unit, to_unit);
  if (width % unit != 0 || from.x % from_unit != 0 || to.x % to_unit != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (const CopySide* side : {&from, &to}) {
    const bool is_memory = side->type != CU_MEMORYTYPE_ARRAY;
    if (is_memory && side->pitch != 0 && side->pitch < side->x + width)
      return CUDA_ERROR_INVALID_VALUE;
  }
  const RuntimeSide source = runtime_side(from, width, height, unit);
  const RuntimeSide destination = runtime_side(to, width, height, unit);
  cudaMemcpy3DParms parameters{};
  parameters.srcArray = source.array;
  parameters.srcPtr = source.pointer;
  parameters.srcPos = source.position;
  parameters.dstArray = destination.array;
  parameters.dstPtr = destination.pointer;
  parameters.dstPos = destination.position;
  parameters.extent = {width / unit, height, depth};
  parameters.kind = cudaMemcpyDefault;
  return through_runtime([&] { return cudaMemcpy3DAsync(&parameters, stream); });
}

// A row of an array, from an offset in bytes on.
CopySide array_row(CUarray array, size_t offset) {
  return {CU_MEMORYTYPE_ARRAY, nullptr, 0, array, 0, 0, offset, 0, 0};
}
CopySide memory_row(CUmemorytype type, const void* host, CUdeviceptr device) {
  return {type, host, device, nullptr, 0, 0, 0, 0, 0};
}

struct Format {
  CUarray_format format;
  int bits;
  cudaChannelFormatKind kind;
};
constexpr Format kFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

}  // namespace

// --- allocating
CUresult cuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return through_runtime([=] { return cudaMemGetInfo(free_bytes, total_bytes); });
}
CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return allocate(pointer, [=](void** memory) { return cudaMalloc(memory, bytes); });
}
CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height,
                         unsigned int element_bytes) {
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
    return CUDA_ERROR_INVALID_VALUE;
  if (width == 0 || height == 0) return CUDA_ERROR_INVALID_VALUE;
  return allocate(pointer,
                  [=](void** memory) { return cudaMallocPitch(memory, pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned int flags) {
  return allocate(pointer, [=](void** memory) { return cudaMallocManaged(memory, bytes, flags); });
}
CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  return allocate(pointer, [=](void** memory) { return cudaMallocAsync(memory, bytes, stream); });
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return through_runtime([=] { return cudaFreeAsync(to_pointer(pointer), stream); });
}
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream) {
  return through_runtime(
      [=] { return cudaMemPrefetchAsync(to_pointer(pointer), bytes, device, stream); });
}
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device) {
  return through_runtime([=] {
    return cudaMemAdvise(to_pointer(pointer), bytes, static_cast<cudaMemoryAdvise>(advice), device);
  });
}
CUresult cuMemFree(CUdeviceptr pointer) {
  return through_runtime([=] { return cudaFree(to_pointer(pointer)); });
}
CUresult cuMemAllocHost(void** pointer, size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }
CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return through_runtime([=] { return cudaHostAlloc(pointer, bytes, flags); });
}
CUresult cuMemFreeHost(void* pointer) {
  return through_runtime([=] { return cudaFreeHost(pointer); });
}
CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return through_runtime([=] { return cudaHostRegister(pointer, bytes, flags); });
}
CUresult cuMemHostUnregister(void* pointer) {
  return through_runtime([=] { return cudaHostUnregister(pointer); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host, unsigned int flags) {
  return allocate(device,
                  [=](void** memory) { return cudaHostGetDevicePointer(memory, host, flags); });
}
CUresult cuMemHostGetFlags(unsigned int* flags, void* host) {
  return through_runtime([=] { return cudaHostGetFlags(flags, host); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer) {
  return driver_call([=](Session& session) -> cudaError_t {
    const Allocation* allocation = session.device().memory().find(pointer);
    if (allocation == nullptr) return cudaErrorInvalidSymbol;
    if (base != nullptr) *base = allocation->address;
    if (bytes != nullptr) *bytes = allocation->bytes;
    return cudaSuccess;
  });
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    const Allocation* allocation = session.device().memory().find(pointer);
    if (allocation == nullptr) return cudaErrorInvalidValue;
    const bool pinned = allocation->kind == AllocationKind::kPinnedHost;
    const bool managed = allocation->kind == AllocationKind::kManaged;
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_CONTEXT: *static_cast<CUcontext*>(value) = the_context(); break;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned int*>(value) = pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *static_cast<CUdeviceptr*>(value) = pointer; break;
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!pinned && !managed) return cudaErrorInvalidValue;
        *static_cast<void**>(value) = to_pointer(pointer);
        break;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<bool*>(value) = managed; break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(value) = 0; break;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<CUdeviceptr*>(value) = allocation->address;
        break;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<size_t*>(value) = allocation->bytes; break;
      default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

// --- copying
CUresult cuMemcpy(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  return cuMemcpyAsync(destination, source, bytes, nullptr);
}
CUresult cuMemcpyAsync(CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream) {
  return copy(to_pointer(destination), to_pointer(source), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoD(CUdeviceptr destination, const void* source, size_t bytes) {
  return cuMemcpyHtoDAsync(destination, source, bytes, nullptr);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr destination, const void* source, size_t bytes,
                           CUstream stream) {
  return copy(to_pointer(destination), source, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoH(void* destination, CUdeviceptr source, size_t bytes) {
  return cuMemcpyDtoHAsync(destination, source, bytes, nullptr);
}
CUresult cuMemcpyDtoHAsync(void* destination, CUdeviceptr source, size_t bytes, CUstream stream) {
  return copy(destination, to_pointer(source), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoD(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  return cuMemcpyDtoDAsync(destination, source, bytes, nullptr);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr destination, CUdeviceptr source, size_t bytes,
                           CUstream stream) {
  return copy(to_pointer(destination), to_pointer(source), bytes, cudaMemcpyDeviceToDevice, stream);
}

CUresult cuMemcpyHtoA(CUarray destination, size_t offset, const void* source, size_t bytes) {
  return copy_box_of(memory_row(CU_MEMORYTYPE_HOST, source, 0), array_row(destination, offset),
                     bytes, 1, 1, nullptr);
}
CUresult cuMemcpyAtoH(void* destination, CUarray source, size_t offset, size_t bytes) {
  return copy_box_of(array_row(source, offset), memory_row(CU_MEMORYTYPE_HOST, destination, 0),
                     bytes, 1, 1, nullptr);
}
CUresult cuMemcpyDtoA(CUarray destination, size_t offset, CUdeviceptr source, size_t bytes) {
  return copy_box_of(memory_row(CU_MEMORYTYPE_DEVICE, nullptr, source),
                     array_row(destination, offset), bytes, 1, 1, nullptr);
}
CUresult cuMemcpyAtoD(CUdeviceptr destination, CUarray source, size_t offset, size_t bytes) {
  return copy_box_of(array_row(source, offset),
                     memory_row(CU_MEMORYTYPE_DEVICE, nullptr, destination), bytes, 1, 1, nullptr);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy) { return cuMemcpy2DAsync(copy, nullptr); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) { return cuMemcpy2DAsync(copy, nullptr); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return copy_box_of({copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray,
                      copy->srcPitch, 0, copy->srcXInBytes, copy->srcY, 0},
                     {copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray,
                      copy->dstPitch, 0, copy->dstXInBytes, copy->dstY, 0},
                     copy->WidthInBytes, copy->Height, 1, stream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D* copy) { return cuMemcpy3DAsync(copy, nullptr); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return copy_box_of({copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray,
                      copy->srcPitch, copy->srcHeight, copy->srcXInBytes, copy->srcY, copy->srcZ},
                     {copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray,
                      copy->dstPitch, copy->dstHeight, copy->dstXInBytes, copy->dstY, copy->dstZ},
                     copy->WidthInBytes, copy->Height, copy->Depth, stream);
}

// --- filling
CUresult cuMemsetD8(CUdeviceptr pointer, unsigned char value, size_t count) {
  return fill(pointer, 0, {value, 1}, count, 1, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr pointer, unsigned short value, size_t count) {
  return fill(pointer, 0, {value, 2}, count, 1, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr pointer, unsigned int value, size_t count) {
  return fill(pointer, 0, {value, 4}, count, 1, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr pointer, unsigned char value, size_t count, CUstream stream) {
  return fill(pointer, 0, {value, 1}, count, 1, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr pointer, unsigned short value, size_t count,
                          CUstream stream) {
  return fill(pointer, 0, {value, 2}, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr pointer, unsigned int value, size_t count, CUstream stream) {
  return fill(pointer, 0, {value, 4}, count, 1, stream);
}
CUresult cuMemsetD2D8(CUdeviceptr pointer, size_t pitch, unsigned char value, size_t width,
                      size_t height) {
  return fill(pointer, pitch, {value, 1}, width, height, nullptr);
}
CUresult cuMemsetD2D16(CUdeviceptr pointer, size_t pitch, unsigned short value, size_t width,
                       size_t height) {
  return fill(pointer, pitch, {value, 2}, width, height, nullptr);
}
CUresult cuMemsetD2D32(CUdeviceptr pointer, size_t pitch, unsigned int value, size_t width,
                       size_t height) {
  return fill(pointer, pitch, {value, 4}, width, height, nullptr);
}

// --- arrays
CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* descriptor) {
  if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR full{descriptor->Width,  descriptor->Height,      0,
                                     descriptor->Format, descriptor->NumChannels, 0};
  return cuArray3DCreate(array, &full);
}

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* descriptor) {
  if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const unsigned int channels = descriptor->NumChannels;
  if (channels != 1 && channels != 2 && channels != 4) return CUDA_ERROR_INVALID_VALUE;
  for (const Format& format : kFormats) {
    if (format.format != descriptor->Format) continue;
    const cudaChannelFormatDesc desc{format.bits, channels > 1 ? format.bits : 0,
                                     channels > 2 ? format.bits : 0, channels > 2 ? format.bits : 0,
                                     format.kind};
    const cudaExtent extent{descriptor->Width, descriptor->Height, descriptor->Depth};
    return through_runtime(
        [&] { return cudaMalloc3DArray(array, &desc, extent, descriptor->Flags); });
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray array) {
  if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR full{};
  const CUresult result = cuArray3DGetDescriptor(&full, array);
  if (result == CUDA_SUCCESS)
    *descriptor = {full.Width, full.Height, full.Format, full.NumChannels};
  return result;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray array) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (descriptor == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(array)) return cudaErrorInvalidResourceHandle;
    *descriptor = {
        array->extent.width, array->extent.height, array->extent.depth, CU_AD_FORMAT_FLOAT, 1,
        array->flags};
    for (const Format& format : kFormats) {
      if (format.bits == array->desc.x && format.kind == array->desc.f)
        descriptor->Format = format.format;
    }
    descriptor->NumChannels =
        static_cast<unsigned int>(array->element_bytes * 8) / static_cast<unsigned>(array->desc.x);
    return cudaSuccess;
  });
}

CUresult cuArrayDestroy(CUarray array) {
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return through_runtime([=] { return cudaFreeArray(array); });
}
