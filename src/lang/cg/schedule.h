// Puts operations into words: within each stretch of code without jumps, operations of the vector
// and the scalar half that do not depend on each other share a word, and texels are asked for
// early.
#pragma once

#include <vector>

#include "lang/cg/bundle.h"
#include "lang/cg/lir.h"

namespace raddle::cg {

// A word, or an item of flow control.
struct Step {
  const LirItem* control = nullptr;  // else a bundle
  Bundle bundle;
  Place place;
};

// Decides for every register which of its components lies in the alpha channel. The program's items
// must outlive the steps.
std::vector<Step> schedule(LirProgram& program, const Options& options);

}  // namespace raddle::cg
