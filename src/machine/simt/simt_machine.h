// A SIMT GPU as a machine: kernels of CUDA programs, cycle by cycle. What it is built from is in
// machines/*.toml (gpu_parameters.h); docs/machines/simt.md describes the model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "energy/energy.h"
#include "machine/kernel_machine.h"
#include "machine/simt/gpu.h"
#include "machine/simt/kernel_run.h"
#include "machine/simt/kernel_settings.h"
#include "machine/simt/sharing_choice.h"

namespace raddle::machine::simt {

class SimtMachine : public KernelMachine {
 public:
  using Parameters = GpuParameters;

  explicit SimtMachine(const ParameterTable& table);
  ~SimtMachine() override;

  static Traits traits(const ParameterTable& table);
  static void check_parameters(const GpuParameters& parameters);
  Peaks peaks() const override;
  const DeviceDescription& description() const override { return description_; }
  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override;
  std::vector<std::optional<LaunchResult>> launch_together(kernel::Program& program,
                                                           const kernel::TextureTable& textures,
                                                           std::span<const QueuedLaunch> launches,
                                                           const LaunchOptions& options) override;
  void check(kernel::Program& program, const Launch& launch) override;
  Occupancy occupancy(kernel::Program& program, const Launch& launch) override;
  void host_wrote(Address address, Bytes bytes) override;
  std::vector<Error> remarks() const override { return kernel_settings_.remarks(); }

 private:
  PreparedKernel& prepared(const kernel::Program& program, kernel::FunctionRef kernel);
  // Where the code of a kernel lies: in the order in which kernels first run. Launches that are
  // refused take no place.
  Address code_address(kernel::FunctionRef kernel);
  // The trace of that file, which goes on from launch to launch; null without a file.
  GpuTrace* trace_to(sim::TraceFile* file);
  // Throws Error for what this GPU cannot run.
  PreparedKernel& checked(kernel::Program& program, const Launch& launch);
  // The mode that the launch gets.
  SharingChoice sharing_of(const PreparedKernel& kernel, const Launch& launch);
  void check_fits(const PreparedKernel& kernel, const Launch& launch) const;
  // `alone`: blocks that an SM holds in the baseline.
  void check_resident(const PreparedKernel& kernel, const Launch& launch, std::uint32_t alone,
                      SplitChoice split) const;

  GpuParameters parameters_;
  KernelSettings kernel_settings_;
  energy::CoefficientSet coefficients_;
  DeviceDescription description_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<GpuTrace> trace_;
  template <class Value>
  using ByKernel = std::map<std::pair<std::uint32_t, std::uint32_t>, Value>;
  // Kernels prepared so far; a program that loads more modules prepares anew.
  ByKernel<PreparedKernel> prepared_;
  std::pair<std::uint64_t, std::size_t> prepared_version_{};
  ByKernel<Address> code_addresses_;      // of the same program
  std::optional<SharingMode> last_mode_;  // of the last launch
};

}  // namespace raddle::machine::simt
