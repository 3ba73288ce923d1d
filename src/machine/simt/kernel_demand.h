// What a kernel asks of a multiprocessor, as far as its code says before it runs: a warp's
// instructions, units and memory accesses. Loops are taken to iterate a fixed number of times.
// Lines that an access touches follow from how its address depends on the thread (a stride); an
// address that depends on what was loaded is taken to touch a line in each lane.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/kernel_machine.h"
#include "machine/simt/issue_table.h"

namespace raddle::machine::simt {

class KernelDemand {
 public:
  KernelDemand(const kernel::exec::DecodedKernel& kernel, const IssueTable& table);

  // What one warp of 32 threads asks for in a block of that shape.
  struct OfWarp {
    double instructions = 0;
    double sp_cycles = 0, sfu_cycles = 0;  // that units are busy
    double passes = 0;                     // through shared memory
    double lines = 0;                      // of global memory, read or written
  };
  OfWarp of_warp(const Dim3& block) const;

 private:
  struct Access {
    double times = 0;
    bool scattered = false;   // or lanes lie `stride` apart
    std::int64_t stride = 0;  // bytes from one thread in x to the next
    bool by_row = false;      // it depends on the thread's y or z
    std::uint32_t bytes = 4;  // of a lane
  };
  void count_function(const kernel::exec::DecodedFunction& function, const IssueTable& table,
                      std::size_t base);

  OfWarp warp_;  // without lines
  std::vector<Access> accesses_;
};

}  // namespace raddle::machine::simt
