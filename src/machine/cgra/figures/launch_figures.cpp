#include "machine/cgra/figures/launch_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "machine/cgra/figures/bound_figures.h"
#include "machine/cgra/figures/channel_figures.h"
#include "machine/energy_coefficients.h"
#include "machine/memory_figures.h"
#include "machine/run/ratio.h"
#include "machine/unit_energy.h"
#include "sim/stats.h"

namespace raddle::machine::cgra {

using energy::Event;
using energy::EventCounts;

namespace {

constexpr std::uint64_t kWordBytes = 4;

// What a firing of a node does beside moving tokens.
EventCounts node_events(const PieceGraph& piece, std::size_t node,
                        const std::vector<kernel::Instruction>& code) {
  EventCounts events;
  const std::uint32_t place = piece.node_code[node];
  if (piece.graph.nodes[node].kind == NodeKind::kCompute) {
    if (place != kNoCode) return unit_events(code[place]);
    events.add(Event::bitwise);  // a multiplexer
  }
  return events;
}

EventCounts fabric_events(const LaunchCounts& counts, const FabricKernel& kernel) {
  EventCounts events;
  for (std::size_t p = 0; p < kernel.pieces.size(); ++p) {
    const PieceGraph& piece = kernel.pieces[p].graph;
    const std::vector<std::uint64_t>& firings = counts.nodes[p].firings;
    for (std::size_t n = 0; n < firings.size(); ++n) {
      const EventCounts one = node_events(piece, n, kernel.function.blocks[p].instructions);
      for (std::size_t e = 0; e < energy::kEvents; ++e)
        events.events[e] += one.events[e] * firings[n];
    }
    // The injector's scalar unit: an operation and a register for its result.
    for (const std::uint32_t place : piece.uniform_code) {
      EventCounts one = unit_events(kernel.function.blocks[p].instructions[place]);
      one.add(Event::token_write);
      for (std::size_t e = 0; e < energy::kEvents; ++e)
        events.events[e] += one.events[e] * counts.nodes[p].groups;
    }
  }
  const FabricCounts& done = counts.done;
  events.add(Event::token_write, done.tokens.buffer_writes);
  events.add(Event::token_read, done.tokens.buffer_reads);
  events.add(Event::token_hop, done.tokens.link_hops);
  events.add(Event::scratchpad_word_read, done.scratchpad.reads + done.live_values.reads);
  events.add(Event::scratchpad_word_write, done.scratchpad.writes + done.live_values.writes);
  // A thread's access reads or writes one word of one bank, and looks up a tag, which the figure of
  // the bank includes; lines that come and go are whole ones.
  events.add(Event::scratchpad_word_read, done.l1.loads + done.prefetches.lines);
  events.add(Event::scratchpad_word_write, done.l1.stores);
  events.add(Event::l1_write, done.l1.fills);
  events.add(Event::l1_read, done.l1.write_backs);
  add_memory_system(events, done.memory);
  return events;
}

kernel::InstructionClass class_of_node(const PieceGraph& piece, std::size_t node,
                                       const std::vector<kernel::Instruction>& code) {
  const Node& n = piece.graph.nodes[node];
  switch (n.kind) {
    case NodeKind::kMemory:
      if (n.atomic) return kernel::InstructionClass::kAtomic;
      return n.writes ? kernel::InstructionClass::kStore : kernel::InstructionClass::kLoad;
    case NodeKind::kReceiveLoad:
    case NodeKind::kElevator: return kernel::InstructionClass::kInterThread;
    default: break;
  }
  const std::uint32_t place = piece.node_code[node];
  return place == kNoCode ? kernel::InstructionClass::kOther : kernel::class_of(code[place]);
}

void add_firings(const LaunchCounts& counts, const FabricKernel& kernel, LaunchResult& result) {
  for (std::size_t p = 0; p < kernel.pieces.size(); ++p) {
    const PieceGraph& piece = kernel.pieces[p].graph;
    for (std::size_t n = 0; n < counts.nodes[p].firings.size(); ++n) {
      const Node& node = piece.graph.nodes[n];
      if (node.unit == UnitClass::kPort) continue;
      const std::uint64_t firings = counts.nodes[p].firings[n];
      result.thread_instructions += firings;
      result.thread_instructions_by_class[static_cast<std::size_t>(
          class_of_node(piece, n, kernel.function.blocks[p].instructions))] += firings;
    }
  }
}

void add_stalls(const LaunchCounts& counts, LaunchResult& result) {
  UnitAccount all;
  for (std::size_t u = 0; u < kUnitClasses; ++u) all += counts.done.cycles[u];
  result.stalls = stalls_of(all);
}

// What each piece took: where a kernel's time goes, configuration by configuration.
std::vector<FabricPiece> pieces_of(const LaunchCounts& counts,
                                   const std::vector<Mapping>& mappings) {
  std::vector<FabricPiece> pieces(mappings.size());
  for (std::size_t p = 0; p < mappings.size(); ++p) {
    const auto copies = static_cast<std::uint64_t>(mappings[p].replicas.size());
    pieces[p].copies = copies;
    if (counts.nodes[p].firings.empty()) continue;
    pieces[p].threads = counts.nodes[p].firings[0];
    // The source of each copy fires once a thread, and is there as long as the configuration is.
    pieces[p].cycles = counts.nodes[p].cycles[0].sum().as_double() / of(copies);
  }
  return pieces;
}

void add_mapping_stats(const std::vector<Mapping>& mappings, LaunchResult& result) {
  const auto add = [&](std::string name, std::string unit, std::string sentence, double value) {
    result.stats.push_back(
        {"mapping", std::move(name), std::move(unit), std::move(sentence), value});
  };
  double replicas = 0, hops = 0;
  std::uint32_t longest = 0;
  Cycle depth;
  for (const Mapping& mapping : mappings) {
    replicas += of(mapping.replicas.size());
    hops += of(mapping.total_hops);
    longest = std::max(longest, mapping.longest_route);
    depth = std::max(depth, mapping.depth);
  }
  add("pieces", "pieces", "pieces of the kernel, each with a configuration", of(mappings.size()));
  add("replicas", "replicas", "copies of the graph on the grid, of all pieces", replicas);
  add("hops", "hops", "links from senders to receivers, of all pieces", hops);
  add("longest_route", "hops", "the longest path of a token between two units", longest);
  add("depth", "cycles", "the longest path of a thread through a piece, without memory",
      depth.as_double());
}

}  // namespace

LaunchCounts::LaunchCounts(Fabric& fabric, const FabricKernel& kernel)
    : nodes(kernel.pieces.size()), fabric_(fabric), before_(fabric.counts()) {
  dram_cycles = fabric.dram_cycles();
  l2_cycles = fabric.l2_cycles();
  network_cycles = fabric.network_cycles();
}

void LaunchCounts::finish(Cycle start) {
  const Cycle end = fabric_.worked_until();
  cycles = end - start;
  done = fabric_.counts();
  // The last quantum goes on after the end.
  const Cycle rest = fabric_.now() - end;
  for (std::size_t u = 0; u < kUnitClasses; ++u)
    done.cycles[u].take_idle_back(rest * fabric_.parameters().units[u] *
                                  fabric_.parameters().cores);
  dram_cycles = fabric_.dram_cycles() - dram_cycles;
  l2_cycles = fabric_.l2_cycles() - l2_cycles;
  network_cycles = fabric_.network_cycles() - network_cycles;
  if (fabric_.is_idle()) {
    fabric_.flush_core_caches();
    fabric_.run();
    const FabricCounts all = fabric_.counts();
    done.l1 = all.l1;
    done.prefetches = all.prefetches;
    done.memory = all.memory;
  }
  done -= before_;
}

void add_figures(const LaunchCounts& counts, const FabricKernel& kernel,
                 const std::vector<Mapping>& mappings, const CgraParameters& parameters,
                 const energy::CoefficientSet& coefficients, LaunchResult& result) {
  const FabricParameters& fabric = parameters.fabric;
  const FabricCounts& done = counts.done;
  result.cycles = counts.cycles.count();
  result.seconds = (counts.cycles / fabric.core_clock).count();
  add_firings(counts, kernel, result);
  add_stalls(counts, result);

  if (done.l1.loads + done.l1.stores + done.l1.atomics > 0)
    result.memory.push_back(cache_traffic("L1", done.l1));
  MemoryTraffic live;
  live.level = "live values";
  live.load_accesses = done.live_values.reads;
  live.store_accesses = done.live_values.writes;
  live.bytes_read = done.live_values.reads * kWordBytes;
  live.bytes_written = done.live_values.writes * kWordBytes;
  live.bank_conflicts = done.live_values.conflicts;
  if (live.load_accesses + live.store_accesses > 0) result.memory.push_back(live);
  result.memory.push_back(cache_traffic("L2", done.memory.l2));
  result.memory.push_back(dram_traffic(done.memory.dram, fabric.memory.dram));

  const double cycles = counts.cycles.as_double() * fabric.cores;
  for (std::size_t u = 0; u < kUnitClasses; ++u) {
    const auto unit = static_cast<UnitClass>(u);
    result.utilisation.push_back({fmt::format("{} units", name_of(unit)),
                                  done.cycles[u][UnitUse::kFired].as_double(),
                                  cycles * fabric.units[u]});
  }
  result.utilisation.push_back({"memory", done.memory.dram.bus_busy_cycles.as_double(),
                                counts.dram_cycles.as_double() * fabric.memory.channels});
  result.utilisation.push_back({"L2", done.memory.partitions.busy_cycles.as_double(),
                                counts.l2_cycles.as_double() * fabric.memory.slices()});

  append_stats(result.stats, "tokens", done.tokens);
  append_stats(result.stats, "L1", done.l1);
  append_stats(result.stats, "L1 prefetch", done.prefetches);
  append_stats(result.stats, "L1 banks", done.l1_banks);
  append_stats(result.stats, "scratchpad", done.scratchpad);
  append_stats(result.stats, "live values", done.live_values);
  append_stats(result.stats, "L2", done.memory.l2);
  append_stats(result.stats, "DRAM", done.memory.dram);
  add_mapping_stats(mappings, result);
  std::ranges::move(channel_figures(kernel, counts.nodes), std::back_inserter(result.stats));
  result.fabric = bound_figures(kernel, counts.nodes, fabric);
  result.fabric->pieces = pieces_of(counts, mappings);

  EventCounts events = fabric_events(counts, kernel);
  events += powered_cores(Seconds(result.seconds), fabric.cores, coefficients);
  charge_energy(events, coefficients, result);
}

}  // namespace raddle::machine::cgra
