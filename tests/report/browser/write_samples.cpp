// Writes result files for the browser test: a run with timing, the same on a faster machine, and
// one of the reference machine with a fault. usage: report_samples FOLDER
#include <fmt/format.h>

#include <cstdio>

#include "experiment/result_json.h"
#include "report/timed_result.h"

namespace {

using raddle::experiment::RunResult;

RunResult faster(RunResult result) {
  result.machine = "dmt-cgra";
  result.totals.cycles /= 2;
  result.totals.seconds /= 2;
  for (raddle::machine::Share& part : result.totals.energy) part.value /= 3;
  return result;
}

RunResult without_timing(RunResult result) {
  result.machine = "ref";
  result.implementation = "ref";
  result.peaks = {1e9, 32, 0};
  result.totals.stalls.clear();
  result.totals.energy.clear();
  result.totals.energy_set.clear();
  result.totals.utilisation.clear();
  for (raddle::machine::LaunchResult& launch : result.launches) {
    launch.stalls.clear();
    launch.energy.clear();
    launch.energy_set.clear();
    launch.utilisation.clear();
    launch.kernel_launch->occupancy = {};
    launch.sample_cycles = 0;
    launch.samples.clear();
  }
  raddle::machine::Fault fault;
  fault.kind = raddle::machine::FaultKind::kOutOfBounds;
  fault.message = "out-of-bounds load of 4 bytes, </script><script>alert(1)</script>";
  fault.location = "matmul.cu:12";
  fault.kernel = result.launches[0].kernel;
  result.launches[0].faults.push_back(fault);
  result.totals.fault_count = 1;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const RunResult timed = raddle::report::timed_result();
  for (const RunResult& result : {timed, faster(timed), without_timing(timed)}) {
    raddle::experiment::write_result_file(result,
                                          fmt::format("{}/{}.json", argv[1], result.machine));
  }
  return 0;
}
