// What the processor counted, as figures of a result.
#pragma once

#include "machine/launch_result.h"
#include "machine/overlay/overlay_parameters.h"
#include "machine/overlay/processor.h"

namespace raddle::machine::overlay {

// Cycles before the program starts, in LaunchResult::stalls.
inline constexpr std::string_view kConfigurationWait = "wait: configuration";

// Names of the causes in LaunchResult::stalls; the paper's words in parentheses.
std::string_view name_of(IdleCause cause);

void add_figures(const Processor& processor, const OverlayParameters& parameters,
                 const Configuration& configuration, bool lines, LaunchResult& result);

}  // namespace raddle::machine::overlay
