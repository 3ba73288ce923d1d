// What a cache is built from: its size, its shape and its policies. Every combination that check()
// lets pass works; for the others it says what is wrong and how to mend it.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "memory/tag_array.h"

namespace raddle::memory {

// What a store does that finds its line.
enum class WriteHit : std::uint8_t {
  kWriteBack,     // makes the line dirty
  kWriteThrough,  // goes down as well
  kWriteEvict,    // goes down and throws the line out, as the Fermi L1 does for global stores
};

// What a store does that does not find its line.
enum class WriteMiss : std::uint8_t {
  kNoAllocate,      // goes down
  kFetchOnWrite,    // brings the line in, unless it covers the whole of it
  kValidateOnWrite  // takes a line of which only the written bytes are valid; reads of others fetch
};

struct WritePolicy {
  WriteHit hit = WriteHit::kWriteBack;
  WriteMiss miss = WriteMiss::kFetchOnWrite;
  bool operator==(const WritePolicy&) const = default;
};

// When a miss gets its place: at once (the set may run out of lines that are not reserved), or when
// the line comes.
enum class Allocation : std::uint8_t { kOnMiss, kOnFill };

// Where atomics happen: here, as a read and a write of the line, or below, in which case a copy of
// the line here is thrown out.
enum class AtomicPlace : std::uint8_t { kHere, kBelow };

struct CacheParameters {
  Bytes bytes{16 * 1024};
  ShortBytes line_bytes{128};
  std::uint32_t ways = 4;
  Cycle hit_latency{1};
  std::uint32_t mshrs = 32;
  std::uint32_t accesses_per_mshr = 8;  // that may wait for one line, the first included
  Replacement replacement = Replacement::kLru;
  std::uint64_t seed = 1;  // of random replacement
  SetIndex index = SetIndex::kModulo;
  WritePolicy write;
  Allocation allocation = Allocation::kOnMiss;
  AtomicPlace atomics = AtomicPlace::kHere;
  std::uint32_t slices = 1;  // see TagArrayShape
  ShortBytes slice_bytes{0};

  // Throws Error.
  void check() const;
  // Of checked parameters.
  TagArrayShape shape() const;
};

}  // namespace raddle::memory
