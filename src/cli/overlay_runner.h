// Runs programs of the overlay: .ctm files, and what compiles to them.
#pragma once

#include <string>

#include "cli/program_runner.h"

namespace raddle::cli {

ProgramRun run_overlay(const std::string& path, const RunOptions& options,
                       const ProgramOutput& output, const std::string& result_file);
// The words of the program as a .ctm file of .word lines, with its text as comments.
std::string assemble_overlay(const std::string& path, const AsmOptions& options);
// The same as instructions.
std::string disassemble_overlay(const std::string& path);

}  // namespace raddle::cli
