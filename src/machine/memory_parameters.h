// Reading the tables of a machine's parameters that several machines have alike: caches, DRAM,
// crossbars, and the memory system that they make up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "machine/parameters.h"
#include "memory/cache_parameters.h"
#include "memory/memory_system.h"

namespace raddle::machine {

// Values beyond these are slips of the pen.
inline constexpr std::int64_t kMostCycles = 900;  // of one latency; results are booked so far ahead
inline constexpr std::int64_t kMostEntries = 1 << 16;
inline constexpr std::int64_t kMostBytes = 1 << 28;

// Reads values of one table of the file: Section(p, "l1").count("ways").
class Section {
 public:
  Section(const ParameterTable& table, std::string name) : table_(table), name_(std::move(name)) {}

  std::uint32_t count(std::string_view key, std::int64_t least = 1,
                      std::int64_t most = kMostEntries) const;
  std::uint32_t cycles(std::string_view key, std::int64_t least = 1) const;
  std::uint32_t bytes(std::string_view key, std::int64_t least = 1) const;
  std::uint32_t power_of_two(std::string_view key, std::int64_t least = 1,
                             std::int64_t most = kMostBytes) const;
  Hertz hertz(std::string_view key) const;
  bool boolean(std::string_view key) const;
  // One of the names, by its place.
  std::size_t choice(std::string_view key, const std::vector<std::string>& names) const;

 private:
  std::string path(std::string_view key) const;

  const ParameterTable& table_;
  std::string name_;
};

memory::CacheParameters read_cache(const Section& section);
// Throws Error that says which of the caches it is that cannot be built.
void check_cache(const ParameterTable& table, std::string_view name,
                 const memory::CacheParameters& cache);
// What a core asks the L2 for lies within one of its lines.
void check_line(const ParameterTable& table, std::string_view name, std::uint32_t line_bytes,
                std::uint32_t l2_line_bytes);
memory::DramSpec read_dram(const Section& section, const ParameterTable& table);
memory::CrossbarSpec read_network(const Section& section, std::uint32_t inputs,
                                  std::uint32_t outputs, std::uint32_t most_bytes);

// Everything behind the cores: [clock], [network], [l2] and [dram].
memory::MemorySystemSpec read_memory_system(const ParameterTable& table, std::uint32_t cores,
                                            std::uint32_t l1_line_bytes);

}  // namespace raddle::machine
