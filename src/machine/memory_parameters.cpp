#include "machine/memory_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/number_format.h"

namespace raddle::machine {

namespace {

constexpr double kMostClockRatio = 100;  // between the slowest and the fastest

// A part that is very much slower than the others would have all wait for it, and the user with
// them.
void check_clocks(const ParameterTable& table, std::initializer_list<Hertz> clocks) {
  const auto [slowest, fastest] = std::minmax(clocks);
  if (fastest.count() <= kMostClockRatio * slowest.count()) return;
  throw Error(fmt::format("the clocks lie between {} and {}", si_scaled(slowest.count(), "Hz"),
                          si_scaled(fastest.count(), "Hz")),
              table.file(),
              fmt::format("the fastest of clock.core_hz, network_hz, l2_hz and dram_hz may be {} "
                          "times the slowest",
                          kMostClockRatio));
}

}  // namespace

std::uint32_t Section::count(std::string_view key, std::int64_t least, std::int64_t most) const {
  return static_cast<std::uint32_t>(table_.integer_in(path(key), least, most));
}

std::uint32_t Section::cycles(std::string_view key, std::int64_t least) const {
  return count(key, least, kMostCycles);
}

std::uint32_t Section::bytes(std::string_view key, std::int64_t least) const {
  return count(key, least, kMostBytes);
}

std::uint32_t Section::power_of_two(std::string_view key, std::int64_t least,
                                    std::int64_t most) const {
  const std::uint32_t value = count(key, least, most);
  if (!std::has_single_bit(value))
    throw Error(
        fmt::format("{} = {} is not a power of two", path(key), value), table_.file(),
        fmt::format("the nearest are {} and {}", std::bit_floor(value), std::bit_ceil(value)));
  return value;
}

Hertz Section::hertz(std::string_view key) const {
  return Hertz(table_.number_in(path(key), 1e6, 1e11));
}

bool Section::boolean(std::string_view key) const { return table_.boolean(path(key)); }

std::size_t Section::choice(std::string_view key, const std::vector<std::string>& names) const {
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

std::string Section::path(std::string_view key) const { return fmt::format("{}.{}", name_, key); }

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

void check_cache(const ParameterTable& table, std::string_view name,
                 const memory::CacheParameters& cache) {
  try {
    cache.check();
  } catch (const Error& error) {
    throw Error(fmt::format("[{}]: {}", name, error.what()), table.file(), error.hint());
  }
}

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

memory::MemorySystemSpec read_memory_system(const ParameterTable& p, std::uint32_t cores,
                                            std::uint32_t l1_line_bytes) {
  memory::MemorySystemSpec spec;
  const Section clocks(p, "clock");
  spec.network_clock = clocks.hertz("network_hz");
  spec.l2_clock = clocks.hertz("l2_hz");
  spec.dram_clock = clocks.hertz("dram_hz");
  check_clocks(p, {clocks.hertz("core_hz"), spec.network_clock, spec.l2_clock, spec.dram_clock});

  const Section d(p, "dram");
  spec.dram = read_dram(d, p);
  spec.channels = spec.dram.mapping.channels;
  spec.chunk_bytes = static_cast<std::uint32_t>(spec.dram.mapping.chunk.count());
  spec.dram_latency = d.cycles("latency");
  spec.dram_queue = d.count("l2_queue");

  const Section l2(p, "l2");
  spec.slices_per_channel = l2.count("slices_per_channel", 1, 16);
  spec.l2_latency = l2.cycles("latency");
  spec.l2_queue = l2.count("queue");
  spec.copies_fill_l2 = l2.boolean("copies_fill");
  memory::CacheParameters& slice = spec.partition.slice;
  slice = read_cache(l2);
  const std::uint64_t bytes = slice.bytes.count();
  if (bytes % spec.slices() != 0)
    throw Error(
        fmt::format("l2.bytes = {} cannot be divided among {} slices", bytes, spec.slices()),
        p.file(),
        fmt::format("make it a multiple of {}",
                    spec.slices() * std::uint64_t{slice.line_bytes} * slice.ways));
  slice.bytes = Bytes(bytes / spec.slices());
  slice.slices = spec.slices();
  slice.slice_bytes = spec.chunk_bytes;
  slice.hit_latency = Cycle(l2.cycles("hit_latency"));
  slice.write = {memory::WriteHit::kWriteBack, memory::WriteMiss::kValidateOnWrite};
  check_cache(p, "l2", slice);
  if (l1_line_bytes != slice.line_bytes)
    throw Error(fmt::format("l1.line_bytes = {} differs from l2.line_bytes = {}", l1_line_bytes,
                            slice.line_bytes),
                p.file(), "lines of both levels have the same size");

  const Section network(p, "network");
  const std::uint32_t header_bytes = network.count("header_bytes");
  spec.partition.header_bytes = header_bytes;
  spec.partition.reply_entries = spec.partition.down_entries = spec.l2_queue;
  const std::uint32_t most = header_bytes + slice.line_bytes;
  spec.request_network = read_network(network, cores, spec.slices(), most);
  spec.reply_network = read_network(network, spec.slices(), cores, most);
  memory::check(spec.request_network);
  return spec;
}

}  // namespace raddle::machine
