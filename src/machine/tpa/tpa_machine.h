// The thick control flow processor as users know it: built from a parameter table, it runs a
// program and gives the same kind of result as machines that run kernels.
#pragma once

#include <memory>
#include <vector>

#include "energy/energy.h"
#include "machine/launch_result.h"
#include "machine/machine.h"
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
};

struct TpaRun {
  LaunchResult result;
  FinalMemory memory;
};

class TpaMachine : public Machine {
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

 private:
  TpaParameters parameters_;
  energy::CoefficientSet coefficients_;
};

}  // namespace raddle::machine::tpa
