// What every machine that executes kernels promises: it is built from a parameter table, registered
// by name, runs launches to their ends, one at a time or several together, keeps no global state,
// and gives the same result for the same input. The CUDA runtime and the tools know machines only
// through this header.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/device_memory.h"
#include "kernel/program.h"
#include "kernel/texture.h"
#include "machine/launch_result.h"
#include "machine/parameters.h"

namespace raddle::sim {
class TraceFile;
}  // namespace raddle::sim

namespace raddle::machine {

using kernel::exec::Launch;

// How far a launch has come, for whoever watches it.
struct LaunchProgress {
  std::uint64_t cycles = 0;
  std::uint64_t blocks_done = 0;
  std::uint64_t blocks = 0;
};

// What the user asked for beside the plain run.
struct LaunchOptions {
  bool check = false;               // --check
  bool lines = false;               // --lines: counts per source line
  std::uint64_t max_cycles = 0;     // --max-cycles, 0: no limit
  std::uint64_t sample_cycles = 0;  // --sample N, 0: none
  // --trace. One file for the whole program: it is the same for all launches of a machine, which go
  // one after the other on its time line, and whoever opened it finishes it.
  sim::TraceFile* trace = nullptr;
  unsigned host_threads = 1;  // -j; the result is the same whatever it is
  // --timeout
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* interrupted = nullptr;  // Ctrl-C
  std::function<void(std::string_view)> print;     // device printf
  // Called often, so it looks at the clock itself; may be empty.
  std::function<void(const LaunchProgress&)> progress;
};

// What the machine could do at best; zero: not modelled. Reports measure a run against these.
struct Peaks {
  double clock_hz = 0;
  double thread_instructions_per_cycle = 0;
  double memory_bytes_per_second = 0;
};

// What the device is, for cudaGetDeviceProperties and the occupancy calculator.
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
  int concurrent_kernels = 1;  // in flight together, from different streams
  bool splits_l1 = false;      // kernels may prefer more L1 or more shared memory
  Peaks peaks;
  bool passes_values_between_threads = false;  // runs kernels that use raddle/dmt.h
  bool lines = false;                          // heeds LaunchOptions::lines
  bool samples = false;                        // heeds LaunchOptions::sample_cycles
  bool traces = false;                         // heeds LaunchOptions::trace
};

// A launch that waits for its turn. Launches of one stream run in their order; those of different
// streams may overlap, unless one has to come after another.
struct QueuedLaunch {
  Launch launch;
  std::uint32_t stream = 0;
  // Launches of other streams that must have ended, by their places in the list; all lie before it.
  std::vector<std::size_t> after = {};
};

class Machine {
 public:
  virtual ~Machine() = default;
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
  // The host copied or set so many bytes of device memory, between launches. A machine whose copies
  // go through its L2 keeps lines of it.
  virtual void host_wrote(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  // What the user should hear when the program has ended, though nothing failed: settings that met
  // no launch.
  virtual std::vector<Error> remarks() const { return {}; }
};

using MachineFactory = std::unique_ptr<Machine> (*)(const ParameterTable&);

// One line next to the class: RADDLE_REGISTER_MACHINE("ref", ReferenceMachine);
class MachineRegistration {
 public:
  MachineRegistration(const char* implementation, MachineFactory factory);
};
#define RADDLE_REGISTER_MACHINE(implementation, Class)                              \
  static const ::raddle::machine::MachineRegistration kMachineRegistration_##Class( \
      implementation,                                                               \
      [](const ::raddle::machine::ParameterTable& table)                            \
          -> std::unique_ptr<::raddle::machine::Machine> {                          \
        return std::make_unique<Class>(table);                                      \
      })

// Names of machines/*.toml, sorted; and the table of one by name or by a path ending in .toml. An
// unknown name is an Error that suggests the nearest.
struct MachineName {
  std::string name;
  std::string sentence;  // the `description` entry of its TOML
};
std::vector<MachineName> machine_names();
ParameterTable load_parameters(std::string_view name_or_file);
std::unique_ptr<Machine> make_machine(const ParameterTable& parameters);

}  // namespace raddle::machine
