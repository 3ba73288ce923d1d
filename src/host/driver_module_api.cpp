// The driver interface: modules loaded from PTX, and launches of their kernels.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "host/driver_call.h"
#include "host/kernel_facts.h"
#include "host/launching.h"

using namespace raddle::host;

namespace {

using raddle::kernel::FunctionRef;

// Handles of modules and kernels are numbers.
CUmodule to_module(std::uint32_t index) {
  return reinterpret_cast<CUmodule>(std::uintptr_t{index} + 1);
}
std::uint32_t to_index(CUmodule module) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(module) - 1);
}
CUfunction to_function(FunctionRef ref) {
  return reinterpret_cast<CUfunction>((std::uintptr_t{ref.module} << 32 | ref.function) + 1);
}
FunctionRef to_ref(CUfunction function) {
  const auto number = reinterpret_cast<std::uintptr_t>(function) - 1;
  return {static_cast<std::uint32_t>(number >> 32), static_cast<std::uint32_t>(number)};
}

bool is_module(Session& session, CUmodule module) {
  return module != nullptr && to_index(module) < session.device().program().module_count();
}

bool is_function(Session& session, CUfunction function) {
  if (function == nullptr) return false;
  const FunctionRef ref = to_ref(function);
  const raddle::kernel::Program& program = session.device().program();
  return ref.module < program.module_count() &&
         ref.function < program.module(ref.module).functions.size();
}

// What has been set for a kernel by calls before its launch.
struct FunctionState {
  dim3 block;
  unsigned int shared_bytes = 0;
  std::vector<std::byte> frame;
};
FunctionState& state_of(CUfunction function) {
  static auto* const states = new std::map<CUfunction, FunctionState>;
  return (*states)[function];
}

// What is asked about functions has nothing to do with kernels that are queued.
template <class Body>
CUresult function_call(CUfunction function, Body&& body) {
  return driver_queueing_call([&](Session& session) -> cudaError_t {
    if (!is_function(session, function)) return cudaErrorInvalidResourceHandle;
    return body(session, state_of(function));
  });
}

// Modules may also be machine code, which begins with one of these.
bool is_machine_code(const void* image) {
  for (const std::string_view magic : {"\177ELF", "\x50\xed\x55\xba", "\xb1\x43\x62\x46"}) {
    if (std::strncmp(static_cast<const char*>(image), magic.data(), magic.size()) == 0) return true;
  }
  return false;
}

// `log` gets what is wrong with the text.
CUresult load(CUmodule* module, const char* text, const std::string& name, std::string& log) {
  return driver_call([&](Session& session) -> cudaError_t {
    const auto refuse = [&](const raddle::Error& error, cudaError_t status) {
      session.mention(error);
      log = error.full_text();
      return status;
    };
    if (is_machine_code(text)) {
      return refuse(raddle::Error("the module is machine code; Raddle runs PTX", name,
                                  "make it with raddle cc -ptx"),
                    cudaErrorNoKernelImageForDevice);
    }
    try {
      *module = to_module(session.device().load_text(text, name));
      session.device().program().link();
      return cudaSuccess;
    } catch (const raddle::Error& error) {
      return refuse(error, cudaErrorInvalidPtx);
    }
  });
}

// Options come as numbers or pointers in a list of pointers.
struct JitLogs {
  char* error_buffer = nullptr;
  std::size_t error_bytes = 0;
  char* info_buffer = nullptr;
  std::size_t info_bytes = 0;
};

JitLogs logs_of(unsigned int count, const CUjit_option* options, void* const* values) {
  JitLogs logs;
  for (unsigned int i = 0; i < count; ++i) {
    const auto number = static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(values[i]));
    switch (options[i]) {
      case CU_JIT_ERROR_LOG_BUFFER: logs.error_buffer = static_cast<char*>(values[i]); break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: logs.error_bytes = number; break;
      case CU_JIT_INFO_LOG_BUFFER: logs.info_buffer = static_cast<char*>(values[i]); break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: logs.info_bytes = number; break;
      default: break;  // how code is generated: there is none
    }
  }
  return logs;
}

void write_log(char* buffer, std::size_t bytes, std::string_view text) {
  if (buffer == nullptr || bytes == 0) return;
  buffer[text.copy(buffer, bytes - 1)] = '\0';
}

// The parameter frame that `extra` points to; nothing if the list is not as it should be.
std::optional<std::vector<std::byte>> frame_in(void** extra) {
  const std::byte* content = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      content = static_cast<const std::byte*>(extra[1]);
    } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      bytes = *static_cast<const std::size_t*>(extra[1]);
    } else {
      return std::nullopt;
    }
  }
  if (content == nullptr && bytes != 0) return std::nullopt;
  return std::vector<std::byte>(content, content + bytes);
}

CUresult launch_remembered(CUfunction function, int grid_width, int grid_height, CUstream stream) {
  return function_call(function, [=](Session& session, FunctionState& state) -> cudaError_t {
    if (grid_width <= 0 || grid_height <= 0) return cudaErrorInvalidValue;
    const Configuration configuration{
        dim3(static_cast<unsigned int>(grid_width), static_cast<unsigned int>(grid_height)),
        state.block, state.shared_bytes, stream, false};
    return launch_frame(session, to_ref(function), configuration, state.frame);
  });
}

}  // namespace

// --- modules
CUresult cuModuleLoad(CUmodule* module, const char* file_name) {
  if (module == nullptr || file_name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(file_name, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  std::ostringstream text;
  text << file.rdbuf();
  std::string log;
  return load(module, text.str().c_str(), file_name, log);
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                            CUjit_option* options, void** values) {
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (count != 0 && (options == nullptr || values == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  std::string log;
  const CUresult result =
      load(module, static_cast<const char*>(image), "PTX given to cuModuleLoadData", log);
  const JitLogs logs = logs_of(count, options, values);
  write_log(logs.error_buffer, logs.error_bytes, log);
  write_log(logs.info_buffer, logs.info_bytes, {});
  return result;
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

// --- about kernels
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return function_call(function, [=](Session&, FunctionState&) -> cudaError_t {
    if (module == nullptr) return cudaErrorInvalidValue;
    *module = to_module(to_ref(function).module);
    return cudaSuccess;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return function_call(function, [=](Session& session, FunctionState&) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    const cudaFuncAttributes all = attributes_of(session, to_ref(function));
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = all.maxThreadsPerBlock; break;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(all.sharedSizeBytes);
        break;
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = static_cast<int>(all.constSizeBytes); break;
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(all.localSizeBytes); break;
      case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = all.numRegs; break;
      case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = all.ptxVersion; break;
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = all.binaryVersion; break;
      case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = all.cacheModeCA; break;
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = all.maxDynamicSharedSizeBytes;
        break;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = all.preferredShmemCarveout;
        break;
      default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return function_call(function, [=](Session& session, FunctionState&) -> cudaError_t {
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return cudaSuccess;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return cudaErrorInvalidValue;
    return allow_shared_bytes(session, to_ref(function), value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preference) {
  return function_call(function, [=](Session& session, FunctionState&) {
    return set_preference(session, to_ref(function), static_cast<cudaFuncCache>(preference));
  });
}
// Banks are as wide as the machine's parameters say.
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig) {
  return function_call(function, [](Session&, FunctionState&) { return cudaSuccess; });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                     int block_size, size_t dynamic_shared_bytes) {
  return function_call(function, [=](Session& session, FunctionState&) -> cudaError_t {
    if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
    *blocks = resident_blocks(session, to_ref(function), block_size, dynamic_shared_bytes);
    return cudaSuccess;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int block_size,
                                                              size_t dynamic_shared_bytes,
                                                              unsigned int) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
                                                     dynamic_shared_bytes);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* min_grid, int* best_block, CUfunction function,
                                          CUoccupancyB2DSize size_to_shared,
                                          size_t dynamic_shared_bytes, int limit) {
  return function_call(function, [=](Session& session, FunctionState&) -> cudaError_t {
    if (min_grid == nullptr || best_block == nullptr) return cudaErrorInvalidValue;
    const raddle::machine::DeviceDescription& device = session.description();
    int largest = max_threads_per_block(session, to_ref(function));
    if (limit > 0) largest = std::min(largest, limit);
    // Warps at a time; the largest of equals.
    int best_threads = 0;
    const int warps = (largest + device.warp_size - 1) / device.warp_size;
    const int most = device.max_threads_per_multiprocessor;
    for (int size = warps * device.warp_size; size > 0 && best_threads < most;
         size -= device.warp_size) {
      const int threads = std::min(size, largest);
      const size_t shared =
          size_to_shared != nullptr ? size_to_shared(threads) : dynamic_shared_bytes;
      const int blocks = resident_blocks(session, to_ref(function), threads, shared);
      if (blocks * threads <= best_threads) continue;
      best_threads = blocks * threads;
      *best_block = threads;
      *min_grid = blocks * device.multiprocessors;
    }
    return cudaSuccess;
  });
}

// --- launches
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                        void** parameters, void** extra) {
  return function_call(function, [=](Session& session, FunctionState&) -> cudaError_t {
    const Configuration configuration{dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                                      shared_bytes, stream, false};
    if (extra == nullptr)
      return launch_kernel(session, to_ref(function), configuration, parameters);
    const std::optional<std::vector<std::byte>> frame = frame_in(extra);
    if (parameters != nullptr || !frame) return cudaErrorInvalidValue;
    return launch_frame(session, to_ref(function), configuration, *frame);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void** parameters) {
  return function_call(function, [=](Session& session, FunctionState&) -> cudaError_t {
    const Configuration configuration{dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
                                      shared_bytes, stream, true};
    return launch_kernel(session, to_ref(function), configuration, parameters);
  });
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  return function_call(function, [=](Session&, FunctionState& state) -> cudaError_t {
    if (x <= 0 || y <= 0 || z <= 0) return cudaErrorInvalidValue;
    state.block = dim3(static_cast<unsigned int>(x), static_cast<unsigned int>(y),
                       static_cast<unsigned int>(z));
    return cudaSuccess;
  });
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes) {
  return function_call(function, [=](Session&, FunctionState& state) -> cudaError_t {
    state.shared_bytes = bytes;
    return cudaSuccess;
  });
}

CUresult cuParamSetSize(CUfunction function, unsigned int bytes) {
  return function_call(function, [=](Session&, FunctionState& state) -> cudaError_t {
    state.frame.resize(bytes);
    return cudaSuccess;
  });
}

CUresult cuParamSetv(CUfunction function, int offset, void* value, unsigned int bytes) {
  return function_call(function, [=](Session&, FunctionState& state) -> cudaError_t {
    constexpr std::size_t kMaxFrame = 4096;
    if (value == nullptr || offset < 0 || std::size_t{bytes} > kMaxFrame ||
        static_cast<std::size_t>(offset) > kMaxFrame - bytes) {
      return cudaErrorInvalidValue;
    }
    const std::size_t end = static_cast<std::size_t>(offset) + bytes;
    if (state.frame.size() < end) state.frame.resize(end);
    std::memcpy(state.frame.data() + offset, value, bytes);
    return cudaSuccess;
  });
}
CUresult cuParamSeti(CUfunction function, int offset, unsigned int value) {
  return cuParamSetv(function, offset, &value, sizeof(value));
}
CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult cuLaunch(CUfunction function) { return launch_remembered(function, 1, 1, nullptr); }
CUresult cuLaunchGrid(CUfunction function, int grid_width, int grid_height) {
  return launch_remembered(function, grid_width, grid_height, nullptr);
}
CUresult cuLaunchGridAsync(CUfunction function, int grid_width, int grid_height, CUstream stream) {
  return launch_remembered(function, grid_width, grid_height, stream);
}
