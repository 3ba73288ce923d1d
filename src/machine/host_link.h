// The link over which the host's copies reach the device. Machines that run kernels declare it in
// their table.
#pragma once

#include "machine/parameter_binder.h"

namespace raddle::machine {

// PCI Express 3.0 with 16 lanes moves about this much in practice.
inline constexpr double kHostLinkBytesPerSecond = 12e9;

void bind_host_link(const ParameterBinder& section, double& bytes_per_second);

}  // namespace raddle::machine
