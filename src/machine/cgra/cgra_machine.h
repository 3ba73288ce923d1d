// MT-CGRA and dMT-CGRA: kernels as dataflow graphs on a grid of units. Compiled at launch, because
// distances between threads depend on the block's shape, and kept for further launches.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "machine/cgra/fabric_kernel.h"
#include "machine/machine.h"

namespace raddle::machine::cgra {

struct CompiledKernel {
  FabricKernel kernel;
  std::unique_ptr<kernel::exec::DecodedKernel> decoded;
};

class CgraMachine : public Machine {
 public:
  explicit CgraMachine(const ParameterTable& parameters);

  const DeviceDescription& description() const override { return description_; }
  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override;

 private:
  const CompiledKernel& compiled(const kernel::Program& program, const Launch& launch);

  DeviceDescription description_;
  CompileOptions options_;
  std::pair<std::uint64_t, std::size_t> compiled_version_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::array<std::uint32_t, 3>>,
           std::unique_ptr<CompiledKernel>>
      compiled_;
};

}  // namespace raddle::machine::cgra
