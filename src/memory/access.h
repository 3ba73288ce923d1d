// What parts of a memory system say to each other: an access on its way down, and the same access
// as the answer on its way back. Timing parts move no data: values are read and written by the
// machine's execution, these parts say when.
#pragma once

#include <cstdint>

#include "base/address.h"

namespace raddle::memory {

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic, kWriteBack };

constexpr bool is_read(AccessKind kind) {
  return kind == AccessKind::kLoad || kind == AccessKind::kAtomic;
}
constexpr bool is_write(AccessKind kind) { return kind != AccessKind::kLoad; }

struct Access {
  Address address;
  ShortBytes bytes;
  AccessKind kind = AccessKind::kLoad;
  std::uint32_t source = 0;  // port of the asker, where the answer goes
  std::uint64_t token = 0;   // by which the asker knows its answer
  bool operator==(const Access&) const = default;
};

}  // namespace raddle::memory
