// The reference machine: functional, fast, the yardstick of correctness for every other machine. It
// executes blocks in order, as many resident together as its parameters allow, each for a slice of
// instructions at a time, so that blocks that wait for each other all make progress. It has no
// timing: one warp instruction is one cycle.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "kernel/exec/decoded.h"
#include "machine/kernel_machine.h"
#include "machine/ref/reference_parameters.h"

namespace raddle::machine::ref {

class ReferenceMachine : public KernelMachine {
 public:
  using Parameters = ReferenceParameters;

  explicit ReferenceMachine(const ParameterTable& table);

  static Traits traits(const ParameterTable& table);
  Peaks peaks() const override;
  const DeviceDescription& description() const override { return parameters_.device; }
  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override;
  Occupancy occupancy(kernel::Program& program, const Launch& launch) override;

 private:
  const kernel::exec::DecodedKernel& decoded(const kernel::Program& program,
                                             kernel::FunctionRef kernel);

  ReferenceParameters parameters_;
  // Kernels decoded so far; a program that loads more modules decodes anew.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<kernel::exec::DecodedKernel>>
      decoded_;
  std::map<const kernel::exec::DecodedKernel*, std::uint32_t> registers_;  // a thread's, by kernel
  std::pair<std::uint64_t, std::size_t>
      decoded_version_{};  // of the program: its identity and number of modules
};

}  // namespace raddle::machine::ref
