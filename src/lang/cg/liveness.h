// Which numbers are still needed behind each step of a program with jumps.
#pragma once

#include <cstdint>
#include <vector>

namespace raddle::cg {

class BitSet {
 public:
  explicit BitSet(std::size_t size = 0) : words_((size + 63) / 64) {}

  bool test(std::size_t bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }
  void set(std::size_t bit) { words_[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  void reset(std::size_t bit) { words_[bit / 64] &= ~(std::uint64_t{1} << (bit % 64)); }
  // Whether this changed.
  bool add(const BitSet& other) {
    bool changed = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t joined = words_[i] | other.words_[i];
      changed = changed || joined != words_[i];
      words_[i] = joined;
    }
    return changed;
  }
  bool meets(const BitSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  template <typename Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        visit(i * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct FlowStep {
  std::vector<std::uint32_t> uses;
  std::vector<std::uint32_t> defines;
  bool defines_always = true;  // else what was there may stay
  std::vector<std::uint32_t> next;
};

// What is live behind each step.
std::vector<BitSet> live_behind(const std::vector<FlowStep>& steps, std::size_t numbers);

}  // namespace raddle::cg
