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
#include <vector>

namespace raddle::machine::tpa {

// The part of a way along one line.
using LineLinks = std::uint32_t;  // a bit for each link of a line
struct LineSegment {
  LineLinks links = 0;         // none: the packet does not go along the line
  std::uint32_t position = 0;  // of its word, beside the way's origin: see LinkTimetable
};
struct LinkWay {
  LineSegment row, column;
  std::uint32_t cycles = 0;
  std::uint32_t count = 0;  // links
};

// The ways between all nodes of a mesh, rows first, and how the words of a timetable are placed: by
// diagonal, then by plane, then by line, each padded to a power of two.
class LinkWays {
 public:
  LinkWays(std::uint32_t width, std::uint32_t height, std::uint32_t hop_cycles,
           std::uint32_t planes);

  const LinkWay& between(std::uint32_t from, std::uint32_t to) const {
    return ways_[from * nodes_ + to];
  }
  // The ways from a node to all, and from all to it, by the other node.
  const LinkWay* from(std::uint32_t node) const { return &ways_[std::size_t{node} * nodes_]; }
  const LinkWay* to(std::uint32_t node) const { return &back_[std::size_t{node} * nodes_]; }
  std::uint32_t longest_line() const { return longest_; }  // in cycles
  std::uint32_t plane_bits() const { return plane_bits_; }
  std::uint32_t diagonal_bits() const { return diagonal_bits_; }

 private:
  LineSegment segment(std::uint32_t pair, std::uint32_t nodes, std::uint32_t from, std::uint32_t to,
                      std::uint32_t cycles_before) const;

  std::uint32_t nodes_, hop_, longest_, plane_bits_, diagonal_bits_;
  std::vector<LinkWay> ways_;  // by source and destination
  std::vector<LinkWay> back_;  // by destination and source
};

// How a packet gets along a way if it waits at most a cycle on either line, as nearly all do. Found
// without a branch, as nobody could foretell who waits.
struct QuickPass {
  struct Line {
    LineLinks* words = nullptr;       // of its diagonal
    LineLinks first = 0, second = 0;  // links that are passed at once, and those a cycle later
    LineLinks blocked = 0;            // links at which it would have to wait longer
    std::uint32_t waited = 0;

    void take(std::size_t next_diagonal) const {
      words[0] |= first;
      words[next_diagonal] |= second;
    }
  };
  Line row, column;

  bool is_right() const { return (row.blocked | column.blocked) == 0; }
  std::uint64_t waited() const { return row.waited + column.waited; }
  void take(std::uint32_t diagonal_bits) const {
    row.take(std::size_t{1} << diagonal_bits);
    column.take(std::size_t{1} << diagonal_bits);
  }

  // `words` and `origin` as in a timetable's view.
  [[gnu::always_inline]] static QuickPass find(LineLinks* words, std::uint32_t diagonal_bits,
                                               const LinkWay& way, std::uint64_t origin) {
    QuickPass pass;
    pass.row = along(words + origin, diagonal_bits, way.row);
    const std::size_t behind = std::size_t{pass.row.waited} << diagonal_bits;
    pass.column = along(words + origin + behind, diagonal_bits, way.column);
    return pass;
  }

 private:
  [[gnu::always_inline]] static Line along(LineLinks* words, std::uint32_t diagonal_bits,
                                           const LineSegment& segment) {
    Line line;
    line.words = words + segment.position;
    const LineLinks taken = line.words[0] & segment.links;
    line.waited = taken != 0 ? 1 : 0;
    line.first = segment.links & ~taken & (taken - 1);  // those before the first that is taken
    line.second = segment.links ^ line.first;
    line.blocked = line.words[std::size_t{1} << diagonal_bits] & line.second;
    return line;
  }
};

// The timetable of all planes of such meshes.
class LinkTimetable {
 public:
  static constexpr std::uint64_t kRefused = ~std::uint64_t{0};
  // forget() is to be called at least every so many cycles.
  static constexpr std::uint64_t kForgetInterval = 64;

  explicit LinkTimetable(const LinkWays& ways);

  // The words themselves, for whoever passes many packets. Valid until find(), make_room() or
  // forget() was called. A segment's word lies at its position plus the way's origin: ((begin -
  // base) << diagonal_bits) + (plane << plane_bits).
  struct View {
    LineLinks* taken = nullptr;
    std::uint64_t base = 0;  // the cycle whose diagonal comes first
    std::uint64_t end = 0;   // ways that begin before have words for a quick pass
  };
  View view() { return {taken_.data(), base_, base_ + diagonals_ - reach_}; }
  // Lets ways begin until that cycle.
  void make_room(std::uint64_t time) {
    while (time >= base_ + diagonals_ - reach_) grow();
  }

  // When a packet that begins its way at `time`, from that origin, has passed the last link;
  // kRefused if it had to wait longer than `patience` cycles for any. take_found() takes the slots
  // that were found last, leave_found() gives them back.
  std::uint64_t find(const LinkWay& way, std::uint64_t origin, std::uint64_t time,
                     std::uint64_t patience);
  void take_found() {
    for (std::size_t i = 0; i < found_count_; ++i) taken_[found_[i].word] |= found_[i].links;
  }
  void leave_found() {
    for (std::size_t i = 0; i < found_count_; ++i) taken_[found_[i].word] &= ~found_[i].links;
  }

  // Nobody asks for cycles before this one any more.
  void forget(std::uint64_t now) {
    if (now - base_ > forgettable_) move_base(now);
  }

 private:
  static constexpr std::size_t kMostParts = 256;

  // Links that are passed on one diagonal.
  struct Found {
    std::size_t word = 0;
    LineLinks links = 0;
  };

  bool pass(const LineSegment& segment, std::uint64_t origin, std::uint64_t patience,
            std::uint64_t& waited);
  void grow();
  void move_base(std::uint64_t now);

  std::uint32_t diagonal_bits_;
  std::uint64_t reach_;        // diagonals that lie between a way's begin and its end at most
  std::uint64_t forgettable_;  // diagonals that may lie behind before the others are moved
  std::uint64_t diagonals_;    // that there are words for
  std::uint64_t base_ = 0;
  std::vector<LineLinks> taken_;
  std::array<Found, kMostParts> found_{};
  std::size_t found_count_ = 0;
};

}  // namespace raddle::machine::tpa
