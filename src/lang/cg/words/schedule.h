// Puts operations into words: within each stretch of code without jumps, operations of the vector
// and the scalar half that do not depend on each other share a word, and texels are asked for
// early.
#pragma once

#include <vector>

#include "lang/cg/words/bundle.h"
#include "lang/cg/words/lir.h"

namespace raddle::cg {

// A word, or an item of flow control.
struct Step {
  const LirItem* control = nullptr;  // else a bundle
  Bundle bundle;
  Place place;
};

// How far the scheduler looks ahead; less of it needs fewer registers, more finds more partners.
struct ScheduleLimits {
  // How far after the first waiting operation a partner may be found, or a texel be asked for.
  std::size_t partner_window = 64;
  std::size_t texel_window = 64;
  std::size_t texels = 8;      // that may wait for their use at one time: each takes a register
  bool longest_first = false;  // what most depends on first, instead of what is written first
  // Numbers by which the alpha channel may be fuller than the others before they are preferred.
  std::size_t alpha_lead = 2;
  bool groups_texels = false;  // coordinates first, then all TEX that they allow
};

// Decides for every register which of its components lies in the alpha channel. The program's items
// must outlive the steps.
std::vector<Step> schedule(LirProgram& program, const Options& options,
                           const ScheduleLimits& limits = {});

}  // namespace raddle::cg
