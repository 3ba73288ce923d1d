// What kinds of special registers there are.
#pragma once

#include "kernel/instruction.h"

namespace raddle::kernel {

// The same for all threads of a launch, from its start to its end.
constexpr bool is_launch_constant(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::kNtidX:
    case SpecialRegister::kNtidY:
    case SpecialRegister::kNtidZ:
    case SpecialRegister::kNctaidX:
    case SpecialRegister::kNctaidY:
    case SpecialRegister::kNctaidZ:
    case SpecialRegister::kNWarpId:
    case SpecialRegister::kWarpSize:
    case SpecialRegister::kNSmId:
    case SpecialRegister::kGridId:
    case SpecialRegister::kDynamicSharedSize:
    case SpecialRegister::kTotalSharedSize:
    case SpecialRegister::kEnvReg: return true;
    default: return false;
  }
}

// Reads another value every time.
constexpr bool is_clock(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::kClock:
    case SpecialRegister::kClockHi:
    case SpecialRegister::kClock64:
    case SpecialRegister::kGlobalTimer:
    case SpecialRegister::kGlobalTimerLo:
    case SpecialRegister::kGlobalTimerHi: return true;
    default: return false;
  }
}

}  // namespace raddle::kernel
