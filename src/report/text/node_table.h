// What the cycles of each node of a data-driven machine were spent on.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

// For `raddle results show` and for the page; empty where there are no nodes.
std::string node_table(const experiment::RunResult& result);
std::string nodes_html(const experiment::RunResult& result);

}  // namespace raddle::report
