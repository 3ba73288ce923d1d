#include "machine/tpa/front_caches.h"

#include <algorithm>

namespace raddle::machine::tpa {

namespace {

// Instructions and data lie apart in the level 2 cache.
constexpr Address kInstructionSpace{std::uint64_t{1} << 48};
constexpr Bytes kInstructionBytes{64};

memory::TagArrayShape shape_of(ShortBytes bytes, const FrontendParameters& p) {
  memory::TagArrayShape shape;
  shape.line_bytes = p.line_bytes;
  shape.ways = p.ways;
  shape.sets = bytes / p.line_bytes / p.ways;
  return shape;
}

}  // namespace

FrontCaches::Level::Level(ShortBytes bytes, const FrontendParameters& p)
    : tags(shape_of(bytes, p)), ready(tags.lines()) {}

FrontCaches::FrontCaches(const FrontendParameters& p)
    : parameters_(p), l1i_(p.l1i_bytes, p), l1d_(p.l1d_bytes, p), l2_(p.l2_bytes, p) {}

void FrontCaches::warm(std::uint64_t lines) {
  for (std::uint64_t line = 0; line < lines; ++line)
    look_up(l1i_, kInstructionSpace + line * kInstructionBytes, Cycle(0), false);
  std::ranges::fill(l1i_.ready, Cycle(0));
  l2_.stats = {};
}

// Returns when the line is there.
Cycle FrontCaches::from_second(Address address, Cycle now) {
  const memory::LinePlace place = l2_.tags.find(address);
  const Cycle arrives = now + parameters_.l2_cycles;
  if (place.found()) {
    ++l2_.stats.hits;
    l2_.tags.touch(place);
    return std::max(arrives, l2_.ready[l2_.tags.number(place)]);
  }
  ++l2_.stats.misses;
  const memory::LinePlace victim = l2_.tags.choose_victim(place.set);
  l2_.tags.reserve(victim, address);
  l2_.tags.fill(victim, false);
  return l2_.ready[l2_.tags.number(victim)] = arrives + parameters_.memory_cycles;
}

Cycle FrontCaches::look_up(Level& level, Address address, Cycle now, bool demanded) {
  const memory::LinePlace place = level.tags.find(address);
  if (place.found()) {
    if (!demanded) return Cycle(0);
    level.tags.touch(place);
    const Cycle ready = level.ready[level.tags.number(place)];
    ++level.stats.hits;
    if (ready <= now) return Cycle(0);
    ++level.stats.late;
    return ready - now;
  }
  if (demanded) ++level.stats.misses;
  const memory::LinePlace victim = level.tags.choose_victim(place.set);
  level.tags.reserve(victim, address);
  level.tags.fill(victim, false);
  const Cycle ready = from_second(address, now);
  level.ready[level.tags.number(victim)] = ready;
  return ready - now;
}

void FrontCaches::prefetch(Level& level, Address address, Cycle now) {
  for (std::uint32_t i = 1; i <= parameters_.prefetch_lines; ++i)
    look_up(level, address + i * Bytes(parameters_.line_bytes), now, false);
}

Cycle FrontCaches::fetch(std::uint64_t line_number, Cycle now) {
  const Address address = kInstructionSpace + line_number * kInstructionBytes;
  const Cycle wait = look_up(l1i_, address, now, true);
  if (wait != Cycle(0)) prefetch(l1i_, address, now);
  return wait;
}

Cycle FrontCaches::access(Address address, Cycle now) {
  const Cycle wait = look_up(l1d_, address, now, true);
  // At the first word of a line, so that a walk through memory asks once for each line.
  if (wait != Cycle(0) || address % parameters_.line_bytes == Bytes(0))
    prefetch(l1d_, address, now);
  return wait;
}

}  // namespace raddle::machine::tpa
