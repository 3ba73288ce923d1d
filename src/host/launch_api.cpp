// Launching kernels, and asking about them.
#include <cstring>
#include <utility>
#include <vector>

#include "host/api_call.h"
#include "host/call_sites.h"
#include "host/kernel_facts.h"
#include "host/launching.h"
#include "host/registry.h"

using namespace raddle::host;

namespace {

// <<<…>>> pushes its configuration, the kernel's host function pops it again.
struct PushedConfiguration {
  Configuration configuration;
  std::uint32_t site = 0;  // CallSites
};
thread_local std::vector<PushedConfiguration> pushed_configurations;
// Of the one that was popped last; 0: a launch has used it.
thread_local std::uint32_t popped_site = 0;
// What cudaConfigureCall and cudaSetupArgument gather for cudaLaunch.
thread_local std::vector<std::byte> argument_frame;

cudaError_t launch(const void* function, const Configuration& configuration, void** arguments) {
  const LaunchSite site(std::exchange(popped_site, 0));
  return queueing_call([&](Session& session) -> cudaError_t {
    const FoundKernel found = find_kernel(session, function);
    if (found.status != cudaSuccess) return found.status;
    return launch_kernel(session, found.ref, configuration, arguments);
  });
}

cudaError_t check_function(const void* function) {
  return api_call(
      [=](Session& session) -> cudaError_t { return find_kernel(session, function).status; });
}

}  // namespace

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream) {
  pushed_configurations.push_back(
      {{grid, block, shared_bytes, static_cast<cudaStream_t>(stream), false},
       CallSites::get().here()});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                       void* stream) {
  if (pushed_configurations.empty()) return Session::record(cudaErrorMissingConfiguration);
  const auto& [configuration, site] = pushed_configurations.back();
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  std::memcpy(stream, &configuration.stream, sizeof(cudaStream_t));
  popped_site = site;
  pushed_configurations.pop_back();
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return launch(function, {grid, block, shared_bytes, stream, false}, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
  return launch(function, {grid, block, shared_bytes, stream, true}, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
    return Session::record(cudaErrorInvalidValue);
  Configuration configuration{config->gridDim, config->blockDim, config->dynamicSmemBytes,
                              config->stream, false};
  for (unsigned int i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      configuration.cooperative = attribute.val.cooperative != 0;
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    const auto& cluster = attribute.val.clusterDim;
    if (cluster.x * cluster.y * cluster.z > 1) {
      return queueing_call([](Session&) -> cudaError_t {
        Session::explain("clusters of blocks are not supported");
        return cudaErrorNotSupported;
      });
    }
  }
  return launch(function, configuration, arguments);
}

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  argument_frame.clear();
  __cudaPushCallConfiguration(grid, block, shared_bytes, stream);
  return cudaSuccess;
}

cudaError_t cudaSetupArgument(const void* argument, size_t size, size_t offset) {
  constexpr size_t kMaxFrame = 4096;
  if (argument == nullptr || offset > kMaxFrame || size > kMaxFrame - offset) {
    return Session::record(cudaErrorInvalidValue);
  }
  if (argument_frame.size() < offset + size) argument_frame.resize(offset + size);
  std::memcpy(argument_frame.data() + offset, argument, size);
  return cudaSuccess;
}

cudaError_t cudaLaunch(const void* function) {
  if (pushed_configurations.empty()) return Session::record(cudaErrorMissingConfiguration);
  const Configuration configuration = pushed_configurations.back().configuration;
  pushed_configurations.pop_back();
  return queueing_call([&](Session& session) -> cudaError_t {
    const FoundKernel found = find_kernel(session, function);
    if (found.status != cudaSuccess) return found.status;
    return launch_frame(session, found.ref, configuration, argument_frame);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache preference) {
  return queueing_call([=](Session& session) -> cudaError_t {
    const FoundKernel found = find_kernel(session, function);
    if (found.status != cudaSuccess) return found.status;
    return set_preference(session, found.ref, preference);
  });
}
// Banks are as wide as the machine's parameters say.
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return check_function(function);
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api_call([=](Session& session) -> cudaError_t {
    const FoundKernel found = find_kernel(session, function);
    if (found.status != cudaSuccess) return found.status;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaErrorInvalidValue;
    return allow_shared_bytes(session, found.ref, value);
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api_call([=](Session& session) -> cudaError_t {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const FoundKernel found = find_kernel(session, function);
    if (found.status != cudaSuccess) return found.status;
    *attributes = attributes_of(session, found.ref);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api_call([=](Session&) -> cudaError_t {
    if (name == nullptr) return cudaErrorInvalidValue;
    const DeviceName* found = Registry::get().function(function);
    if (found == nullptr) return cudaErrorInvalidDeviceFunction;
    *name = found->name.c_str();
    return cudaSuccess;
  });
}

// From devices without double precision, long ago: nothing to convert.
cudaError_t cudaSetDoubleForDevice(double*) { return cudaSuccess; }
cudaError_t cudaSetDoubleForHost(double*) { return cudaSuccess; }

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, size_t dynamic_shared_bytes, unsigned int) {
  return api_call([=](Session& session) -> cudaError_t {
    if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
    const FoundKernel found = find_kernel(session, function);
    if (found.status != cudaSuccess) return found.status;
    *blocks = resident_blocks(session, found.ref, block_size, dynamic_shared_bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size,
                                                          size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                dynamic_shared_bytes, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int block_size) {
  return api_call([=](Session& session) -> cudaError_t {
    if (bytes == nullptr || blocks <= 0 || block_size <= 0) return cudaErrorInvalidValue;
    const FoundKernel found = find_kernel(session, function);
    if (found.status != cudaSuccess) return found.status;
    const auto fit = [&](size_t dynamic_shared_bytes) {
      return resident_blocks(session, found.ref, block_size, dynamic_shared_bytes) >= blocks;
    };
    // The most with which they still fit: more shared memory never makes room for more blocks.
    size_t fits = 0;
    auto too_much = static_cast<size_t>(session.description().shared_bytes_per_multiprocessor) + 1;
    while (too_much - fits > 1) {
      const size_t middle = (fits + too_much) / 2;
      (fit(middle) ? fits : too_much) = middle;
    }
    *bytes = fits;
    return cudaSuccess;
  });
}
