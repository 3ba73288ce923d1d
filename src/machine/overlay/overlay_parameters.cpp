#include "machine/overlay/overlay_parameters.h"

#include "machine/memory_parameters.h"
#include "machine/overlay/batch_state.h"

namespace raddle::machine::overlay {
namespace {

ReadLatency read_latency(const ParameterTable& p) {
  const auto stage = [&p](std::string_view key) {
    return p.number_in("latency." + std::string(key), 0, 100'000);
  };
  ReadLatency latency;
  latency.fpga_request_ns = stage("fpga_request_ns");
  latency.host_request_ns = stage("host_request_ns");
  latency.memory_ns = stage("memory_ns");
  latency.host_build_ns = stage("host_build_ns");
  latency.host_response_ns = stage("host_response_ns");
  latency.fpga_response_ns = stage("fpga_response_ns");
  return latency;
}

LinkParameters read_link(const ParameterTable& p) {
  const Section s(p, "link");
  LinkParameters link;
  link.width_bits = s.power_of_two("width_bits", 2, 32);
  link.clock_hz = s.hertz("clock_hz").count();
  link.transfers_per_cycle = s.count("transfers_per_cycle", 1, 4);
  link.outstanding_reads = s.count("outstanding_reads", 1, 1024);
  link.request_bytes = p.number_in("link.request_bytes", 0, 256);
  link.response_bytes = p.number_in("link.response_bytes", 0, 256);
  link.overhead_bytes = p.number_in("link.overhead_bytes", 0, 256);
  link.latency = read_latency(p);
  return link;
}

FloatOptions read_floats(const ParameterTable& p) {
  const Section s(p, "float");
  FloatOptions floats;
  if (s.boolean("strict")) return {false, false, false};
  floats.fused = s.boolean("fused");
  floats.flush_denormals = s.choice("denormals", {"flush", "keep"}) == 0;
  floats.zero_wins = s.boolean("zero_wins");
  return floats;
}

}  // namespace

OverlayParameters::OverlayParameters(const ParameterTable& p) : name(p.name()) {
  clock = Section(p, "clock").hertz("core_hz");
  const Section batch(p, "batch");
  batches = batch.count("contexts", 1, 64);
  squares = batch.choice("shape", {"4x1", "2x2"}) == 1;
  issue_cycles = Section(p, "issue").count("cycles", 1, 16);
  datapath_stages = Section(p, "datapath").count("stages", 1, 256);
  coordinate_cycles = Section(p, "coordinates").count("cycles_per_batch", 1, 64);
  const Section tex(p, "tex");
  tex_address_cycles = tex.count("address_cycles", 0, 64);
  tex_divide_cycles = tex.count("divide_cycles", 0, 64);
  tex_fifo = tex.count("fifo_entries", 16, 65536);
  output_fifo = Section(p, "output").count("fifo_entries", kOutputBuffers * kBatchThreads, 4096);
  const Section flow(p, "flow");
  limits.calls = flow.count("call_depth", 0, 255);
  limits.loops = flow.count("loop_depth", 0, 255);
  floats = read_floats(p);
  link = read_link(p);
}

}  // namespace raddle::machine::overlay
