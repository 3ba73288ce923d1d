// The tables of the end-of-run screen, each led by an empty line, or empty where there is nothing
// to say.
#pragma once

#include <string>

#include "experiment/run_result.h"

namespace raddle::report {

// How many rows of kernels and of source lines: the first ones, or all.
enum class Extent { kScreen, kAll };
std::string kernel_table(const experiment::RunResult& result, Extent extent = Extent::kScreen);
// Address spaces and levels of the memory system in one; columns that no row uses are left out.
std::string memory_table(const experiment::RunResult& result);
std::string line_table(const experiment::RunResult& result, Extent extent = Extent::kScreen);

}  // namespace raddle::report
