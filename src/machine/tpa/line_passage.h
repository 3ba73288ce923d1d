// How a packet passes some links of one line of a mesh if it hardly has to wait there, as nearly
// all do. It is found without a branch, as nobody could foretell who waits: by a table where lines
// are short, else by arithmetic on two diagonals.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "machine/tpa/link_timetable.h"

namespace raddle::machine::tpa {

// The links that it passes on each diagonal from its first on, and how long it waits. Most pass two
// diagonals at most.
class LinePassage {
 public:
  using Links = std::uint8_t;  // of a diagonal, a bit each
  static constexpr std::uint32_t kWaitShift = 24;
  static constexpr std::uint32_t kThird = 0x070000;
  static constexpr std::uint32_t kLonger = 0x800000;  // it would have to wait longer than is told

  constexpr LinePassage() = default;
  constexpr explicit LinePassage(std::uint32_t bits) : bits_(bits) {}

  std::uint32_t waited() const { return bits_ >> kWaitShift; }
  bool is_longer() const { return (bits_ & kLonger) != 0; }
  bool is_usual() const { return (bits_ & (kLonger | kThird)) == 0; }

  // From the word of the first diagonal on. The third one is told apart: whoever comes two cycles
  // later shall read no word that is still on its way to memory, for which the host would wait.
  void take(Links* words) const { write_pair(words, read_pair(words) | bits_); }
  void take_third(Links* words) const { words[2] |= third(); }
  void give_back(Links* words) const {
    write_pair(words, read_pair(words) & ~bits_);
    if (!is_usual()) words[2] &= static_cast<Links>(~third());
  }

 private:
  Links third() const { return static_cast<Links>((bits_ & kThird) >> 16); }
  static std::uint32_t read_pair(const Links* words) {
    std::uint16_t pair = 0;
    std::memcpy(&pair, words, sizeof pair);
    return pair;
  }
  static void write_pair(Links* words, std::uint32_t bits) {
    const auto pair = static_cast<std::uint16_t>(bits);
    std::memcpy(words, &pair, sizeof pair);
  }

  std::uint32_t bits_ = 0;
};

// A way and where its words lie, if it begins in cycle 0 and waits nowhere.
struct PlacedWay {
  std::uint32_t row = 0, column = 0;
  std::uint32_t cycles = 0;  // as a Cycle it would make a ModulePort outgrow the host's cache line
  std::uint16_t row_links = 0, column_links = 0;  // as those who look for passages want them
};

// Lines of up to eight links, as in meshes of 9 x 9 routers; for packets that wait a cycle.
struct LongLines {
  static constexpr std::uint32_t kMaxLinks = 8;

  static std::uint16_t told(std::uint32_t links) { return static_cast<std::uint16_t>(links); }
  [[gnu::always_inline]] static LinePassage passage(const LinePassage::Links* words,
                                                    std::uint32_t links) {
    std::uint16_t pair = 0;
    std::memcpy(&pair, words, sizeof pair);
    const std::uint32_t taken = pair & links;
    // Links before the first that is taken are passed at once, the others a cycle later.
    const std::uint32_t first = links & ~taken & (taken - 1);
    const std::uint32_t second = links ^ first;
    const bool blocked = (pair >> 8 & second) != 0;
    return LinePassage(first | second << 8 | (blocked ? LinePassage::kLonger : 0) |
                       (taken != 0 ? 1U << LinePassage::kWaitShift : 0));
  }
};

// Lines of up to three links, as in meshes of 4 x 4 routers; for packets that wait two cycles.
class ShortLines {
 public:
  static constexpr std::uint32_t kMaxLinks = 3;

  static std::uint16_t told(std::uint32_t links) {
    return static_cast<std::uint16_t>(links << kStateBits);
  }
  [[gnu::always_inline]] static LinePassage passage(const LinePassage::Links* words,
                                                    std::uint32_t told_links);

 private:
  static constexpr std::uint32_t kStateBits = 3 * kMaxLinks;  // what three diagonals hold
  using Table = std::array<LinePassage, 1U << (kMaxLinks + kStateBits)>;

  // By links and state, the first diagonal on top.
  static constexpr Table all() {
    Table table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t left = i >> kStateBits;
      std::uint32_t passages = 0;
      std::uint32_t waits = 0;
      while (true) {
        const std::uint32_t taken = i >> (2 - waits) * kMaxLinks & left;
        const std::uint32_t passed = left & ~taken & (taken - 1);
        passages |= passed << 8 * waits;
        left ^= passed;
        if (left == 0 || ++waits > 2) break;
      }
      table[i] = LinePassage(left == 0 ? passages | waits << LinePassage::kWaitShift
                                       : LinePassage::kLonger);
    }
    return table;
  }
  static const Table kTable;
};

inline constexpr ShortLines::Table ShortLines::kTable = ShortLines::all();

inline LinePassage ShortLines::passage(const LinePassage::Links* words, std::uint32_t told_links) {
  std::uint32_t diagonals = 0;
  std::memcpy(&diagonals, words, sizeof diagonals);
  // The product brings the bits of three bytes together, the first on top.
  constexpr std::uint32_t kGather = 1U << 29 | 1U << 18 | 1U << 7;
  const std::uint32_t state = (diagonals & 0x070707) * kGather >> (32 - kStateBits);
  return kTable[told_links + state];
}

}  // namespace raddle::machine::tpa
