// Whoever wants to know what passes through a memory partition, for traces. A partition without one
// spends a test on it.
#pragma once

#include <cstdint>

#include "memory/access.h"
#include "memory/cache.h"

namespace raddle::memory {

class PartitionObserver {
 public:
  virtual ~PartitionObserver() = default;
  // A slice (counted within the partition) took an access and works on it for so many cycles.
  virtual void accessed(std::uint32_t slice, Verdict verdict, Cycle now, std::uint32_t cycles) = 0;
  virtual void sent_to_dram(const Access& access, Cycle now) = 0;
  // A line that was asked for has come.
  virtual void came_from_dram(Address line, Cycle now) = 0;
};

}  // namespace raddle::memory
