#include "kernel/exec/store_log.h"

#include <algorithm>

namespace raddle::kernel::exec {

void StoreLog::patch(const std::byte* place, std::byte* row, std::uint32_t bytes) const {
  for (const Entry& entry : entries_) {
    const std::byte* begin = std::max<const std::byte*>(entry.place, place);
    const std::byte* end = std::min<const std::byte*>(entry.place + entry.bytes, place + bytes);
    if (begin >= end) continue;
    std::memcpy(row + (begin - place), data_.data() + entry.data + (begin - entry.place),
                static_cast<std::size_t>(end - begin));
  }
}

bool StoreLog::commit() {
  bool changed = false;
  for (const Entry& entry : entries_) {
    const std::byte* data = data_.data() + entry.data;
    if (std::memcmp(entry.place, data, entry.bytes) == 0) continue;
    changed = true;
    std::memcpy(entry.place, data, entry.bytes);
  }
  entries_.clear();
  data_.clear();
  filter_ = {};
  return changed;
}

}  // namespace raddle::kernel::exec
