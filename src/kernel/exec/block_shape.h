// What a kernel demands of the blocks it is launched with: the shape that .reqntid names, the
// number of threads that .maxntid (__launch_bounds__) allows.
#pragma once

#include <string>

#include "kernel/exec/launch.h"
#include "kernel/module.h"

namespace raddle::kernel::exec {

// Why blocks of this shape contradict .reqntid; empty if they do not.
std::string required_shape_conflict(const Function& kernel, const Dim3& block);
// Why they contradict .maxntid; empty if they do not.
std::string thread_limit_conflict(const Function& kernel, const Dim3& block);

}  // namespace raddle::kernel::exec
