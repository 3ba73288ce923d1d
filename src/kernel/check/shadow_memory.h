// Who accessed each word of a memory last. A cell stands for four bytes, or for one where threads
// use narrower types; pages of cells appear when they are touched first, so the shadow grows with
// what a kernel uses and not with the memory's size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace raddle::kernel::check {

// One access. `stamp` counts synchronisations of the launch, so that "before the barrier" is one
// comparison.
struct Record {
  static constexpr std::uint32_t kThreadBits = 10;
  static constexpr std::uint32_t kStrong = 1u << kThreadBits;
  static constexpr std::uint32_t kSiteShift = kThreadBits + 1;
  static constexpr std::uint32_t kMaxSites = 1u << (32 - kSiteShift);

  std::uint32_t stamp = 0;  // 0: nobody yet
  std::uint32_t block = 0;
  std::uint32_t who = 0;

  static constexpr std::uint32_t pack(std::uint32_t thread, bool strong, std::uint32_t site) {
    return thread | (strong ? kStrong : 0) | site << kSiteShift;
  }
  bool empty() const { return stamp == 0; }
  std::uint32_t thread() const { return who & (kStrong - 1); }
  bool strong() const { return (who & kStrong) != 0; }      // atomic, volatile or with an order
  std::uint32_t site() const { return who >> kSiteShift; }  // which instruction
  bool same_thread(const Record& other) const {
    return block == other.block && thread() == other.thread();
  }
};

// Two readers are enough to find a write that is ordered with none of them, or only with threads
// near the first.
struct Cell {
  Record write;
  std::array<Record, 2> reads;
  std::uint32_t value = 0;  // what the last access left or saw
};

class ShadowMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 1024;

  struct Page {
    std::unique_ptr<Cell[]> cells;
    bool by_byte = false;
  };

  explicit ShadowMemory(std::uint64_t bytes);

  // The page that holds the offset, which is within the memory.
  Page& page(std::uint64_t offset) {
    std::unique_ptr<Directory>& directory = directories_[offset / kDirectoryBytes];
    if (directory == nullptr) directory = std::make_unique<Directory>();
    Page& page = (*directory)[offset / kPageBytes % kPagesPerDirectory];
    if (page.cells == nullptr) page.cells = std::make_unique<Cell[]>(kPageBytes / kWordBytes);
    return page;
  }

  // Calls visit(cell, first byte of the access that it stands for, how many) for each cell of an
  // access that is aligned to its size, a power of two.
  template <class Visit>
  void visit(std::uint64_t offset, std::uint32_t bytes, Visit visit) {
    Page& page = this->page(offset);
    if (bytes < kWordBytes && !page.by_byte) split(page);
    const std::uint64_t inside = offset % kPageBytes;
    const std::uint32_t unit = page.by_byte ? 1 : kWordBytes;
    Cell* cell = page.cells.get() + inside / unit;
    for (std::uint32_t at = 0; at < bytes; at += unit) visit(*cell++, at, unit);
  }

 private:
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr std::uint64_t kPagesPerDirectory = 1024;
  static constexpr std::uint64_t kDirectoryBytes = kPagesPerDirectory * kPageBytes;
  using Directory = std::array<Page, kPagesPerDirectory>;

  static void split(Page& page);

  std::vector<std::unique_ptr<Directory>> directories_;
};

}  // namespace raddle::kernel::check
