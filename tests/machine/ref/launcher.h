// Runs a kernel given as PTX text on a machine, by default the reference machine, for tests:
// buffers in device memory, parameters in order.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ptx/reader.h"
#include "machine/kernel_machine.h"

namespace raddle::machine::ref {

class Launcher {
 public:
  explicit Launcher(std::string_view ptx, std::vector<std::string> settings = {},
                    const std::string& machine = "ref")
      : parameters_(load_parameters(machine)), memory_(1u << 26), program_(memory_) {
    for (const std::string& setting : settings) parameters_.set(setting);
    machine_ = make_kernel_machine(parameters_);
    program_.load(ptx::read_ptx(ptx, "test.ptx"));
    program_.link();
  }

  template <class T>
  std::uint64_t buffer(const std::vector<T>& values) {
    const std::uint64_t address = *memory_.allocate(values.size() * sizeof(T));
    std::memcpy(memory_.view(address), values.data(), values.size() * sizeof(T));
    return address;
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
                   std::uint32_t dynamic_shared_bytes = 0) {
    return machine_->launch(program_, textures_,
                            launch_of(kernel, grid, block, arguments, dynamic_shared_bytes),
                            options_);
  }
  void check(const Launch& launch) { machine_->check(program_, launch); }
  std::vector<std::optional<LaunchResult>> run_together(const std::vector<QueuedLaunch>& launches) {
    return machine_->launch_together(program_, textures_, launches, options_);
  }
  Launch launch_of(const std::string& kernel, Dim3 grid, Dim3 block,
                   const std::vector<std::uint64_t>& arguments,
                   std::uint32_t dynamic_shared_bytes = 0) {
    Launch launch;
    launch.dynamic_shared_bytes = dynamic_shared_bytes;
    const kernel::Module& module = program_.module(0);
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
      if (module.functions[f].name == kernel) launch.kernel = {0, f};
    }
    const kernel::Function& function = program_.function(launch.kernel);
    launch.grid = grid;
    launch.block = block;
    launch.parameters.resize(function.incoming_bytes());
    for (std::size_t p = 0; p < arguments.size(); ++p) {
      std::memcpy(launch.parameters.data() + function.parameters[p].offset, &arguments[p],
                  function.parameters[p].size);
    }
    return launch;
  }

 private:
  ParameterTable parameters_;
  kernel::DeviceMemory memory_;
  kernel::Program program_;
  kernel::TextureTable textures_;
  std::unique_ptr<KernelMachine> machine_;
  LaunchOptions options_;
};

}  // namespace raddle::machine::ref
