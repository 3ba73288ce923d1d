// What every machine that executes kernels promises: it runs launches to their ends, one at a time
// or several together. The CUDA runtime and the tools know kernel machines only through this
// header.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/address.h"
#include "kernel/device_memory.h"
#include "kernel/program.h"
#include "kernel/texture.h"
#include "machine/host_link.h"
#include "machine/launch_result.h"
#include "machine/machine.h"
#include "machine/run/launch_options.h"

namespace raddle::machine {

using kernel::exec::Launch;

// What the device is, for cudaGetDeviceProperties.
struct DeviceDescription {
  std::string name;  // "Raddle ref"
  int compute_major = 7, compute_minor = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t constant_bytes = 65536;
  int multiprocessors = 1;
  int clock_khz = 1'000'000;
  int memory_clock_khz = 1'000'000;
  int memory_bus_bits = 256;
  int l2_bytes = 0;
  int warp_size = 32;
  int max_threads_per_block = 1024;
  std::array<int, 3> max_block{1024, 1024, 64};
  std::array<std::int64_t, 3> max_grid{2147483647, 65535, 65535};
  int max_threads_per_multiprocessor = 2048;
  int max_blocks_per_multiprocessor = 32;
  int registers_per_block = 65536;
  int registers_per_multiprocessor = 65536;
  int shared_bytes_per_block = 49152;
  int shared_bytes_per_multiprocessor = 98304;
  int register_unit = 256;  // registers are given to warps in multiples of it
  int shared_unit = 256;    // shared memory is given to blocks in multiples of it, in bytes
  double host_link_bytes_per_second = kHostLinkBytesPerSecond;  // of copies between host and device
  int concurrent_kernels = 1;  // in flight together, from different streams
  bool splits_l1 = false;      // kernels may prefer more L1 or more shared memory
};

// A launch that waits for its turn. Launches of one stream run in their order; those of different
// streams may overlap, unless one has to come after another.
struct QueuedLaunch {
  Launch launch;
  std::uint32_t stream = 0;
  // Launches of other streams that must have ended, by their places in the list; all lie before it.
  std::vector<std::size_t> after = {};
};

class KernelMachine : public Machine {
 public:
  virtual const DeviceDescription& description() const = 0;
  // Runs the launch to its end, or to the first fault. Faults of the kernel (bad address, trap,
  // watchdog, deadlock) are in the result, not thrown; Error is thrown only for what the machine
  // cannot run at all.
  virtual LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                              const Launch& launch, const LaunchOptions& options) = 0;
  // Runs all of them, with as many in flight together as the machine can. One result for each, in
  // their order; nothing for those that a fault of another kept from beginning. They come without
  // cooperative ones, whose blocks must all be resident. By default one after the other.
  virtual std::vector<std::optional<LaunchResult>> launch_together(
      kernel::Program& program, const kernel::TextureTable& textures,
      std::span<const QueuedLaunch> launches, const LaunchOptions& options);
  // Throws the Error that launch() would throw. Whoever queues a launch asks first, as nobody could
  // be told later.
  virtual void check(kernel::Program& /*program*/, const Launch& /*launch*/) {}
  // How many blocks of such a launch a multiprocessor holds at once, and what keeps them from being
  // more; none if not even one fits. Occupancy::warps, which is measured, stays 0. By default what
  // the description's limits allow. Throws Error for a kernel that the machine cannot run at all.
  virtual Occupancy occupancy(kernel::Program& program, const Launch& launch);
  // The host copied or set so many bytes of device memory, between launches. A machine whose copies
  // go through its L2 keeps lines of it.
  virtual void host_wrote(Address /*address*/, Bytes /*bytes*/) {}

 protected:
  using Machine::Machine;
};

// Throws Error for a machine that executes something else.
std::unique_ptr<KernelMachine> make_kernel_machine(const ParameterTable& table);

}  // namespace raddle::machine
