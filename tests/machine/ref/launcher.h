// Runs a kernel given as PTX text on a machine, by default the reference machine, for tests:
// buffers in device memory, parameters in order.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/kernel_machine.h"

namespace raddle::machine::ref {

class Launcher {
 public:
  explicit Launcher(std::string_view ptx, const std::vector<std::string>& settings = {},
                    const std::string& machine = "ref");
  ~Launcher();

  template <class T>
  std::uint64_t buffer(const std::vector<T>& values) {
    return bytes(values.data(), values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> read(std::uint64_t address, std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory_.view(address), count * sizeof(T));
    return values;
  }
  kernel::DeviceMemory& memory() { return memory_; }
  LaunchOptions& options() { return options_; }
  KernelMachine& machine() { return *machine_; }

  // Parameters are 64-bit pointers or 32-bit integers, as the kernel declares them.
  LaunchResult run(const std::string& kernel, Dim3 grid, Dim3 block,
                   const std::vector<std::uint64_t>& arguments,
                   std::uint32_t dynamic_shared_bytes = 0);
  void check(const Launch& launch);
  std::vector<std::optional<LaunchResult>> run_together(const std::vector<QueuedLaunch>& launches);
  Launch launch_of(const std::string& kernel, Dim3 grid, Dim3 block,
                   const std::vector<std::uint64_t>& arguments,
                   std::uint32_t dynamic_shared_bytes = 0);

 private:
  std::uint64_t bytes(const void* values, std::size_t count);

  ParameterTable parameters_;
  kernel::DeviceMemory memory_;
  kernel::Program program_;
  kernel::TextureTable textures_;
  std::unique_ptr<KernelMachine> machine_;
  LaunchOptions options_;
};

}  // namespace raddle::machine::ref
