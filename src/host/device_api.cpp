// There is one device: the simulated machine.
#include <array>
#include <cstring>
#include <string_view>

#include "host/api_call.h"
#include "host/device_properties.h"
#include "host/launching.h"

using namespace raddle::host;

namespace {

constexpr const char* kBusId = "0000:01:00.0";
constexpr int kVersion = CUDART_VERSION;

// Limits and preferences are remembered so that programs read back what they set; the machine's
// parameters decide what is simulated.
std::array<size_t, 7> limits{1024, 1u << 20, 8u << 20, 2, 2048, 128, 0};
cudaSharedMemConfig shared_config = cudaSharedMemBankSizeFourByte;
unsigned int device_flags = cudaDeviceScheduleAuto;

template <class T>
cudaError_t give(T* place, T value) {
  return query_call([=](Session&) -> cudaError_t {
    if (place == nullptr) return cudaErrorInvalidValue;
    *place = value;
    return cudaSuccess;
  });
}

cudaError_t check_device(int device) {
  return query_call(
      [=](Session&) -> cudaError_t { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t reset() {
  return query_call([](Session& session) -> cudaError_t {
    session.reset_device();
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaDeviceReset() { return reset(); }
cudaError_t cudaThreadExit() { return reset(); }

cudaError_t cudaDeviceSynchronize() {
  return api_call([](Session& session) {
    session.synchronised();
    return cudaSuccess;
  });
}
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api_call([=](Session&) -> cudaError_t {
    if (limit < 0 || static_cast<size_t>(limit) >= limits.size()) return cudaErrorUnsupportedLimit;
    limits[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api_call([=](Session&) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (limit < 0 || static_cast<size_t>(limit) >= limits.size()) return cudaErrorUnsupportedLimit;
    *value = limits[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return queueing_call([=](Session& session) -> cudaError_t {
    if (!is_preference(config)) return cudaErrorInvalidValue;
    session.device().cache_preference = config;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return query_call([=](Session& session) -> cudaError_t {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = session.description().splits_l1 ? session.device().cache_preference
                                              : cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return api_call([=](Session&) -> cudaError_t {
    shared_config = config;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return give(config, shared_config);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = 0;
  return check_device(0);
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* bus_id) {
  if (device == nullptr || bus_id == nullptr) return Session::record(cudaErrorInvalidValue);
  return std::string_view(bus_id) == kBusId ? give(device, 0) : check_device(-1);
}

cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int device) {
  const bool fits = bus_id != nullptr && length > static_cast<int>(std::strlen(kBusId));
  if (!fits) return Session::record(cudaErrorInvalidValue);
  const cudaError_t status = check_device(device);
  if (status == cudaSuccess) std::strcpy(bus_id, kBusId);
  return status;
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  if (device != 0 || peer != 0) return check_device(-1);
  return give(can_access, 0);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return check_device(-1); }
cudaError_t cudaDeviceDisablePeerAccess(int) {
  return query_call([](Session&) { return cudaErrorPeerAccessNotEnabled; });
}

cudaError_t cudaGetDeviceCount(int* count) { return give(count, 1); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return query_call([=](Session& session) -> cudaError_t {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *properties = properties_of(session.description());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return query_call([=](Session& session) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const std::optional<int> found = attribute_of(session.description(), attribute);
    if (!found) return cudaErrorInvalidValue;
    *value = *found;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int*, int, int, int) { return check_device(-1); }

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  if (properties == nullptr) return Session::record(cudaErrorInvalidValue);
  return give(device, 0);
}

cudaError_t cudaSetDevice(int device) { return check_device(device); }
cudaError_t cudaGetDevice(int* device) { return give(device, 0); }
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return check_device(device); }

cudaError_t cudaSetValidDevices(int* devices, int count) {
  for (int i = 0; i < count; ++i) {
    if (devices == nullptr || devices[i] != 0) return check_device(-1);
  }
  return check_device(0);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return query_call([=](Session&) -> cudaError_t {
    if ((flags & ~static_cast<unsigned int>(cudaDeviceMask)) != 0) return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceFlags(unsigned int* flags) { return give(flags, device_flags); }

cudaError_t cudaDriverGetVersion(int* version) { return give(version, kVersion); }
cudaError_t cudaRuntimeGetVersion(int* version) { return give(version, kVersion); }
