#include "machine/tpa/shared_memory.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace raddle::machine::tpa {

WordMemory::WordMemory(std::uint64_t bytes)
    : words_(bytes / kWordBytes),
      data_(static_cast<Word*>(std::calloc(bytes / kWordBytes, kWordBytes))) {
  if (data_ == nullptr)
    throw Error(fmt::format("this computer has no {} bytes for a memory", bytes), {},
                "set memory.bytes to less");
}

std::string WordMemory::fault_text(Word address, const char* memory) const {
  if ((address & (kWordBytes - 1)) != 0)
    return fmt::format("address {} of {} is no multiple of {}", address, memory, kWordBytes);
  return fmt::format("address {} lies outside of {}, which has {} bytes", address, memory, bytes());
}

ModuleMap::ModuleMap(ModuleHash hash, std::uint32_t modules)
    : hash_(hash),
      modules_(modules),
      bits_(modules <= 2 ? 1 : static_cast<std::uint32_t>(std::bit_width(modules - 1))),
      first_shift_(bits_) {
  while (first_shift_ * 2 < 64) first_shift_ *= 2;
  if (std::has_single_bit(modules)) mask_ = modules - 1;
}

}  // namespace raddle::machine::tpa
