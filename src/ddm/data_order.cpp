#include "ddm/data_order.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ddm/graph_walk.h"

namespace raddle::ddm {

// Goes through the instances in program order and keeps, for each piece of memory, who wrote it
// last and who has read it since.
class DataOrder::Builder {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNobody = 0xffffffff;

  void read(Number reader, Operand operand) {
    auto at = reinterpret_cast<std::uintptr_t>(operand.data);
    const auto end = at + operand.bytes;
    auto piece = cut(at, end);
    while (at < end) {
      if (piece == pieces_.end() || piece->first > at) {
        const auto next = piece == pieces_.end() ? end : std::min(end, piece->first);
        piece = pieces_.emplace_hint(piece, at, Piece{next, kNobody, {}});
      }
      wait_for(piece->second.writer);
      auto& readers = piece->second.readers;
      if (readers.empty() || readers.back() != reader) readers.push_back(reader);
      at = piece->second.end;
      ++piece;
    }
  }

  void write(Number writer, Operand operand) {
    const auto begin = reinterpret_cast<std::uintptr_t>(operand.data);
    const auto end = begin + operand.bytes;
    if (begin == end) return;
    const auto first = cut(begin, end);
    auto last = first;
    for (; last != pieces_.end() && last->first < end; ++last) {
      const Piece& piece = last->second;
      for (const Number reader : piece.readers) wait_for(reader);
      wait_for(piece.writer);
    }
    if (first != last && first->first == begin) {
      pieces_.erase(std::next(first), last);
      first->second.end = end;
      first->second.writer = writer;
      first->second.readers.clear();
    } else {
      pieces_.erase(first, last);
      pieces_.emplace(begin, Piece{end, writer, {}});
    }
  }

  // All that an instance reads and writes has been told.
  void finish(Number instance) {
    std::ranges::sort(waits_for_);
    const auto same = std::ranges::unique(waits_for_);
    waits_for_.erase(same.begin(), same.end());
    for (const Number producer : waits_for_) {
      if (producer != instance) arcs.emplace_back(producer, instance);
    }
    waits_for_.clear();
  }

  std::vector<std::pair<Number, Number>> arcs;

 private:
  struct Piece {
    std::uintptr_t end;
    Number writer;
    std::vector<Number> readers;
  };
  using Pieces = std::map<std::uintptr_t, Piece>;  // by where they begin

  void wait_for(Number producer) {
    if (producer == kNobody || (!waits_for_.empty() && waits_for_.back() == producer)) return;
    waits_for_.push_back(producer);
  }

  // No piece lies across either end afterwards; gives the first at or after `begin`.
  Pieces::iterator cut(std::uintptr_t begin, std::uintptr_t end) {
    auto first = pieces_.lower_bound(begin);
    if (first != pieces_.begin()) {
      const auto before = std::prev(first);
      if (before->second.end > begin) first = cut_at(before, begin);
    }
    auto last = first;
    while (last != pieces_.end() && last->second.end < end) ++last;
    if (last != pieces_.end() && last->first < end && last->second.end > end) cut_at(last, end);
    return first;
  }
  Pieces::iterator cut_at(Pieces::iterator piece, std::uintptr_t at) {
    Piece upper = piece->second;
    piece->second.end = at;
    return pieces_.emplace_hint(std::next(piece), at, std::move(upper));
  }

  Pieces pieces_;
  std::vector<Number> waits_for_;
};

DataOrder::DataOrder(const BlockGraph& block, void* frame, std::span<const Extents> extents,
                     std::span<const std::size_t> slots, SlotOf slot_of) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < block.threads.size(); ++i) {
    first_of_.push_back(total);
    total += declares_data(block.threads[i]) ? slots[i] : 0;
  }
  first_of_.push_back(total);
  if (total >= Builder::kNobody) {
    throw GraphError(
        "its threads have too many instances to infer arcs from what they read and write",
        "block '" + block.name + "'", "use larger chunks, or declare arcs");
  }
  struct Placed {
    std::int64_t step;
    std::uint32_t thread;
    Coordinates at;
  };
  Builder builder;
  const auto visit = [&](std::uint32_t thread, const Coordinates& at) {
    const auto& declared = block.threads[thread];
    const auto number = static_cast<Builder::Number>(first_of_[thread] + slot_of(thread, at));
    if (declared.reads)
      declared.reads(frame, at, [&](Operand operand) { builder.read(number, operand); });
    if (declared.writes)
      declared.writes(frame, at, [&](Operand operand) { builder.write(number, operand); });
    builder.finish(number);
  };
  const bool in_steps = std::ranges::any_of(
      block.threads, [](const ThreadTemplate& thread) { return static_cast<bool>(thread.step); });
  std::vector<Placed> placed;
  for (std::uint32_t i = 0; i < block.threads.size(); ++i) {
    const auto& thread = block.threads[i];
    if (!declares_data(thread)) continue;
    for_each_instance(thread, frame, extents[i], [&](const Coordinates& at) {
      if (in_steps) {
        placed.push_back({thread.step ? thread.step(frame, at) : 0, i, at});
      } else {
        visit(i, at);
      }
    });
  }
  std::ranges::stable_sort(placed, {}, &Placed::step);
  for (const auto& each : placed) visit(each.thread, each.at);

  // Those of one producer together.
  begins_.resize(total + 2);
  for (const auto& [from, to] : builder.arcs) ++begins_[from + 2];
  for (std::size_t i = 2; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  successors_.resize(builder.arcs.size());
  for (const auto& [from, to] : builder.arcs) {
    const auto thread = static_cast<std::uint32_t>(
        std::ranges::upper_bound(first_of_, std::size_t{to}) - first_of_.begin() - 1);
    successors_[begins_[from + 1]++] = {thread, static_cast<std::uint32_t>(to - first_of_[thread])};
  }
  begins_.pop_back();
}

}  // namespace raddle::ddm
