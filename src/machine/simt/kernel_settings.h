// Settings by kernel (`sharing.kernel.NAME`) name kernels that a table cannot know. This keeps
// track of which of them launches have met, so that a misspelt name is not passed over in silence.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/program.h"
#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

class KernelSettings {
 public:
  explicit KernelSettings(const SharingParameters& sharing);

  bool all_met() const { return unmet_.empty(); }
  // A launch of that kernel, by its demangled name, of a program with these others.
  void note_launch(const kernel::Program& program, const std::string& kernel);
  // A sentence for every name that no launch had, with the kernel that was most likely meant.
  // Nothing as long as nothing was launched.
  std::vector<Error> remarks() const;

 private:
  std::set<std::string> unmet_;
  std::set<std::string> launched_;
  std::set<std::string> known_;  // kernels of the programs that were launched from
};

}  // namespace raddle::machine::simt
