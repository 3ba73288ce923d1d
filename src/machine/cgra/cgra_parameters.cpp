#include "machine/cgra/cgra_parameters.h"

#include "machine/memory_parameters.h"

namespace raddle::machine::cgra {

namespace {

void bind_units(const ParameterBinder& s, UnitCounts& units) {
  const auto bind = [&](std::string_view key, UnitClass unit, std::string_view sentence) {
    s.integer(key, units[static_cast<std::size_t>(unit)], "units", sentence, {1, 1024});
  };
  bind("alu", UnitClass::kAlu, "of a core for integers");
  bind("fpu", UnitClass::kFpu, "of a core for floats");
  bind("special", UnitClass::kSpecial, "of a core for divisions, roots, sines and the like");
  bind("load_store", UnitClass::kLoadStore, "of a core for memory, live values included");
  bind("split_join", UnitClass::kSplitJoin, "of a core that split and join tokens");
  bind("control", UnitClass::kControl, "of a core for conditions, and elevators");
}

void bind_latencies(const ParameterBinder& s, UnitLatencies& l) {
  l = {.integer_multiply = Cycle(4),
       .special = Cycle(39),
       .divide = Cycle(39),
       .double_interval = Cycle(8)};
  s.cycles("integer", l.integer, "of an integer addition, shift or conversion");
  s.cycles("integer_multiply", l.integer_multiply, "of an integer multiplication");
  s.cycles("float", l.floating, "of a float addition, multiplication or conversion");
  s.cycles("fused", l.fused, "of a multiply-add");
  s.cycles("special", l.special, "of a root, sine or logarithm");
  s.cycles("divide", l.divide, "of a division");
  s.cycles("control", l.control, "of a comparison, selection or logic operation");
  s.cycles("split_join", l.split_join, "of splitting or joining tokens");
  s.cycles("elevator", l.elevator, "of passing a token to another thread");
  s.cycles("double_interval", l.double_interval,
           "from one double-precision operation of a unit to the next");
}

void bind_banks(const ParameterBinder& s, BankParameters& banks, Cycle latency) {
  banks.latency = latency;
  s.power_of_two("banks", banks.banks, "banks", "each of which takes one access a cycle", {1, 64});
  s.power_of_two("bank_bytes", banks.bank_bytes, "bytes", "of a bank's word", {4, 128});
  s.cycles("latency", banks.latency, "from an access to its value");
}

void bind_grid(const ParameterBinder& s, GridParameters& grid) {
  s.choice("topology", grid.topology,
           {{"mesh", Topology::kMesh},
            {"torus", Topology::kTorus},
            {"diagonal", Topology::kDiagonal},
            {"express", Topology::kExpress}},
           "which switches have links between them");
  s.integer("tracks", grid.tracks, "tracks", "of a link, each way", {1, 64});
  s.integer("ports", grid.ports, "ports", "through which threads are injected", {1, 64});
  s.cycles("hop_cycles", grid.hop_cycles, "of a token over a link");
  s.integer("replicas", grid.replicas, "copies", "of a graph at most, 0 for as many as fit",
            {0, 64});
  s.integer("seed", grid.seed, "1", "of the annealing", {0, kMaxEntries});
  s.integer("effort", grid.effort, "percent", "of the annealing", {1, 10000});
}

void bind_tokens(const ParameterBinder& s, FabricParameters& fabric) {
  s.power_of_two("buffer", fabric.token_buffer, "threads", "that can wait in a unit", {1, 64});
  fabric.load_store_entries = 64;
  s.power_of_two("accesses", fabric.load_store_entries, "accesses",
                 "of a load/store unit in flight", {1, 64});
  fabric.injector_groups = 16;
  s.integer("groups", fabric.injector_groups, "groups",
            "of 32 threads that an injector alternates between", {1, 64});
  s.integer("reconfigure_cycles", fabric.reconfigure_cycles, "cycles",
            "from one configuration to the next", {0, 1'000'000});
  s.integer("scalar_units", fabric.scalar_units, "units",
            "of an injector for values that a block's threads share, 0 for no time", {0, 64});
  fabric.overlap = true;
  s.boolean("overlap", fabric.overlap,
            "a configuration takes units over while threads of the last one leave");
  fabric.prefetch = 8;
  s.integer("prefetch", fabric.prefetch, "accesses",
            "that a unit which loads for other threads asks ahead, 0 for none", {0, 64});
}

void bind_l1(const ParameterBinder& s, FabricParameters& fabric) {
  fabric.l1 = {.bytes = Bytes(65536),
               .hit_latency = Cycle(8),
               .mshrs = 64,
               .accesses_per_mshr = 32,
               .index = memory::SetIndex::kXorHash,
               .write = {}};
  bind_cache(s, fabric.l1);
  fabric.l1.write = {memory::WriteHit::kWriteBack, memory::WriteMiss::kValidateOnWrite};
  fabric.l1.atomics = memory::AtomicPlace::kBelow;
  s.power_of_two("banks", fabric.l1_banks, "banks", "each of which takes one access a cycle",
                 {1, 64});
  s.power_of_two("bank_bytes", fabric.l1_bank_bytes, "bytes", "of a bank's word", {4, 128});
  s.cycles("latency", fabric.l1.hit_latency, "of a hit, and before a miss leaves");
  s.integer("miss_queue", fabric.l1_miss_queue, "requests", "that wait for the network");
  s.choice("write_miss", fabric.l1.write.miss,
           {{"validate", memory::WriteMiss::kValidateOnWrite},
            {"fetch", memory::WriteMiss::kFetchOnWrite}},
           "a store that misses allocates a line with its own bytes only, or fetches the rest");
  check_cache(s, "l1", fabric.l1);
}

// From an access that misses the L1 to its answer, in cycles of the core, when nothing else is on
// its way: from the L2, or from DRAM after it.
Cycle miss_cycles(const FabricParameters& fabric, bool from_dram) {
  const memory::MemorySystemSpec& memory = fabric.memory;
  const auto cycles = [&](Cycle count, Hertz clock) {
    return count.as_double() * fabric.core_clock.count() / clock.count();
  };
  const memory::DramTiming& dram = memory.dram.timing;
  double sum =
      fabric.l1.hit_latency.as_double() +
      cycles(memory.request_network.latency + memory.reply_network.latency, memory.network_clock) +
      cycles(memory.l2_latency, memory.l2_clock);
  if (from_dram)
    sum += cycles(memory.dram_latency, memory.l2_clock) +
           cycles(dram.t_rcd + dram.t_cl, memory.dram_clock);
  return Cycle(static_cast<std::uint64_t>(sum));
}

}  // namespace

CgraParameters::CgraParameters(const ParameterBinder& p) : name(p.name()) {
  p.text("energy", energy, "coefficient set", "a file of machines/energy");
  const ParameterBinder device = p.section("device");
  device.integer("cores", fabric.cores, "cores", "each with its own grid", {1, 1024});
  device.boolean("inter_thread", inter_thread,
                 "elevators and receiving load/store units: threads pass values to each other");
  device.integer("threads", threads, "threads", "of a core between pieces of a kernel",
                 {32, kMaxEntries});
  device.integer("memory_bytes", memory_bytes, "bytes", "of device memory",
                 {4096, std::int64_t{1} << 40});
  device.bytes("constant_bytes", constant_bytes, "of constant memory", 0);
  device.bytes("stack_bytes_per_thread", stack_bytes, "of a thread's stack", 4);
  bind_host_link(device, host_link_bytes_per_second);
  p.section("clock").hertz("core_hz", fabric.core_clock, "of the cores");

  bind_units(p.section("units"), fabric.units);
  bind_latencies(p.section("latency"), compile.graph.latencies);
  bind_tokens(p.section("tokens"), fabric);
  bind_grid(p.section("grid"), grid);
  grid.units = fabric.units;
  fabric.hop_cycles = grid.hop_cycles;
  const ParameterBinder compiler = p.section("compiler");
  compiler.integer("cheap_operations", compile.recompute.operations, "operations",
                   "of a value that is computed again in every piece that needs it", {0, 64});
  compiler.integer("joint_units", compile.graph.joint_units, "units",
                   "that share one double-precision operation at most, 1 for none", {1, 64});
  compiler.boolean("loops_stay", compile.loops_stay,
                   "loops of one piece go round on the grid, where threads can pass values on");
  compiler.cycles("route_cycles", compile.graph.route_latency,
                  "of a token's path, assumed by slack matching before the mapping is known");

  bind_l1(p.section("l1"), fabric);
  const ParameterBinder shared = p.section("shared");
  shared.bytes("bytes", shared_bytes, "of shared memory of a core, 0 for none", 0);
  bind_banks(shared, fabric.scratchpad, Cycle(6));
  const ParameterBinder live = p.section("live_values");
  live.integer("bytes", fabric.live_value_bytes, "bytes", "of a core's live-value cache",
               {256, kMaxBytes});
  bind_banks(live, fabric.live_values, Cycle(4));

  bind_memory_system(p, fabric.memory, fabric.core_clock, fabric.cores, fabric.l1.line_bytes);
  fabric.header_bytes = fabric.memory.partition.header_bytes;
  fabric.check();

  compile.units = fabric.units;
  compile.loops_stay = compile.loops_stay && inter_thread;
  compile.ports = grid.ports;
  compile.reconfigure_cycles = fabric.reconfigure_cycles;
  compile.graph.miss_latency = miss_cycles(fabric, true);
  compile.l2_cycles = miss_cycles(fabric, false);
  compile.threads = threads;
  compile.live_value_bytes = fabric.live_value_bytes.count();
  compile.live_banks = fabric.live_values.banks;
  compile.shared_banks = fabric.scratchpad.banks;
  compile.accesses = fabric.load_store_entries;
  compile.lines = fabric.l1.mshrs;
  compile.threads_a_line = std::max(1u, fabric.l1.line_bytes.count() / 4);
  compile.graph.token_buffer = fabric.token_buffer;
  compile.graph.memory_latency = fabric.l1.hit_latency;
}

}  // namespace raddle::machine::cgra
