// The Data-Driven Network of Workstations: runs a recorded data-driven program on simulated nodes
// and says what it took.
#pragma once

#include <string>

#include "ddm/recording/recording.h"
#include "machine/d2now/d2now_parameters.h"
#include "machine/launch_result.h"
#include "machine/machine.h"
#include "machine/run/launch_options.h"

namespace raddle::machine::d2now {

class D2nowMachine : public Machine {
 public:
  using Parameters = D2nowParameters;

  // Throws Error for values out of range.
  explicit D2nowMachine(const ParameterTable& table) : Machine(table), parameters_(table) {}

  static Traits traits(const ParameterTable& table);
  Peaks peaks() const override;
  const D2nowParameters& parameters() const { return parameters_; }

  // Throws Error for what the machine cannot run. `race` gets a sentence where a thread reads what
  // one on another node wrote and no arcs put them in order.
  LaunchResult replay(const ddm::recording::Recording& recording, const LaunchOptions& options,
                      std::string* race = nullptr) const;

 private:
  D2nowParameters parameters_;
};

}  // namespace raddle::machine::d2now
