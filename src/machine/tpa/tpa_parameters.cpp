#include "machine/tpa/tpa_parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "machine/memory_parameters.h"

namespace raddle::machine::tpa {

namespace {

constexpr std::uint32_t kMostNodes = 33;  // of a row or column: a bit for each link between them
constexpr std::int64_t kLargestMemory = std::int64_t{1} << 38;

FrontendParameters read_frontend(const ParameterTable& table) {
  const Section s(table, "frontend");
  FrontendParameters f;
  f.count = s.count("count", 1, 64);
  f.flows = s.count("flows", 1, 1024);
  f.switch_cycles = s.count("switch_cycles", 0, kMostCycles);
  f.branch_cycles = s.count("branch_cycles", 0, kMostCycles);
  f.shared_write_cycles = s.count("shared_write_cycles", 1, kMostCycles);
  f.shared_read_cycles = s.count("shared_read_cycles", 1, kMostCycles);
  f.memory_bytes =
      static_cast<std::uint64_t>(table.integer_in("frontend.memory_bytes", 4096, kLargestMemory));
  f.line_bytes = s.power_of_two("line_bytes", 8, 4096);
  f.l1i_bytes = s.power_of_two("l1i_bytes", f.line_bytes);
  f.l1d_bytes = s.power_of_two("l1d_bytes", f.line_bytes);
  f.l2_bytes = s.power_of_two("l2_bytes", f.line_bytes);
  f.ways = s.power_of_two("ways", 1, 64);
  f.warm_instructions = s.boolean("warm_instructions");
  f.l2_cycles = s.count("l2_cycles", 0, kMostCycles);
  f.memory_cycles = s.count("memory_cycles", 0, kMostCycles);
  f.prefetch_lines = s.count("prefetch_lines", 0, 64);
  for (const std::uint32_t bytes : {f.l1i_bytes, f.l1d_bytes, f.l2_bytes}) {
    if (bytes / f.line_bytes < f.ways)
      throw Error(fmt::format("a cache of {} bytes has no {} lines of {} bytes", bytes, f.ways,
                              f.line_bytes),
                  table.file(), "lower frontend.ways or frontend.line_bytes");
  }
  return f;
}

BackendParameters read_backend(const ParameterTable& table) {
  const Section s(table, "backend");
  BackendParameters b;
  b.count = s.count("count", 1, 1024);
  b.memory_segment = s.count("memory_segment", 1, 16384);
  b.stages_before = s.count("stages_before", 1, kMostCycles);
  b.stages_after = s.count("stages_after", 1, kMostCycles);
  b.threads = s.count("threads", 0, 65536);
  b.thread_switch_cycles = s.count("thread_switch_cycles", 0, kMostCycles);
  b.interleaved = s.choice("mapping", {"stacked", "interleaved"}) == 1;
  return b;
}

}  // namespace

TpaParameters::TpaParameters(const ParameterTable& table)
    : name(table.name()),
      clock_hz(Section(table, "clock").hertz("core_hz").count()),
      energy(table.text("energy")),
      front(read_frontend(table)),
      back(read_backend(table)) {
  if (back.count % front.count != 0)
    throw Error(
        fmt::format("{} backends cannot be shared evenly by {} frontends", back.count, front.count),
        table.file(), "set backend.count to a multiple of frontend.count");
  const Section spread(table, "spread");
  spread_cycles = spread.count("latency", 0, kMostCycles);
  spread_queue = spread.count("queue", 1, 64);
  return_cycles = spread.count("return_latency", 0, kMostCycles);

  const Section multi(table, "multioperations");
  multioperations = multi.boolean("enabled");
  optimised = multi.boolean("optimised");
  scratchpad_entries = multi.count("scratchpad_entries", 1);
  scratchpad_entry_bytes = multi.count("entry_bytes", 1, 1024);
  spill = multi.boolean("spill");
  const Section step(table, "step_cache");
  step_cache_lines = step.power_of_two("lines", 1, 1 << 20);
  step_cache_ways = step.power_of_two("ways", 1, 64);
  step_cache_seed = step.count("seed", 0);
  step_cache_folded = step.choice("index", {"modulo", "xor"}) == 1;
  if (step_cache_ways > step_cache_lines)
    throw Error(
        fmt::format("a step cache of {} lines has no {} ways", step_cache_lines, step_cache_ways),
        table.file());

  memory_bytes = static_cast<std::uint64_t>(table.integer_in("memory.bytes", 4096, kLargestMemory));
  const Section memory(table, "memory");
  ideal = memory.boolean("ideal");
  constexpr std::array kHashes{ModuleHash::kModulo, ModuleHash::kXor, ModuleHash::kRandom};
  hash = kHashes[memory.choice("hash", {"modulo", "xor", "random"})];
  winner = memory.choice("winner", {"lowest", "highest"}) == 0 ? WriteWinner::kLowest
                                                               : WriteWinner::kHighest;
  const Section network(table, "network");
  routers = network.choice("model", {"timetable", "routers"}) == 1;
  planes = network.count("planes", 1, 16);
  queue = network.power_of_two("queue", 2, 4096);
  module_queue = network.power_of_two("module_queue", 2, 4096);
  hop_cycles = network.count("hop_cycles", 1, 64);
  mesh_width = network.count("width", 1, 1024);
  if (back.count % mesh_width != 0)
    throw Error(fmt::format("{} backends make no rows of {}", back.count, mesh_width), table.file(),
                "set network.width to a divisor of backend.count");
  if (std::max(mesh_width, back.count / mesh_width) > kMostNodes)
    throw Error(fmt::format("a mesh of {} x {} has more than {} routers in a line", mesh_width,
                            back.count / mesh_width, kMostNodes),
                table.file(), "set network.width nearer to the root of backend.count");
}

}  // namespace raddle::machine::tpa
