#include "machine/memory_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/number_format.h"

namespace raddle::machine {

namespace {

constexpr double kMaxClockRatio = 100;  // between the slowest and the fastest

// A part that is very much slower than the others would have all wait for it, and the user with
// them.
void check_clocks(const ParameterBinder& p, std::initializer_list<Hertz> clocks) {
  const auto [slowest, fastest] = std::minmax(clocks);
  if (fastest.count() <= kMaxClockRatio * slowest.count()) return;
  throw Error(fmt::format("clock frequencies range from {} to {}", si_scaled(slowest.count(), "Hz"),
                          si_scaled(fastest.count(), "Hz")),
              p.file(),
              fmt::format("the fastest of clock.core_hz, network_hz, l2_hz and dram_hz may be {} "
                          "times the slowest",
                          kMaxClockRatio));
}

void bind_timing(const ParameterBinder& s, memory::DramTiming& t) {
  s.cycles("t_rcd", t.t_rcd, "activate to read");
  s.cycles("t_rcd_write", t.t_rcd_write, "activate to write");
  s.cycles("t_ras", t.t_ras, "activate to precharge");
  s.cycles("t_rp", t.t_rp, "precharge to activate");
  s.cycles("t_rc", t.t_rc, "activate to activate of the same bank");
  s.cycles("t_rtp", t.t_rtp, "read to precharge");
  s.cycles("t_wr", t.t_wr, "end of write data to precharge");
  s.cycles("t_rrd", t.t_rrd, "activate to activate of another bank");
  s.cycles("t_faw", t.t_faw, "window that holds at most four activates, 0 for no such limit", 0);
  s.cycles("t_ccd", t.t_ccd, "column command to column command");
  s.cycles("t_ccdl", t.t_ccdl, "column command to column command of the same bank group");
  s.cycles("t_wtr", t.t_wtr, "end of write data to read");
  s.cycles("t_rtw", t.t_rtw, "read to write");
  s.cycles("t_cl", t.t_cl, "read to its first data");
  s.cycles("t_wl", t.t_wl, "write to its first data");
}

// The order of an address's bits: columns within a chunk, the lowest bank bit, the other columns,
// the other bank bits, the row.
void slice_address(ShortBytes row_bytes, std::uint32_t banks, memory::AddressMappingSpec& map) {
  const auto bits = [](std::uint64_t n) {
    return static_cast<std::uint32_t>(std::bit_width(n) - 1);
  };
  const std::uint32_t columns = bits(row_bytes.count()) - bits(map.burst.count());
  const std::uint32_t low = std::min(columns, bits(map.chunk.count()) - bits(map.burst.count()));
  const std::uint32_t bank_bits = bits(banks);
  map.slices.clear();
  const auto add = [&map](memory::AddressField field, std::uint32_t width) {
    if (width > 0) map.slices.push_back({field, width});
  };
  add(memory::AddressField::kColumn, low);
  add(memory::AddressField::kBank, std::min(1u, bank_bits));
  add(memory::AddressField::kColumn, columns - low);
  add(memory::AddressField::kBank, bank_bits - std::min(1u, bank_bits));
}

void bind_dram(const ParameterBinder& s, memory::DramSpec& dram) {
  memory::DramTiming& t = dram.timing;
  memory::AddressMappingSpec& map = dram.mapping;
  s.integer("channels", map.channels, "channels", "each with its own data bus", {1, 64});
  s.power_of_two("chunk_bytes", map.chunk, "bytes", "mapped to one channel before the next one",
                 {128, kMaxBytes});
  s.power_of_two("banks", t.banks, "banks", "of a channel", {1, 64});
  s.power_of_two("bank_groups", t.bank_groups, "groups", "that the banks of a channel form",
                 {1, 64});
  ShortBytes row_bytes{4096};
  s.power_of_two("row_bytes", row_bytes, "bytes", "of a row, which an activate opens",
                 {256, kMaxBytes});
  s.power_of_two("bus_bytes", t.bus_bytes, "bytes", "of one beat on a channel's data bus",
                 {1, 256});
  s.power_of_two("burst_length", t.burst_length, "beats", "of one column command", {1, 64});
  s.power_of_two("beats_per_cycle", t.beats_per_cycle, "beats", "per cycle of the command clock",
                 {1, 16});
  dram.read_sector = Bytes(32);
  s.power_of_two("read_sector_bytes", dram.read_sector, "bytes", "that one read command asks for",
                 {4, kMaxBytes});
  bind_timing(s, t);
  s.choice(
      "scheduling", dram.scheduling,
      {{"fr-fcfs", memory::DramScheduling::kFrFcfs}, {"in-order", memory::DramScheduling::kFcfs}},
      "which request is served next");
  s.choice("pages", dram.page_policy,
           {{"open", memory::PagePolicy::kOpen}, {"closed", memory::PagePolicy::kClosed}},
           "whether a row stays open after an access");
  s.integer("queue", dram.queue_entries, "requests", "that the scheduler chooses from");
  s.integer("answers", dram.answer_entries, "answers", "in flight back to the L2");
  map.burst = t.burst_bytes();
  if (row_bytes < map.burst)
    throw Error(fmt::format("dram.row_bytes = {} is less than a burst of {} bytes",
                            row_bytes.count(), map.burst.count()),
                s.file(), "a burst is dram.bus_bytes · dram.burst_length; a row holds whole ones");
  slice_address(row_bytes, t.banks, map);
}

void bind_l2(const ParameterBinder& l2, memory::MemorySystemSpec& spec) {
  memory::CacheParameters& slice = spec.partition.slice;
  slice = {.bytes = Bytes(786'432), .ways = 8, .mshrs = 256, .accesses_per_mshr = 4, .write = {}};
  bind_cache(l2, slice);
  l2.integer("slices_per_channel", spec.slices_per_channel, "slices", "of each DRAM channel",
             {1, 16});
  l2.cycles("latency", spec.l2_latency, "before an access is looked up");
  l2.cycles("hit_latency", slice.hit_latency, "of a hit, after it is looked up");
  l2.integer("queue", spec.l2_queue, "entries",
             "of each queue of a slice: accesses, answers and requests to DRAM");
  l2.integer("sector_bytes", spec.partition.sector_bytes, "bytes",
             "that a slice serves per cycle, each answered by its own packet (0: any access)",
             {0, 128});
  l2.boolean("copies_fill", spec.copies_fill_l2,
             "copies from the host go through the L2 and leave lines there");
  const Bytes bytes = slice.bytes;
  if (bytes.count() % spec.slices() != 0)
    throw Error(fmt::format("l2.bytes = {} cannot be divided among {} slices", bytes.count(),
                            spec.slices()),
                l2.file(),
                fmt::format("make it a multiple of {}",
                            (Bytes(slice.line_bytes) * slice.ways * spec.slices()).count()));
  slice.bytes = bytes / spec.slices();
  slice.slices = spec.slices();
  slice.slice_bytes = spec.chunk_bytes;
  slice.write = {memory::WriteHit::kWriteBack, memory::WriteMiss::kValidateOnWrite};
}

void bind_network(const ParameterBinder& s, memory::CrossbarSpec& spec) {
  spec.flit_bytes = ShortBytes(40);
  s.cycles("latency", spec.latency, "of a flit from a core to an L2 slice, and back");
  s.cycles("credit_latency", spec.credit_latency, "of a credit from output to input");
  s.integer("flit_bytes", spec.flit_bytes, "bytes", "of a flit");
  s.integer("flits_in", spec.inject_flits, "flits", "per cycle from each core or slice");
  s.integer("flits_out", spec.eject_flits, "flits", "per cycle to each core or slice");
  s.choice("switch", spec.kind,
           {{"crosspoint-queued", memory::SwitchKind::kCrosspointQueued},
            {"input-queued", memory::SwitchKind::kInputQueued}},
           "where packets wait: for each pair of ends, or in one queue of each input");
  s.integer("buffer_flits", spec.buffer_flits, "flits",
            "buffered for each pair of ends, if crosspoint-queued");
  s.integer("input_flits", spec.input_flits, "flits", "of each input's queue, if input-queued");
  s.integer("output_flits", spec.output_flits, "flits", "of each output's buffer, if input-queued");
  s.integer("speedup", spec.speedup, "steps",
            "per cycle within the switch, if input-queued: one to allocate, one for each flit",
            {1, 16});
}

}  // namespace

void bind_cache(const ParameterBinder& s, memory::CacheParameters& cache) {
  s.bytes("bytes", cache.bytes, "in all");
  s.power_of_two("line_bytes", cache.line_bytes, "bytes", "of a line", {32, 128});
  s.integer("ways", cache.ways, "ways", "lines of a set", {1, 64});
  s.integer("mshrs", cache.mshrs, "lines", "in flight at once");
  s.integer("accesses_per_mshr", cache.accesses_per_mshr, "accesses",
            "that can wait for one line, including the first");
  s.choice("set_index", cache.index,
           {{"modulo", memory::SetIndex::kModulo},
            {"hash", memory::SetIndex::kXorHash},
            {"fermi", memory::SetIndex::kFermi}},
           "how an address selects its set");
}

void check_cache(const ParameterBinder& p, std::string_view name,
                 const memory::CacheParameters& cache) {
  try {
    cache.check();
  } catch (const Error& error) {
    throw Error(fmt::format("[{}]: {}", name, error.what()), p.file(), error.hint());
  }
}

void check_line(const ParameterBinder& p, std::string_view name, ShortBytes line_bytes,
                ShortBytes l2_line_bytes) {
  if (line_bytes > l2_line_bytes)
    throw Error(fmt::format("{}.line_bytes = {} is more than l2.line_bytes = {}", name,
                            line_bytes.count(), l2_line_bytes.count()),
                p.file(), "a line comes from one line of the L2");
}

void bind_memory_system(const ParameterBinder& p, memory::MemorySystemSpec& spec, Hertz core_clock,
                        std::uint32_t cores, ShortBytes l1_line_bytes) {
  spec.network_clock = spec.l2_clock = Hertz(700e6);
  spec.dram_clock = Hertz(924e6);
  const ParameterBinder clocks = p.section("clock");
  clocks.hertz("network_hz", spec.network_clock, "of the network between cores and L2");
  clocks.hertz("l2_hz", spec.l2_clock, "of the L2");
  clocks.hertz("dram_hz", spec.dram_clock, "of DRAM commands");
  check_clocks(p, {core_clock, spec.network_clock, spec.l2_clock, spec.dram_clock});

  const ParameterBinder network = p.section("network");
  bind_network(network, spec.request_network);
  network.integer("header_bytes", spec.partition.header_bytes, "bytes", "of every packet's header");

  const ParameterBinder dram = p.section("dram");
  bind_dram(dram, spec.dram);
  dram.integer("l2_queue", spec.dram_queue, "entries",
               "of the queues between L2 and DRAM: requests and answers");
  dram.cycles("latency", spec.dram_latency, "of the L2 clock from the L2 to the scheduler's queue");
  spec.channels = spec.dram.mapping.channels;
  spec.chunk_bytes = ShortBytes(static_cast<std::uint32_t>(spec.dram.mapping.chunk.count()));

  bind_l2(p.section("l2"), spec);
  const memory::CacheParameters& slice = spec.partition.slice;
  check_cache(p, "l2", slice);
  if (l1_line_bytes != slice.line_bytes)
    throw Error(fmt::format("l1.line_bytes = {} differs from l2.line_bytes = {}",
                            l1_line_bytes.count(), slice.line_bytes.count()),
                p.file(), "lines of both levels have the same size");
  spec.partition.reply_entries = spec.partition.down_entries = spec.l2_queue;

  memory::CrossbarSpec& request = spec.request_network;
  request.most_packet_flits =
      memory::flits_of(spec.partition.header_bytes + slice.line_bytes, request.flit_bytes);
  request.inputs = cores;
  request.outputs = spec.slices();
  spec.reply_network = request;
  std::swap(spec.reply_network.inputs, spec.reply_network.outputs);
  memory::check(request);
}

}  // namespace raddle::machine
