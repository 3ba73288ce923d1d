#include "machine/tpa/tpa_parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace raddle::machine::tpa {

namespace {

constexpr std::uint32_t kMaxNodes = 33;  // of a row or column: a bit for each link between them
constexpr IntegerRange kMemoryRange{4096, std::int64_t{1} << 38};
constexpr std::int64_t kAnyCycles = 0;

void bind_frontend(const ParameterBinder& s, FrontendParameters& f) {
  s.integer("count", f.count, "frontends", "each with an equal share of the backends", {1, 64});
  s.integer("flows", f.flows, "flows", "of a frontend's TCF buffer", {1, 1024});
  s.cycles("switch_cycles", f.switch_cycles, "to switch to another flow", kAnyCycles);
  s.cycles("branch_cycles", f.branch_cycles, "lost by a jump", kAnyCycles);
  s.cycles("shared_write_cycles", f.shared_write_cycles, "of a write to shared memory, Lf");
  s.cycles("shared_read_cycles", f.shared_read_cycles, "of a read from shared memory");
  s.integer("memory_bytes", f.memory_bytes, "bytes", "of the frontend's own memory", kMemoryRange);
  s.power_of_two("line_bytes", f.line_bytes, "bytes", "of a cache line", {8, 4096});
  const IntegerRange cache{f.line_bytes.count(), kMaxBytes};
  s.power_of_two("l1i_bytes", f.l1i_bytes, "bytes", "of the instruction cache", cache);
  s.power_of_two("l1d_bytes", f.l1d_bytes, "bytes", "of the data cache", cache);
  s.power_of_two("l2_bytes", f.l2_bytes, "bytes", "of the level 2 cache", cache);
  s.power_of_two("ways", f.ways, "ways", "lines of a set of all three caches", {1, 64});
  s.boolean("warm_instructions", f.warm_instructions,
            "the program is in the instruction cache from the start");
  s.cycles("l2_cycles", f.l2_cycles, "of an access that the level 2 cache serves", kAnyCycles);
  s.cycles("memory_cycles", f.memory_cycles, "added by a level 2 cache miss", kAnyCycles);
  s.integer("prefetch_lines", f.prefetch_lines, "lines", "fetched ahead of the one in use",
            {0, 64});
  for (const ShortBytes bytes : {f.l1i_bytes, f.l1d_bytes, f.l2_bytes}) {
    if (bytes / f.line_bytes < f.ways)
      throw Error(fmt::format("a cache of {} bytes is too small for {} lines of {} bytes",
                              bytes.count(), f.ways, f.line_bytes.count()),
                  s.file(), "lower frontend.ways or frontend.line_bytes");
  }
}

void bind_backend(const ParameterBinder& s, BackendParameters& b) {
  s.integer("count", b.count, "backends", "in all", {1, 1024});
  s.integer("memory_segment", b.memory_segment, "cycles", "from the memory unit to its result, W",
            {1, 16384});
  s.cycles("stages_before", b.stages_before, "from operand select to the memory unit");
  s.cycles("stages_after", b.stages_after, "from the memory unit to write-back");
  s.integer("threads", b.threads, "fibers",
            "of a backend at a time, 0 for as many as the flow is thick", {0, 65536});
  s.cycles("thread_switch_cycles", b.thread_switch_cycles, "to exchange a thread", kAnyCycles);
  s.choice("mapping", b.interleaved, {{"stacked", false}, {"interleaved", true}},
           "of fibers to backends, as flows start");
}

void bind_floats(const ParameterBinder& s, FloatParameters& f) {
  s.cycles("arithmetic_cycles", f.arithmetic_cycles,
           "of an addition, multiplication or fused multiply-add");
  s.cycles("compare_cycles", f.compare_cycles, "of a comparison, minimum or maximum");
  s.cycles("convert_cycles", f.convert_cycles, "of a conversion");
  s.cycles("divide_cycles", f.divide_cycles, "of a division");
  s.cycles("root_cycles", f.root_cycles, "of a square root");
}

}  // namespace

TpaParameters::TpaParameters(const ParameterBinder& p) : name(p.name()) {
  p.text("energy", energy, "coefficient set", "a file of machines/energy");
  p.section("clock").hertz("core_hz", clock_hz, "of the processor");
  bind_host_link(p.section("device"), host_link_bytes_per_second);
  bind_frontend(p.section("frontend"), front);
  bind_backend(p.section("backend"), back);
  bind_floats(p.section("float"), floats);
  if (back.count % front.count != 0)
    throw Error(
        fmt::format("{} backends cannot be shared evenly by {} frontends", back.count, front.count),
        p.file(), "set backend.count to a multiple of frontend.count");
  const ParameterBinder spread = p.section("spread");
  spread.cycles("latency", spread_cycles, "of an instruction to the backends", kAnyCycles);
  spread.integer("queue", spread_queue, "instructions", "that wait at the backends", {1, 64});
  spread.cycles("return_latency", return_cycles, "of a value to the frontend", kAnyCycles);

  const ParameterBinder multi = p.section("multioperations");
  multi.boolean("enabled", multioperations, "scratchpads, pre- and post-ALUs, active memory units");
  multi.boolean("optimised", optimised, "all techniques, otherwise FS, S2 and FMP as in a CESM");
  multi.integer("scratchpad_entries", scratchpad_entries, "entries", "of a backend's scratchpad");
  multi.integer("entry_bytes", scratchpad_entry_bytes, "bytes", "of a scratchpad's entry",
                {1, 1024});
  multi.boolean("spill", spill, "a full scratchpad sends partial results to memory");
  bind_step_cache(p.section("step_cache"));
  bind_memory(p);
  p.section("kernels").choice("split", split,
                              {{"never", KernelSplit::kNever},
                               {"cost", KernelSplit::kCost},
                               {"always", KernelSplit::kAlways}},
                              "of a CUDA kernel's flow where threads part: where it costs less "
                              "than masks, or wherever it can");
}

void TpaParameters::bind_step_cache(const ParameterBinder& step) {
  step.power_of_two("lines", step_cache_lines, "lines", "of a backend's step cache", {1, 1 << 20});
  step.power_of_two("ways", step_cache_ways, "ways", "lines of a set", {1, 64});
  step.integer("seed", step_cache_seed, "1", "of random replacement", {0, kMaxEntries});
  step.choice("index", step_cache_folded, {{"modulo", false}, {"xor", true}},
              "set index of a word: its lowest bits, or these XORed with the next ones");
  if (step_cache_ways > step_cache_lines)
    throw Error(fmt::format("step_cache.ways ({}) exceeds step_cache.lines ({})", step_cache_ways,
                            step_cache_lines),
                step.file());
}

void TpaParameters::bind_memory(const ParameterBinder& p) {
  const ParameterBinder memory = p.section("memory");
  memory.integer("bytes", memory_bytes, "bytes", "of shared memory", kMemoryRange);
  memory.boolean("ideal", ideal, "references take no time and no synchronisation");
  memory.choice(
      "hash", hash,
      {{"modulo", ModuleHash::kModulo}, {"xor", ModuleHash::kXor}, {"random", ModuleHash::kRandom}},
      "how a word selects its module");
  memory.choice("winner", winner,
                {{"lowest", WriteWinner::kLowest}, {"highest", WriteWinner::kHighest}},
                "which backend's value wins when several write a word in a step");
  const ParameterBinder network = p.section("network");
  network.choice("model", routers, {{"timetable", false}, {"routers", true}},
                 "how the network is simulated: by a timetable, or router by router");
  network.integer("planes", planes, "meshes", "in parallel", {1, 16});
  network.integer("width", mesh_width, "backends", "of a row of the mesh", {1, 1024});
  network.power_of_two("queue", queue, "packets", "of a router's input", {2, 4096});
  network.power_of_two("module_queue", module_queue, "packets", "that wait for a module or backend",
                       {2, 4096});
  network.integer("hop_cycles", hop_cycles, "cycles", "from router to router", {1, 64});
  if (back.count % mesh_width != 0)
    throw Error(fmt::format("{} backends cannot form rows of {}", back.count, mesh_width), p.file(),
                "set network.width to a divisor of backend.count");
  if (std::max(mesh_width, back.count / mesh_width) > kMaxNodes)
    throw Error(fmt::format("a mesh of {} x {} has more than {} routers in a line", mesh_width,
                            back.count / mesh_width, kMaxNodes),
                p.file(), "set network.width nearer to the root of backend.count");
}

}  // namespace raddle::machine::tpa
