// The parameters of [sharing] and [area].
#pragma once

#include "machine/parameter_binder.h"
#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

// A table without [sharing] is one of a GPU that shares nothing. Throws Error.
void bind_sharing(const ParameterBinder& p, SharingParameters& sharing);

}  // namespace raddle::machine::simt
