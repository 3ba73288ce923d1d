#include "machine/d2now/d2now_parameters.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"

namespace raddle::machine::d2now {
namespace {

constexpr std::int64_t kMostCycles = 1'000'000;
constexpr std::int64_t kMostEntries = 1 << 24;

// Reads cycles of one clock as ticks.
class ClockReader {
 public:
  ClockReader(const ParameterTable& table, double ticks_per_cycle)
      : table_(table), ticks_per_cycle_(ticks_per_cycle) {}

  Ticks operator()(std::string_view key) const {
    return static_cast<Ticks>(
        std::llround(table_.number_in(key, 0, kMostCycles) * ticks_per_cycle_));
  }

 private:
  const ParameterTable& table_;
  double ticks_per_cycle_;
};

std::uint32_t count(const ParameterTable& table, std::string_view key, std::int64_t least = 1) {
  return static_cast<std::uint32_t>(table.integer_in(key, least, kMostEntries));
}

CacheShape cache(const ParameterTable& table, const std::string& level) {
  const CacheShape shape{
      count(table, fmt::format("memory.{}_bytes", level)),
      static_cast<std::uint32_t>(table.integer_in(fmt::format("memory.{}_ways", level), 1, 64))};
  const std::uint32_t set_bytes = shape.ways * ddm::recording::kLineBytes;
  // Recordings leave out what hits in 4 KB, direct-mapped.
  if (shape.bytes % set_bytes != 0 || !std::has_single_bit(shape.bytes / set_bytes) ||
      shape.bytes / set_bytes < 128) {
    throw Error(
        fmt::format("memory.{}_bytes = {} with {} ways makes {} sets of {}-byte lines", level,
                    shape.bytes, shape.ways, shape.bytes / set_bytes, ddm::recording::kLineBytes),
        table.file(), "recordings can be replayed with 128 sets or a larger power of two");
  }
  return shape;
}

MemoryParameters memory(const ParameterTable& table) {
  const ClockReader cycles(table, kTicksPerCycle);
  return {
      .perfect = table.boolean("memory.perfect"),
      .l1_data = cache(table, "l1"),
      .l1_code = cache(table, "l1"),
      .l2 = cache(table, "l2"),
      .l2_hit = cycles("memory.l2_hit_cycles"),
      .miss = cycles("memory.miss_cycles"),
      .bus_line = cycles("memory.bus_line_cycles"),
      .bus_word = cycles("memory.bus_word_cycles"),
      .bus_snoop = cycles("memory.bus_snoop_cycles"),
      .fill_buffers = static_cast<std::uint32_t>(table.integer_in("memory.fill_buffers", 1, 64))};
}

SequencingParameters sequencing(const ParameterTable& table) {
  const ClockReader cycles(table, kTicksPerCycle);
  return {.fetch = cycles("processor.fetch_cycles"),
          .acknowledge = cycles("processor.acknowledge_cycles"),
          .send_value = cycles("processor.send_value_cycles"),
          .send_block = cycles("processor.send_block_cycles"),
          .load_template = cycles("processor.load_template_cycles")};
}

// A clock of 0 is infinitely fast.
double tsu_ticks_per_cycle(const ParameterTable& table) {
  const double clock = table.number_in("tsu.clock", 0, 1000);
  return clock == 0 ? 0 : kTicksPerCycle / clock;
}

TsuParameters tsu(const ParameterTable& table) {
  const ClockReader cycles(table, tsu_ticks_per_cycle(table));
  return {.acknowledge = cycles("tsu.acknowledge_cycles"),
          .decrement = cycles("tsu.decrement_cycles"),
          .issue = cycles("tsu.issue_cycles"),
          .lookup_address = cycles("tsu.lookup_cycles"),
          .packet = cycles("tsu.packet_cycles"),
          .overflow = cycles("tsu.overflow_cycles"),
          .firing_queue = count(table, "tsu.firing_queue"),
          .acknowledgement_queue = count(table, "tsu.acknowledgement_queue"),
          .waiting_queue = count(table, "tsu.waiting_queue"),
          .temporary_buffer = count(table, "tsu.temporary_buffer"),
          .graph_memory = count(table, "tsu.graph_memory"),
          .synchronization_memory = count(table, "tsu.synchronization_memory")};
}

CacheFlowParameters cacheflow(const ParameterTable& table) {
  const std::string& shift = table.text("cacheflow.shift");
  if (shift != "start" && shift != "completion") {
    throw Error(fmt::format("cacheflow.shift is '{}'", shift), table.file(),
                "it is \"start\" or \"completion\"");
  }
  const CacheFlowParameters flow{
      .prefetch = table.boolean("cacheflow.prefetch"),
      .shift = shift == "start" ? ShiftPolicy::kAtStart : ShiftPolicy::kAtCompletion,
      .avoid_conflicts = table.boolean("cacheflow.avoid_conflicts"),
      .reorder = table.boolean("cacheflow.reorder"),
      .prefetches_at_once = count(table, "cacheflow.prefetches")};
  if (flow.avoid_conflicts && !flow.prefetch) {
    throw Error("cacheflow.avoid_conflicts without cacheflow.prefetch", table.file(),
                "conflicts to avoid are those between prefetches; set both or none");
  }
  return flow;
}

NetworkParameters network(const ParameterTable& table) {
  const ClockReader cycles(table, kTicksPerCycle * table.number_in("network.cycle", 0, 1000));
  const ClockReader processor_cycles(table, kTicksPerCycle);
  const ClockReader tsu_cycles(table, tsu_ticks_per_cycle(table));
  const double bits = table.number_in("network.ethernet_bits_per_second", 1, 1e15);
  return {.blocks = table.boolean("network.blocks"),
          .ethernet = table.boolean("network.ethernet"),
          .send_initial = table.boolean("network.send_initial"),
          .value_bytes = static_cast<std::uint32_t>(table.integer_in("network.value_bytes", 1, 64)),
          .ethernet_threshold = count(table, "network.ethernet_threshold", 0),
          .latency = cycles("network.latency_cycles"),
          .value_packet = cycles("network.value_packet_cycles"),
          .block_word = cycles("network.block_word_cycles"),
          .block_setup = tsu_cycles("network.block_setup_cycles"),
          .ethernet_latency = processor_cycles("network.ethernet_latency_cycles"),
          .ethernet_byte = 8 / bits * table.number("clock_hz") * kTicksPerCycle};
}

}  // namespace

D2nowParameters::D2nowParameters(const ParameterTable& table)
    : clock_hz(table.number_in("clock_hz", 1, 1e12)),
      nodes(static_cast<std::uint32_t>(table.integer_in("nodes", 1, 4096))),
      memory(d2now::memory(table)),
      sequencing(d2now::sequencing(table)),
      tsu(d2now::tsu(table)),
      cacheflow(d2now::cacheflow(table)),
      network(d2now::network(table)) {}

}  // namespace raddle::machine::d2now
