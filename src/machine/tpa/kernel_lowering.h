// A CUDA kernel as a thick control flow program: a launch is one flow with a fiber for each thread
// of its grid. All fibers go through the kernel's blocks in an order in which they meet again; a
// block is executed by those whose next block it is, the others compute address 0. A loop is left
// when no fiber is left in it. Where masks would cost more, the flow splits (flow_splits.h). As
// every step ends before the next begins, barriers need nothing.
//
// A word of shared memory holds four bytes of device memory, so that each int or float is one
// reference. Memory is copied before and after a launch, which takes no cycles.
#pragma once

#include <cstdint>

#include "kernel/exec/launch.h"
#include "kernel/program.h"
#include "machine/tpa/program.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

// Where the memory of a launch lies in shared memory, in bytes.
struct KernelMemory {
  Word global = 0;        // device memory from kGlobalBase on
  Word global_bytes = 0;  // of device memory
  Word shared = 0;        // of blocks, one after the other
  Word local = 0;         // of threads
  Word exchange = 0;      // a word for each thread
  Word parameters = 0;    // of the launch
  // For splits of the flow: the threads of those that are split off, what they take along, and for
  // each flow a word to count in.
  Word list = 0, values = 0, counts = 0;
  Word end = 0;
};

struct LoweredKernel {
  Program program;
  KernelMemory memory;
};

// Throws Error with construct and source line for what the machine cannot run.
LoweredKernel lower_kernel(const kernel::Program& program, const kernel::exec::Launch& launch,
                           const TpaParameters& parameters);

}  // namespace raddle::machine::tpa
