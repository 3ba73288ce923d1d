// Memory that is allocated and freed in the order of a stream, and pools of it. Streams run in
// order and nothing overlaps an allocation, so memory is there at once and freed at once. A pool
// counts what it has given; it keeps nothing back for later.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

#include "host/api_call.h"
#include "host/memory_pools.h"
#include "host/stream_capture.h"

struct CUmemPoolHandle_st {
  std::uint64_t used = 0;
  std::uint64_t most_used = 0;
  std::uint64_t release_threshold = 0;
  std::uint64_t max_bytes = 0;  // 0: what the device has
  int reuse[3] = {1, 1, 1};     // by attribute, from cudaMemPoolReuseFollowEventDependencies on
};

using namespace raddle::host;

namespace {

struct Pools {
  CUmemPoolHandle_st standard;
  CUmemPoolHandle_st* current = &standard;
  std::map<const CUmemPoolHandle_st*, std::unique_ptr<CUmemPoolHandle_st>> made;
  struct Piece {
    CUmemPoolHandle_st* pool = nullptr;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint64_t, Piece> pieces;  // by address
};

Pools& pools() {
  static auto* const all = new Pools;
  return *all;
}

bool is_pool(const CUmemPoolHandle_st* pool) {
  return pool == &pools().standard || pools().made.contains(pool);
}

cudaError_t allocate(Session& session, void** pointer, std::size_t bytes,
                     CUmemPoolHandle_st& pool) {
  if (pool.max_bytes != 0 && bytes > pool.max_bytes - std::min(pool.used, pool.max_bytes))
    return cudaErrorMemoryAllocation;
  const auto address = session.device().memory().allocate(bytes);
  if (!address) return cudaErrorMemoryAllocation;
  pool.used += bytes;
  pool.most_used = std::max(pool.most_used, pool.used);
  pools().pieces[*address] = {&pool, bytes};
  *pointer = reinterpret_cast<void*>(*address);
  return cudaSuccess;
}

// Memory of a graph is there from its capture on, so that its address does not change.
cudaError_t allocate_in_stream(void** pointer, std::size_t bytes, CUmemPoolHandle_st* chosen,
                               cudaStream_t stream) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    *pointer = nullptr;
    CUmemPoolHandle_st* pool = chosen != nullptr ? chosen : pools().current;
    if (!is_pool(pool)) return cudaErrorInvalidValue;
    if (bytes == 0) return cudaSuccess;
    if (is_capturing(stream)) {
      if (capture_node(stream, cudaGraphNodeTypeMemAlloc) == nullptr)
        return cudaErrorStreamCaptureInvalidated;
      return allocate(session, pointer, bytes, *pool);
    }
    const cudaError_t status = session.run_queued();
    return status != cudaSuccess ? status : allocate(session, pointer, bytes, *pool);
  });
}

std::uint64_t* number_of(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: return &pool.release_threshold;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: return &pool.used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: return &pool.most_used;
    default: return nullptr;
  }
}

int* switch_of(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute) {
  const int index = attribute - cudaMemPoolReuseFollowEventDependencies;
  return index >= 0 && index < 3 ? &pool.reuse[index] : nullptr;
}

template <class Body>
cudaError_t pool_call(cudaMemPool_t pool, Body&& body) {
  return api_call(
      [&](Session&) -> cudaError_t { return is_pool(pool) ? body(*pool) : cudaErrorInvalidValue; });
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
  return allocate_in_stream(pointer, size, nullptr, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (pool == nullptr) return Session::record(cudaErrorInvalidValue);
  return allocate_in_stream(pointer, size, pool, stream);
}

// What a graph frees it has again at its next launch.
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  bool captured = false;
  const cudaError_t status = queueing_call([&](Session& session) -> cudaError_t {
    if (!session.device().owns(stream)) return cudaErrorInvalidResourceHandle;
    captured = is_capturing(stream);
    if (!captured) return cudaSuccess;
    return capture_node(stream, cudaGraphNodeTypeMemFree) != nullptr
               ? cudaSuccess
               : cudaErrorStreamCaptureInvalidated;
  });
  return captured || status != cudaSuccess ? status : cudaFree(pointer);
}

void raddle::host::forget_pool_memory(std::uint64_t address) {
  const auto found = pools().pieces.find(address);
  if (found == pools().pieces.end()) return;
  found->second.pool->used -= found->second.bytes;
  pools().pieces.erase(found);
}

void raddle::host::forget_all_pool_memory() {
  for (const auto& [address, piece] : pools().pieces) piece.pool->used -= piece.bytes;
  pools().pieces.clear();
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (device != 0) return cudaErrorInvalidDevice;
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = &pools().standard;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (device != 0) return cudaErrorInvalidDevice;
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = pools().current;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return pool_call(pool, [=](CUmemPoolHandle_st& chosen) -> cudaError_t {
    if (device != 0) return cudaErrorInvalidDevice;
    pools().current = &chosen;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return queueing_call([=](Session&) -> cudaError_t {
    if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone) {
      Session::explain("a pool that is shared with other processes is not supported");
      return cudaErrorNotSupported;
    }
    const bool fits = properties->allocType == cudaMemAllocationTypePinned &&
                      properties->location.type == cudaMemLocationTypeDevice &&
                      properties->location.id == 0;
    if (!fits) return cudaErrorInvalidValue;
    auto made = std::make_unique<CUmemPoolHandle_st>();
    made->max_bytes = properties->maxSize;
    *pool = made.get();
    pools().made[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

// What was allocated from it stays until it is freed, and then counts for the default pool.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return pool_call(pool, [](CUmemPoolHandle_st& gone) -> cudaError_t {
    if (&gone == &pools().standard) return cudaErrorInvalidValue;
    for (auto& [address, piece] : pools().pieces) {
      if (piece.pool != &gone) continue;
      piece.pool = &pools().standard;
      pools().standard.used += piece.bytes;
    }
    if (pools().current == &gone) pools().current = &pools().standard;
    pools().made.erase(&gone);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return pool_call(pool, [](CUmemPoolHandle_st&) -> cudaError_t { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return pool_call(pool, [=](CUmemPoolHandle_st& chosen) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (int* on = switch_of(chosen, attribute); on != nullptr) {
      *on = *static_cast<const int*>(value);
      return cudaSuccess;
    }
    const std::uint64_t number = *static_cast<const std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold: chosen.release_threshold = number; return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:  // can be set back, and to nothing else
        if (number != 0) return cudaErrorInvalidValue;
        chosen.most_used = chosen.used;
        return cudaSuccess;
      default: return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return pool_call(pool, [=](CUmemPoolHandle_st& chosen) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (const int* on = switch_of(chosen, attribute); on != nullptr) {
      *static_cast<int*>(value) = *on;
    } else if (const std::uint64_t* number = number_of(chosen, attribute); number != nullptr) {
      *static_cast<std::uint64_t*>(value) = *number;
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list, size_t count) {
  return pool_call(pool, [=](CUmemPoolHandle_st&) -> cudaError_t {
    if (count != 0 && list == nullptr) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const cudaMemLocation& location = list[i].location;
      if (location.type != cudaMemLocationTypeDevice || location.id != 0)
        return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  return pool_call(pool, [=](CUmemPoolHandle_st&) -> cudaError_t {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    const bool ours = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = ours ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}
