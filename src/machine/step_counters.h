// What a machine that executes step by step counts of a launch beside its own time: instructions by
// class and line, branches, barriers, and traffic by address space. The counts are those of the
// reference machine to the last one, so that two machines on one program can be compared.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/exec/warp_stepper.h"
#include "machine/access_counters.h"
#include "machine/launch_result.h"

namespace raddle::machine {

class StepCounters {
 public:
  explicit StepCounters(const kernel::exec::DecodedKernel& kernel);

  // Right after execute_step, with what it gave back.
  void count(const kernel::exec::Step& step, const kernel::exec::WarpState& warp);
  // After the launch.
  void add_to(LaunchResult& result, bool lines) const;

 private:
  struct Executions {
    std::uint64_t warps = 0;
    std::uint64_t threads = 0;
  };
  std::vector<Executions>& executions_of(const kernel::exec::DecodedFunction& function);

  const kernel::exec::DecodedKernel& kernel_;
  std::vector<std::vector<Executions>> executions_;  // by function and instruction
  std::size_t last_function_ = 0;
  AccessCounters accesses_;
  std::uint64_t branches_ = 0;
  std::uint64_t divergent_branches_ = 0;
  std::uint64_t barriers_ = 0;
};

}  // namespace raddle::machine
