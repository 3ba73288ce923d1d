// The driver interface, first part: the driver itself, its one device and that device's one
// context.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>

#include "host/device_properties.h"
#include "host/driver_call.h"

using namespace raddle::host;

namespace {

struct ErrorName {
  int number;
  const char* name;
};

constexpr ErrorName kErrors[] = {
#define RADDLE_CUDA_DRIVER_ERROR(name, number) {number, #name},
#include "../../include/raddle/cuda/device/driver_error_codes.def"
#undef RADDLE_CUDA_DRIVER_ERROR
};

const char* name_of_error(int number) {
  for (const ErrorName& error : kErrors) {
    if (error.number == number) return error.name;
  }
  return nullptr;
}

CUresult give_context(CUcontext* context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = the_context();
  return CUDA_SUCCESS;
}

CUresult check_device(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult check_context(CUcontext context) {
  return context == nullptr || context == the_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace

namespace raddle::host {

// The driver's codes are the runtime's wherever both have one; what the runtime tells apart in
// configurations, pitches and formats is an invalid value here.
CUresult to_result(cudaError_t error) {
  if (error == cudaErrorInvalidSymbol) return CUDA_ERROR_NOT_FOUND;
  return name_of_error(error) != nullptr ? static_cast<CUresult>(error) : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace raddle::host

// --- the driver
CUresult cuInit(unsigned int flags) {
  return driver_call([=](Session&) { return flags == 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

CUresult cuDriverGetVersion(int* version) {
  return through_runtime([=] { return cudaDriverGetVersion(version); });
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool known = name_of_error(error) != nullptr;
  *text = known ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = name_of_error(error);
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetProcAddress(const char* symbol, void** function, int, cuuint64_t,
                          CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = dlsym(RTLD_DEFAULT, symbol);
  if (status != nullptr) {
    *status =
        *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

// --- devices
CUresult cuDeviceGetCount(int* count) {
  return through_runtime([=] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (name == nullptr || length <= 0) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const std::string& full = session.description().name;
    const std::size_t count = full.copy(name, static_cast<std::size_t>(length) - 1);
    name[count] = '\0';
    return cudaSuccess;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (uuid == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *uuid = properties_of(session.description()).uuid;
    return cudaSuccess;
  });
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *bytes = static_cast<size_t>(session.description().memory_bytes);
    return cudaSuccess;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return through_runtime([=] {
    return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
  });
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const cudaDeviceProp all = properties_of(session.description());
    *properties = {};
    properties->maxThreadsPerBlock = all.maxThreadsPerBlock;
    std::copy_n(all.maxThreadsDim, 3, properties->maxThreadsDim);
    std::copy_n(all.maxGridSize, 3, properties->maxGridSize);
    properties->sharedMemPerBlock = static_cast<int>(all.sharedMemPerBlock);
    properties->totalConstantMemory = static_cast<int>(all.totalConstMem);
    properties->SIMDWidth = all.warpSize;
    properties->memPitch = static_cast<int>(all.memPitch);
    properties->regsPerBlock = all.regsPerBlock;
    properties->clockRate = all.clockRate;
    properties->textureAlign = static_cast<int>(all.textureAlignment);
    return cudaSuccess;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const CUresult result =
      cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result != CUDA_SUCCESS) return result;
  return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* bus_id) {
  return through_runtime([=] { return cudaDeviceGetByPCIBusId(device, bus_id); });
}
CUresult cuDeviceGetPCIBusId(char* bus_id, int length, CUdevice device) {
  return through_runtime([=] { return cudaDeviceGetPCIBusId(bus_id, length, device); });
}
CUresult cuDeviceCanAccessPeer(int* can_access, CUdevice device, CUdevice peer) {
  return through_runtime([=] { return cudaDeviceCanAccessPeer(can_access, device, peer); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  const CUresult result = give_context(context);
  return result == CUDA_SUCCESS ? check_device(device) : result;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return check_device(device); }
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return device == 0 ? cuCtxDestroy(the_context()) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int) { return check_device(device); }
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = CU_CTX_SCHED_AUTO;
  *active = 1;
  return check_device(device);
}

// --- contexts
CUresult cuCtxCreate(CUcontext* context, unsigned int, CUdevice device) {
  return cuDevicePrimaryCtxRetain(context, device);
}
CUresult cuCtxDestroy(CUcontext context) {
  const CUresult result = check_context(context);
  if (result != CUDA_SUCCESS) return result;
  return through_runtime([] { return cudaDeviceReset(); });
}
CUresult cuCtxAttach(CUcontext* context, unsigned int) { return give_context(context); }
CUresult cuCtxDetach(CUcontext context) { return check_context(context); }
CUresult cuCtxPushCurrent(CUcontext context) { return check_context(context); }
CUresult cuCtxPopCurrent(CUcontext* context) {
  return context == nullptr ? CUDA_SUCCESS : give_context(context);
}
CUresult cuCtxSetCurrent(CUcontext context) { return check_context(context); }
CUresult cuCtxGetCurrent(CUcontext* context) { return give_context(context); }

CUresult cuCtxGetDevice(CUdevice* device) { return cuDeviceGet(device, 0); }
CUresult cuCtxGetFlags(unsigned int* flags) {
  return through_runtime([=] { return cudaGetDeviceFlags(flags); });
}
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return check_context(context);
}
CUresult cuCtxSynchronize() {
  return through_runtime([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return through_runtime([=] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return through_runtime([=] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return through_runtime(
      [=] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return through_runtime(
      [=] { return cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config)); });
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return through_runtime(
      [=] { return cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(config)); });
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return through_runtime(
      [=] { return cudaDeviceGetSharedMemConfig(reinterpret_cast<cudaSharedMemConfig*>(config)); });
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return through_runtime([=] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
