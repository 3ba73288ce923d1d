#include "machine/tpa/link_timetable.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::tpa {

namespace {

std::uint32_t bits_for(std::uint32_t count) {
  return static_cast<std::uint32_t>(std::bit_width(count - 1));
}

}  // namespace

LinkWays::LinkWays(std::uint32_t width, std::uint32_t height, std::uint32_t hop_cycles,
                   std::uint32_t planes)
    : nodes_(width * height),
      hop_(hop_cycles),
      longest_((std::max(width, height) - 1) * hop_cycles),
      plane_bits_(bits_for(2 * (width + height))),
      diagonal_bits_(plane_bits_ + bits_for(planes)) {
  for (std::uint32_t from = 0; from < nodes_; ++from) {
    for (std::uint32_t to = 0; to < nodes_; ++to) {
      LinkWay& way = ways_.emplace_back();
      way.row = segment(from / width, width, from % width, to % width, 0);
      const auto in_row = static_cast<std::uint32_t>(std::popcount(way.row.links));
      way.column = segment(height + to % width, height, from / width, to / width, in_row * hop_);
      way.count = in_row + static_cast<std::uint32_t>(std::popcount(way.column.links));
      way.cycles = way.count * hop_;
    }
  }
  for (std::uint32_t to = 0; to < nodes_; ++to)
    for (std::uint32_t from = 0; from < nodes_; ++from) back_.push_back(between(from, to));
}

// Lines come in pairs: ascending, then descending, whose links are numbered from the other end. A
// diagonal's number is the time at which link 0 would be passed, and more by the longest line, so
// that no diagonal that can still be asked for has a number before that of the present cycle.
LineSegment LinkWays::segment(std::uint32_t pair, std::uint32_t nodes, std::uint32_t from,
                              std::uint32_t to, std::uint32_t cycles_before) const {
  if (from == to) return {};
  const bool ascends = from < to;
  const std::uint32_t first = ascends ? from : nodes - 1 - from;
  const std::uint32_t count = ascends ? to - from : from - to;
  const std::uint32_t diagonal = cycles_before + longest_ - first * hop_;
  const std::uint64_t links = ((std::uint64_t{1} << count) - 1) << first;
  return {static_cast<LineLinks>(links),
          (diagonal << diagonal_bits_) + pair * 2 + (ascends ? 0U : 1U)};
}

LinkTimetable::LinkTimetable(const LinkWays& ways)
    : diagonal_bits_(ways.diagonal_bits()),
      reach_(3 * std::uint64_t{ways.longest_line()} + 3),
      forgettable_(2 * (kForgetInterval + reach_)),
      diagonals_(2 * forgettable_),
      taken_(diagonals_ << diagonal_bits_) {}

std::uint64_t LinkTimetable::find(const LinkWay& way, std::uint64_t origin, std::uint64_t time,
                                  std::uint64_t patience) {
  found_count_ = 0;
  std::uint64_t waited = 0;
  if (way.row.links != 0 && !pass(way.row, origin, patience, waited)) return kRefused;
  const std::uint64_t behind = origin + (waited << diagonal_bits_);
  if (way.column.links != 0 && !pass(way.column, behind, patience, waited)) return kRefused;
  return time + way.cycles + waited;
}

// Along one line. False: it would wait longer than anybody would.
inline bool LinkTimetable::pass(const LineSegment& segment, std::uint64_t origin,
                                std::uint64_t patience, std::uint64_t& waited) {
  LineLinks left = segment.links;
  LineLinks waits_for = 0;
  std::uint64_t waits = 0;
  std::size_t count = found_count_;
  const std::uint64_t step = std::uint64_t{1} << diagonal_bits_;
  for (std::uint64_t position = origin + segment.position;; position += step) {
    if (position >= taken_.size()) [[unlikely]]
      grow();
    const LineLinks taken = taken_[position] & left;
    const LineLinks first = taken & (~taken + 1);  // link that is taken; 0: none
    const LineLinks passed = left & (first - 1);   // those before it, or all
    found_[count] = {position, passed};
    count += passed != 0 ? 1 : 0;
    if (taken == 0) break;
    left ^= passed;
    waits = first == waits_for ? waits + 1 : 1;
    waits_for = first;
    ++waited;
    if (waits > patience) return false;
  }
  found_count_ = count;
  return true;
}

// The diagonals from now on come first.
void LinkTimetable::move_base(std::uint64_t now) {
  const std::uint64_t passed = std::min(now - base_, diagonals_);
  const auto kept = taken_.begin() + static_cast<std::ptrdiff_t>(passed << diagonal_bits_);
  std::fill(std::copy(kept, taken_.end(), taken_.begin()), taken_.end(), 0);
  base_ = now;
}

// Packets may have to wait for long: twice as many diagonals.
void LinkTimetable::grow() {
  diagonals_ *= 2;
  taken_.resize(diagonals_ << diagonal_bits_);
}

}  // namespace raddle::machine::tpa
