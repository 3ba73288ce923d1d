// The overlay's parameters, read from its table and checked. Initial values are the defaults.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"
#include "machine/overlay/float_ops.h"
#include "machine/overlay/flow.h"
#include "machine/parameter_binder.h"

namespace raddle::machine::overlay {

// Stages of a read over HyperTransport (Table 3).
struct ReadLatency {
  double fpga_request_ns = 70, host_request_ns = 32, memory_ns = 51, host_build_ns = 12,
         host_response_ns = 30, fpga_response_ns = 110;

  double total_ns() const {
    return fpga_request_ns + host_request_ns + memory_ns + host_build_ns + host_response_ns +
           fpga_response_ns;
  }
};

struct LinkParameters {
  std::uint32_t width_bits = 8;
  double clock_hz = 400e6;
  std::uint32_t transfers_per_cycle = 2;
  std::uint32_t outstanding_reads = 32;
  double request_bytes = 8;     // header of a read or posted write
  double response_bytes = 4;    // header of a read response
  double overhead_bytes = 6.4;  // of every packet, beside header and data
  ReadLatency latency;

  double bytes_per_second() const { return clock_hz * transfers_per_cycle * width_bits / 8; }
};

// How the threads of a batch lie in the domain.
enum class BatchShape : std::uint8_t {
  kByProgram,  // 2x2 for programs that compare neighbours, 4x1 for all others
  kRow,        // 4x1
  kSquare,     // 2x2
};

struct OverlayParameters {
  explicit OverlayParameters(const ParameterBinder& p);

  std::string name;
  Hertz clock{100e6};
  std::uint32_t batches = 32;
  BatchShape batch_shape = BatchShape::kByProgram;
  Cycle issue_cycles{4};
  Cycle datapath_stages{64};
  Cycle coordinate_cycles{4};
  Cycle tex_address_cycles{4};
  Cycle tex_divide_cycles{14};
  std::uint32_t tex_fifo = 4096;
  std::uint32_t output_fifo = 64;
  FlowLimits limits;
  FloatOptions floats;
  LinkParameters link;
};

}  // namespace raddle::machine::overlay
