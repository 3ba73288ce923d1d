// What the memory parts cost the host, one operation at a time: cache hits and misses, passes
// through a banked scratchpad, coalescing. DRAM, crossbar and mesh are in interconnect_bench.cpp.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "memory/cache.h"
#include "memory/coalescer.h"
#include "memory/mshr.h"
#include "memory/scratchpad.h"
#include "sim/engine.h"

namespace {

using namespace raddle;
using namespace raddle::memory;

void report(benchmark::State& state, const char* unit, std::uint64_t each = 1) {
  const auto count = static_cast<double>(state.iterations()) * static_cast<double>(each);
  state.counters[std::string(unit) + "_per_second"] =
      benchmark::Counter(count, benchmark::Counter::kIsRate);
}

// --- caches ----------------------------------------------------------------------------------------

CacheParameters fermi_l1(Replacement replacement) {
  CacheParameters p;
  p.bytes = Bytes(16 * 1024);
  p.replacement = replacement;
  return p;
}

// A slice of the L2 of the dMT-CGRA paper: 786 KB in 16 ways over six.
CacheParameters l2_slice() {
  CacheParameters p;
  p.bytes = Bytes(128 * 1024);
  p.ways = 16;
  p.slices = 6;
  p.slice_bytes = ShortBytes(256);
  return p;
}

Access load(Address address) { return {address, ShortBytes(128), AccessKind::kLoad, 0, 0}; }

// Loads that hit, over all lines of the cache in a scattered order.
void cache_hit(benchmark::State& state, const CacheParameters& parameters) {
  Cache cache(parameters);
  std::vector<Address> lines;
  std::mt19937_64 random(1);
  for (std::uint64_t line = 0; line < parameters.bytes / parameters.line_bytes; ++line)
    lines.push_back(Address(line * parameters.slices * parameters.line_bytes.count()));
  for (const Address line : lines) {
    if (cache.access(load(line), Cycle(0)).verdict == Verdict::kMiss) cache.fill(line);
  }
  std::shuffle(lines.begin(), lines.end(), random);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(cache.access(load(lines[i]), Cycle(i)));
    if (++i == lines.size()) i = 0;
  }
  report(state, "accesses");
}
BENCHMARK_CAPTURE(cache_hit, l1_lru, fermi_l1(Replacement::kLru));
BENCHMARK_CAPTURE(cache_hit, l1_fifo, fermi_l1(Replacement::kFifo));
BENCHMARK_CAPTURE(cache_hit, l1_tree, fermi_l1(Replacement::kTreePlru));
BENCHMARK_CAPTURE(cache_hit, l1_random, fermi_l1(Replacement::kRandom));
BENCHMARK_CAPTURE(cache_hit, l2_slice, l2_slice());

// A miss, its victim and its fill: a stream through the cache.
void cache_miss_and_fill(benchmark::State& state, const CacheParameters& parameters) {
  Cache cache(parameters);
  Address line;
  for (auto _ : state) {
    benchmark::DoNotOptimize(cache.access(load(line), Cycle(line.value())));
    benchmark::DoNotOptimize(cache.fill(line));
    line += parameters.line_bytes;
  }
  report(state, "accesses");
}
BENCHMARK_CAPTURE(cache_miss_and_fill, l1_lru, fermi_l1(Replacement::kLru));
BENCHMARK_CAPTURE(cache_miss_and_fill, l1_tree, fermi_l1(Replacement::kTreePlru));
BENCHMARK_CAPTURE(cache_miss_and_fill, l2_slice, l2_slice());

// The MSHRs alone, half full: one line asked for, three more who want it, and its coming.
void mshr_miss_and_complete(benchmark::State& state) {
  constexpr std::uint64_t kOnTheirWay = 16;
  MshrTable table(32, 8);
  constexpr Bytes kLine(128);
  Address next;
  for (; next / kLine < kOnTheirWay; next += kLine) table.append(table.allocate(next), load(next));
  for (auto _ : state) {
    const Address address = next;
    next += kLine;
    table.append(table.allocate(address), load(address));
    for (int i = 0; i < 3; ++i) table.append(table.find(address), load(address));
    benchmark::DoNotOptimize(table.complete(table.find(address - kOnTheirWay * kLine)));
  }
  report(state, "accesses", 4);
}
BENCHMARK(mshr_miss_and_complete);

// Four accesses to each line on its way, then its fill.
void cache_merge(benchmark::State& state) {
  Cache cache(fermi_l1(Replacement::kLru));
  Address line;
  for (auto _ : state) {
    for (int i = 0; i < 4; ++i)
      benchmark::DoNotOptimize(cache.access(load(line), Cycle(line.value())));
    benchmark::DoNotOptimize(cache.fill(line));
    line += Bytes(128);
  }
  report(state, "accesses", 4);
}
BENCHMARK(cache_merge);

// --- lanes -----------------------------------------------------------------------------------------

enum class Pattern : std::uint8_t { kConsecutive, kStrided, kScattered };

// Addresses of warps, so many that the host cannot learn them by heart.
std::vector<std::array<std::uint64_t, 32>> warps(Pattern pattern) {
  std::mt19937_64 random(3);
  std::vector<std::array<std::uint64_t, 32>> all(64);
  for (auto& address : all) {
    const std::uint64_t first = random() % 1024 * 128;
    for (std::size_t i = 0; i < address.size(); ++i) {
      switch (pattern) {
        case Pattern::kConsecutive: address[i] = first + 4 * i; break;
        case Pattern::kStrided: address[i] = first + 8 * i; break;
        case Pattern::kScattered: address[i] = random() % 4096 * 4; break;
      }
    }
  }
  return all;
}

void scratchpad_passes(benchmark::State& state, Pattern pattern) {
  const auto addresses = warps(pattern);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(count_passes({}, {addresses[i++ % 64], 0xffffffff, 4}));
  }
  report(state, "warps");
}
BENCHMARK_CAPTURE(scratchpad_passes, consecutive, Pattern::kConsecutive);
BENCHMARK_CAPTURE(scratchpad_passes, two_way_conflict, Pattern::kStrided);
BENCHMARK_CAPTURE(scratchpad_passes, scattered, Pattern::kScattered);

void coalesce_warp(benchmark::State& state, Pattern pattern) {
  const auto addresses = warps(pattern);
  std::array<Segment, kMaxSegments> segments;
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        coalesce({addresses[i++ % 64], 0xffffffff, 4}, ShortBytes(128), segments));
    benchmark::ClobberMemory();
  }
  report(state, "warps");
}
BENCHMARK_CAPTURE(coalesce_warp, consecutive, Pattern::kConsecutive);
BENCHMARK_CAPTURE(coalesce_warp, strided, Pattern::kStrided);
BENCHMARK_CAPTURE(coalesce_warp, scattered, Pattern::kScattered);

}  // namespace
