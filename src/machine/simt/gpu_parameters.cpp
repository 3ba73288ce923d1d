#include "machine/simt/gpu_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "kernel/exec/decoded.h"
#include "machine/memory_parameters.h"
#include "machine/simt/scheduling_policy.h"
#include "machine/simt/sharing.h"
#include "machine/simt/sharing_parameters.h"
#include "machine/simt/warp_table.h"

namespace raddle::machine::simt {

namespace {

// Values beyond this are slips of the pen.
constexpr Cycle kMaxBookedAhead{1 << 16};  // each costs memory for its bookings

// Keys, and what they mean in words.
constexpr std::array<std::pair<std::string_view, std::string_view>, kOperations> kOperationNames{
    {{"integer_add", "an integer addition"},
     {"integer_max", "an integer minimum or maximum"},
     {"integer_multiply", "an integer multiplication"},
     {"integer_mad", "an integer multiply-add"},
     {"integer_divide", "an integer division"},
     {"float_add", "a float addition"},
     {"float_max", "a float minimum or maximum"},
     {"float_multiply", "a float multiplication"},
     {"float_mad", "a float multiply-add"},
     {"float_divide", "a float division"},
     {"double_add", "a double addition"},
     {"double_max", "a double minimum or maximum"},
     {"double_multiply", "a double multiplication"},
     {"double_mad", "a double multiply-add"},
     {"double_divide", "a double division"},
     {"special", "a sine, root, logarithm or the like"},
     {"shuffle", "a shuffle"},
     {"matrix", "an mma of 2,048 multiply-adds (others: in proportion)"},
     {"simple", "a move, conversion, comparison, bit operation, branch or the like"}}};

void bind_residency(const ParameterBinder& c, CoreParameters& core) {
  c.integer("warps", core.warps, "warps", "resident on an SM at once", {1, kMaxWarps});
  c.integer("threads", core.threads, "threads", "resident on an SM at once",
            {kernel::exec::kLanes, kMaxEntries});
  c.integer("blocks", core.blocks, "blocks", "resident on an SM at once");
  c.integer("registers", core.registers, "registers", "of an SM, 32 bits each", {1, kMaxBytes});
  c.integer("register_unit", core.register_unit, "registers",
            "given to a warp are a multiple of this");
  c.choice("register_count", core.registers_as_compiled, {{"compiled", true}, {"needed", false}},
           "registers of a thread: after a compiler put loads early, or as few as the code needs");
  c.bytes("shared_bytes", core.shared_bytes, "of shared memory of an SM", 0);
  c.integer("shared_unit", core.shared_unit, "bytes",
            "of shared memory given to a block are a multiple of this");
}

void bind_issue(const ParameterBinder& p, CoreParameters& core) {
  const ParameterBinder c = p.section("core");
  c.integer("schedulers", core.schedulers, "schedulers", "of an SM", {1, 8});
  c.cycles("issue_interval", core.issue_interval, "between two issues of a scheduler");
  c.choice("policy", core.policy, policy_names(), "which warp a scheduler issues from");
  c.integer("active_warps", core.active_warps, "warps",
            "of a scheduler that are active under the two-level policy");

  const ParameterBinder f = p.section("fetch");
  f.integer("instructions", core.fetch_instructions, "instructions",
            "fetched for one warp per cycle", {1, 16});
  f.power_of_two("instruction_bytes", core.instruction_bytes, "bytes", "of an instruction",
                 {4, 16});
  f.cycles("cycles", core.fetch_to_issue, "from fetch to issue");

  const ParameterBinder o = p.section("operands");
  o.power_of_two("banks", core.register_banks, "banks", "of the register file", {1, 64});
  o.integer("sp_collectors", core.sp_collectors, "collectors", "of SP instructions");
  o.integer("sfu_collectors", core.sfu_collectors, "collectors", "of SFU instructions");
  o.integer("memory_collectors", core.memory_collectors, "collectors", "of memory instructions");
  o.integer("memory_stages", core.memory_stages, "instructions",
            "in flight to and from the memory collectors", {0, kMaxEntries});
  o.cycles("issue_to_read", core.issue_to_read, "from issue to the first operand read");
  o.cycles("read_to_execute", core.read_to_execute, "from the last operand read to the unit");
  o.integer("reads_per_collector", core.reads_per_collector, "operands",
            "that a collector receives per cycle at most (0: one from each bank)", {0, 16});
  o.integer("writebacks", core.writebacks, "results", "of SP and SFU written back per cycle");
  o.integer("memory_writebacks", core.memory_writebacks, "results",
            "of the load/store unit written back per cycle");
}

void bind_units(const ParameterBinder& p, CoreParameters& core) {
  const ParameterBinder u = p.section("units");
  u.integer("sp", core.sp_units, "units", "of an SM for common instructions", {1, 16});
  u.integer("sfu", core.sfu_units, "units", "of an SM for special functions and doubles", {1, 16});
  u.boolean("reserve_results", core.reserves_results,
            "an SP unit gives one result per cycle, reserved before an instruction enters");
  u.cycles("load_store_interval", core.load_store_interval,
           "from one access or pass through shared memory to the next");
  const ParameterBinder latency = p.section("latency");
  const ParameterBinder interval = p.section("interval");
  for (std::size_t i = 0; i < kOperations; ++i) {
    const auto& [name, words] = kOperationNames[i];
    latency.cycles(name, core.timing[i].latency, fmt::format("until the result of {}", words));
  }
  for (std::size_t i = 0; i < kOperations; ++i) {
    const auto& [name, words] = kOperationNames[i];
    interval.cycles(name, core.timing[i].interval,
                    fmt::format("that {} of a warp keeps its unit busy", words));
  }
}

void bind_l1(const ParameterBinder& l1, CoreParameters& core) {
  bind_cache(l1, core.l1);
  const auto write_hit = [&l1](std::string_view key, memory::WriteHit& hit,
                               std::string_view sentence) {
    l1.choice(key, hit,
              {{"back", memory::WriteHit::kWriteBack},
               {"through", memory::WriteHit::kWriteThrough},
               {"evict", memory::WriteHit::kWriteEvict}},
              sentence);
  };
  const auto write_miss = [&l1](std::string_view key, memory::WriteMiss& miss,
                                std::string_view sentence) {
    l1.choice(key, miss,
              {{"no-allocate", memory::WriteMiss::kNoAllocate},
               {"fetch", memory::WriteMiss::kFetchOnWrite}},
              sentence);
  };
  write_hit("global_write_hit", core.l1_global.hit, "a store to global memory that hits");
  write_miss("global_write_miss", core.l1_global.miss, "a store to global memory that misses");
  write_hit("local_write_hit", core.l1_local.hit, "a store to local memory that hits");
  write_miss("local_write_miss", core.l1_local.miss, "a store to local memory that misses");
  core.l1.write = core.l1_local;
  core.l1.atomics = memory::AtomicPlace::kBelow;
  l1.boolean("caches_global", core.l1_caches_global,
             "global loads are cached, otherwise only local ones");
  l1.cycles("latency", core.l1_latency, "of a hit, and before a miss leaves");
  l1.integer("miss_queue", core.l1_miss_queue, "requests", "that wait for the network");
  l1.choice(
      "launch_flushes", core.launches_flush_all, {{"l1", false}, {"all", true}},
      "caches of an SM that a launch empties: the L1, or those of instructions, constants and "
      "textures as well");
}

void bind_memories(const ParameterBinder& p, CoreParameters& core) {
  const ParameterBinder shared = p.section("shared");
  shared.power_of_two("banks", core.shared_shape.banks, "banks", "of shared memory", {1, 64});
  shared.power_of_two("bank_bytes", core.shared_shape.bank_bytes, "bytes", "of a bank's word",
                      {4, 16});
  shared.cycles("latency", core.shared_latency, "of a load without bank conflicts");

  bind_l1(p.section("l1"), core);
  const ParameterBinder split = p.section("split");
  split.boolean("switches", core.split_switches,
                "kernels that prefer the L1 get the sizes of this section");
  SplitSizes& more_l1 = core.splits[static_cast<std::size_t>(SplitChoice::kMoreL1)];
  split.bytes("l1_bytes", more_l1.l1_bytes, "of L1 where a kernel prefers it");
  split.integer("l1_ways", more_l1.l1_ways, "ways", "lines of a set of that L1", {1, 64});
  split.bytes("shared_bytes", more_l1.shared_bytes, "of shared memory beside that L1", 0);
  core.splits[static_cast<std::size_t>(SplitChoice::kTable)] = {core.l1.bytes, core.l1.ways,
                                                                core.shared_bytes};

  bind_cache(p.section("instruction_cache"), core.instruction_cache);
  // A line gets its place when it comes, so that a few lines on their way do not throw out a loop.
  core.instruction_cache.allocation = memory::Allocation::kOnFill;
  const ParameterBinder constants = p.section("constant_cache");
  bind_cache(constants, core.constant_cache);
  core.constant_cache.allocation = memory::Allocation::kOnFill;
  constants.cycles("latency", core.constant_latency, "of a hit");
  const ParameterBinder textures = p.section("texture_cache");
  bind_cache(textures, core.texture_cache);
  textures.cycles("latency", core.texture_latency, "of a hit");
}

void bind_core(const ParameterBinder& p, CoreParameters& core) {
  bind_residency(p.section("core"), core);
  bind_issue(p, core);
  bind_units(p, core);
  bind_memories(p, core);
}

void bind_device(const ParameterBinder& p, GpuParameters& gpu) {
  const ParameterBinder device = p.section("device");
  device.integer("cores", gpu.cores, "SMs", "of the GPU", {1, 1024});
  device.integer("memory_bytes", gpu.memory_bytes, "bytes", "of device memory",
                 {4096, std::int64_t{1} << 40});
  device.bytes("constant_bytes", gpu.constant_bytes, "of constant memory", 0);
  device.bytes("stack_bytes_per_thread", gpu.stack_bytes, "of a thread's stack", 4);
  bind_host_link(device, gpu.host_link_bytes_per_second);
  device.integer("compute_major", gpu.compute_major, "1", "compute capability, before the point",
                 {1, 99});
  device.integer("compute_minor", gpu.compute_minor, "1", "compute capability, after the point",
                 {0, 99});
  device.integer("registers_per_thread", gpu.registers_per_thread, "registers",
                 "that the device reports as the limit of a thread", {8, 255});
  device.integer("max_threads_per_block", gpu.max_threads_per_block, "threads",
                 "of a block at most", {1, 1024});
  device.integer("max_grid_x", gpu.max_grid_x, "blocks", "of a grid's first dimension at most",
                 {1, 2147483647});
  device.integer("launch_cycles", gpu.launch_cycles, "cycles", "from a launch to its first block",
                 {0, 1'000'000});
  device.integer("kernels", gpu.kernels, "kernels", "in flight together", {1, 128});
}

}  // namespace

// An instruction waits for as many others as there are collectors: all of them may be before it at
// a register bank, at its unit and at the result port. A load knows its result's time when its last
// pass through shared memory is.
Cycle CoreParameters::booked_ahead() const {
  constexpr std::uint64_t kMaxOperands = 16;
  constexpr std::uint64_t kMaxPasses =
      512;  // atomics of some lanes on one word, of others on one bank
  const Cycle memory = std::max({shared_latency, l1_latency, constant_latency, texture_latency}) +
                       kMaxPasses * load_store_interval;
  const std::uint64_t collectors =
      std::uint64_t{sp_collectors} + sfu_collectors + memory_collectors + memory_stages;
  OperationTiming longest;
  for (const OperationTiming& operation : timing) {
    longest.latency = std::max(longest.latency, operation.latency);
    longest.interval = std::max(longest.interval, operation.interval);
  }
  const Cycle units = issue_to_read + read_to_execute + longest.latency +
                      longest.interval * std::max(sp_collectors, sfu_collectors);
  return std::max(units, memory) + Cycle(collectors * kMaxOperands);
}

void CoreParameters::use(SplitChoice choice) {
  const SplitSizes& sizes = splits[static_cast<std::size_t>(choice)];
  l1.bytes = sizes.l1_bytes;
  l1.ways = sizes.l1_ways;
  shared_bytes = sizes.shared_bytes;
}

GpuParameters::GpuParameters(const ParameterBinder& p) : name(p.name()) {
  p.text("energy", energy, "coefficient set", "a file of machines/energy");
  bind_device(p, *this);
  p.section("clock").hertz("core_hz", core_clock, "of the SMs");
  bind_core(p, core);
  if (core.booked_ahead() > kMaxBookedAhead)
    throw Error(fmt::format("results are due up to {} cycles ahead, which exceeds the limit of {}",
                            core.booked_ahead().count(), kMaxBookedAhead.count()),
                p.file(),
                "too many instructions can queue for a slow unit: reduce [latency], [interval] or "
                "the collectors of [operands]");

  bind_memory_system(p, memory, core_clock, cores, core.l1.line_bytes);
  const ShortBytes l2_line_bytes = memory.partition.slice.line_bytes;
  check_cache(p, "l1", core.l1);
  memory::CacheParameters l1_for_global = core.l1;
  l1_for_global.write = core.l1_global;
  check_cache(p, "l1", l1_for_global);
  if (core.split_switches) {
    CoreParameters other = core;
    other.use(SplitChoice::kMoreL1);
    check_cache(p, "split", other.l1);
  }
  check_cache(p, "constant_cache", core.constant_cache);
  check_cache(p, "texture_cache", core.texture_cache);
  check_cache(p, "instruction_cache", core.instruction_cache);
  check_line(p, "constant_cache", core.constant_cache.line_bytes, l2_line_bytes);
  check_line(p, "texture_cache", core.texture_cache.line_bytes, l2_line_bytes);
  check_line(p, "instruction_cache", core.instruction_cache.line_bytes, l2_line_bytes);
  bind_sharing(p, sharing);
  check_sharing(*this, sharing.mode, "sharing.mode");
  if (sharing.automatic) {
    for (std::size_t mode = 0; mode < kSharingModes.size(); ++mode)
      check_sharing(*this, static_cast<SharingMode>(mode), "sharing.mode");
  }
  for (const auto& [kernel, mode] : sharing.by_kernel)
    check_sharing(*this, mode, "sharing.kernel." + kernel);
}

}  // namespace raddle::machine::simt
