// How a packet gets along its way if it waits at most a cycle on its row and at most one on its
// column, as nearly all do; in meshes of up to 9 x 9 routers, where a line has eight links. Found
// without a branch, as nobody could foretell who waits.
#pragma once

#include <cstdint>
#include <cstring>

#include "machine/tpa/link_timetable.h"

namespace raddle::machine::tpa {

class QuickPass {
 public:
  using Links = std::uint8_t;
  using Timetable = LinkTimetable<Links>;
  static constexpr std::uint32_t kMostLinks = 8;  // of a line

  // A way and where its words lie for ways that begin in cycle 0.
  struct Way {
    std::uint32_t row = 0, column = 0;
    std::uint32_t cycles = 0;
    std::uint16_t row_links = 0, column_links = 0;
  };
  static Way placed(const LinkWay& way, const Timetable& timetable) {
    return {timetable.place_of(way.row), timetable.place_of(way.column), way.cycles,
            static_cast<std::uint16_t>(way.row.links),
            static_cast<std::uint16_t>(way.column.links)};
  }

  // `words`: where those of the way's plane and of the cycle in which it begins lie.
  [[gnu::always_inline]] QuickPass(Links* words, const Way& way)
      : row_(words + way.row, way.row_links),
        column_(words + way.column + row_.waited, way.column_links) {}

  bool is_right() const { return (row_.blocked | column_.blocked) == 0; }
  std::uint64_t waited() const { return row_.waited + column_.waited; }
  // The lines are two, so neither word is what the other was read from.
  void take() const {
    row_.take();
    column_.take();
  }

 private:
  // Two diagonals of a line, the earlier one in the lower byte.
  struct Line {
    [[gnu::always_inline]] Line(Links* at, std::uint32_t links) : words(at) {
      std::uint16_t pair = 0;
      std::memcpy(&pair, words, sizeof pair);
      const std::uint32_t taken = pair & links;
      // Links before the first that is taken are passed at once, the others a cycle later.
      const std::uint32_t first = links & ~taken & (taken - 1);
      const std::uint32_t second = links ^ first;
      blocked = pair >> 8 & second;
      after = pair | first | second << 8;
      waited = taken != 0 ? 1 : 0;
    }
    void take() const {
      const auto pair = static_cast<std::uint16_t>(after);
      std::memcpy(words, &pair, sizeof pair);
    }

    Links* words;
    std::uint32_t after;    // when they are taken
    std::uint32_t blocked;  // links at which it would have to wait longer
    std::uint64_t waited;
  };

  Line row_, column_;
};

}  // namespace raddle::machine::tpa
