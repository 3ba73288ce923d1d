// A checked e program to TPA assembly text: what flows have once becomes frontend code, what fibers
// have becomes chained backend lines, constructs become the sequences of the technique chosen.
#pragma once

#include <string>
#include <vector>

#include "lang/e/ast.h"
#include "lang/e/compile_options.h"
#include "lang/e/diagnostics.h"
#include "lang/e/initial_data.h"

namespace raddle::e {

struct Lowered {
  std::string text;                // assembly without the contents of shared arrays
  std::vector<std::string> notes;  // which technique was chosen where, and why
};

// Refused techniques and what does not fit the machine go to `diagnostics`.
Lowered lower(const Program& program, const SharedData& initial, const CompileOptions& options,
              Diagnostics& diagnostics);

}  // namespace raddle::e
