#include "machine/cgra/cgra_parameters.h"

#include "machine/memory_parameters.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::int64_t kMostUnits = 1024;

UnitCounts read_units(const Section& s) {
  const auto count = [&s](std::string_view key) { return s.count(key, 1, kMostUnits); };
  return {count("alu"),        count("fpu"),        count("special"),
          count("load_store"), count("split_join"), count("control")};
}

UnitLatencies read_latencies(const Section& s) {
  UnitLatencies l;
  l.integer = s.cycles("integer");
  l.integer_multiply = s.cycles("integer_multiply");
  l.floating = s.cycles("float");
  l.fused = s.cycles("fused");
  l.special = s.cycles("special");
  l.divide = s.cycles("divide");
  l.control = s.cycles("control");
  l.split_join = s.cycles("split_join");
  l.elevator = s.cycles("elevator");
  l.double_interval = s.cycles("double_interval");
  return l;
}

BankParameters read_banks(const Section& s) {
  return {s.power_of_two("banks", 1, 64), s.power_of_two("bank_bytes", 4, 128),
          s.cycles("latency")};
}

GridParameters read_grid(const Section& s, const UnitCounts& units) {
  GridParameters grid;
  grid.units = units;
  constexpr std::array kTopologies{Topology::kMesh, Topology::kTorus, Topology::kDiagonal,
                                   Topology::kExpress};
  std::vector<std::string> names;
  for (const Topology topology : kTopologies) names.emplace_back(name_of(topology));
  grid.topology = kTopologies[s.choice("topology", names)];
  grid.tracks = s.count("tracks", 1, 64);
  grid.ports = s.count("ports", 1, 64);
  grid.hop_cycles = s.cycles("hop_cycles");
  grid.replicas = s.count("replicas", 0, 64);
  grid.seed = s.count("seed", 0);
  grid.effort = s.count("effort", 1, 10000);
  return grid;
}

// From an access that misses the L1 to its answer, in cycles of the core, when nothing else is on
// its way: from the L2, or from DRAM behind it.
std::uint32_t miss_cycles(const FabricParameters& fabric, bool from_dram) {
  const memory::MemorySystemSpec& memory = fabric.memory;
  const auto cycles = [&](Cycle count, Hertz clock) {
    return static_cast<double>(count.count()) * fabric.core_clock.count() / clock.count();
  };
  const memory::DramTiming& dram = memory.dram.timing;
  double sum =
      static_cast<double>(fabric.l1.hit_latency.count()) +
      cycles(memory.request_network.latency + memory.reply_network.latency, memory.network_clock) +
      cycles(Cycle(memory.l2_latency), memory.l2_clock);
  if (from_dram)
    sum += cycles(Cycle(memory.dram_latency), memory.l2_clock) +
           cycles(dram.t_rcd + dram.t_cl, memory.dram_clock);
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

CgraParameters::CgraParameters(const ParameterTable& p) : name(p.name()) {
  const Section device(p, "device");
  fabric.cores = device.count("cores", 1, 1024);
  memory_bytes =
      static_cast<std::uint64_t>(p.integer_in("device.memory_bytes", 4096, std::int64_t{1} << 40));
  constant_bytes = device.bytes("constant_bytes", 0);
  stack_bytes = device.bytes("stack_bytes_per_thread", 4);
  inter_thread = device.boolean("inter_thread");
  threads = device.count("threads", 32);
  energy = p.text("energy");
  fabric.core_clock = Section(p, "clock").hertz("core_hz");

  fabric.units = read_units(Section(p, "units"));
  const Section tokens(p, "tokens");
  fabric.token_buffer = tokens.power_of_two("buffer", 1, 64);
  fabric.load_store_entries = tokens.power_of_two("accesses", 1, 64);
  fabric.injector_groups = tokens.count("groups", 1, 64);
  fabric.reconfigure_cycles = tokens.count("reconfigure_cycles", 0, 1'000'000);
  grid = read_grid(Section(p, "grid"), fabric.units);
  fabric.hop_cycles = grid.hop_cycles;

  const Section l1(p, "l1");
  fabric.l1 = read_cache(l1);
  fabric.l1.write = {memory::WriteHit::kWriteBack,
                     l1.choice("write_miss", {"validate", "fetch"}) == 0
                         ? memory::WriteMiss::kValidateOnWrite
                         : memory::WriteMiss::kFetchOnWrite};
  fabric.l1.atomics = memory::AtomicPlace::kBelow;
  fabric.l1.hit_latency = Cycle(l1.cycles("latency"));
  fabric.l1_banks = l1.power_of_two("banks", 1, 64);
  fabric.l1_bank_bytes = l1.power_of_two("bank_bytes", 4, 128);
  fabric.l1_miss_queue = l1.count("miss_queue");
  check_cache(p, "l1", fabric.l1);

  const Section shared(p, "shared");
  shared_bytes = shared.bytes("bytes", 0);
  fabric.scratchpad = read_banks(shared);
  const Section live(p, "live_values");
  fabric.live_value_bytes = live.bytes("bytes", 256);
  fabric.live_values = read_banks(live);

  fabric.memory = read_memory_system(p, fabric.cores, fabric.l1.line_bytes);
  fabric.header_bytes = fabric.memory.partition.header_bytes;
  fabric.check();

  const Section compiler(p, "compiler");
  compile.recompute.operations = compiler.count("cheap_operations", 0, 64);
  compile.units = fabric.units;
  compile.ports = grid.ports;
  compile.reconfigure_cycles = fabric.reconfigure_cycles;
  compile.graph.miss_latency = miss_cycles(fabric, true);
  compile.l2_cycles = miss_cycles(fabric, false);
  compile.threads = threads;
  compile.live_value_bytes = fabric.live_value_bytes;
  compile.live_banks = fabric.live_values.banks;
  compile.shared_banks = fabric.scratchpad.banks;
  compile.accesses = fabric.load_store_entries;
  compile.lines = fabric.l1.mshrs;
  compile.threads_a_line = std::max(1u, fabric.l1.line_bytes / 4);
  compile.graph.latencies = read_latencies(Section(p, "latency"));
  compile.graph.token_buffer = fabric.token_buffer;
  compile.graph.memory_latency = static_cast<std::uint32_t>(fabric.l1.hit_latency.count());
  compile.graph.route_latency = compiler.cycles("route_cycles");
}

}  // namespace raddle::machine::cgra
