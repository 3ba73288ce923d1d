// How a packet gets along its way if it waits at most a cycle on its row and at most one on its
// column, as nearly all do; in meshes of up to 4 x 4 routers, where a line has three links. It is
// looked up, without a branch, as nobody could foretell who waits.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "machine/tpa/link_timetable.h"

namespace raddle::machine::tpa {

class QuickPass {
 public:
  using Links = std::uint8_t;
  using Timetable = LinkTimetable<Links>;
  static constexpr std::uint32_t kMostLinks = 3;  // of a line

  // A way and where its words lie for ways that begin in cycle 0.
  struct Way {
    std::uint32_t row = 0, column = 0;
    std::uint32_t cycles = 0;
    std::uint16_t row_code = 0, column_code = 0;  // where the table of passes has their links
  };
  static Way placed(const LinkWay& way, const Timetable& timetable) {
    return {timetable.place_of(way.row), timetable.place_of(way.column), way.cycles,
            static_cast<std::uint16_t>(way.row.links << kStateBits),
            static_cast<std::uint16_t>(way.column.links << kStateBits)};
  }

  // What a segment takes of two diagonals, the earlier one in the lower byte; whether it had to
  // wait longer; and in the upper half the cycles that it waits. By links and state.
  using Table = std::array<std::uint32_t, 1U << 3 * kMostLinks>;
  static const Table kTable;

  // `words`: where those of the way's plane and of the cycle in which it begins lie.
  [[gnu::always_inline]] QuickPass(const std::uint32_t* table, Links* words, const Way& way)
      : row_(words + way.row),
        row_before_(pair_at(row_)),
        row_pass_(table[way.row_code + state_of(row_before_)]),
        column_(words + way.column + (row_pass_ >> kWaitedShift)),
        column_before_(pair_at(column_)),
        column_pass_(table[way.column_code + state_of(column_before_)]) {}

  bool is_right() const { return ((row_pass_ | column_pass_) & kBlocked) == 0; }
  std::uint32_t waited() const { return (row_pass_ + column_pass_) >> kWaitedShift; }
  // The lines are two, so neither word is what the other was read from.
  void take() const {
    set_pair(row_, row_before_ | row_pass_);
    set_pair(column_, column_before_ | column_pass_);
  }

 private:
  static constexpr std::uint32_t kStateBits = 2 * kMostLinks;
  static constexpr std::uint32_t kBlocked = 0x80;
  static constexpr std::uint32_t kWaitedShift = 16;

  static std::uint32_t pair_at(const Links* words) {
    std::uint16_t pair = 0;
    std::memcpy(&pair, words, sizeof pair);
    return pair;
  }
  static void set_pair(Links* words, std::uint32_t value) {
    const auto pair = static_cast<std::uint16_t>(value);
    std::memcpy(words, &pair, sizeof pair);
  }
  // The links that are taken of both diagonals, side by side.
  static std::uint32_t state_of(std::uint32_t pair) {
    return (pair | pair >> (8 - kMostLinks)) & ((1U << kStateBits) - 1);
  }
  static constexpr Table make_table();

  Links* row_;
  std::uint32_t row_before_, row_pass_;
  Links* column_;
  std::uint32_t column_before_, column_pass_;
};

constexpr QuickPass::Table QuickPass::make_table() {
  Table table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const std::uint32_t links = i >> kStateBits;
    const std::uint32_t state = i & ((1U << kStateBits) - 1);
    const std::uint32_t taken = state & links;
    // Links before the first that is taken are passed at once, the others a cycle later.
    const std::uint32_t first = links & ~taken & (taken - 1);
    const std::uint32_t second = links ^ first;
    const bool blocked = (state >> kMostLinks & second) != 0;
    const std::uint32_t waited = taken != 0 ? 1 : 0;
    table[i] = first | second << 8 | (blocked ? kBlocked : 0) | waited << kWaitedShift;
  }
  return table;
}

inline constexpr QuickPass::Table QuickPass::kTable = make_table();

}  // namespace raddle::machine::tpa
