#include "host/launching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/demangle.h"
#include "host/kernel_facts.h"
#include "host/launch_queue.h"
#include "host/registry.h"
#include "host/stream_capture.h"
#include "kernel/exec/block_shape.h"

namespace raddle::host {
namespace {

constexpr std::size_t kPointerBytes = 8;

machine::Dim3 to_dimensions(const dim3& size) { return {size.x, size.y, size.z}; }

bool within(const dim3& size, const std::array<std::int64_t, 3>& limits) {
  return size.x != 0 && size.y != 0 && size.z != 0 && size.x <= limits[0] && size.y <= limits[1] &&
         size.z <= limits[2];
}

// "kernel 'scale(float*, int)' (scale.cu:12)".
std::string text_of(const kernel::Program& program, kernel::FunctionRef kernel) {
  const kernel::Function& function = program.function(kernel);
  std::string text = fmt::format("kernel '{}'", demangled(function.name));
  if (function.location == 0) return text;
  return fmt::format("{} ({})", text,
                     program.module(kernel.module).describe_location(function.location));
}

cudaError_t refuse(Session& session, kernel::FunctionRef kernel, cudaError_t error,
                   const std::string& why) {
  Session::explain(fmt::format("{}: {}", text_of(session.device().program(), kernel), why));
  return error;
}

// A pointer to the host copy of a managed variable stands for the variable itself.
void translate_mirrored_pointers(Session& session, const kernel::Function& function,
                                 std::vector<std::byte>& frame) {
  for (const kernel::Slot& slot : function.parameters) {
    if (slot.size != kPointerBytes) continue;
    void* value = nullptr;
    std::memcpy(&value, frame.data() + slot.offset, kPointerBytes);
    const Mirror* mirror = session.device().mirror_at(value);
    if (mirror == nullptr) continue;
    const std::uint64_t address =
        mirror->device +
        static_cast<std::uint64_t>(static_cast<char*>(value) - static_cast<char*>(mirror->host));
    std::memcpy(frame.data() + slot.offset, &address, kPointerBytes);
  }
}

// Memory that the host may watch while the kernel runs: it must not wait for what has not begun.
bool host_can_watch(Session& session, const std::vector<std::byte>& frame) {
  if (session.device().has_mirrors()) return true;
  for (std::size_t offset = 0; offset + kPointerBytes <= frame.size(); offset += kPointerBytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, frame.data() + offset, kPointerBytes);
    const kernel::Allocation* allocation = session.device().memory().find(word);
    if (allocation != nullptr && allocation->kind == kernel::AllocationKind::kPinnedHost)
      return true;
  }
  return false;
}

// Whether others may run beside it. A cooperative kernel needs all the room it can get.
bool can_overlap(Session& session, const Configuration& configuration,
                 const std::vector<std::byte>& frame) {
  return session.description().concurrent_kernels > 1 && !is_legacy_stream(configuration.stream) &&
         !configuration.cooperative && !host_can_watch(session, frame);
}

// CUDA runtime API, cudaDeviceSetCacheConfig: what is set for the function goes before it.
kernel::exec::CachePreference preference_of(Device& device, kernel::FunctionRef kernel) {
  const cudaFuncCache own = device.settings(kernel).prefers;
  switch (own != cudaFuncCachePreferNone ? own : device.cache_preference) {
    case cudaFuncCachePreferShared: return kernel::exec::CachePreference::kShared;
    case cudaFuncCachePreferL1: return kernel::exec::CachePreference::kL1;
    case cudaFuncCachePreferEqual: return kernel::exec::CachePreference::kEqual;
    default: return kernel::exec::CachePreference::kNone;
  }
}

machine::Launch launch_of(Session& session, kernel::FunctionRef kernel,
                          const Configuration& configuration) {
  machine::Launch launch;
  launch.kernel = kernel;
  launch.grid = to_dimensions(configuration.grid);
  launch.block = to_dimensions(configuration.block);
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(configuration.shared_bytes);
  launch.cooperative = configuration.cooperative;
  launch.prefers = preference_of(session.device(), kernel);
  return launch;
}

// By the device and by the kernel's own __launch_bounds__.
int thread_limit(Session& session, kernel::FunctionRef kernel) {
  const int most = session.description().max_threads_per_block;
  const std::uint32_t own = session.device().facts(kernel).max_threads;
  return own == 0 ? most : static_cast<int>(std::min(static_cast<std::uint32_t>(most), own));
}

cudaError_t run_checked(Session& session, kernel::FunctionRef kernel,
                        const Configuration& configuration, std::vector<std::byte> frame) {
  if (is_capturing(configuration.stream))
    return capture_kernel(kernel, configuration, std::move(frame));
  translate_mirrored_pointers(session, session.device().program().function(kernel), frame);
  machine::Launch launch = launch_of(session, kernel, configuration);
  const bool may_wait = can_overlap(session, configuration, frame);
  launch.parameters = std::move(frame);
  return may_wait ? session.queue(launch, configuration.stream) : session.run(launch);
}

}  // namespace

FoundKernel find_kernel(Session& session, const void* host_function) {
  const DeviceName* name = Registry::get().function(host_function);
  if (name == nullptr) return {{}, cudaErrorInvalidDeviceFunction};
  try {
    const std::optional<kernel::FunctionRef> ref = session.device().function(*name);
    if (!ref) return {{}, cudaErrorInvalidDeviceFunction};
    return {*ref, cudaSuccess};
  } catch (const Error& error) {
    session.report(error);
    return {{}, cudaErrorInvalidPtx};
  }
}

cudaError_t check_configuration(Session& session, kernel::FunctionRef kernel,
                                const Configuration& configuration) {
  const machine::DeviceDescription& device = session.description();
  const dim3& block = configuration.block;
  if (!within(configuration.grid, device.max_grid)) {
    const dim3& grid = configuration.grid;
    return refuse(
        session, kernel, cudaErrorInvalidConfiguration,
        fmt::format("a grid of {} x {} x {} blocks; expected 1 x 1 x 1 to {} x {} x {}", grid.x,
                    grid.y, grid.z, device.max_grid[0], device.max_grid[1], device.max_grid[2]));
  }
  const std::array<std::int64_t, 3> max_block{device.max_block[0], device.max_block[1],
                                              device.max_block[2]};
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads > static_cast<std::uint64_t>(device.max_threads_per_block)) {
    return refuse(session, kernel, cudaErrorInvalidConfiguration,
                  fmt::format("{} threads per block exceed the limit of {} on {}", threads,
                              device.max_threads_per_block, device.name));
  }
  if (!within(block, max_block)) {
    return refuse(session, kernel, cudaErrorInvalidConfiguration,
                  fmt::format("a block of {} x {} x {} threads; expected 1 x 1 x 1 to {} x {} x {}",
                              block.x, block.y, block.z, max_block[0], max_block[1], max_block[2]));
  }
  if (!session.device().owns(configuration.stream)) return cudaErrorInvalidResourceHandle;

  const std::string shape_conflict = kernel::exec::required_shape_conflict(
      session.device().program().function(kernel), to_dimensions(block));
  if (!shape_conflict.empty()) {
    return refuse(session, kernel, cudaErrorInvalidConfiguration, shape_conflict);
  }
  const KernelFacts& facts = session.device().facts(kernel);
  if (facts.max_threads != 0 && threads > facts.max_threads) {
    return refuse(
        session, kernel, cudaErrorInvalidValue,
        fmt::format("{} threads per block exceed the limit of {} of its __launch_bounds__", threads,
                    facts.max_threads));
  }
  const std::size_t shared = facts.static_shared_bytes + configuration.shared_bytes;
  const auto allowed =
      static_cast<std::size_t>(session.device().settings(kernel).allowed_shared_bytes);
  const auto limit =
      std::max<std::size_t>(device.shared_bytes_per_block, facts.static_shared_bytes + allowed);
  // What is static has to fit without opting in.
  const bool static_fits =
      facts.static_shared_bytes <= static_cast<std::size_t>(device.shared_bytes_per_block);
  if (!static_fits) {
    return refuse(session, kernel, cudaErrorInvalidValue,
                  fmt::format("{} bytes of static shared memory exceed the limit of {} per block",
                              facts.static_shared_bytes, device.shared_bytes_per_block));
  }
  if (configuration.shared_bytes > limit || shared > limit) {
    return refuse(session, kernel, cudaErrorInvalidValue,
                  fmt::format("{} bytes of static and {} of dynamic shared memory exceed the "
                              "limit of {} per block",
                              facts.static_shared_bytes, configuration.shared_bytes, limit));
  }
  const machine::Launch launch = launch_of(session, kernel, configuration);
  const std::optional<machine::Occupancy> occupancy = session.occupancy(launch);
  if (occupancy && occupancy->blocks_per_core == 0) {
    session.explain_no_room(launch);
    return refuse(session, kernel, cudaErrorLaunchOutOfResources,
                  fmt::format("a block of {} threads needs more {} than a multiprocessor has",
                              threads, occupancy->limited_by));
  }
  if (occupancy && configuration.cooperative) {
    const std::uint64_t blocks =
        std::uint64_t{configuration.grid.x} * configuration.grid.y * configuration.grid.z;
    const std::uint64_t resident = std::uint64_t{occupancy->blocks_per_core} *
                                   static_cast<std::uint64_t>(device.multiprocessors);
    if (blocks > resident) {
      return refuse(
          session, kernel, cudaErrorCooperativeLaunchTooLarge,
          fmt::format("the cooperative launch has {} blocks, but only {} can be resident at once",
                      blocks, resident));
    }
  }
  return cudaSuccess;
}

int resident_blocks(Session& session, kernel::FunctionRef kernel, int threads_per_block,
                    std::size_t dynamic_shared_bytes) {
  if (threads_per_block <= 0 || threads_per_block > thread_limit(session, kernel)) return 0;
  const auto& required = session.device().program().function(kernel).required_threads;
  Configuration asked{dim3(1), dim3(static_cast<unsigned>(threads_per_block)),
                      dynamic_shared_bytes};
  if (required[0] != 0)
    asked.block = dim3(required[0], std::max(1u, required[1]), std::max(1u, required[2]));
  const machine::Launch launch = launch_of(session, kernel, asked);
  if (launch.block.count() != static_cast<std::uint64_t>(threads_per_block)) return 0;
  const std::optional<machine::Occupancy> occupancy = session.occupancy(launch);
  return occupancy ? static_cast<int>(occupancy->blocks_per_core) : 0;
}

int max_threads_per_block(Session& session, kernel::FunctionRef kernel) {
  const int warp = session.description().warp_size;
  int threads = thread_limit(session, kernel);
  while (threads > 0 && resident_blocks(session, kernel, threads, 0) == 0)
    threads = (threads - 1) / warp * warp;
  return threads;
}

cudaFuncAttributes attributes_of(Session& session, kernel::FunctionRef kernel) {
  const KernelFacts& facts = session.device().facts(kernel);
  const machine::DeviceDescription& device = session.description();
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = facts.static_shared_bytes;
  attributes.localSizeBytes = facts.local_bytes;
  attributes.maxThreadsPerBlock = max_threads_per_block(session, kernel);
  attributes.numRegs = static_cast<int>(facts.registers);
  attributes.ptxVersion = attributes.binaryVersion = static_cast<int>(facts.target);
  const auto usual = static_cast<std::size_t>(device.shared_bytes_per_block);
  const std::size_t rest =
      facts.static_shared_bytes < usual ? usual - facts.static_shared_bytes : 0;
  const int allowed = session.device().settings(kernel).allowed_shared_bytes;
  attributes.maxDynamicSharedSizeBytes = std::max(allowed, static_cast<int>(rest));
  attributes.preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return attributes;
}

cudaError_t allow_shared_bytes(Session& session, kernel::FunctionRef kernel,
                               int dynamic_shared_bytes) {
  const auto fixed = static_cast<int>(session.device().facts(kernel).static_shared_bytes);
  const int most = session.description().shared_bytes_per_multiprocessor - fixed;
  if (dynamic_shared_bytes < 0 || dynamic_shared_bytes > most) return cudaErrorInvalidValue;
  session.device().settings(kernel).allowed_shared_bytes = dynamic_shared_bytes;
  return cudaSuccess;
}

bool is_preference(cudaFuncCache value) {
  return value >= cudaFuncCachePreferNone && value <= cudaFuncCachePreferEqual;
}

cudaError_t set_preference(Session& session, kernel::FunctionRef kernel, cudaFuncCache preference) {
  if (!is_preference(preference)) return cudaErrorInvalidValue;
  session.device().settings(kernel).prefers = preference;
  return cudaSuccess;
}

bool lay_out_arguments(Session& session, kernel::FunctionRef kernel, void** arguments,
                       std::vector<std::byte>& frame) {
  const kernel::Function& function = session.device().program().function(kernel);
  if (!function.parameters.empty() && arguments == nullptr) return false;
  frame.assign(function.incoming_bytes(), std::byte{});
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const kernel::Slot& slot = function.parameters[i];
    if (arguments[i] == nullptr) return false;
    std::memcpy(frame.data() + slot.offset, arguments[i], slot.size);
  }
  return true;
}

cudaError_t launch_kernel(Session& session, kernel::FunctionRef kernel,
                          const Configuration& configuration, void** arguments) {
  const cudaError_t status = check_configuration(session, kernel, configuration);
  if (status != cudaSuccess) return status;
  std::vector<std::byte> frame;
  if (!lay_out_arguments(session, kernel, arguments, frame)) return cudaErrorInvalidValue;
  return run_checked(session, kernel, configuration, std::move(frame));
}

cudaError_t launch_frame(Session& session, kernel::FunctionRef kernel,
                         const Configuration& configuration, std::span<const std::byte> frame) {
  const cudaError_t status = check_configuration(session, kernel, configuration);
  if (status != cudaSuccess) return status;
  std::vector<std::byte> copy(session.device().program().function(kernel).incoming_bytes());
  std::copy_n(frame.begin(), std::min(frame.size(), copy.size()), copy.begin());
  return run_checked(session, kernel, configuration, std::move(copy));
}

}  // namespace raddle::host
