#include "machine/tpa/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <bit>

#include "base/error.h"
#include "base/host_versions.h"

namespace raddle::machine::tpa {

void* zeroed_memory(std::uint64_t count, std::size_t size) {
  void* const memory = std::calloc(count, size);
#if defined(MADV_HUGEPAGE)
  // A page at a time is slow where much of it will be used. It is a wish; nobody minds a refusal.
  constexpr std::size_t kPage = std::size_t{2} << 20;
  void* begin = memory;
  std::size_t left = count * size;
  if (memory != nullptr && std::align(kPage, kPage, begin, left) != nullptr)
    static_cast<void>(madvise(begin, left / kPage * kPage, MADV_HUGEPAGE));
#endif
  return memory;
}

WordMemory::WordMemory(std::uint64_t bytes)
    : words_(bytes / kWordBytes),
      data_(static_cast<Word*>(zeroed_memory(bytes / kWordBytes, kWordBytes))) {
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

namespace {

// The xor rule for 16 modules, as nearly all have.
RADDLE_HOST_VERSIONS void place_in_sixteen(const Word* addresses, std::size_t count,
                                           IssueItem flags, IssueItem* items) {
  for (std::size_t i = 0; i < count; ++i) {
    const Word word = addresses[i] / kWordBytes;
    auto bits = static_cast<std::uint32_t>(word ^ word >> 32);
    bits ^= bits >> 16;
    bits ^= bits >> 8;
    bits ^= bits >> 4;
    items[i] = static_cast<IssueItem>((bits & 15) | flags);
  }
}

}  // namespace

// One loop for each part of the rule, so that the compiler can make vectors of them. By the xor
// rule every group of bits that makes a module number has its say, so that strides of any power of
// two are spread evenly, and blocks of such strides onto different modules.
void ModuleMap::place(const Word* addresses, std::size_t count, IssueItem flags,
                      IssueItem* items) const {
  if (hash_ == ModuleHash::kXor && mask_ == 15) {
    place_in_sixteen(addresses, count, flags, items);
    return;
  }
  std::array<Word, kMostAddresses> words;
  for (std::size_t i = 0; i < count; ++i) words[i] = addresses[i] / kWordBytes;
  if (hash_ == ModuleHash::kXor) {
    for (std::uint32_t shift = first_shift_; shift >= bits_; shift /= 2)
      for (std::size_t i = 0; i < count; ++i) words[i] ^= words[i] >> shift;
  } else if (hash_ == ModuleHash::kRandom) {
    for (std::size_t i = 0; i < count; ++i) words[i] = (words[i] * 0x9e3779b97f4a7c15U) >> 40;
  }
  if (mask_ != 0 || modules_ == 1) {
    for (std::size_t i = 0; i < count; ++i)
      items[i] = static_cast<IssueItem>((words[i] & mask_) | flags);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      items[i] = static_cast<IssueItem>(words[i] % modules_ | flags);
  }
}

}  // namespace raddle::machine::tpa
