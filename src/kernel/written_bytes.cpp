#include "kernel/written_bytes.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/error.h"

namespace raddle::kernel {
namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

WrittenBytes::WrittenBytes(std::uint64_t bytes)
    : mapped_bytes_((bytes / 8 + kPage) / kPage * kPage), words_(nullptr) {
  void* memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(
        fmt::format("cannot map {} bytes to watch for uninitialised memory", mapped_bytes_));
  words_ = static_cast<Word*>(memory);
}

WrittenBytes::~WrittenBytes() { munmap(words_, mapped_bytes_); }

template <class Change>
void WrittenBytes::each_word(std::uint64_t offset, std::uint64_t bytes, Change change) const {
  for (const std::uint64_t end = offset + bytes; offset < end;) {
    const std::uint64_t bit = offset % kBits;
    const std::uint64_t here = std::min(kBits - bit, end - offset);
    change(words_[offset / kBits], mask(here) << bit);
    offset += here;
  }
}

void WrittenBytes::set(std::uint64_t offset, std::uint64_t bytes) {
  each_word(offset, bytes, [](Word& word, Word bits) { word |= bits; });
}

void WrittenBytes::clear(std::uint64_t offset, std::uint64_t bytes) {
  // Whole pages of bits go back to the system, which gives empty ones instead.
  constexpr std::uint64_t kCovered = kPage * 8;
  const std::uint64_t first = (offset + kCovered - 1) / kCovered * kCovered;
  const std::uint64_t last = (offset + bytes) / kCovered * kCovered;
  const auto clear_bits = [](Word& word, Word bits) { word &= ~bits; };
  if (first >= last) return each_word(offset, bytes, clear_bits);
  each_word(offset, first - offset, clear_bits);
  madvise(words_ + first / kBits, (last - first) / 8, MADV_DONTNEED);
  each_word(last, offset + bytes - last, clear_bits);
}

void WrittenBytes::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  if (!first_missing(from, bytes)) return set(to, bytes);
  std::vector<bool> written(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) written[i] = all(from + i, 1);
  for (std::uint64_t i = 0; i < bytes; ++i) written[i] ? set(to + i, 1) : clear(to + i, 1);
}

std::optional<std::uint64_t> WrittenBytes::first_missing(std::uint64_t offset,
                                                         std::uint64_t bytes) const {
  std::optional<std::uint64_t> missing;
  std::uint64_t base = offset / kBits * kBits;
  each_word(offset, bytes, [&](const Word& word, Word bits) {
    const Word left = ~word & bits;
    if (!missing && left != 0) missing = base + static_cast<std::uint64_t>(std::countr_zero(left));
    base += kBits;
  });
  return missing;
}

}  // namespace raddle::kernel
