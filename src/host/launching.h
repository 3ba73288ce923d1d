// From a kernel, a configuration and arguments to a launch that the machine can run; what CUDA
// refuses is refused here, with CUDA's error codes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "host/cuda_api.h"
#include "host/session.h"

namespace raddle::host {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
};

// The kernel that a host function stands for, or the error that says why there is none.
struct FoundKernel {
  kernel::FunctionRef ref;
  cudaError_t status = cudaSuccess;
};
FoundKernel find_kernel(Session& session, const void* host_function);

cudaError_t check_configuration(Session& session, kernel::FunctionRef kernel,
                                const Configuration& configuration);

// Blocks that the machine holds on one multiprocessor together; 0 if not even one fits.
int resident_blocks(Session& session, kernel::FunctionRef kernel, int threads_per_block,
                    std::size_t dynamic_shared_bytes);
// The most threads a block of this kernel can have.
int max_threads_per_block(Session& session, kernel::FunctionRef kernel);

// What cudaFuncGetAttributes tells about a kernel.
cudaFuncAttributes attributes_of(Session& session, kernel::FunctionRef kernel);
// Allows a kernel this much dynamic shared memory.
cudaError_t allow_shared_bytes(Session& session, kernel::FunctionRef kernel,
                               int dynamic_shared_bytes);
// The kernel prefers more L1 or more shared memory.
cudaError_t set_preference(Session& session, kernel::FunctionRef kernel, cudaFuncCache preference);
bool is_preference(cudaFuncCache value);

// Checks the configuration, lays out the arguments (one pointer each) and runs the kernel, or
// queues it where kernels of other streams may run beside it.
cudaError_t launch_kernel(Session& session, kernel::FunctionRef kernel,
                          const Configuration& configuration, void** arguments);
// The frame of such arguments; false if one is missing.
bool lay_out_arguments(Session& session, kernel::FunctionRef kernel, void** arguments,
                       std::vector<std::byte>& frame);
// The same with a parameter frame that is already laid out; missing bytes are zero.
cudaError_t launch_frame(Session& session, kernel::FunctionRef kernel,
                         const Configuration& configuration, std::span<const std::byte> frame);

}  // namespace raddle::host
