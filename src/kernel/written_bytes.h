// Which bytes of a memory anybody has written: one bit each, kept in pages that appear when they
// are touched first, so it grows with what a program uses and not with the memory's size.
#pragma once

#include <cstdint>
#include <optional>

namespace raddle::kernel {

class WrittenBytes {
 public:
  explicit WrittenBytes(std::uint64_t bytes);  // none is written
  ~WrittenBytes();
  WrittenBytes(const WrittenBytes&) = delete;
  WrittenBytes& operator=(const WrittenBytes&) = delete;

  void set(std::uint64_t offset, std::uint64_t bytes);
  void clear(std::uint64_t offset, std::uint64_t bytes);
  // What was written there is written here. The ranges may overlap.
  void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  // The first byte of the range that nobody has written.
  std::optional<std::uint64_t> first_missing(std::uint64_t offset, std::uint64_t bytes) const;
  bool all(std::uint64_t offset, std::uint64_t bytes) const {
    // Accesses of a thread lie within one word of bits.
    const std::uint64_t bit = offset % kBits;
    if (bytes <= kBits && bit + bytes <= kBits) {
      const Word wanted = mask(bytes) << bit;
      return (words_[offset / kBits] & wanted) == wanted;
    }
    return !first_missing(offset, bytes);
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::uint64_t kBits = 64;
  static constexpr Word mask(std::uint64_t bits) {
    return bits >= kBits ? ~Word{0} : (Word{1} << bits) - 1;
  }
  // Calls change(word, bits) for each word of the range.
  template <class Change>
  void each_word(std::uint64_t offset, std::uint64_t bytes, Change change) const;

  std::uint64_t mapped_bytes_;
  Word* words_;
};

}  // namespace raddle::kernel
