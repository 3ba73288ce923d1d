#include "memory/cache.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "memory/bits.h"

namespace raddle::memory {
namespace {

CacheParameters checked(const CacheParameters& parameters) {
  parameters.check();
  return parameters;
}

bool is_present(LineState state) { return state >= LineState::kValid; }

}  // namespace

Cache::Cache(const CacheParameters& parameters)
    : parameters_(checked(parameters)),
      tags_(parameters.shape()),
      mshrs_(parameters.mshrs, parameters.accesses_per_mshr),
      tracks_parts_(parameters.write.miss == WriteMiss::kValidateOnWrite),
      part_shift_(static_cast<std::uint32_t>(
          std::countr_zero(std::max<std::uint32_t>(parameters.line_bytes.count() / 64, 1)))),
      all_parts_(low_bits(parameters.line_bytes.count() >> part_shift_)),
      parts_(tracks_parts_ ? tags_.lines() : 0) {}

Outcome Cache::access(const Access& access, Cycle now, WritePolicy policy) {
  RADDLE_ASSERT(access.bytes >= ShortBytes(1) &&
                line_of(access.address) == line_of(access.address + access.bytes - Bytes(1)));
  down_count_ = 0;
  const LinePlace place = tags_.find(access.address);
  Outcome outcome;
  switch (access.kind) {
    case AccessKind::kLoad:
      outcome = place.found() && is_present(tags_.state(place)) && holds(place, access)
                    ? hit(now, place)
                    : fetch(access, place, false, true);
      break;
    case AccessKind::kStore:
    case AccessKind::kWriteBack: outcome = store(access, now, policy, place); break;
    case AccessKind::kAtomic: outcome = atomic(access, now, place); break;
  }
  if (outcome.verdict == Verdict::kRefused) return outcome;
  count(access);
  outcome.down = down();
  return outcome;
}

void Cache::count(const Access& access) {
  switch (access.kind) {
    case AccessKind::kLoad: ++stats_.loads; break;
    case AccessKind::kStore: ++stats_.stores; break;
    case AccessKind::kAtomic: ++stats_.atomics; break;
    case AccessKind::kWriteBack: ++stats_.write_backs_taken; break;
  }
  if (is_read(access.kind)) stats_.bytes_read += access.bytes.count();
  if (is_write(access.kind)) stats_.bytes_written += access.bytes.count();
}

Outcome Cache::hit(Cycle now, LinePlace place) {
  tags_.touch(place);
  ++stats_.hits;
  return {Verdict::kHit, Refusal::kNone, now + parameters_.hit_latency, {}};
}

Outcome Cache::refuse(Refusal reason) {
  switch (reason) {
    case Refusal::kNoMshr: ++stats_.refused_no_mshr; break;
    case Refusal::kMergeListFull: ++stats_.refused_merge_list_full; break;
    case Refusal::kSetReserved: ++stats_.refused_set_reserved; break;
    case Refusal::kNone: break;
  }
  return {Verdict::kRefused, reason, {}, {}};
}

// The line has to come from below, or is on its way. `place` is where it lies if it is reserved or
// only partly valid.
Outcome Cache::fetch(const Access& access, LinePlace place, bool dirty, bool waits) {
  const Address line = line_of(access.address);
  const MshrTable::Entry known = mshrs_.find(line);
  if (known != MshrTable::kNone) {
    if (waits) {
      if (!mshrs_.has_room(known)) return refuse(Refusal::kMergeListFull);
      mshrs_.append(known, access);
    }
    if (dirty) mshrs_.mark_dirty(known);
    ++stats_.merged;
    return {Verdict::kMerged, Refusal::kNone, {}, {}};
  }
  if (mshrs_.full()) return refuse(Refusal::kNoMshr);
  if (parameters_.allocation == Allocation::kOnMiss) {
    if (place.found()) {
      dirty |= tags_.state(place) == LineState::kDirty;
    } else {
      place = tags_.choose_victim(place.set);
      if (!place.found()) return refuse(Refusal::kSetReserved);
      evict(place);
    }
    tags_.reserve(place, line);
  }
  const MshrTable::Entry entry = mshrs_.allocate(line);
  if (waits) mshrs_.append(entry, access);
  if (dirty) mshrs_.mark_dirty(entry);
  send_down({line, parameters_.line_bytes, AccessKind::kLoad, access.source, line.value()});
  ++stats_.misses;
  ++stats_.fetches;
  stats_.bytes_fetched += parameters_.line_bytes.count();
  return {Verdict::kMiss, Refusal::kNone, {}, {}};
}

// The access goes down itself.
Outcome Cache::forward(const Access& access) {
  send_down(access);
  ++stats_.forwarded;
  stats_.bytes_sent_down += access.bytes.count();
  return {Verdict::kForwarded, Refusal::kNone, {}, {}};
}

Outcome Cache::store(const Access& access, Cycle now, WritePolicy policy, LinePlace place) {
  RADDLE_ASSERT(policy.miss != WriteMiss::kValidateOnWrite || tracks_parts_);
  const bool writes_back = policy.hit == WriteHit::kWriteBack;
  if (place.found() && is_present(tags_.state(place))) {
    // A written piece of a part can only be kept if the rest of the part is there.
    if (policy.hit == WriteHit::kWriteEvict || holds(place, access) || covers_parts(access))
      return store_hit(access, now, policy.hit, place);
    return store_and_fetch(access, place, writes_back);
  }
  const bool is_coming = mshrs_.find(line_of(access.address)) != MshrTable::kNone;
  // A store that writes back waits for a line on its way even if it would not ask for one.
  if (is_coming && writes_back) return store_and_fetch(access, place, true);
  if (is_coming || policy.miss == WriteMiss::kNoAllocate) {
    ++(is_coming ? stats_.merged : stats_.misses);
    return forward(access);
  }
  const bool needs_fetch = policy.miss == WriteMiss::kValidateOnWrite
                               ? !covers_parts(access)
                               : access.bytes != parameters_.line_bytes;
  if (needs_fetch) return store_and_fetch(access, place, writes_back);
  const Outcome outcome = validate(access, now, place.set, writes_back);
  return writes_back || outcome.verdict == Verdict::kRefused ? outcome : forward(access);
}

// A store that writes back waits for its line; one that writes through is answered from below.
Outcome Cache::store_and_fetch(const Access& access, LinePlace place, bool writes_back) {
  const bool waits = writes_back && access.kind != AccessKind::kWriteBack;
  const Outcome outcome = fetch(access, place, writes_back, waits);
  return writes_back || outcome.verdict == Verdict::kRefused ? outcome : forward(access);
}

Outcome Cache::store_hit(const Access& access, Cycle now, WriteHit policy, LinePlace place) {
  if (policy == WriteHit::kWriteEvict) {
    evict(place);
    tags_.invalidate(place);
    ++stats_.hits;
    return forward(access);
  }
  if (tracks_parts_) parts_[tags_.number(place)] |= parts_covered(access);
  const Outcome outcome = hit(now, place);
  if (policy == WriteHit::kWriteThrough) return forward(access);
  tags_.mark_dirty(place);
  return outcome;
}

Outcome Cache::atomic(const Access& access, Cycle now, LinePlace place) {
  const bool present = place.found() && is_present(tags_.state(place));
  if (parameters_.atomics == AtomicPlace::kHere) {
    if (!present || !holds(place, access)) return fetch(access, place, true, true);
    tags_.mark_dirty(place);
    return hit(now, place);
  }
  if (present) {
    evict(place);
    tags_.invalidate(place);
    ++stats_.hits;
  } else {
    ++(mshrs_.find(line_of(access.address)) != MshrTable::kNone ? stats_.merged : stats_.misses);
  }
  return forward(access);
}

// The store takes a line without fetching it.
Outcome Cache::validate(const Access& access, Cycle now, std::uint32_t set, bool dirty) {
  const LinePlace place = tags_.choose_victim(set);
  if (!place.found()) return refuse(Refusal::kSetReserved);
  evict(place);
  place_line(place, access.address, dirty);
  if (tracks_parts_) parts_[tags_.number(place)] = parts_covered(access);
  ++stats_.misses;
  return {Verdict::kValidated, Refusal::kNone, now + parameters_.hit_latency, {}};
}

Fill Cache::fill(Address line) {
  down_count_ = 0;
  const MshrTable::Entry entry = mshrs_.find(line_of(line));
  RADDLE_ASSERT(entry != MshrTable::kNone);
  const bool dirty = mshrs_.dirty(entry);
  LinePlace place = tags_.find(line);
  if (!place.found()) {
    RADDLE_ASSERT(parameters_.allocation == Allocation::kOnFill);
    place = tags_.choose_victim(place.set);  // there is one: nothing is ever reserved
    evict(place);
    place_line(place, line, dirty);
  } else if (tags_.state(place) == LineState::kReserved) {
    tags_.fill(place, dirty);
  } else if (dirty) {
    tags_.mark_dirty(place);
  }
  if (tracks_parts_) parts_[tags_.number(place)] = all_parts_;
  ++stats_.fills;
  return {mshrs_.complete(entry), down()};
}

void Cache::preload(Address address) {
  LinePlace place = tags_.find(address);
  if (place.found()) {
    if (!is_present(tags_.state(place))) return;
    tags_.touch(place);
  } else {
    place = tags_.choose_victim(place.set);
    if (!place.found()) return;
    place_line(place, line_of(address), false);
  }
  if (tracks_parts_) parts_[tags_.number(place)] = all_parts_;
}

std::vector<Access> Cache::flush() {
  std::vector<Access> write_backs;
  for (const DirtyLine& line : tags_.flush()) {
    write_backs.push_back(write_back_of(line.address, tags_.number(line.place)));
    ++stats_.write_backs;
    stats_.bytes_sent_down += write_backs.back().bytes.count();
  }
  return write_backs;
}

LineState Cache::state(Address address) const {
  const LinePlace place = tags_.find(address);
  return place.found() ? tags_.state(place) : LineState::kInvalid;
}

bool Cache::may_forward(AccessKind kind) const {
  switch (kind) {
    case AccessKind::kLoad: return false;
    case AccessKind::kAtomic: return parameters_.atomics == AtomicPlace::kBelow;
    case AccessKind::kStore:
    case AccessKind::kWriteBack: break;
  }
  return parameters_.write.hit != WriteHit::kWriteBack ||
         parameters_.write.miss == WriteMiss::kNoAllocate;
}

void Cache::evict(LinePlace place) {
  const LineState state = tags_.state(place);
  if (!is_present(state)) return;
  ++stats_.evictions;
  if (state != LineState::kDirty) return;
  const Access write_back = write_back_of(tags_.line_at(place), tags_.number(place));
  ++stats_.write_backs;
  stats_.bytes_sent_down += write_back.bytes.count();
  send_down(write_back);
}

void Cache::place_line(LinePlace place, Address address, bool dirty) {
  tags_.reserve(place, address);
  tags_.fill(place, dirty);
}

Access Cache::write_back_of(Address line, std::size_t number) const {
  // If a line is only partly valid, that part goes down.
  const ShortBytes bytes =
      tracks_parts_
          ? ShortBytes(static_cast<std::uint32_t>(std::popcount(parts_[number])) << part_shift_)
          : parameters_.line_bytes;
  return {line, bytes, AccessKind::kWriteBack, 0, line.value()};
}

std::uint64_t Cache::parts_touched(const Access& access) const {
  const std::uint64_t first = (access.address % parameters_.line_bytes).count();
  const std::uint64_t begin = first >> part_shift_;
  const std::uint64_t end = ((first + access.bytes.count() - 1) >> part_shift_) + 1;
  return low_bits(end) & ~low_bits(begin);
}

std::uint64_t Cache::parts_covered(const Access& access) const {
  const std::uint64_t first = (access.address % parameters_.line_bytes).count();
  const std::uint64_t part = std::uint64_t{1} << part_shift_;
  const std::uint64_t begin = (first + part - 1) >> part_shift_;
  const std::uint64_t end = (first + access.bytes.count()) >> part_shift_;
  return end > begin ? low_bits(end) & ~low_bits(begin) : 0;
}

}  // namespace raddle::memory
