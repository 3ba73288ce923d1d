#include "machine/simt/gpu_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/nearest_name.h"
#include "kernel/exec/decoded.h"
#include "machine/simt/scheduling_policy.h"
#include "machine/simt/warp_table.h"

namespace raddle::machine::simt {

namespace {

// Values beyond these are slips of the pen.
constexpr std::int64_t kMostCycles =
    900;  // of one latency; results are booked so far ahead at most
constexpr std::int64_t kMostEntries = 1 << 16;
constexpr std::int64_t kMostBytes = 1 << 28;

// Reads values of one table of the file: Section(p, "l1").count("ways").
class Section {
 public:
  Section(const ParameterTable& table, std::string name) : table_(table), name_(std::move(name)) {}

  std::uint32_t count(std::string_view key, std::int64_t least = 1,
                      std::int64_t most = kMostEntries) const {
    return static_cast<std::uint32_t>(table_.integer_in(path(key), least, most));
  }
  std::uint32_t cycles(std::string_view key, std::int64_t least = 1) const {
    return count(key, least, kMostCycles);
  }
  std::uint32_t bytes(std::string_view key, std::int64_t least = 1) const {
    return count(key, least, kMostBytes);
  }
  std::uint32_t power_of_two(std::string_view key, std::int64_t least = 1,
                             std::int64_t most = kMostBytes) const {
    const std::uint32_t value = count(key, least, most);
    if (!std::has_single_bit(value))
      throw Error(
          fmt::format("{} = {} is not a power of two", path(key), value), table_.file(),
          fmt::format("the nearest are {} and {}", std::bit_floor(value), std::bit_ceil(value)));
    return value;
  }
  Hertz hertz(std::string_view key) const { return Hertz(table_.number_in(path(key), 1e6, 1e11)); }
  bool boolean(std::string_view key) const { return table_.boolean(path(key)); }
  // One of the names, by its place.
  std::size_t choice(std::string_view key, const std::vector<std::string>& names) const {
    const std::string& word = table_.text(path(key));
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      const std::string near = suggestion(word, names);
      throw Error(
          fmt::format("{} = \"{}\" is not known", path(key), word), table_.file(),
          fmt::format("{}{}it can be {}", near, near.empty() ? "" : " ", fmt::join(names, ", ")));
    }
    return static_cast<std::size_t>(found - names.begin());
  }

 private:
  std::string path(std::string_view key) const { return fmt::format("{}.{}", name_, key); }

  const ParameterTable& table_;
  std::string name_;
};

memory::CacheParameters read_cache(const Section& s) {
  memory::CacheParameters cache;
  cache.bytes = Bytes(s.bytes("bytes"));
  cache.line_bytes = s.power_of_two("line_bytes", 32, 128);
  cache.ways = s.count("ways", 1, 64);
  cache.mshrs = s.count("mshrs");
  cache.accesses_per_mshr = s.count("accesses_per_mshr");
  constexpr std::array kIndexes{memory::SetIndex::kModulo, memory::SetIndex::kXorHash,
                                memory::SetIndex::kFermi};
  cache.index = kIndexes[s.choice("set_index", {"modulo", "hash", "fermi"})];
  return cache;
}

// Says which of the caches it is that cannot be built.
void check_cache(const ParameterTable& table, std::string_view name,
                 const memory::CacheParameters& cache) {
  try {
    cache.check();
  } catch (const Error& error) {
    throw Error(fmt::format("[{}]: {}", name, error.what()), table.file(), error.hint());
  }
}

// What the multiprocessor asks the L2 for lies within one of its lines.
void check_line(const ParameterTable& table, std::string_view name, std::uint32_t line_bytes,
                std::uint32_t l2_line_bytes) {
  if (line_bytes > l2_line_bytes)
    throw Error(fmt::format("{}.line_bytes = {} is more than l2.line_bytes = {}", name, line_bytes,
                            l2_line_bytes),
                table.file(), "a line comes from one line of the L2");
}

memory::DramSpec read_dram(const Section& s, const ParameterTable& table) {
  memory::DramSpec dram;
  memory::DramTiming& t = dram.timing;
  const auto cycles = [&s](std::string_view key, std::int64_t least) {
    return Cycle(s.cycles(key, least));
  };
  t.t_rcd = cycles("t_rcd", 1);
  t.t_rcd_write = cycles("t_rcd_write", 1);
  t.t_ras = cycles("t_ras", 1);
  t.t_rp = cycles("t_rp", 1);
  t.t_rc = cycles("t_rc", 1);
  t.t_rtp = cycles("t_rtp", 1);
  t.t_wr = cycles("t_wr", 1);
  t.t_rrd = cycles("t_rrd", 1);
  t.t_faw = cycles("t_faw", 0);
  t.t_ccd = cycles("t_ccd", 1);
  t.t_ccdl = cycles("t_ccdl", 1);
  t.t_wtr = cycles("t_wtr", 1);
  t.t_rtw = cycles("t_rtw", 1);
  t.t_cl = cycles("t_cl", 1);
  t.t_wl = cycles("t_wl", 1);
  t.burst_length = s.power_of_two("burst_length", 1, 64);
  t.beats_per_cycle = s.power_of_two("beats_per_cycle", 1, 16);
  t.bus_bytes = s.power_of_two("bus_bytes", 1, 256);
  t.banks = s.power_of_two("banks", 1, 64);
  t.bank_groups = s.power_of_two("bank_groups", 1, 64);
  dram.scheduling = s.choice("scheduling", {"fr-fcfs", "in-order"}) == 0
                        ? memory::DramScheduling::kFrFcfs
                        : memory::DramScheduling::kFcfs;
  dram.page_policy = s.choice("pages", {"open", "closed"}) == 0 ? memory::PagePolicy::kOpen
                                                                : memory::PagePolicy::kClosed;
  dram.queue_entries = s.count("queue");
  dram.answer_entries = s.count("answers");
  dram.read_sector = Bytes(s.power_of_two("read_sector_bytes", 4));
  memory::AddressMappingSpec& map = dram.mapping;
  map.channels = s.count("channels", 1, 64);
  map.chunk = Bytes(s.power_of_two("chunk_bytes", 128));
  map.burst = t.burst_bytes();
  // Columns within a chunk, the lowest bank bit, the other columns, the other bank bits, the row.
  const auto bits = [](std::uint64_t n) {
    return static_cast<std::uint32_t>(std::bit_width(n) - 1);
  };
  const std::uint32_t row_bytes = s.power_of_two("row_bytes", 256);
  if (row_bytes < map.burst.count())
    throw Error(fmt::format("dram.row_bytes = {} is less than a burst of {} bytes", row_bytes,
                            map.burst.count()),
                table.file(),
                "a burst is dram.bus_bytes · dram.burst_length; a row holds whole ones");
  const std::uint32_t columns = bits(row_bytes) - bits(map.burst.count());
  const std::uint32_t low = std::min(columns, bits(map.chunk.count()) - bits(map.burst.count()));
  const std::uint32_t banks = bits(t.banks);
  map.slices.clear();
  const auto add = [&map](memory::AddressField field, std::uint32_t width) {
    if (width > 0) map.slices.push_back({field, width});
  };
  add(memory::AddressField::kColumn, low);
  add(memory::AddressField::kBank, std::min(1u, banks));
  add(memory::AddressField::kColumn, columns - low);
  add(memory::AddressField::kBank, banks - std::min(1u, banks));
  return dram;
}

memory::CrossbarSpec read_network(const Section& s, std::uint32_t inputs, std::uint32_t outputs,
                                  std::uint32_t most_bytes) {
  memory::CrossbarSpec spec;
  spec.inputs = inputs;
  spec.outputs = outputs;
  spec.latency = Cycle(s.cycles("latency"));
  spec.credit_latency = Cycle(s.cycles("credit_latency"));
  spec.flit_bytes = s.count("flit_bytes");
  spec.inject_flits = s.count("flits_in");
  spec.eject_flits = s.count("flits_out");
  spec.buffer_flits = s.count("buffer_flits");
  spec.most_packet_flits = (most_bytes + spec.flit_bytes - 1) / spec.flit_bytes;
  return spec;
}

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
  network_clock = clocks.hertz("network_hz");
  l2_clock = clocks.hertz("l2_hz");
  dram_clock = clocks.hertz("dram_hz");
  read_core(p, core);

  const Section d(p, "dram");
  dram = read_dram(d, p);
  channels = dram.mapping.channels;
  chunk_bytes = static_cast<std::uint32_t>(dram.mapping.chunk.count());
  dram_latency = d.cycles("latency");
  dram_queue = d.count("l2_queue");

  const Section l2(p, "l2");
  slices_per_channel = l2.count("slices_per_channel", 1, 16);
  l2_latency = l2.cycles("latency");
  l2_queue = l2.count("queue");
  copies_fill_l2 = l2.boolean("copies_fill");
  memory::CacheParameters& slice = partition.slice;
  slice = read_cache(l2);
  const std::uint64_t bytes = slice.bytes.count();
  if (bytes % slices() != 0)
    throw Error(fmt::format("l2.bytes = {} cannot be divided among {} slices", bytes, slices()),
                p.file(),
                fmt::format("make it a multiple of {}",
                            slices() * std::uint64_t{slice.line_bytes} * slice.ways));
  slice.bytes = Bytes(bytes / slices());
  slice.slices = slices();
  slice.slice_bytes = chunk_bytes;
  slice.hit_latency = Cycle(l2.cycles("hit_latency"));
  slice.write = {memory::WriteHit::kWriteBack, memory::WriteMiss::kValidateOnWrite};
  check_cache(p, "l2", slice);
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
  check_line(p, "constant_cache", core.constant_cache.line_bytes, slice.line_bytes);
  check_line(p, "texture_cache", core.texture_cache.line_bytes, slice.line_bytes);
  check_line(p, "instruction_cache", core.instruction_cache.line_bytes, slice.line_bytes);

  const Section network(p, "network");
  header_bytes = network.count("header_bytes");
  partition.header_bytes = header_bytes;
  partition.reply_entries = partition.down_entries = l2_queue;
  const std::uint32_t most = header_bytes + std::max(slice.line_bytes, core.l1.line_bytes);
  request_network = read_network(network, cores, slices(), most);
  reply_network = read_network(network, slices(), cores, most);
  memory::check(request_network);
  if (core.l1.line_bytes != slice.line_bytes)
    throw Error(fmt::format("l1.line_bytes = {} differs from l2.line_bytes = {}",
                            core.l1.line_bytes, slice.line_bytes),
                p.file(), "lines of both levels have the same size");
}

}  // namespace raddle::machine::simt
