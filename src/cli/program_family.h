// Kinds of programs that are no CUDA: each has its endings, the machines that run it, and the
// functions that run it, assemble it and write its binary as text. A new kind is one entry in
// program_family.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program_runner.h"

namespace raddle::cli {

struct ProgramFamily {
  std::vector<std::string>
      endings;                 // ".tpa"; the first file of a bundled name that exists is taken
  std::string folder;          // benchmarks/FOLDER/NAME.ending is the bundled FOLDER/NAME
  std::string implementation;  // of the machines that run it
  std::vector<std::string> further_implementations = {};
  std::string machines;                          // "tpa, tpa-baseline or cesm"
  std::string default_machine;                   // where none is given
  std::vector<std::string> launch_options = {};  // those of .ptx files that it takes as well
  // Throws Error for a bad file or argument; faults of the program are in the result.
  ProgramRun (*run)(const std::string& path, const RunOptions& options, const ProgramOutput& output,
                    const std::string& result_file) = nullptr;
  // The assembled or lowered form, as raddle asm writes it; arguments are the program's.
  std::string (*assemble)(const std::string& path, const AsmOptions& options) = nullptr;
  std::string (*disassemble)(const std::string& path) = nullptr;
};

std::span<const ProgramFamily> program_families();
// By the ending of a file's name; null: of none of them.
const ProgramFamily* family_of(std::string_view path);

// The machine for a program when the user named none: "ref" for CUDA.
std::string default_machine(const std::string& program);

// Throws Error if the machine runs other programs.
void check_runs_on(const ProgramFamily& family, const std::string& path,
                   const machine::ParameterTable& parameters);

}  // namespace raddle::cli
