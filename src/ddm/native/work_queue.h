// A worker's waiting queue (WQ): ready threads as items of (context, thread, tiles, cells). The
// owner pushes and takes at one end, other workers steal at the other; no locks. This is the deque
// of Chase and Lev (SPAA 2005) with sequentially consistent operations in place of fences.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace raddle::ddm::native {

struct Context;

// Ready instances of a thread: the given cells of one tile, or all existing cells of several tiles.
struct Item {
  Context* context = nullptr;
  std::uint32_t thread = 0;
  std::uint32_t tiles = 1;
  std::uint32_t tile = 0;  // the first
  std::uint64_t cells = 0;
};

// In place of a thread number: the context is still to be started.
inline constexpr std::uint32_t kStartContext = 0xffffffff;

class WorkQueue {
 public:
  WorkQueue() : array_(new Array(256)) {
    arrays_.emplace_back(array_.load(std::memory_order_relaxed));
  }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Owner only.
  void push(const Item& item) {
    const auto bottom = bottom_.load(std::memory_order_relaxed);
    const auto top = top_.load(std::memory_order_acquire);
    Array* array = array_.load(std::memory_order_relaxed);
    if (bottom - top >= array->size) array = grow(array, top, bottom);
    array->put(bottom, item);
    bottom_.store(bottom + 1, std::memory_order_seq_cst);
  }

  // Owner only: the item pushed last.
  bool pop(Item& item) {
    const auto bottom = bottom_.load(std::memory_order_relaxed) - 1;
    Array* array = array_.load(std::memory_order_relaxed);
    if (top_.load(std::memory_order_relaxed) > bottom)
      return false;  // empty, and only the owner can change that
    bottom_.store(bottom, std::memory_order_seq_cst);
    auto top = top_.load(std::memory_order_seq_cst);
    if (top < bottom) {
      item = array->get(bottom);
      return true;
    }
    bool won = false;
    if (top == bottom) {
      item = array->get(bottom);
      won = top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst);
    }
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return won;
  }

  // Anybody: the item pushed first. May fail although there is one, when another is quicker.
  bool steal(Item& item) {
    auto top = top_.load(std::memory_order_seq_cst);
    const auto bottom = bottom_.load(std::memory_order_seq_cst);
    if (top >= bottom) return false;
    item = array_.load(std::memory_order_acquire)->get(top);
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst);
  }

  [[nodiscard]] bool empty() const {
    return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst);
  }

 private:
  // Slots are atomic words, so that a thief that reads one while the owner writes it reads rubbish
  // but does no harm.
  struct Slot {
    std::atomic<Context*> context;
    std::atomic<std::uint64_t> thread_and_tiles;
    std::atomic<std::uint64_t> tile;
    std::atomic<std::uint64_t> cells;
  };
  struct Array {
    explicit Array(std::int64_t count)
        : size(count), slots(new Slot[static_cast<std::size_t>(count)]) {}
    void put(std::int64_t index, const Item& item) {
      Slot& slot = slots[index & (size - 1)];
      slot.context.store(item.context, std::memory_order_relaxed);
      slot.thread_and_tiles.store(item.thread | std::uint64_t{item.tiles} << 32,
                                  std::memory_order_relaxed);
      slot.tile.store(item.tile, std::memory_order_relaxed);
      slot.cells.store(item.cells, std::memory_order_relaxed);
    }
    [[nodiscard]] Item get(std::int64_t index) const {
      const Slot& slot = slots[index & (size - 1)];
      const auto packed = slot.thread_and_tiles.load(std::memory_order_relaxed);
      return {slot.context.load(std::memory_order_relaxed), static_cast<std::uint32_t>(packed),
              static_cast<std::uint32_t>(packed >> 32),
              static_cast<std::uint32_t>(slot.tile.load(std::memory_order_relaxed)),
              slot.cells.load(std::memory_order_relaxed)};
    }
    std::int64_t size;
    std::unique_ptr<Slot[]> slots;
  };

  Array* grow(const Array* old, std::int64_t top, std::int64_t bottom) {
    arrays_.push_back(
        std::make_unique<Array>(2 * old->size));  // thieves may still read the old one
    Array* array = arrays_.back().get();
    for (auto i = top; i < bottom; ++i) array->put(i, old->get(i));
    array_.store(array, std::memory_order_release);
    return array;
  }

  alignas(64) std::atomic<std::int64_t> top_{0};
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  std::atomic<Array*> array_;
  std::vector<std::unique_ptr<Array>> arrays_;
};

}  // namespace raddle::ddm::native
