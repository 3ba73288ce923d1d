#include "machine/launch_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/exec/block_shape.h"

namespace raddle::machine {

void check_launch(const kernel::exec::DecodedKernel& kernel, const Launch& launch,
                  const DeviceDescription& device) {
  const kernel::Function& entry = *kernel.entry().ir;
  const auto refuse = [&](const std::string& why, std::string hint = {}) {
    throw Error(fmt::format("kernel {} cannot be launched: {}", demangled(entry.name), why), {},
                std::move(hint));
  };
  for (const std::string& conflict : {kernel::exec::required_shape_conflict(entry, launch.block),
                                      kernel::exec::thread_limit_conflict(entry, launch.block)}) {
    if (!conflict.empty()) refuse(conflict);
  }
  const std::uint64_t fixed = kernel.static_shared_bytes;
  const auto block_limit = static_cast<std::uint64_t>(device.shared_bytes_per_block);
  if (fixed > block_limit) {
    refuse(fmt::format("{} bytes of static shared memory, a block can have {}", fixed, block_limit),
           "a larger array has to be dynamic (extern __shared__)");
  }
  const std::uint64_t all = fixed + launch.dynamic_shared_bytes;
  const std::uint64_t limit =
      std::max(block_limit, static_cast<std::uint64_t>(device.shared_bytes_per_multiprocessor));
  if (all > limit) {
    refuse(fmt::format("{} bytes of shared memory, {} of them dynamic; a multiprocessor has {}",
                       all, launch.dynamic_shared_bytes, limit));
  }
}

}  // namespace raddle::machine
