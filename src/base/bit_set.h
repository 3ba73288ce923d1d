// A set of small numbers (registers, blocks) as bits, with the few operations that dataflow
// analyses need.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace raddle {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::size_t size) : words_((size + 63) / 64) {}

  bool contains(std::size_t index) const { return (words_[index / 64] >> (index % 64) & 1) != 0; }
  void insert(std::size_t index) { words_[index / 64] |= std::uint64_t{1} << (index % 64); }
  void erase(std::size_t index) { words_[index / 64] &= ~(std::uint64_t{1} << (index % 64)); }

  // Both sets must have been made for the same size. True if something was added.
  bool add_all(const BitSet& other) {
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      added |= other.words_[i] & ~words_[i];
      words_[i] |= other.words_[i];
    }
    return added != 0;
  }
  void remove_all(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  std::size_t count() const {
    std::size_t total = 0;
    for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  // In increasing order.
  template <typename Visitor>
  void for_each(Visitor visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        visit(
            static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))));
      }
    }
  }
  bool operator==(const BitSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace raddle
