// e programs for the thick control flow machines: compiled for the machine at hand, with what is to
// be done when the run has ended.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "machine/tpa/data_source.h"
#include "machine/tpa/program.h"
#include "machine/tpa/tpa_machine.h"

namespace raddle::driver::tpa {

struct FinishOptions {
  std::string output_folder;
  bool check = false;  // compare with the interpreter, too
};

struct Finished {
  std::string wrong;    // empty: nothing
  std::string printed;  // by the program's checks
};

struct LoadedTpaProgram {
  machine::tpa::Program program;
  std::string notes;     // for -v
  std::string warnings;  // shown always
  // Symbols whose words stand for something else than integers.
  std::map<std::string, machine::tpa::WordForm> forms;
  // For a higher language: its assembly, with the contents of shared arrays. May be empty.
  std::function<std::string()> assembly;
  // Checks on what the run left, and output files. May be empty.
  std::function<Finished(const machine::tpa::FinalMemory&, const FinishOptions&)> finish;
};

// Throws Error with all that is wrong with the program or its arguments.
LoadedTpaProgram load_e_program(const std::string& path, const std::vector<std::string>& arguments,
                                const machine::tpa::TpaParameters& parameters);

}  // namespace raddle::driver::tpa
