// Picks the version of the lane loops that suits this host, once.
#include "kernel/exec/address_loops.h"
#include "kernel/exec/decoded.h"

namespace raddle::kernel::exec {

namespace baseline {
LaneFunction select(const Instruction& instruction, OperandSizes sizes);
extern const AddressLoops kAddressLoops;
}  // namespace baseline
#ifdef RADDLE_LANE_VERSIONS
namespace v3 {
LaneFunction select(const Instruction& instruction, OperandSizes sizes);
extern const AddressLoops kAddressLoops;
}  // namespace v3
#endif

namespace {

bool has_v3() {
#ifdef RADDLE_LANE_VERSIONS
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

const bool kHasV3 = has_v3();

}  // namespace

LaneFunction select_lane_function(const Instruction& instruction, OperandSizes sizes) {
#ifdef RADDLE_LANE_VERSIONS
  if (kHasV3) return v3::select(instruction, sizes);
#endif
  return baseline::select(instruction, sizes);
}

const AddressLoops& address_loops() {
#ifdef RADDLE_LANE_VERSIONS
  if (kHasV3) return v3::kAddressLoops;
#endif
  return baseline::kAddressLoops;
}

}  // namespace raddle::kernel::exec
