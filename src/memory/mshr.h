// The miss status holding registers (MSHRs) of a cache: one entry for each line on its way, with
// the accesses that wait for it. Found by line address in constant time; waiting accesses come back
// in the order of their arrival; nothing is allocated after construction.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/access.h"
#include "memory/stat_operators.h"

namespace raddle::memory {

struct MshrStats {
  std::uint64_t allocated = 0;
  std::uint64_t waited = 0;
  std::uint64_t completed = 0;
  static constexpr auto kFields = std::to_array<sim::StatField<MshrStats>>(
      {{"allocated", "lines", "lines that an entry was taken for", &MshrStats::allocated},
       {"waited", "accesses", "accesses that waited at an entry", &MshrStats::waited},
       {"completed", "lines", "entries given back when their line came", &MshrStats::completed}});
};

class MshrTable {
 public:
  using Entry = std::uint32_t;
  static constexpr Entry kNone = ~Entry{0};

  // Each entry holds so many accesses, the first included.
  MshrTable(std::uint32_t entries, std::uint32_t accesses_per_entry);

  // The entry of a line, by the address at which the line starts.
  Entry find(Address line) const {
    Entry entry = buckets_[bucket_of(line)];
    while (entry != kNone && entries_[entry].line != line) entry = entries_[entry].next;
    return entry;
  }
  bool full() const { return first_free_ == kNone; }
  // The line must have no entry and the table must not be full.
  Entry allocate(Address line);
  bool has_room(Entry entry) const { return entries_[entry].waiting < accesses_per_entry_; }
  void append(Entry entry, const Access& access);

  // Whether the line will be dirty once it is there.
  bool dirty(Entry entry) const { return entries_[entry].dirty; }
  void mark_dirty(Entry entry) { entries_[entry].dirty = true; }

  // The line is there: gives the entry back and returns those that waited. Valid until the next
  // append().
  std::span<const Access> complete(Entry entry);

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(entries_.size()); }
  // The most entries that were ever in use.
  std::uint32_t peak() const { return peak_; }
  const MshrStats& stats() const { return stats_; }

 private:
  struct Slot {
    Address line;
    Entry next = kNone;  // in its bucket, or among the free
    std::uint32_t waiting = 0;
    bool dirty = false;
  };

  std::size_t bucket_of(Address line) const {
    return static_cast<std::size_t>(line.value() * 0x9e3779b97f4a7c15ULL >> bucket_shift_);
  }

  std::uint32_t accesses_per_entry_;
  std::uint32_t bucket_shift_;
  std::uint32_t size_ = 0;
  std::uint32_t peak_ = 0;
  Entry first_free_ = kNone;
  std::vector<Entry> buckets_;
  std::vector<Slot> entries_;
  std::vector<Access> waiting_;  // by entry and order of arrival
  MshrStats stats_;
};

}  // namespace raddle::memory
