#include "kernel/check/shadow_memory.h"

namespace raddle::kernel::check {

ShadowMemory::ShadowMemory(std::uint64_t bytes) : directories_(bytes / kDirectoryBytes + 1) {}

void ShadowMemory::split(Page& page) {
  auto bytes = std::make_unique<Cell[]>(kPageBytes);
  for (std::size_t i = 0; i < kPageBytes; ++i) {
    bytes[i] = page.cells[i / kWordBytes];
    bytes[i].value = bytes[i].value >> 8 * (i % kWordBytes) & 0xff;
  }
  page.cells = std::move(bytes);
  page.by_byte = true;
}

}  // namespace raddle::kernel::check
