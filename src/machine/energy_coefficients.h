// Energy coefficient sets by name: machines/energy/NAME.toml, a value in pJ or W a line with its
// source. A file may hold variants that replace some values: "circuit:horowitz".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "energy/energy.h"
#include "machine/launch_result.h"

namespace raddle::machine {

// A set's name, with or without ":VARIANT", or a path ending in .toml. Throws Error: an unknown
// set, variant or event is named with the nearest known one.
energy::CoefficientSet load_coefficients(std::string_view name);
energy::CoefficientSet coefficients_from_toml(std::string_view text, const std::string& file,
                                              std::string_view variant);

// Fills in energy and energy_set of a launch.
void charge_energy(const energy::EventCounts& counts, const energy::CoefficientSet& set,
                   LaunchResult& result);

}  // namespace raddle::machine
