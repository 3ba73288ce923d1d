#include "machine/d2now/node_memory.h"

#include <algorithm>

namespace raddle::machine::d2now {
namespace {

using ddm::recording::kLineBytes;
using ddm::recording::Touch;

constexpr ShortBytes kLine{kLineBytes};

memory::TagArray tags(const CacheShape& shape) {
  return memory::TagArray(
      {.line_bytes = kLine, .sets = shape.bytes / (shape.ways * kLineBytes), .ways = shape.ways});
}

}  // namespace

Ticks Bus::demand(Ticks now, Ticks duration) {
  const Ticks free = std::max(busy_until_, now);
  busy_until_ = free + duration;
  busy_ticks_ += duration;
  const Ticks start = demands_until_ > now ? demands_until_ : std::min(free, now + longest_);
  demands_until_ = start + duration;
  return start;
}

Ticks Bus::background(Ticks now, Ticks duration, std::uint64_t count) {
  if (busy_until_ <= now) longest_ = Ticks(0);
  longest_ = std::max(longest_, duration);
  busy_until_ = std::max(busy_until_, now) + count * duration;
  busy_ticks_ += count * duration;
  return busy_until_;
}

NodeMemory::NodeMemory(const MemoryParameters& parameters)
    : parameters_(parameters),
      l1_data_(tags(parameters.l1_data)),
      l1_code_(tags(parameters.l1_code)),
      l2_(tags(parameters.l2)),
      l2_ready_(l2_.lines()),
      fill_buffers_(parameters.fill_buffers),
      recent_(parameters.kept_references) {}

Ticks NodeMemory::access(Touch touch, Line line, Ticks now, Ticks asked) {
  if (parameters_.perfect) return now;
  if (parameters_.kept_references != 0 && touch != Touch::kFetch) recent_.add(line);
  memory::TagArray& l1 = touch == Touch::kFetch ? l1_code_ : l1_data_;
  const Address address = address_of(line);
  memory::LinePlace place = l1.find(address);
  const bool is_store = touch == Touch::kStore;
  if (place.found()) {
    l1.touch(place);
    if (is_store) l1.mark_dirty(place);
    return now;
  }
  place = l1.choose_victim(place.set);
  if (l1.state(place) == memory::LineState::kDirty) write_back_from_l1(l1.line_at(place), now);
  l1.reserve(place, address);
  l1.fill(place, is_store);
  return access_l2(line, touch, now, asked);
}

Ticks NodeMemory::access_l2(Line line, Touch touch, Ticks now, Ticks asked) {
  const bool is_store = touch == Touch::kStore;
  ++counts_.l2_accesses;
  const memory::LinePlace place = l2_.find(address_of(line));
  if (place.found()) {
    l2_.touch(place);
    const Ticks ready = l2_ready_[l2_.number(place)];
    if (ready <= now) return is_store ? now : now + parameters_.l2_hit;
    ++counts_.l2_misses;
    ++counts_.l2_late;
    return is_store ? wait_for_fill_buffer(now, ready) : ready;
  }
  count_miss(line, touch);
  const Ticks done = std::max(now, bus_.demand(asked, parameters_.bus_line) + parameters_.miss);
  place_in_l2(line, now, done);
  return is_store ? wait_for_fill_buffer(now, done) : done;
}

void NodeMemory::count_miss(Line line, Touch touch) {
  ++counts_.l2_misses;
  if (touch == Touch::kFetch) ++counts_.l2_code_misses;
  switch (history_.of(line)) {
    case LinePast::kNew: ++counts_.l2_first; break;
    case LinePast::kSeen: ++counts_.l2_replaced; break;
    case LinePast::kWritten: ++counts_.l2_sent; break;
  }
}

// A store that misses goes on in a fill buffer; the processor waits only for a free one.
Ticks NodeMemory::wait_for_fill_buffer(Ticks now, Ticks done) {
  Ticks& first_free = *std::ranges::min_element(fill_buffers_);
  const Ticks go_on = std::max(now, first_free);
  first_free = std::max(done, go_on);
  return go_on;
}

std::optional<Line> NodeMemory::place_in_l2(Line line, Ticks now, Ticks ready) {
  const Address address = address_of(line);
  const memory::LinePlace place = l2_.choose_victim(l2_.set_of(address));
  std::optional<Line> evicted;
  const memory::LineState state = l2_.state(place);
  if (state != memory::LineState::kInvalid) {
    evicted = static_cast<Line>(l2_.line_at(place) / kLine);
    if (state == memory::LineState::kDirty) {
      ++counts_.written_back_lines;
      bus_.background(now, parameters_.bus_line);
    }
  }
  l2_.reserve(place, address);
  l2_.fill(place, false);
  history_.of(line) = LinePast::kSeen;
  l2_ready_[l2_.number(place)] = ready;
  return evicted;
}

void NodeMemory::write_back_from_l1(Address address, Ticks now) {
  const memory::LinePlace place = l2_.find(address);
  if (place.found()) {
    l2_.mark_dirty(place);
    return;
  }
  ++counts_.written_back_lines;
  bus_.background(now, parameters_.bus_line);
}

Prefetch NodeMemory::prefetch(Line line, Ticks now) {
  if (parameters_.perfect) return {.ready = now, .fetched = false, .evicted = {}};
  const Ticks snooped = bus_.background(now, parameters_.bus_snoop);
  const memory::LinePlace place = l2_.find(address_of(line));
  if (place.found()) {
    l2_.touch(place);
    ++counts_.snooped_lines;
    return {
        .ready = std::max(snooped, l2_ready_[l2_.number(place)]), .fetched = false, .evicted = {}};
  }
  ++counts_.prefetched_lines;
  const Ticks start = bus_.background(snooped, parameters_.bus_line) - parameters_.bus_line;
  const Ticks ready = start + parameters_.miss;
  return {.ready = ready, .fetched = true, .evicted = place_in_l2(line, now, ready)};
}

Ticks NodeMemory::write_from_network(Address address, Bytes bytes, bool single_values,
                                     ShortBytes value_bytes, Ticks now) {
  if (parameters_.perfect || bytes == Bytes(0)) return now;
  const std::uint64_t first = address / kLine;
  const std::uint64_t last = (address + bytes - Bytes(1)) / kLine;
  for (std::uint64_t line = first; line <= last; ++line) invalidate(static_cast<Line>(line));
  if (single_values) {
    const std::uint64_t values = (bytes + value_bytes - Bytes(1)) / value_bytes;
    return bus_.background(now, parameters_.bus_word, values);
  }
  return bus_.background(now, parameters_.bus_line, last - first + 1);
}

Ticks NodeMemory::read_for_network(Bytes bytes, Ticks now) {
  if (parameters_.perfect) return now;
  const std::uint64_t lines = (bytes + kLine - Bytes(1)) / kLine;
  return bus_.background(now, parameters_.bus_line, lines);
}

bool NodeMemory::drop(Line line) {
  bool was_there = false;
  for (memory::TagArray* cache : {&l1_data_, &l2_}) {
    const memory::LinePlace place = cache->find(address_of(line));
    if (!place.found()) continue;
    cache->invalidate(place);
    was_there = true;
  }
  return was_there;
}

void NodeMemory::invalidate(Line line) {
  if (drop(line)) ++counts_.invalidated_lines;
  history_.of(line) = LinePast::kWritten;
}

}  // namespace raddle::machine::d2now
