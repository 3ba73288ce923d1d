#include "memory/cache_parameters.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace raddle::memory {
namespace {

void check_shape(const CacheParameters& p) {
  if (!std::has_single_bit(p.line_bytes.count()) || p.line_bytes < ShortBytes(4)) {
    throw Error(fmt::format("invalid cache line size: {} bytes", p.line_bytes.count()), {},
                "take a power of two, at least 4");
  }
  if (p.ways < 1 || p.ways > ReplacementState::kMaxWays) {
    throw Error(fmt::format("invalid number of cache ways: {}", p.ways), {},
                fmt::format("take 1 to {}", ReplacementState::kMaxWays));
  }
  const Bytes set_bytes = Bytes(p.line_bytes) * p.ways;
  const std::uint64_t sets = p.bytes / set_bytes;
  if (sets == 0 || p.bytes % set_bytes != Bytes(0)) {
    throw Error(fmt::format("a cache of {} bytes is not a whole number of sets", p.bytes.count()),
                {},
                fmt::format("{} lines of {} bytes make sets of {} bytes", p.ways,
                            p.line_bytes.count(), set_bytes.count()));
  }
  if (p.bytes / p.line_bytes > ~std::uint32_t{0}) {
    throw Error(fmt::format("a cache of {} bytes has too many lines", p.bytes.count()), {},
                "take at most 4294967295 lines");
  }
  if (p.index == SetIndex::kFermi &&
      (p.line_bytes != ShortBytes(128) || (sets != 32 && sets != 64))) {
    throw Error(fmt::format("Fermi's set index is not defined for {} sets of lines of {} bytes",
                            sets, p.line_bytes.count()),
                {}, "it is defined for 32 and 64 sets of lines of 128 bytes");
  }
  if (p.slices < 1)
    throw Error("a cache cannot have 0 slices", {}, "take 1 for a cache that is not sliced");
  if (p.slice_bytes != ShortBytes(0) &&
      (!std::has_single_bit(p.slice_bytes.count()) || p.slice_bytes < p.line_bytes)) {
    throw Error(
        fmt::format("invalid interleaving of cache slices: {} bytes", p.slice_bytes.count()), {},
        fmt::format("take a power of two, at least the line's {} bytes", p.line_bytes.count()));
  }
}

void check_policies(const CacheParameters& p) {
  if (p.write.hit == WriteHit::kWriteEvict && p.write.miss != WriteMiss::kNoAllocate) {
    throw Error("a cache cannot evict on a write hit and allocate on a write miss", {},
                "write-evict goes with no-allocate");
  }
  if (p.atomics == AtomicPlace::kHere && p.write.hit != WriteHit::kWriteBack) {
    throw Error("a cache that does not write back cannot execute atomics", {},
                "execute atomics in the level below");
  }
}

}  // namespace

void CacheParameters::check() const {
  check_shape(*this);
  if (hit_latency < Cycle(1))
    throw Error("a cache hit cannot take 0 cycles", {}, "take at least 1");
  if (mshrs < 1) throw Error("a cache cannot have 0 MSHRs", {}, "take at least 1");
  if (accesses_per_mshr < 1) throw Error("an MSHR cannot hold 0 accesses", {}, "take at least 1");
  check_policies(*this);
}

TagArrayShape CacheParameters::shape() const {
  TagArrayShape shape;
  shape.line_bytes = line_bytes;
  shape.sets = static_cast<std::uint32_t>(bytes / line_bytes / ways);
  shape.ways = ways;
  shape.index = index;
  shape.replacement = replacement;
  shape.seed = seed;
  shape.slices = slices;
  shape.slice_bytes = slice_bytes;
  return shape;
}

}  // namespace raddle::memory
