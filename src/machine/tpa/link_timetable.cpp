#include "machine/tpa/link_timetable.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::tpa {

LinkWays::LinkWays(std::uint32_t width, std::uint32_t height, Cycle hop_cycles)
    : nodes_(width * height),
      lines_(2 * (width + height) + 1),
      hop_(hop_cycles),
      longest_((std::max(width, height) - 1) * hop_cycles) {
  for (std::uint32_t from = 0; from < nodes_; ++from) {
    for (std::uint32_t to = 0; to < nodes_; ++to) {
      LinkWay& way = ways_.emplace_back();
      way.row = segment(from / width, width, from % width, to % width, Cycle(0));
      const auto in_row = static_cast<std::uint32_t>(std::popcount(way.row.links));
      way.column = segment(height + to % width, height, from / width, to / width, in_row * hop_);
      way.count = in_row + static_cast<std::uint32_t>(std::popcount(way.column.links));
      way.cycles = way.count * hop_;
    }
  }
}

// Lines come in pairs: ascending, then descending, whose links are numbered from the other end. A
// diagonal's number is the time at which link 0 would be passed, and more by the longest line, so
// that no diagonal that can still be asked for has a number before that of the present cycle.
LineSegment LinkWays::segment(std::uint32_t pair, std::uint32_t nodes, std::uint32_t from,
                              std::uint32_t to, Cycle cycles_before) const {
  if (from == to) return {0, lines_ - 1, 0};  // nobody's line
  const bool ascends = from < to;
  const std::uint32_t first = ascends ? from : nodes - 1 - from;
  const std::uint32_t count = ascends ? to - from : from - to;
  const std::uint64_t links = ((std::uint64_t{1} << count) - 1) << first;
  return {static_cast<std::uint32_t>(links), pair * 2 + (ascends ? 0U : 1U),
          static_cast<std::uint32_t>((cycles_before + longest_ - first * hop_).count())};
}

template <class Links>
LinkTimetable<Links>::LinkTimetable(const LinkWays& ways, std::uint32_t planes)
    : lines_(ways.lines()),
      planes_(planes),
      reach_((2 * ways.longest_line() + 2 * kQuickWaits).count() + 4),
      forgettable_(4 * kForgetInterval),
      diagonals_((forgettable_ + 2 * kForgetInterval).count() + 2 * reach_),
      taken_(planes_ * lines_ * diagonals_) {}

template <class Links>
Cycle LinkTimetable<Links>::find(const LinkWay& way, std::uint32_t plane, Cycle time,
                                 Cycle patience) {
  found_count_ = 0;
  Cycle waited;
  if (way.row.links != 0 && !pass(way.row, plane, time, patience, waited)) return kRefused;
  if (way.column.links != 0 && !pass(way.column, plane, time + waited, patience, waited))
    return kRefused;
  return time + way.cycles + waited;
}

// Along one line. False: it would wait longer than anybody would.
template <class Links>
inline bool LinkTimetable<Links>::pass(const LineSegment& segment, std::uint32_t plane, Cycle begin,
                                       Cycle patience, Cycle& waited) {
  const std::uint32_t line = plane * lines_ + segment.line;
  auto left = static_cast<Links>(segment.links);
  Links waits_for = 0;
  Cycle waits;
  std::size_t count = found_count_;
  for (std::uint64_t diagonal = (begin - base_).count() + segment.diagonal;; ++diagonal) {
    if (diagonal >= diagonals_) [[unlikely]]
      grow();
    const auto taken = static_cast<Links>(taken_[line * diagonals_ + diagonal] & left);
    const auto first = static_cast<Links>(taken & -taken);       // link that is taken; 0: none
    const auto passed = static_cast<Links>(left & (first - 1));  // those before it, or all
    found_[count] = {line, diagonal, passed};
    count += passed != 0 ? 1 : 0;
    if (taken == 0) break;
    left ^= passed;
    waits = first == waits_for ? waits + Cycle(1) : Cycle(1);
    waits_for = first;
    ++waited;
    if (waits > patience) return false;
  }
  found_count_ = count;
  return true;
}

template <class Links>
void LinkTimetable<Links>::take_found() {
  for (std::size_t i = 0; i < found_count_; ++i)
    taken_[found_[i].line * diagonals_ + found_[i].diagonal] |= found_[i].links;
}

template <class Links>
Cycle LinkTimetable<Links>::take_line(const LineSegment& segment, std::uint32_t plane, Cycle time,
                                      Cycle patience) {
  found_count_ = 0;
  Cycle waited;
  if (segment.links == 0) return waited;
  if (!pass(segment, plane, time, patience, waited)) return kRefused;
  take_found();
  return waited;
}

template <class Links>
void LinkTimetable<Links>::give_back(const Found& found) {
  taken_[found.line * diagonals_ + found.diagonal] &= static_cast<Links>(~found.links);
}

// The diagonals from now on come first.
template <class Links>
void LinkTimetable<Links>::move_base(Cycle now) {
  const auto passed = static_cast<std::ptrdiff_t>(std::min((now - base_).count(), diagonals_));
  for (auto line = taken_.begin(); line != taken_.end();) {
    const auto end = line + static_cast<std::ptrdiff_t>(diagonals_);
    std::fill(std::copy(line + passed, end, line), end, 0);
    line = end;
  }
  base_ = now;
}

// Packets may have to wait for long: twice as many diagonals.
template <class Links>
void LinkTimetable<Links>::grow() {
  const std::uint64_t before = diagonals_;
  diagonals_ *= 2;
  std::vector<Links> longer(planes_ * lines_ * diagonals_);
  for (std::size_t line = 0; line < std::size_t{planes_} * lines_; ++line)
    std::copy_n(taken_.data() + line * before, before, longer.data() + line * diagonals_);
  taken_ = std::move(longer);
}

template class LinkTimetable<std::uint8_t>;
template class LinkTimetable<std::uint32_t>;

}  // namespace raddle::machine::tpa
