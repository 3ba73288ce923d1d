#include "machine/ref/reference_parameters.h"

#include "machine/device_parameters.h"

namespace raddle::machine::ref {

namespace {

// Values beyond these are slips of the pen.
constexpr NumberRange kClockRange{1e3, 1e12};  // what CUDA tells is in kHz

}  // namespace

ReferenceParameters::ReferenceParameters(const ParameterBinder& p) {
  device.name = "Raddle reference machine";
  device.memory_bytes = std::int64_t{4} << 30;
  device.multiprocessors = 16;

  p.number("clock_hz", clock_hz, "Hz", "one warp instruction a cycle", kClockRange);
  bind_device(p, device);
  p.bytes("stack_bytes_per_thread", stack_bytes, "of a thread's stack", 0);
  p.integer("slice_warp_instructions", slice, "warp instructions",
            "of a block before the next block runs", {1, 1'000'000'000});
  p.boolean("track_communication", track_communication,
            "count communication between threads, which slows the simulation");

  device.clock_khz = static_cast<int>(clock_hz / 1000);
}

}  // namespace raddle::machine::ref
