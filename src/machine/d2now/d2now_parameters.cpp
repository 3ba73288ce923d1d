#include "machine/d2now/d2now_parameters.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"

namespace raddle::machine::d2now {
namespace {

constexpr IntegerRange kEntries{1, 1 << 24};

// Binds cycles of one clock to ticks.
class CycleBinder {
 public:
  CycleBinder(const ParameterBinder& section, double ticks_per_cycle)
      : section_(section), ticks_per_cycle_(ticks_per_cycle) {}

  void operator()(std::string_view key, Ticks& field, std::string_view sentence) const {
    double cycles = cycles_of(field);  // initially of the processor
    section_.number(key, cycles, "cycles", sentence, {0, 1'000'000});
    field = Ticks(static_cast<std::uint64_t>(std::llround(cycles * ticks_per_cycle_)));
  }

 private:
  const ParameterBinder& section_;
  double ticks_per_cycle_;
};

void bind_cache(const ParameterBinder& s, const std::string& level, CacheShape& shape,
                std::string_view sentence) {
  s.integer(level + "_bytes", shape.bytes, "bytes", sentence, kEntries);
  s.integer(level + "_ways", shape.ways, "ways", "lines of a set", {1, 64});
  const std::uint32_t set_bytes = shape.ways * ddm::recording::kLineBytes;
  // Recordings leave out what hits in 4 KB, direct-mapped.
  if (shape.bytes % set_bytes != 0 || !std::has_single_bit(shape.bytes / set_bytes) ||
      shape.bytes / set_bytes < 128) {
    throw Error(
        fmt::format("memory.{}_bytes = {} with {} ways makes {} sets of {}-byte lines", level,
                    shape.bytes, shape.ways, shape.bytes / set_bytes, ddm::recording::kLineBytes),
        s.file(), "recordings can be replayed with 128 sets or a larger power of two");
  }
}

void bind_memory(const ParameterBinder& s, MemoryParameters& memory) {
  const CycleBinder cycles(s, kTicksPerCycle);
  s.boolean("perfect", memory.perfect, "every access hits, as on a PRAM");
  bind_cache(s, "l1", memory.l1_data, "of the L1, data and instructions each");
  memory.l1_code = memory.l1_data;
  bind_cache(s, "l2", memory.l2, "of the L2");
  cycles("l2_hit_cycles", memory.l2_hit, "that the processor stalls on an L2 hit");
  cycles("miss_cycles", memory.miss,
         "that the processor stalls on an L2 miss while the bus is idle");
  s.integer("fill_buffers", memory.fill_buffers, "lines",
            "in flight: stores that do not stop the processor, loads that miss together", {1, 64});
  s.integer("reorder_buffer", memory.reorder_buffer, "instructions",
            "among which loads miss together, 0 for each on its own", {0, 4096});
  s.integer("kept_references", memory.kept_references, "references",
            "of a node that its caches keep when a thread begins, 0 for all", {0, kEntries.most});
  cycles("bus_line_cycles", memory.bus_line, "that a line takes on the bus");
  cycles("bus_word_cycles", memory.bus_word, "that a value takes on the bus");
  cycles("bus_snoop_cycles", memory.bus_snoop, "that a snoop takes on the bus");
}

void bind_sequencing(const ParameterBinder& s, SequencingParameters& sequencing) {
  const CycleBinder cycles(s, kTicksPerCycle);
  cycles("fetch_cycles", sequencing.fetch,
         "to read the next thread from the firing queue and jump to it");
  cycles("acknowledge_cycles", sequencing.acknowledge, "to write to the acknowledgement queue");
  cycles("send_value_cycles", sequencing.send_value, "to hand a single value to the TSU");
  cycles("send_block_cycles", sequencing.send_block,
         "to hand a block's address and size to the NIU");
  cycles("load_template_cycles", sequencing.load_template,
         "of an inlet thread to load one template");
}

// Gives the ticks of a cycle of the TSU.
double bind_tsu(const ParameterBinder& s, TsuParameters& tsu) {
  double clock = 1;
  s.number("clock", clock, "ratio", "of the TSU's clock to the processor's, 0 for infinitely fast",
           {0, 1000});
  const double ticks_per_cycle = clock == 0 ? 0 : kTicksPerCycle / clock;
  const CycleBinder cycles(s, ticks_per_cycle);
  cycles("acknowledge_cycles", tsu.acknowledge,
         "of the TSU to take a completed thread and look up its consumers");
  cycles("decrement_cycles", tsu.decrement, "of the TSU for one consumer's ready count");
  cycles("issue_cycles", tsu.issue, "of the TSU from waiting queue to firing queue");
  cycles("lookup_cycles", tsu.lookup_address, "of the TSU for one address of a thread's data");
  cycles("packet_cycles", tsu.packet, "of the TSU to send or receive a packet");
  cycles("overflow_cycles", tsu.overflow, "of the TSU for a ready count that lies in memory");
  s.integer("firing_queue", tsu.firing_queue, "threads", "of the firing queue", kEntries);
  s.integer("acknowledgement_queue", tsu.acknowledgement_queue, "entries",
            "of the acknowledgement queue: threads and values", kEntries);
  s.integer("waiting_queue", tsu.waiting_queue, "threads", "of the waiting queue", kEntries);
  s.integer("temporary_buffer", tsu.temporary_buffer, "threads",
            "that are being prefetched or wait for it", kEntries);
  s.integer("graph_memory", tsu.graph_memory, "templates", "of the graph memory", kEntries);
  s.integer("synchronization_memory", tsu.synchronization_memory, "ready counts",
            "of the synchronization memory, more lie in memory", kEntries);
  return ticks_per_cycle;
}

void bind_cacheflow(const ParameterBinder& s, CacheFlowParameters& flow) {
  s.boolean("prefetch", flow.prefetch, "a thread's data is prefetched before it runs");
  s.choice("shift", flow.shift,
           {{"start", ShiftPolicy::kAtStart}, {"completion", ShiftPolicy::kAtCompletion}},
           "of its prefetch, when a thread enters the firing queue");
  s.boolean("avoid_conflicts", flow.avoid_conflicts,
            "no prefetch evicts the lines of another one: reserved address table");
  s.boolean("reorder", flow.reorder, "threads leave the waiting queue by number and index");
  s.integer("prefetches", flow.prefetches_at_once, "lines", "in flight at once", kEntries);
  if (flow.avoid_conflicts && !flow.prefetch) {
    throw Error("cacheflow.avoid_conflicts needs cacheflow.prefetch", s.file(),
                "the conflicts to avoid are those between prefetches; set both or neither");
  }
}

void bind_network(const ParameterBinder& s, double tsu_ticks_per_cycle, double clock_hz,
                  NetworkParameters& network) {
  s.boolean("blocks", network.blocks, "medium-grain transfers by DMA");
  s.boolean("ethernet", network.ethernet, "coarse-grain transfers over Ethernet");
  s.boolean("broadcast", network.broadcast,
            "one transmission over Ethernet reaches all nodes that need it");
  s.boolean("send_initial", network.send_initial, "data that no thread produced has to be sent");
  double cycle = 1;
  s.number("cycle", cycle, "ratio", "of the network's cycle to the processor's, 0 for ideal",
           {0, 1000});
  const CycleBinder cycles(s, kTicksPerCycle * cycle);
  s.integer("value_bytes", network.value_bytes, "bytes", "of a value", {1, 64});
  cycles("latency_cycles", network.latency, "of the network for a packet, without those before it");
  cycles("value_packet_cycles", network.value_packet,
         "of the network that a link takes for a packet with a value");
  cycles("block_word_cycles", network.block_word,
         "of the network that a link takes for each value of a block");
  CycleBinder(s, tsu_ticks_per_cycle)("block_setup_cycles", network.block_setup,
                                      "of the TSU to prepare a block");
  s.integer("ethernet_threshold", network.ethernet_threshold, "bytes",
            "more than these go by Ethernet", {0, kEntries.most});
  CycleBinder(s, kTicksPerCycle)("ethernet_latency_cycles", network.ethernet_latency,
                                 "of adapters and switch");
  double bits = 1e9;
  s.number("ethernet_bits_per_second", bits, "bits/s", "of Ethernet", {1, 1e15});
  network.ethernet_byte = 8 / bits * clock_hz * kTicksPerCycle;
}

}  // namespace

D2nowParameters::D2nowParameters(const ParameterBinder& p) {
  p.integer("nodes", nodes, "nodes", "workstations of the network", {1, 4096});
  p.number("clock_hz", clock_hz, "Hz", "of the processors", {1, 1e12});
  bind_memory(p.section("memory"), memory);
  bind_sequencing(p.section("processor"), sequencing);
  const double tsu_ticks_per_cycle = bind_tsu(p.section("tsu"), tsu);
  bind_cacheflow(p.section("cacheflow"), cacheflow);
  bind_network(p.section("network"), tsu_ticks_per_cycle, clock_hz, network);
}

}  // namespace raddle::machine::d2now
