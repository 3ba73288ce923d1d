// What of a run's settings concerns every launch, handed to the machine: the CUDA runtime and the
// runner of .ptx files ask for the same things in the same way.
#pragma once

#include <memory>
#include <string>

#include "experiment/run_settings.h"
#include "machine/machine.h"
#include "machine/run/launch_options.h"
#include "sim/trace.h"

namespace raddle::experiment {

// --check, --lines, --sample and -j; the rest is up to whoever launches.
machine::LaunchOptions launch_options(const RunSettings& settings);

// The one trace of the run, which all launches write to; null where none is wanted or the machine
// makes none. Throws Error when the place cannot be written.
std::unique_ptr<sim::TraceFile> open_trace(const RunSettings& settings,
                                           const machine::Traits& machine);

// Whether they were chosen by name, instead of all or the usual ones.
bool names_checks(const Checks& checks);

// What was asked for in vain, a line each; empty: nothing.
std::string ignored_settings(const RunSettings& settings, const machine::Traits& machine);

}  // namespace raddle::experiment
