// Which links of one mesh are taken in which cycle. A packet takes the first free cycle of each
// link of its way, along its row and then along its column.
//
// The links of a row or column in one direction are a line, numbered as packets pass them. A packet
// that waits nowhere passes link e of a line e hops after it would have passed link 0: it stays on
// its diagonal of time and place. So occupation is kept by diagonal, a bit for each link: whether a
// way is free is a question of one word for each line, and to wait a cycle is to go on by one word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/units.h"

namespace raddle::machine::tpa {

// The part of a way along one line.
struct LineSegment {
  std::uint32_t links = 0;     // a bit for each; none: the packet does not go along the line
  std::uint32_t line = 0;      // of the plane
  std::uint32_t diagonal = 0;  // after the cycle in which the way begins
};
struct LinkWay {
  LineSegment row, column;
  Cycle cycles;
  std::uint32_t count = 0;  // links
};

// The ways between all nodes of a mesh, rows first.
class LinkWays {
 public:
  LinkWays(std::uint32_t width, std::uint32_t height, Cycle hop_cycles);

  const LinkWay& between(std::uint32_t from, std::uint32_t to) const {
    return ways_[std::size_t{from} * nodes_ + to];
  }
  std::uint32_t nodes() const { return nodes_; }
  // Of a plane; the last one has no links and is there for segments that have none.
  std::uint32_t lines() const { return lines_; }
  Cycle longest_line() const { return longest_; }

 private:
  LineSegment segment(std::uint32_t pair, std::uint32_t nodes, std::uint32_t from, std::uint32_t to,
                      Cycle cycles_before) const;

  std::uint32_t nodes_, lines_;
  Cycle hop_, longest_;
  std::vector<LinkWay> ways_;  // by source and destination
};

// The timetable of all planes of such meshes. Links: an integer with a bit for each link of a line.
template <class Links>
class LinkTimetable {
 public:
  static constexpr Cycle kRefused{std::numeric_limits<std::uint64_t>::max()};
  // forget() is to be called at least every so many cycles.
  static constexpr Cycle kForgetInterval{64};

  LinkTimetable(const LinkWays& ways, std::uint32_t planes);

  // The words of one plane after the other, of a plane line after line, of a line by diagonal. The
  // word of a segment of a way that begins in some cycle lies place_of(segment) after words() of
  // that cycle, which moves on by a word a cycle. All of it is valid until the table grows, which
  // find() and make_room() let it, or forgets.
  Links* words(std::uint32_t plane, Cycle begin) {
    return taken_.data() + (std::uint64_t{plane} * lines_ * diagonals_ + (begin - base_).count());
  }
  std::size_t size() const { return taken_.size(); }
  std::uint32_t place_of(const LineSegment& segment) const {
    return static_cast<std::uint32_t>(segment.line * diagonals_ + segment.diagonal);
  }
  // Ways that begin before have words enough, if they wait no longer on either line than this; and
  // a few diagonals more, so that several can be read at once.
  static constexpr Cycle kQuickWaits{2};
  Cycle end() const { return base_ + Cycle(diagonals_ - reach_); }
  void make_room(Cycle time) {
    while (time >= end()) grow();
  }

  // When a packet that begins its way at `time` on that plane has passed the last link; kRefused if
  // it had to wait longer than `patience` cycles for any. take_found() takes the slots that were
  // found last.
  Cycle find(const LinkWay& way, std::uint32_t plane, Cycle time, Cycle patience);
  void take_found();
  // The same for one line of a way, whose slots are taken at once: the cycles that the packet waits
  // on it.
  Cycle take_line(const LineSegment& segment, std::uint32_t plane, Cycle time, Cycle patience);
  // Links that were passed on one diagonal.
  struct Found {
    std::uint32_t line = 0;  // over all planes
    std::uint64_t diagonal = 0;
    Links links = 0;
  };
  std::span<const Found> found() const { return {found_.data(), found_count_}; }
  void give_back(const Found& found);

  // Nobody asks for cycles before this one any more.
  void forget(Cycle now) {
    if (now - base_ > forgettable_) move_base(now);
  }

 private:
  static constexpr std::size_t kMaxParts = 256;

  bool pass(const LineSegment& segment, std::uint32_t plane, Cycle begin, Cycle patience,
            Cycle& waited);
  void grow();
  void move_base(Cycle now);

  std::uint32_t lines_, planes_;
  std::uint64_t reach_;      // diagonals that lie between a way's begin and its end at most
  Cycle forgettable_;        // that may be over before the others are moved
  std::uint64_t diagonals_;  // that a line has words for
  Cycle base_;               // of diagonal 0
  std::vector<Links> taken_;
  std::array<Found, kMaxParts> found_{};
  std::size_t found_count_ = 0;
};

extern template class LinkTimetable<std::uint8_t>;
extern template class LinkTimetable<std::uint32_t>;

}  // namespace raddle::machine::tpa
