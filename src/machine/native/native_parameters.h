// What the native machine is built from. Initial values are the defaults: the limits of compute
// capability 7.0, which programs are compiled for, as on `ref`.
#pragma once

#include <cstdint>

#include "machine/kernel_machine.h"
#include "machine/parameter_binder.h"

namespace raddle::machine::native {

struct NativeParameters {
  explicit NativeParameters(const ParameterBinder& p);

  double clock_hz = 1e9;
  DeviceDescription device;
  std::uint32_t stack_bytes = 65536;
  std::int64_t slice = 20000;  // warp instructions of a block before the next has its turn
  std::int64_t compile_after = 400'000;  // warp instructions of a kernel on the interpreter
};

}  // namespace raddle::machine::native
