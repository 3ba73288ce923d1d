// `raddle graph -m MACHINE`: a kernel as the dataflow graphs that a fabric executes, or where these
// lie on its grid.
#pragma once

#include <string>

#include "cli/commands.h"
#include "kernel/module.h"

namespace raddle::cli {

std::string fabric_graph(const GraphOptions& options, const kernel::Module& module,
                         const kernel::Function& function);

}  // namespace raddle::cli
