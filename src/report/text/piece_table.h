// What the pieces took that a dataflow fabric cuts a kernel into.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

// For `raddle results show` and for the page; empty where there are no pieces.
std::string piece_table(const experiment::RunResult& result);
std::string pieces_html(const experiment::RunResult& result);

}  // namespace raddle::report
