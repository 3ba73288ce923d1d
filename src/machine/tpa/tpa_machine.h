// The thick control flow processor as users know it: built from a parameter table, it runs a
// program and gives the same kind of result as machines that run kernels.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "energy/energy.h"
#include "machine/kernel_machine.h"
#include "machine/launch_result.h"
#include "machine/run/launch_options.h"
#include "machine/tpa/processor.h"
#include "machine/tpa/program.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

// What memory held at the end.
struct FinalMemory {
  const Program* program = nullptr;
  std::unique_ptr<Processor> processor;

  // Throws Error for a name that the program does not have.
  std::vector<Word> words_of(std::string_view symbol) const;
  // The same, where they lie.
  std::span<const Word> view_of(std::string_view symbol) const;
};

struct TpaRun {
  LaunchResult result;
  FinalMemory memory;
};

class TpaMachine : public KernelMachine {
 public:
  using Parameters = TpaParameters;

  explicit TpaMachine(const ParameterTable& table);

  static Traits traits(const ParameterTable& table);
  static void check_parameters(const TpaParameters& parameters);
  Peaks peaks() const override;
  const TpaParameters& parameters() const { return parameters_; }

  // Faults of the program are in the result. Throws Error if the program does not fit the machine.
  // The program must outlive the run.
  TpaRun run(const Program& program, const LaunchOptions& options) const;

  // kernel_launch.cpp: kernels, each a flow as thick as its grid.
  const DeviceDescription& description() const override { return device_; }
  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override;
  void check(kernel::Program& program, const Launch& launch) override;

 private:
  TpaParameters parameters_;
  energy::CoefficientSet coefficients_;
  DeviceDescription device_;
};

}  // namespace raddle::machine::tpa
