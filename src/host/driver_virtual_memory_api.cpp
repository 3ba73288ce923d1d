// The driver interface: addresses that are reserved first and get memory later. Here a reserved
// range has its memory from the start, so that a piece of memory can be mapped once, and is empty
// again when it is mapped anew.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>

#include "host/driver_call.h"

using namespace raddle::host;

namespace {

// Of pages, as CUDA's smallest is.
constexpr std::size_t kGranularity = std::size_t{2} << 20;

struct Memory {
  std::size_t bytes = 0;
  bool released = false;  // by its handle; a mapping keeps it
  bool mapped = false;
};

struct Mapping {
  std::size_t bytes = 0;
  CUmemGenericAllocationHandle memory = 0;
};

struct VirtualMemory {
  std::map<CUdeviceptr, std::size_t> reserved;
  std::map<CUdeviceptr, Mapping> mappings;
  std::map<CUmemGenericAllocationHandle, Memory> memories;
  CUmemGenericAllocationHandle next_handle = 1;
};

VirtualMemory& all() {
  static auto* const state = new VirtualMemory;
  return *state;
}

bool is_whole(std::size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

bool is_reserved(CUdeviceptr pointer, std::size_t bytes) {
  auto range = all().reserved.upper_bound(pointer);
  if (range == all().reserved.begin()) return false;
  range = std::prev(range);
  return pointer + bytes <= range->first + range->second;
}

bool overlaps_mapping(CUdeviceptr pointer, std::size_t bytes) {
  for (const auto& [begin, mapping] : all().mappings) {
    if (begin < pointer + bytes && pointer < begin + mapping.bytes) return true;
  }
  return false;
}

// What neither a handle nor a mapping holds any longer.
void drop_unused(CUmemGenericAllocationHandle handle) {
  const Memory& memory = all().memories.at(handle);
  if (memory.released && !memory.mapped) all().memories.erase(handle);
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
  if (granularity == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (pointer == nullptr || !is_whole(bytes) || flags != 0) return cudaErrorInvalidValue;
    if (alignment != 0 && (alignment & (alignment - 1)) != 0) return cudaErrorInvalidValue;
    const auto address = session.device().memory().allocate(
        bytes, raddle::kernel::AllocationKind::kDevice, std::max(alignment, kGranularity));
    if (!address) return cudaErrorMemoryAllocation;
    *pointer = *address;
    all().reserved[*address] = bytes;
    return cudaSuccess;
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  return driver_call([=](Session& session) -> cudaError_t {
    const auto range = all().reserved.find(pointer);
    if (range == all().reserved.end() || range->second != bytes) return cudaErrorInvalidValue;
    if (overlaps_mapping(pointer, bytes)) return cudaErrorInvalidValue;
    all().reserved.erase(range);
    session.device().memory().release(pointer);
    return cudaSuccess;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return driver_call([=](Session&) -> cudaError_t {
    if (handle == nullptr || properties == nullptr || flags != 0 || !is_whole(bytes))
      return cudaErrorInvalidValue;
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE) {
      Session::explain("memory that is shared with other processes is not supported");
      return cudaErrorNotSupported;
    }
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || properties->location.id != 0)
      return cudaErrorInvalidDevice;
    *handle = all().next_handle++;
    all().memories[*handle] = {bytes, false, false};
    return cudaSuccess;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver_call([=](Session&) -> cudaError_t {
    const auto memory = all().memories.find(handle);
    if (memory == all().memories.end() || memory->second.released) return cudaErrorInvalidValue;
    memory->second.released = true;
    drop_unused(handle);
    return cudaSuccess;
  });
}

CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return driver_call([=](Session& session) -> cudaError_t {
    const auto memory = all().memories.find(handle);
    if (memory == all().memories.end() || memory->second.released) return cudaErrorInvalidValue;
    if (flags != 0 || offset != 0 || bytes != memory->second.bytes) return cudaErrorInvalidValue;
    if (!is_reserved(pointer, bytes) || overlaps_mapping(pointer, bytes))
      return cudaErrorInvalidValue;
    if (memory->second.mapped) {
      Session::explain("memory that is mapped at two addresses is not supported");
      return cudaErrorNotSupported;
    }
    std::memset(session.device().memory().view(pointer), 0, bytes);
    session.host_wrote(pointer, bytes);
    memory->second.mapped = true;
    all().mappings[pointer] = {bytes, handle};
    return cudaSuccess;
  });
}

// The range may hold several mappings, whole ones.
CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  return driver_call([=](Session&) -> cudaError_t {
    auto& mappings = all().mappings;
    std::size_t found = 0;
    for (auto at = mappings.lower_bound(pointer);
         at != mappings.end() && at->first + at->second.bytes <= pointer + bytes; ++at)
      found += at->second.bytes;
    if (found != bytes || bytes == 0) return cudaErrorInvalidValue;
    while (true) {
      const auto at = mappings.lower_bound(pointer);
      if (at == mappings.end() || at->first >= pointer + bytes) return cudaSuccess;
      const CUmemGenericAllocationHandle handle = at->second.memory;
      mappings.erase(at);
      all().memories.at(handle).mapped = false;
      drop_unused(handle);
    }
  });
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc* list,
                        size_t count) {
  return driver_call([=](Session&) -> cudaError_t {
    if (list == nullptr || count == 0 || !is_reserved(pointer, bytes)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || list[i].location.id != 0)
        return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
  });
}
