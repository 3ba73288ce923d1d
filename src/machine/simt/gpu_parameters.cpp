#include "machine/simt/gpu_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/nearest_name.h"
#include "kernel/exec/decoded.h"
#include "machine/memory_parameters.h"
#include "machine/simt/scheduling_policy.h"
#include "machine/simt/sharing.h"
#include "machine/simt/sharing_parameters.h"
#include "machine/simt/warp_table.h"

namespace raddle::machine::simt {

namespace {

// Values beyond this are slips of the pen.
constexpr std::uint64_t kMostBookedAhead = 1 << 16;  // cycles; each costs memory for its bookings

constexpr std::array<std::string_view, kOperations> kOperationNames{
    "integer_add", "integer_max", "integer_multiply", "integer_mad", "integer_divide",
    "float_add",   "float_max",   "float_multiply",   "float_mad",   "float_divide",
    "double_add",  "double_max",  "double_multiply",  "double_mad",  "double_divide",
    "special",     "shuffle"};

void read_core(const ParameterTable& p, CoreParameters& core) {
  const Section c(p, "core");
  core.warps = c.count("warps", 1, kMostWarps);
  core.threads = c.count("threads", kernel::exec::kLanes);
  core.blocks = c.count("blocks");
  core.registers = c.count("registers", 1, kMostBytes);
  core.register_unit = c.count("register_unit");
  core.shared_bytes = c.bytes("shared_bytes", 0);
  core.shared_unit = c.count("shared_unit");
  core.schedulers = c.count("schedulers", 1, 8);
  core.issue_interval = c.cycles("issue_interval");
  const std::vector<std::string> policies = policy_names();
  core.policy = policies[c.choice("policy", policies)];
  core.active_warps = c.count("active_warps");

  const Section f(p, "fetch");
  core.fetch_instructions = f.count("instructions", 1, 16);
  core.instruction_bytes = f.power_of_two("instruction_bytes", 4, 16);
  core.fetch_to_issue = f.cycles("cycles");

  const Section o(p, "operands");
  core.register_banks = o.power_of_two("banks", 1, 64);
  core.sp_collectors = o.count("sp_collectors");
  core.sfu_collectors = o.count("sfu_collectors");
  core.memory_collectors = o.count("memory_collectors");
  core.memory_stages = o.count("memory_stages", 0);
  core.issue_to_read = o.cycles("issue_to_read");
  core.read_to_execute = o.cycles("read_to_execute");
  core.writebacks = o.count("writebacks");

  const Section u(p, "units");
  core.sp_units = u.count("sp", 1, 16);
  core.sfu_units = u.count("sfu", 1, 16);
  core.load_store_interval = u.cycles("load_store_interval");
  const Section latency(p, "latency");
  const Section interval(p, "interval");
  for (std::size_t i = 0; i < kOperations; ++i)
    core.timing[i] = {latency.cycles(kOperationNames[i]), interval.cycles(kOperationNames[i])};

  const Section shared(p, "shared");
  core.shared_shape.banks = shared.power_of_two("banks", 1, 64);
  core.shared_shape.bank_bytes = shared.power_of_two("bank_bytes", 4, 16);
  core.shared_latency = shared.cycles("latency");

  const Section l1(p, "l1");
  core.l1 = read_cache(l1);
  constexpr std::array kWriteHits{memory::WriteHit::kWriteBack, memory::WriteHit::kWriteThrough,
                                  memory::WriteHit::kWriteEvict};
  const std::vector<std::string> write_hits{"back", "through", "evict"};
  const std::vector<std::string> write_misses{"no-allocate", "fetch"};
  const auto policy = [&](std::string_view hit, std::string_view miss) {
    return memory::WritePolicy{kWriteHits[l1.choice(hit, write_hits)],
                               l1.choice(miss, write_misses) == 0
                                   ? memory::WriteMiss::kNoAllocate
                                   : memory::WriteMiss::kFetchOnWrite};
  };
  core.l1_global = policy("global_write_hit", "global_write_miss");
  core.l1_local = policy("local_write_hit", "local_write_miss");
  core.l1.write = core.l1_local;
  core.l1.atomics = memory::AtomicPlace::kBelow;
  core.l1_caches_global = l1.boolean("caches_global");
  core.l1_latency = l1.cycles("latency");
  core.l1_miss_queue = l1.count("miss_queue");
  core.instruction_cache = read_cache(Section(p, "instruction_cache"));
  // A line gets its place when it comes, so that a few lines on their way do not throw out a loop.
  core.instruction_cache.allocation = memory::Allocation::kOnFill;
  const Section constants(p, "constant_cache");
  core.constant_cache = read_cache(constants);
  core.constant_cache.allocation = memory::Allocation::kOnFill;
  core.constant_latency = constants.cycles("latency");
  const Section textures(p, "texture_cache");
  core.texture_cache = read_cache(textures);
  core.texture_latency = textures.cycles("latency");

  const Section split(p, "split");
  core.split_switches = split.boolean("switches");
  core.splits = {{{core.l1.bytes, core.l1.ways, core.shared_bytes},
                  {Bytes(split.bytes("l1_bytes")), split.count("l1_ways", 1, 64),
                   split.bytes("shared_bytes", 0)}}};
}

}  // namespace

// An instruction waits for as many others as there are collectors: all of them may be before it at
// a register bank, at its unit and at the result port. A load knows its result's time when its last
// pass through shared memory is.
std::uint64_t CoreParameters::booked_ahead() const {
  constexpr std::uint64_t kMostOperands = 16;
  constexpr std::uint64_t kMostPasses =
      512;  // atomics of some lanes on one word, of others on one bank
  const std::uint64_t memory =
      std::max({shared_latency, l1_latency, constant_latency, texture_latency}) +
      kMostPasses * load_store_interval;
  const std::uint64_t collectors =
      std::uint64_t{sp_collectors} + sfu_collectors + memory_collectors + memory_stages;
  OperationTiming longest;
  for (const OperationTiming& operation : timing) {
    longest.latency = std::max(longest.latency, operation.latency);
    longest.interval = std::max(longest.interval, operation.interval);
  }
  const std::uint64_t units =
      issue_to_read + read_to_execute + longest.latency +
      std::uint64_t{longest.interval} * std::max(sp_collectors, sfu_collectors);
  return std::max(units, memory) + collectors * kMostOperands;
}

void CoreParameters::use(SplitChoice choice) {
  const SplitSizes& sizes = splits[static_cast<std::size_t>(choice)];
  l1.bytes = sizes.l1_bytes;
  l1.ways = sizes.l1_ways;
  shared_bytes = sizes.shared_bytes;
}

GpuParameters::GpuParameters(const ParameterTable& p) : name(p.name()) {
  const Section device(p, "device");
  cores = device.count("cores", 1, 1024);
  memory_bytes =
      static_cast<std::uint64_t>(p.integer_in("device.memory_bytes", 4096, std::int64_t{1} << 40));
  constant_bytes = device.bytes("constant_bytes", 0);
  stack_bytes = device.bytes("stack_bytes_per_thread", 4);
  compute_major = device.count("compute_major", 1, 99);
  compute_minor = device.count("compute_minor", 0, 99);
  registers_per_thread = device.count("registers_per_thread", 8, 255);
  max_threads_per_block = device.count("max_threads_per_block", 1, 1024);
  max_grid_x = p.integer_in("device.max_grid_x", 1, 2147483647);
  launch_cycles = device.count("launch_cycles", 0, 1'000'000);
  kernels = device.count("kernels", 1, 128);
  energy = p.text("energy");

  const Section clocks(p, "clock");
  core_clock = clocks.hertz("core_hz");
  read_core(p, core);
  if (core.booked_ahead() > kMostBookedAhead)
    throw Error(
        fmt::format("results would be booked {} cycles ahead, at most {} are possible",
                    core.booked_ahead(), kMostBookedAhead),
        p.file(),
        "so many instructions find collectors before a slow unit: make [latency], [interval] "
        "or the collectors of [operands] smaller");

  memory = read_memory_system(p, cores, core.l1.line_bytes);
  const std::uint32_t l2_line_bytes = memory.partition.slice.line_bytes;
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
  sharing = read_sharing(p);
  check_sharing(*this, sharing.mode, "sharing.mode");
  for (const auto& [kernel, mode] : sharing.by_kernel)
    check_sharing(*this, mode, "sharing.kernel." + kernel);
}

}  // namespace raddle::machine::simt
