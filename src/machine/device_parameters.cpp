#include "machine/device_parameters.h"

#include "kernel/exec/decoded.h"
#include "machine/memory_parameters.h"

namespace raddle::machine {

namespace {

// Values beyond these are slips of the pen.
constexpr IntegerRange kUnits{1, 1 << 16};
constexpr IntegerRange kRegisters{1, kMaxBytes};

}  // namespace

void bind_device(const ParameterBinder& p, DeviceDescription& device) {
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
}

}  // namespace raddle::machine
