// The acknowledgement queue (AQ): inputs that finished threads have produced and that are not yet
// in the synchronization memory. Inputs for the same tile are put together first, so that most need
// no atomic operation of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "ddm/native/context.h"
#include "ddm/native/work_queue.h"

namespace raddle::ddm::native {

class Acknowledgements {
 public:
  // Of this worker.
  explicit Acknowledgements(unsigned worker) : worker_(worker) {}

  // One input for each of the cells.
  void add(const Context& context, std::uint32_t thread, std::uint32_t tile, std::uint64_t cells) {
    Entry& entry = find(context, thread, tile);
    const auto& shape = context.shape->threads[thread];
    switch (shape.sync) {
      case Sync::kNone: entry.ready |= cells; break;
      case Sync::kPair:
        entry.ready |= entry.once & cells;
        entry.once ^= cells;
        break;
      case Sync::kCount: entry.ready |= count_down(context, shape, tile, cells); break;
    }
  }
  // The cells are ready, whatever their inputs.
  void add_ready(const Context& context, std::uint32_t thread, std::uint32_t tile,
                 std::uint64_t cells) {
    find(context, thread, tile).ready |= cells;
  }
  // One input for every instance of a thread.
  void add_all(const Context& context, std::uint32_t thread) {
    const auto& shape = context.shape->threads[thread];
    const auto tiles = shape.grid.tiles();
    if (tiles == 1) {
      add(context, thread, 0, shape.existing_at(0));
      return;
    }
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      const auto existing = shape.existing_at(tile);
      if (existing == 0) continue;
      std::uint64_t ready = existing;
      if (shape.sync == Sync::kPair) ready = flip(context, shape, tile, existing, 0);
      if (shape.sync == Sync::kCount) ready = count_down(context, shape, tile, existing);
      if (ready != 0) append(thread, tile, ready, ready == existing);
    }
  }

  // Inputs for cells of one tile that one worker has produced: those with a single one (`once`) go
  // into the synchronization memory. Gives the cells that are ready.
  std::uint64_t settle(const Context& context, const ThreadShape& shape, std::uint32_t tile,
                       std::uint64_t once, std::uint64_t ready) const {
    if (shape.sync != Sync::kPair || (once == 0 && !context.plan->rearms)) return ready;
    return flip(context, shape, tile, once, ready);
  }
  std::uint64_t count_down(const Context& context, const ThreadShape& shape, std::uint32_t tile,
                           std::uint64_t cells) const {
    std::uint64_t ready = 0;
    for (auto left = cells; left != 0; left &= left - 1) {
      const auto cell = static_cast<unsigned>(std::countr_zero(left));
      auto& count = context.count(shape, tile, cell, worker_);
      if (count.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      ready |= std::uint64_t{1} << cell;
      count.store(shape.counts[shape.grid.cells_per_tile() * tile + cell],
                  std::memory_order_relaxed);
    }
    return ready;
  }

  // All that is ready now, in the order of production; the queue is empty afterwards.
  std::vector<Item>& take_all(Context& context) {
    for (unsigned i = 0; i < used_; ++i) {
      if (const auto ready = settle(context, entries_[i]))
        append(entries_[i].thread, entries_[i].tile, ready, false);
    }
    used_ = 0;
    for (auto& item : ready_) item.context = &context;
    return ready_;
  }
  [[nodiscard]] bool empty() const { return used_ == 0 && ready_.empty(); }
  void clear() {
    used_ = 0;
    ready_.clear();
  }

 private:
  struct Entry {
    std::uint32_t thread;
    std::uint32_t tile;
    std::uint64_t once;  // kPair: cells with one input, not yet in the synchronization memory
    std::uint64_t ready;
  };
  static constexpr unsigned kEntries = 16;

  Entry& find(const Context& context, std::uint32_t thread, std::uint32_t tile) {
    for (unsigned i = used_; i-- > 0;) {
      if (entries_[i].tile == tile && entries_[i].thread == thread) return entries_[i];
    }
    if (used_ == kEntries) {
      const auto ready = settle(context, entries_[0]);
      if (ready != 0) append(entries_[0].thread, entries_[0].tile, ready, false);
      for (unsigned i = 1; i < kEntries; ++i) entries_[i - 1] = entries_[i];
      --used_;
    }
    entries_[used_] = {thread, tile, 0, 0};
    return entries_[used_++];
  }

  std::uint64_t settle(const Context& context, const Entry& entry) const {
    return settle(context, context.shape->threads[entry.thread], entry.tile, entry.once,
                  entry.ready);
  }

  // The second input finds the bit that the first has set. Where threads run again, bits of cells
  // with one input are set anew.
  std::uint64_t flip(const Context& context, const ThreadShape& shape, std::uint32_t tile,
                     std::uint64_t once, std::uint64_t ready) const {
    auto& bits = context.pair_bits(shape, tile, worker_);
    if (once != 0) ready |= once & bits.fetch_xor(once, std::memory_order_acq_rel);
    if (context.plan->rearms) {
      if (const auto again = ready & shape.expects_one[tile])
        bits.fetch_or(again, std::memory_order_relaxed);
    }
    return ready;
  }

  void append(std::uint32_t thread, std::uint32_t tile, std::uint64_t cells, bool whole) {
    if (whole && !ready_.empty()) {
      Item& last = ready_.back();
      const bool goes_on =
          last.thread == thread && last.tile + last.tiles == tile && last_is_whole_;
      if (goes_on) {
        ++last.tiles;
        return;
      }
    }
    last_is_whole_ = whole;
    ready_.push_back({nullptr, thread, 1, tile, cells});
  }

  unsigned worker_;
  Entry entries_[kEntries];
  unsigned used_ = 0;
  std::vector<Item> ready_;
  bool last_is_whole_ = false;
};

}  // namespace raddle::ddm::native
