// Reading [sharing] of a machine's table.
#pragma once

#include "machine/parameters.h"
#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

// A table without [sharing] is one of a GPU that shares nothing. Throws Error.
SharingParameters read_sharing(const ParameterTable& table);

}  // namespace raddle::machine::simt
