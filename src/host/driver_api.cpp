// The part of the driver interface that cuda.h declares, on top of the runtime: one context, the
// same memory, and modules loaded from PTX.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "host/api_call.h"
#include "host/copying.h"
#include "host/device_properties.h"
#include "host/launching.h"

using namespace raddle::host;

namespace {

// The driver's codes are the runtime's wherever both have one; only invalid symbols differ.
CUresult to_result(cudaError_t error) {
  if (error == cudaErrorInvalidSymbol) return CUDA_ERROR_NOT_FOUND;
  if (error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidPitchValue) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return static_cast<CUresult>(error);
}

template <class Body>
CUresult driver_call(Body&& body) {
  const CUresult result = to_result(api_call(std::forward<Body>(body)));
  Session::clear_last_error();
  return result;
}

// There is nothing to tell contexts apart by; handles of modules and kernels are numbers.
CUcontext the_context() { return reinterpret_cast<CUcontext>(std::uintptr_t{1}); }

CUmodule to_module(std::uint32_t index) {
  return reinterpret_cast<CUmodule>(std::uintptr_t{index} + 1);
}
std::uint32_t to_index(CUmodule module) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(module) - 1);
}
CUfunction to_function(raddle::kernel::FunctionRef ref) {
  return reinterpret_cast<CUfunction>((std::uintptr_t{ref.module} << 32 | ref.function) + 1);
}
raddle::kernel::FunctionRef to_ref(CUfunction function) {
  const auto number = reinterpret_cast<std::uintptr_t>(function) - 1;
  return {static_cast<std::uint32_t>(number >> 32), static_cast<std::uint32_t>(number)};
}

bool is_module(Session& session, CUmodule module) {
  return module != nullptr && to_index(module) < session.device().program().module_count();
}

bool is_function(Session& session, CUfunction function) {
  if (function == nullptr) return false;
  const raddle::kernel::FunctionRef ref = to_ref(function);
  const raddle::kernel::Program& program = session.device().program();
  return ref.module < program.module_count() &&
         ref.function < program.module(ref.module).functions.size();
}

CUresult load(CUmodule* module, const std::string& text, const std::string& name) {
  return driver_call([&](Session& session) -> cudaError_t {
    try {
      *module = to_module(session.device().load_text(text, name));
      session.device().program().link();
      return cudaSuccess;
    } catch (const raddle::Error& error) {
      session.mention(error);
      return cudaErrorInvalidPtx;
    }
  });
}

}  // namespace

CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuDriverGetVersion(int* version) { return to_result(cudaDriverGetVersion(version)); }
CUresult cuDeviceGetCount(int* count) { return to_result(cudaGetDeviceCount(count)); }

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
    const std::size_t copied = full.copy(name, static_cast<std::size_t>(length) - 1);
    name[copied] = '\0';
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
  return to_result(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const CUresult result =
      cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result != CUDA_SUCCESS) return result;
  return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuCtxCreate(CUcontext* context, unsigned int, CUdevice device) {
  return cuDevicePrimaryCtxRetain(context, device);
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *context = the_context();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuCtxDestroy(CUcontext) { return to_result(cudaDeviceReset()); }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* context) { return cuDevicePrimaryCtxRetain(context, 0); }
CUresult cuCtxSynchronize() { return to_result(cudaDeviceSynchronize()); }

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return to_result(cudaMemGetInfo(free_bytes, total_bytes));
}
CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  void* memory = nullptr;
  const CUresult result = to_result(cudaMalloc(&memory, bytes));
  *pointer = reinterpret_cast<std::uintptr_t>(memory);
  return result;
}
CUresult cuMemFree(CUdeviceptr pointer) {
  return to_result(cudaFree(reinterpret_cast<void*>(pointer)));
}
CUresult cuMemcpyHtoD(CUdeviceptr destination, const void* source, size_t bytes) {
  return to_result(
      cudaMemcpy(reinterpret_cast<void*>(destination), source, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void* destination, CUdeviceptr source, size_t bytes) {
  return to_result(
      cudaMemcpy(destination, reinterpret_cast<void*>(source), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  return to_result(cudaMemcpy(reinterpret_cast<void*>(destination), reinterpret_cast<void*>(source),
                              bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemsetD8(CUdeviceptr pointer, unsigned char value, size_t count) {
  return to_result(cudaMemset(reinterpret_cast<void*>(pointer), value, count));
}

CUresult cuMemsetD32(CUdeviceptr pointer, unsigned int value, size_t count) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (count > SIZE_MAX / sizeof(value) || pointer % sizeof(value) != 0) {
      return cudaErrorInvalidValue;
    }
    // Checks the range; the values follow.
    const cudaError_t status =
        fill_box(session, "cuMemsetD32", {pointer, 0, 0}, 0, {count * sizeof(value), 1, 1});
    if (status != cudaSuccess) return status;
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(session.device().memory().view(pointer + i * sizeof(value)), &value,
                  sizeof(value));
    }
    return cudaSuccess;
  });
}

CUresult cuModuleLoad(CUmodule* module, const char* file_name) {
  if (module == nullptr || file_name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(file_name, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  std::ostringstream text;
  text << file.rdbuf();
  return load(module, text.str(), file_name);
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return load(module, static_cast<const char*>(image), "PTX given to cuModuleLoadData");
}

CUresult cuModuleUnload(CUmodule module) {
  return driver_call([=](Session& session) -> cudaError_t {
    return is_module(session, module) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (function == nullptr || name == nullptr) return cudaErrorInvalidValue;
    if (!is_module(session, module)) return cudaErrorInvalidResourceHandle;
    const auto found = session.device().function_in(to_index(module), name);
    if (!found) return cudaErrorSymbolNotFound;
    *function = to_function(*found);
    return cudaSuccess;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (name == nullptr) return cudaErrorInvalidValue;
    if (!is_module(session, module)) return cudaErrorInvalidResourceHandle;
    const auto found = session.device().variable_in(to_index(module), name);
    if (!found) return cudaErrorSymbolNotFound;
    if (pointer != nullptr) *pointer = found->address;
    if (bytes != nullptr) *bytes = found->bytes;
    return cudaSuccess;
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                        void** parameters, void** extra) {
  return driver_call([=](Session& session) -> cudaError_t {
    if (!is_function(session, function)) return cudaErrorInvalidResourceHandle;
    if (extra != nullptr) {
      session.explain("cuLaunchKernel: arguments in `extra` are not supported");
      return cudaErrorNotSupported;
    }
    const Configuration configuration{dim3(grid_x, grid_y, grid_z),
                                      dim3(block_x, block_y, block_z),
                                      shared_bytes,
                                      stream,
                                      false,
                                      0};
    return launch_kernel(session, to_ref(function), configuration, parameters);
  });
}
