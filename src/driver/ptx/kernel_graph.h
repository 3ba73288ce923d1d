// The kernels of a PTX text as their IR, or as the dataflow graphs that a fabric executes.
#pragma once

#include <string>

#include "driver/request.h"

namespace raddle::driver::ptx {

// `program` names the text in messages. Throws Error.
std::string draw_kernels(const std::string& text, const std::string& program,
                         const DrawRequest& request);

}  // namespace raddle::driver::ptx
