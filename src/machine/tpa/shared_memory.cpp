#include "machine/tpa/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/host_versions.h"

namespace raddle::machine::tpa {

void ReleaseMemory::operator()(void* memory) const {
  if (mapped == 0) {
    std::free(memory);
  } else {
    munmap(memory, mapped);
  }
}

// Much of it is asked for from the system itself, as the heap writes zeros where it gives a second
// time what was freed.
ZeroedMemory zeroed_memory(std::uint64_t count, std::size_t size) {
  constexpr std::size_t kMuch = std::size_t{1} << 18;
  const std::size_t bytes = count * size;
  if (bytes < kMuch) return {std::calloc(count, size), {}};
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
#if defined(MADV_HUGEPAGE)
  // A page at a time is slow where much of it will be used. It is a wish; nobody minds a refusal.
  constexpr std::size_t kPage = std::size_t{2} << 20;
  void* begin = memory;
  std::size_t left = bytes;
  if (std::align(kPage, kPage, begin, left) != nullptr)
    static_cast<void>(madvise(begin, left / kPage * kPage, MADV_HUGEPAGE));
#endif
  return {memory, {bytes}};
}

bool ZeroedWords::grow(std::size_t size) {
  if (size <= size_) return true;
  ZeroedMemory more = zeroed_memory(size, kWordBytes);
  if (more == nullptr) return false;
  if (size_ != 0) std::memcpy(more.get(), memory_.get(), size_ * kWordBytes);
  memory_ = std::move(more);
  size_ = size;
  return true;
}

WordMemory::WordMemory(std::uint64_t bytes) {
  if (!words_.grow(bytes / kWordBytes))
    throw Error(fmt::format("cannot allocate {} bytes of simulated memory", bytes), {},
                "reduce memory.bytes");
}

std::string WordMemory::fault_text(Word address, const char* memory) const {
  if ((address & (kWordBytes - 1)) != 0)
    return fmt::format("address {} of {} is not a multiple of {}", address, memory, kWordBytes);
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
  std::array<Word, kMaxAddresses> words;
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
