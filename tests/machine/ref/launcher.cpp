#include "machine/ref/launcher.h"

#include "lang/ptx/reader.h"

namespace raddle::machine::ref {

Launcher::Launcher(std::string_view ptx, const std::vector<std::string>& settings,
                   const std::string& machine)
    : parameters_(load_parameters(machine)), memory_(1u << 26), program_(memory_) {
  for (const std::string& setting : settings) parameters_.set(setting);
  machine_ = make_kernel_machine(parameters_);
  program_.load(ptx::read_ptx(ptx, "test.ptx"));
  program_.link();
}

Launcher::~Launcher() = default;

std::uint64_t Launcher::bytes(const void* values, std::size_t count) {
  const std::uint64_t address = *memory_.allocate(count);
  std::memcpy(memory_.view(address), values, count);
  return address;
}

LaunchResult Launcher::run(const std::string& kernel, Dim3 grid, Dim3 block,
                           const std::vector<std::uint64_t>& arguments,
                           std::uint32_t dynamic_shared_bytes) {
  return machine_->launch(program_, textures_,
                          launch_of(kernel, grid, block, arguments, dynamic_shared_bytes),
                          options_);
}

void Launcher::check(const Launch& launch) { machine_->check(program_, launch); }

std::vector<std::optional<LaunchResult>> Launcher::run_together(
    const std::vector<QueuedLaunch>& launches) {
  return machine_->launch_together(program_, textures_, launches, options_);
}

Launch Launcher::launch_of(const std::string& kernel, Dim3 grid, Dim3 block,
                           const std::vector<std::uint64_t>& arguments,
                           std::uint32_t dynamic_shared_bytes) {
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

}  // namespace raddle::machine::ref
