// Which cycles of each memory module are taken, a bit each: many references wait for one module at
// times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace raddle::machine::tpa {

class ModuleTimetable {
 public:
  static constexpr std::uint64_t kWords = 64;  // 4096 cycles

  explicit ModuleTimetable(std::size_t modules) : words_(modules * kWords) {}

  std::uint64_t first_free(std::size_t module, std::uint64_t time) const;
  void take(std::size_t module, std::uint64_t time) {
    words_[word(module, time)] |= std::uint64_t{1} << time % 64;
  }
  // 0: none that is not forgotten.
  std::uint64_t last_taken(std::size_t module) const;
  // Nobody asks for cycles before this one any more.
  void forget(std::uint64_t now);

  // The words themselves, and which of them has a cycle's bit.
  std::uint64_t* words() { return words_.data(); }
  static std::size_t word(std::size_t module, std::uint64_t time) {
    return module * kWords + time / 64 % kWords;
  }

 private:
  static constexpr std::uint64_t kHorizon = (kWords - 2) * 64;

  std::vector<std::uint64_t> words_;
  std::uint64_t forgotten_ = 0;  // words
};

}  // namespace raddle::machine::tpa
