// The machine's description in CUDA's words.
#pragma once

#include <optional>

#include "host/cuda_api.h"
#include "machine/kernel_machine.h"

namespace raddle::host {

cudaDeviceProp properties_of(const machine::DeviceDescription& device);

// Nothing for an attribute that CUDA does not know.
std::optional<int> attribute_of(const machine::DeviceDescription& device, cudaDeviceAttr attribute);

}  // namespace raddle::host
