// What a cache counts. An access that was taken is a hit, a miss or merged, never two of them, so
// loads + stores + atomics + write-backs from above = hits + misses + merged.
#pragma once

#include <array>
#include <cstdint>

#include "memory/stat_operators.h"

namespace raddle::memory {

struct CacheStats {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
  std::uint64_t write_backs_taken = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t merged = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t refused_no_mshr = 0;
  std::uint64_t refused_merge_list_full = 0;
  std::uint64_t refused_set_reserved = 0;
  std::uint64_t fetches = 0;
  std::uint64_t fills = 0;
  std::uint64_t evictions = 0;
  std::uint64_t write_backs = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t bytes_fetched = 0;
  std::uint64_t bytes_sent_down = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<CacheStats>>({
      {"loads", "accesses", "loads taken", &CacheStats::loads},
      {"stores", "accesses", "stores taken", &CacheStats::stores},
      {"atomics", "accesses", "atomics taken", &CacheStats::atomics},
      {"write_backs_taken", "accesses", "dirty lines taken from the level above",
       &CacheStats::write_backs_taken},
      {"hits", "accesses", "accesses that found their line", &CacheStats::hits},
      {"misses", "accesses", "accesses whose line was neither present nor in flight",
       &CacheStats::misses},
      {"merged", "accesses", "accesses that found their line in flight", &CacheStats::merged},
      {"forwarded", "accesses", "stores and atomics passed on to the level below",
       &CacheStats::forwarded},
      {"refused_no_mshr", "attempts", "attempts refused because all MSHRs were in use",
       &CacheStats::refused_no_mshr},
      {"refused_merge_list_full", "attempts",
       "attempts refused because too many accesses already waited for the line",
       &CacheStats::refused_merge_list_full},
      {"refused_set_reserved", "attempts",
       "attempts refused because every line of the set was in flight",
       &CacheStats::refused_set_reserved},
      {"fetches", "lines", "lines requested from the level below", &CacheStats::fetches},
      {"fills", "lines", "lines that came from the level below", &CacheStats::fills},
      {"evictions", "lines", "lines evicted", &CacheStats::evictions},
      {"write_backs", "lines", "dirty lines written to the level below", &CacheStats::write_backs},
      {"bytes_read", "bytes", "bytes that loads and atomics requested", &CacheStats::bytes_read},
      {"bytes_written", "bytes", "bytes that stores, atomics and write-backs from above brought",
       &CacheStats::bytes_written},
      {"bytes_fetched", "bytes", "bytes of the lines requested from the level below",
       &CacheStats::bytes_fetched},
      {"bytes_sent_down", "bytes", "bytes written to the level below",
       &CacheStats::bytes_sent_down},
  });
};

}  // namespace raddle::memory
