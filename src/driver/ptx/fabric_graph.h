// `raddle graph -m MACHINE`: a kernel as the dataflow graphs that a fabric executes, or where these
// lie on its grid.
#pragma once

#include <string>

#include "driver/request.h"
#include "kernel/module.h"

namespace raddle::driver::ptx {

std::string fabric_graph(const DrawRequest& request, const kernel::Module& module,
                         const kernel::Function& function);

}  // namespace raddle::driver::ptx
