// The overlay as a whole: built from its parameters, runs a configured program on host memory and
// says what it cost. It executes r5xx programs, not kernels; the driver (host_driver.h) prepares
// them.
#pragma once

#include "machine/launch_result.h"
#include "machine/machine.h"
#include "machine/overlay/configuration.h"
#include "machine/overlay/overlay_parameters.h"
#include "machine/overlay/schedule.h"
#include "machine/run/launch_options.h"

namespace raddle::machine::overlay {

class OverlayMachine : public Machine {
 public:
  using Parameters = OverlayParameters;

  // Throws Error for values out of range.
  explicit OverlayMachine(const ParameterTable& table) : Machine(table), parameters_(table) {}

  static Traits traits(const ParameterTable& table);
  Peaks peaks() const override;
  const OverlayParameters& parameters() const { return parameters_; }

  // Whether the program runs in batches of 2x2 threads, not of 4x1.
  bool has_square_batches(const Configuration& configuration) const;
  // Runs to the end of the program or to the first fault, which is in the result. Throws Error for
  // what cannot run at all. With options.trace the schedule goes there instead.
  LaunchResult run(const Configuration& configuration, HostMemory memory,
                   const LaunchOptions& options, Schedule* schedule = nullptr) const;

 private:
  OverlayParameters parameters_;
};

}  // namespace raddle::machine::overlay
