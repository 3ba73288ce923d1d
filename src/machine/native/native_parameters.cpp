#include "machine/native/native_parameters.h"

#include "machine/device_parameters.h"

namespace raddle::machine::native {

NativeParameters::NativeParameters(const ParameterBinder& p) {
  device.name = "Raddle native machine";
  device.memory_bytes = std::int64_t{4} << 30;
  device.multiprocessors = 16;

  p.number("clock_hz", clock_hz, "Hz", "what programs are told", {1e3, 1e12});
  bind_device(p, device);
  p.bytes("stack_bytes_per_thread", stack_bytes, "of a thread's stack", 0);
  p.integer("slice_warp_instructions", slice, "warp instructions",
            "of a block before the next block runs", {1, 1'000'000'000});
  p.integer(
      "compile_after_warp_instructions", compile_after, "warp instructions",
      "that a kernel takes on the interpreter before it is compiled beside it, or 0 to compile "
      "it before its first launch",
      {0, 1'000'000'000});

  device.clock_khz = static_cast<int>(clock_hz / 1000);
}

}  // namespace raddle::machine::native
