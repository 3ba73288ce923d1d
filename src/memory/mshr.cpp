#include "memory/mshr.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace raddle::memory {

MshrTable::MshrTable(std::uint32_t entries, std::uint32_t accesses_per_entry)
    : accesses_per_entry_(accesses_per_entry),
      buckets_(std::bit_ceil(2 * std::size_t{entries}), kNone),
      entries_(entries),
      waiting_(std::size_t{entries} * accesses_per_entry) {
  RADDLE_ASSERT(entries >= 1 && accesses_per_entry >= 1);
  bucket_shift_ = 64 - static_cast<std::uint32_t>(std::countr_zero(buckets_.size()));
  for (Entry entry = entries; entry > 0; --entry) {
    entries_[entry - 1].next = first_free_;
    first_free_ = entry - 1;
  }
}

MshrTable::Entry MshrTable::allocate(Address line) {
  RADDLE_ASSERT(!full());
  const Entry entry = first_free_;
  Slot& slot = entries_[entry];
  first_free_ = slot.next;
  Entry& bucket = buckets_[bucket_of(line)];
  slot = {line, bucket, 0, false};
  bucket = entry;
  peak_ = std::max(peak_, ++size_);
  ++stats_.allocated;
  return entry;
}

void MshrTable::append(Entry entry, const Access& access) {
  RADDLE_ASSERT(has_room(entry));
  waiting_[std::size_t{entry} * accesses_per_entry_ + entries_[entry].waiting++] = access;
  ++stats_.waited;
}

std::span<const Access> MshrTable::complete(Entry entry) {
  Slot& slot = entries_[entry];
  Entry* link = &buckets_[bucket_of(slot.line)];
  while (*link != entry) link = &entries_[*link].next;
  *link = slot.next;
  slot.next = first_free_;
  first_free_ = entry;
  --size_;
  ++stats_.completed;
  return {&waiting_[std::size_t{entry} * accesses_per_entry_], slot.waiting};
}

}  // namespace raddle::memory
