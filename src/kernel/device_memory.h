// The simulated device's global memory and the host's pinned memory that it can reach, each of a
// fixed capacity: one arena with an allocator that remembers every allocation, so that checks can
// say whose memory an address is. Device addresses start at kGlobalBase; the simulator reads and
// writes through its own mapping of the same pages, and the host program can touch only what was
// allocated as managed or mapped memory, as on a real card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/address_map.h"
#include "kernel/call_sites.h"
#include "kernel/free_ranges.h"
#include "kernel/written_bytes.h"

namespace raddle::kernel {

enum class AllocationKind : std::uint8_t {
  kDevice,
  kManaged,
  kPinnedHost,
  kVariable,
  kArray,
  kHeap
};

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // as asked for
  AllocationKind kind = AllocationKind::kDevice;
  std::string name;           // variables: their name
  std::uint64_t serial = 0;   // counts allocations from 1
  std::uint32_t made_at = 0;  // CallSites; 0: not known
  std::uint32_t freed_at = 0;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(std::uint64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // The device address, or nothing if there is no room. Managed and pinned memory can be used by
  // the host at the same address. Contents of fresh pages are zero.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes,
                                        AllocationKind kind = AllocationKind::kDevice,
                                        std::uint64_t alignment = 256, std::string name = {});
  // False if nothing was allocated at exactly this address.
  bool release(std::uint64_t address);
  // Whom to ask where the program allocates and frees; it must outlive the memory.
  void know_sites(CallSites* sites) { sites_ = sites; }
  std::string site_text(std::uint32_t site) const {
    return sites_ == nullptr || site == 0 ? std::string() : sites_->text(site);
  }
  // From now on allocations lie apart, and released memory is handed out again only when there is
  // no other room, the oldest first, so that a use after free can be told from a use; what it held
  // is gone at once. Cannot be taken back.
  void keep_released(bool keep);

  // From now on it is known which bytes were written: by mark_written, and all of memory that the
  // host writes by itself or that has initial values.
  void watch_writes();
  bool watches_writes() const { return written_ != nullptr; }
  void mark_written(std::uint64_t address, std::uint64_t bytes) {
    written_->set(address - kGlobalBase, bytes);
  }
  void copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    written_->copy(to - kGlobalBase, from - kGlobalBase, bytes);
  }
  // The first byte of the range that nobody has written, if there is one.
  std::optional<std::uint64_t> first_unwritten(std::uint64_t address, std::uint64_t bytes) {
    if (written_->all(address - kGlobalBase, bytes)) return std::nullopt;
    return find_unwritten(address, bytes);
  }

  // The live allocation that holds the address, the one released lately that held it, or null.
  const Allocation* find(std::uint64_t address) const;
  const Allocation* find_released(std::uint64_t address) const;
  // All live ones, by address.
  std::vector<const Allocation*> live() const;
  // The live allocation nearest below the address, or null: whose end was overrun.
  const Allocation* nearest_below(std::uint64_t address) const;

  // Of the device; pinned memory has as much room of its own.
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t free_bytes() const { return capacity_ - device_.allocated; }
  // Whether [address, address + bytes) lies in the arena; says nothing about allocations.
  bool in_arena(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t offset = address - kGlobalBase;
    return offset < arena_ && bytes <= arena_ - offset;
  }
  std::uint64_t arena_bytes() const { return arena_; }
  // The simulator's own view; the address must be in the arena.
  std::byte* view(std::uint64_t address) { return view_ + (address - kGlobalBase); }
  const std::byte* view(std::uint64_t address) const { return view_ + (address - kGlobalBase); }

 private:
  // An allocation and what it takes of the arena, as offsets: with the padding before it when
  // allocations lie apart.
  struct Block {
    Allocation allocation;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  using Blocks = std::map<std::uint64_t, Block>;  // by address
  // The device's own memory, or pinned memory after it.
  struct Region {
    std::uint64_t allocated = 0;
    FreeRanges free;  // offsets
  };

  Region& region_of(AllocationKind kind) {
    return kind == AllocationKind::kPinnedHost ? pinned_ : device_;
  }

  std::optional<std::uint64_t> find_unwritten(std::uint64_t address, std::uint64_t bytes);
  std::uint32_t here(AllocationKind kind) const;
  static const Allocation* holder(const Blocks& blocks, std::uint64_t address);
  std::optional<FreeRanges::Place> find_place(const FreeRanges& free, std::uint64_t bytes,
                                              std::uint64_t alignment);
  void remember_released(Block block);
  void forget_oldest_released();
  void drop_pages(std::uint64_t begin, std::uint64_t end);
  void protect_host_view(std::uint64_t address, std::uint64_t bytes, bool accessible);

  std::uint64_t capacity_;  // what can be allocated in each region
  std::uint64_t mapped_;    // both regions, with margins
  std::uint64_t arena_;  // up to where memory is in use: of pinned memory what was ever asked for
  std::uint64_t next_serial_ = 1;
  CallSites* sites_ = nullptr;
  std::unique_ptr<WrittenBytes> written_;  // null: nobody wants to know
  bool keep_released_ = false;
  std::byte* view_ = nullptr;  // the simulator's mapping
  // The program's mapping, at kGlobalBase; null if that address was taken.
  std::byte* host_view_ = nullptr;
  Region device_;
  Region pinned_;
  Blocks live_;
  Blocks released_;                          // the latest
  std::deque<std::uint64_t> release_order_;  // their addresses, the oldest first
};

}  // namespace raddle::kernel
