#include "machine/overlay/overlay_parameters.h"

#include "machine/overlay/batch_state.h"

namespace raddle::machine::overlay {
namespace {

void bind_latency(const ParameterBinder& s, ReadLatency& latency) {
  const auto stage = [&s](std::string_view key, double& field, std::string_view sentence) {
    s.number(key, field, "ns", sentence, {0, 100'000});
  };
  stage("fpga_request_ns", latency.fpga_request_ns, "of a request in the FPGA's HT core");
  stage("host_request_ns", latency.host_request_ns, "of a request in the host's HT controller");
  stage("memory_ns", latency.memory_ns, "of the SDRAM access and data fetch");
  stage("host_build_ns", latency.host_build_ns, "to build the response packet");
  stage("host_response_ns", latency.host_response_ns, "of a response in the host's HT controller");
  stage("fpga_response_ns", latency.fpga_response_ns, "of a response in the FPGA's HT core");
}

void bind_link(const ParameterBinder& s, LinkParameters& link) {
  s.power_of_two("width_bits", link.width_bits, "bits", "of the link, each way", {2, 32});
  s.hertz("clock_hz", link.clock_hz, "of the link");
  s.integer("transfers_per_cycle", link.transfers_per_cycle, "transfers", "per cycle of its clock",
            {1, 4});
  s.integer("outstanding_reads", link.outstanding_reads, "reads", "outstanding at most", {1, 1024});
  s.number("request_bytes", link.request_bytes, "bytes", "of the header of a read or posted write",
           {0, 256});
  s.number("response_bytes", link.response_bytes, "bytes", "of the header of a read response",
           {0, 256});
  s.number("overhead_bytes", link.overhead_bytes, "bytes", "of every packet beside header and data",
           {0, 256});
}

void bind_floats(const ParameterBinder& s, FloatOptions& floats) {
  s.boolean("fused", floats.fused, "a multiply-add rounds once");
  s.choice("denormals", floats.flush_denormals, {{"flush", true}, {"keep", false}},
           "of operands and results");
  s.boolean("zero_wins", floats.zero_wins, "0 times anything is 0");
  bool strict = false;
  s.boolean("strict", strict,
            "IEEE 754 single precision, each operation rounded, overriding the other three");
  if (strict) floats = {false, false, false};
}

}  // namespace

OverlayParameters::OverlayParameters(const ParameterBinder& p) : name(p.name()) {
  p.section("clock").hertz("core_hz", clock, "of the processor");
  const ParameterBinder batch = p.section("batch");
  batch.integer("contexts", batches, "batches", "in flight at once", {1, 64});
  batch.choice(
      "shape", batch_shape,
      {{"auto", BatchShape::kByProgram}, {"4x1", BatchShape::kRow}, {"2x2", BatchShape::kSquare}},
      "the threads of a batch, with auto 2x2 for programs that compare neighbours");
  p.section("issue").integer("cycles", issue_cycles, "cycles", "from one issue to the next",
                             {1, 16});
  p.section("datapath")
      .integer("stages", datapath_stages, "cycles", "through the ALU datapath", {1, 256});
  p.section("coordinates")
      .integer("cycles_per_batch", coordinate_cycles, "cycles", "to make a batch's coordinates",
               {1, 64});
  const ParameterBinder tex = p.section("tex");
  tex.integer("address_cycles", tex_address_cycles, "cycles", "to compute a texel's address",
              {0, 64});
  tex.integer("divide_cycles", tex_divide_cycles, "cycles", "of TXP's projective division",
              {0, 64});
  tex.integer("fifo_entries", tex_fifo, "requests", "that can wait for the link", {16, 65536});
  p.section("output").integer("fifo_entries", output_fifo, "packets", "that can wait for the link",
                              {kOutputBuffers * kBatchThreads, 4096});
  const ParameterBinder flow = p.section("flow");
  flow.integer("call_depth", limits.calls, "addresses", "of the call stack", {0, 255});
  flow.integer("loop_depth", limits.loops, "loops", "within each other", {0, 255});
  bind_floats(p.section("float"), floats);
  bind_link(p.section("link"), link);
  bind_latency(p.section("latency"), link.latency);
}

}  // namespace raddle::machine::overlay
