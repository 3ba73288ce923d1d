// The control-flow graph of a function as a DOT drawing: a box for each block with its
// instructions, branch edges labelled with their condition, edges back to a loop's header bold and
// blue, and dotted lines from each branch to the block where threads that parted there meet again.
#pragma once

#include <string>

#include "kernel/module.h"

namespace raddle::kernel {

struct DotOptions {
  bool instructions = true;  // false: labels and numbers of instructions alone
  bool reconvergence = true;
};

std::string print_dot(const Module& module, const Function& function,
                      const DotOptions& options = {});
// All functions that have a body, one cluster each.
std::string print_dot(const Module& module, const DotOptions& options = {});

}  // namespace raddle::kernel
