#include "machine/launch_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/analysis/channel_checks.h"
#include "kernel/exec/block_shape.h"

namespace raddle::machine {
namespace {

// Kernels that pass values between threads run where there are units for it, in blocks that their
// windows divide.
void check_inter_thread(const kernel::exec::DecodedKernel& kernel, const Launch& launch,
                        const DeviceDescription& device, const Traits& traits) {
  const kernel::exec::DecodedFunction& entry = kernel.entry();
  for (const kernel::exec::DecodedInstruction& d : entry.code) {
    if (d.handler != kernel::exec::Handler::kInterThread || traits.passes_values_between_threads)
      continue;
    throw Error(fmt::format("kernel '{}' passes values between threads, which {} does not support",
                            demangled(entry.ir->name), device.name),
                entry.module->describe_location(d.ir->location),
                "run the version that uses shared memory and barriers (for the bundled dmt/NAME "
                "that is NAME), or this one on ref or dmt-cgra");
  }
  kernel::check_windows(*entry.module, *entry.ir, launch.block.count());
}

}  // namespace

void check_launch(const kernel::exec::DecodedKernel& kernel, const Launch& launch,
                  const DeviceDescription& device, const Traits& traits) {
  const kernel::Function& entry = *kernel.entry().ir;
  const auto refuse = [&](const std::string& why, std::string hint = {}) {
    throw Error(fmt::format("kernel '{}' cannot be launched: {}", demangled(entry.name), why), {},
                std::move(hint));
  };
  for (const std::string& conflict : {kernel::exec::required_shape_conflict(entry, launch.block),
                                      kernel::exec::thread_limit_conflict(entry, launch.block)}) {
    if (!conflict.empty()) refuse(conflict);
  }
  if (kernel.channels > 0) check_inter_thread(kernel, launch, device, traits);
  const std::uint64_t fixed = kernel.static_shared_bytes;
  const auto block_limit = static_cast<std::uint64_t>(device.shared_bytes_per_block);
  if (fixed > block_limit) {
    refuse(fmt::format("{} bytes of static shared memory exceed the limit of {} per block", fixed,
                       block_limit),
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
