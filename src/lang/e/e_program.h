// An e program from its text to what a machine needs and back: compile() gives the assembly, the
// contents of shared memory and notes on what was chosen; finish() takes memory as a run left it,
// runs the program's checks and writes its outputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lang/e/ast.h"
#include "lang/e/checker.h"
#include "lang/e/compile_options.h"
#include "lang/e/initial_data.h"

namespace raddle::e {

// What stands after "--" on the command line: NAME=NUMBER for parameters, NAME_=SOURCE for shared
// variables, --technique=NAME[@LINE], --omp=standard|balanced|logarithmic.
struct Arguments {
  ParameterValues parameters;
  GivenInputs inputs;
};

// Throws Error for what it cannot understand; sets what belongs to the compiler in `options`.
Arguments parse_arguments(const std::vector<std::string>& arguments, CompileOptions& options);

// Whether an argument is one that parse_arguments understands as an option of the compiler.
bool is_compiler_argument(std::string_view argument);

struct CompiledProgram {
  Program program;
  SharedData initial;              // of program.shared, in that order
  std::string assembly;            // without the contents of shared arrays
  std::vector<std::string> notes;  // techniques, with their reasons
  std::string warnings;            // rendered; empty: none

  // The assembler's name of a shared variable.
  std::string symbol_of(std::size_t shared) const { return "_" + program.shared[shared]->name; }
};

// Reads, checks and lowers a program. Files that it names are looked up in `folder`. Throws Error
// with all that is wrong.
CompiledProgram compile(std::string_view text, const std::string& file_name,
                        const std::filesystem::path& folder, const Arguments& arguments,
                        const CompileOptions& options);
CompiledProgram compile_file(const std::filesystem::path& file, const Arguments& arguments,
                             const CompileOptions& options);

// The assembly with the contents of shared arrays in it: a program that stands alone.
std::string whole_assembly(const CompiledProgram& compiled);

// Runs the checks on what the run left and writes the outputs into `folder`, which is made if there
// are any. What checks print is added to `printed`. Returns the files written. Throws Error where a
// check fails.
std::vector<std::filesystem::path> finish(const CompiledProgram& compiled, const SharedData& final,
                                          const std::filesystem::path& folder,
                                          std::string* printed = nullptr);

}  // namespace raddle::e
