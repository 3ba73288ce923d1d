// MT-CGRA and dMT-CGRA: kernels as dataflow graphs on a grid of units. Compiled and mapped at
// launch, because distances between threads depend on the block's shape, and kept for further
// launches.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "energy/energy.h"
#include "machine/cgra/cgra_parameters.h"
#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric/fabric.h"
#include "machine/cgra/fabric/fabric_trace.h"
#include "machine/cgra/map/mapping.h"
#include "machine/kernel_machine.h"

namespace raddle::machine::cgra {

struct CompiledKernel {
  FabricKernel kernel;
  std::vector<Mapping> mappings;  // by piece
  std::unique_ptr<kernel::exec::DecodedKernel> decoded;
};

class CgraMachine : public KernelMachine {
 public:
  using Parameters = CgraParameters;

  explicit CgraMachine(const ParameterTable& table);

  static Traits traits(const ParameterTable& table);
  static void check_parameters(const CgraParameters& parameters);
  Peaks peaks() const override;
  const DeviceDescription& description() const override { return description_; }
  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override;
  void check(kernel::Program& program, const Launch& launch) override;
  Occupancy occupancy(kernel::Program& program, const Launch& launch) override;
  void host_wrote(Address address, Bytes bytes) override;

 private:
  const CompiledKernel& compiled(kernel::Program& program, const Launch& launch);
  void compile(const kernel::Program& program, const Launch& launch, CompiledKernel& out) const;
  FabricTrace* trace_to(sim::TraceFile* file);
  // Tokens, or what waits in queues and caches, are left inside.
  void begin_anew();
  Occupancy occupancy_of(const CompiledKernel& kernel, const Launch& launch) const;
  // Throws Error where not even one block fits.
  Occupancy checked_occupancy(const CompiledKernel& kernel, const Launch& launch) const;

  CgraParameters parameters_;
  energy::CoefficientSet coefficients_;
  DeviceDescription description_;
  Grid grid_;
  std::unique_ptr<FabricTrace> trace_;  // outlives the fabric, which writes to it
  std::unique_ptr<Fabric> fabric_;
  std::pair<std::uint64_t, std::size_t> compiled_version_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::array<std::uint32_t, 3>>,
           std::unique_ptr<CompiledKernel>>
      compiled_;
};

}  // namespace raddle::machine::cgra
