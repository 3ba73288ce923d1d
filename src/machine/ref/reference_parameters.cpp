#include "machine/ref/reference_parameters.h"

#include "kernel/exec/decoded.h"
#include "machine/memory_parameters.h"

namespace raddle::machine::ref {

namespace {

// Values beyond these are slips of the pen.
constexpr NumberRange kClockRange{1e3, 1e12};  // what CUDA tells is in kHz
constexpr IntegerRange kUnits{1, 1 << 16};
constexpr IntegerRange kRegisters{1, kMaxBytes};

}  // namespace

ReferenceParameters::ReferenceParameters(const ParameterBinder& p) {
  device.name = "Raddle reference machine";
  device.memory_bytes = std::int64_t{4} << 30;
  device.multiprocessors = 16;

  p.number("clock_hz", clock_hz, "Hz", "one warp instruction a cycle", kClockRange);
  p.integer("memory_bytes", device.memory_bytes, "bytes", "of device memory",
            {4096, std::int64_t{1} << 40});
  p.bytes("constant_bytes", device.constant_bytes, "of constant memory", 0);
  p.integer("warp_size", device.warp_size, "threads", "of a warp",
            {kernel::exec::kLanes, kernel::exec::kLanes});
  p.integer("multiprocessors", device.multiprocessors, "1", "multiprocessors of the device",
            kUnits);
  p.integer("max_threads_per_block", device.max_threads_per_block, "threads", "of a block at most",
            {1, device.max_block[0]});
  p.integer("max_threads_per_multiprocessor", device.max_threads_per_multiprocessor, "threads",
            "resident on a multiprocessor at once", {kernel::exec::kLanes, kUnits.most});
  p.integer("max_blocks_per_multiprocessor", device.max_blocks_per_multiprocessor, "blocks",
            "resident on a multiprocessor at once", kUnits);
  p.integer("registers_per_block", device.registers_per_block, "registers", "of a block at most",
            kRegisters);
  p.integer("registers_per_multiprocessor", device.registers_per_multiprocessor, "registers",
            "of a multiprocessor", kRegisters);
  p.bytes("shared_bytes_per_block", device.shared_bytes_per_block,
          "of shared memory of a block at most", 0);
  p.bytes("shared_bytes_per_multiprocessor", device.shared_bytes_per_multiprocessor,
          "of shared memory of a multiprocessor", 0);
  p.integer("register_unit", device.register_unit, "registers", "given to a warp at once",
            kRegisters);
  p.integer("shared_unit", device.shared_unit, "bytes", "of shared memory given to a block at once",
            kRegisters);
  bind_host_link(p, device.host_link_bytes_per_second);
  p.bytes("stack_bytes_per_thread", stack_bytes, "of a thread's stack", 0);
  p.integer("slice_warp_instructions", slice, "warp instructions",
            "of a block before the next block runs", {1, 1'000'000'000});
  p.boolean("track_communication", track_communication,
            "count communication between threads, which slows the simulation");

  device.clock_khz = static_cast<int>(clock_hz / 1000);
}

}  // namespace raddle::machine::ref
