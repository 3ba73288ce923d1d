#include "kernel/device_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"

namespace raddle::kernel {
namespace {

constexpr std::uint64_t kPage = 4096;
// Before the first and after the last allocation, so that a halo read off either end finds memory,
// as on a card.
constexpr std::uint64_t kMargin = 1u << 20;
// Between allocations when released ones are kept for checking: one step too far must not land in a
// neighbour.
constexpr std::uint64_t kCheckedGap = 256;
// So many released allocations are remembered, which bounds what the host needs for them.
constexpr std::size_t kRememberedReleases = std::size_t{1} << 18;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool host_may_touch(AllocationKind kind) {
  return kind == AllocationKind::kManaged || kind == AllocationKind::kPinnedHost;
}

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity)
    : capacity_(round_up(capacity, kPage)),
      mapped_(2 * capacity_ + 3 * kMargin),
      arena_(capacity_ + 2 * kMargin) {
  const int file = memfd_create("raddle-device-memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(mapped_)) != 0) {
    if (file >= 0) close(file);
    throw Error(fmt::format("cannot reserve {} bytes of device memory", capacity_), {},
                "choose a smaller memory with --set memory_bytes=…");
  }
  void* view = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (view == MAP_FAILED) {
    close(file);
    throw Error(fmt::format("cannot map {} bytes of device memory", capacity_), {},
                "choose a smaller memory with --set memory_bytes=…");
  }
  view_ = static_cast<std::byte*>(view);
  // The program's own view starts out of its reach; managed and pinned pages are opened one by one.
  void* wanted = reinterpret_cast<void*>(kGlobalBase);  // NOLINT(performance-no-int-to-ptr)
  void* host =
      mmap(wanted, mapped_, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
  if (host == wanted) {
    host_view_ = static_cast<std::byte*>(host);
  } else if (host != MAP_FAILED) {
    munmap(host, mapped_);
  }
  close(file);
  device_.free.add(kMargin, kMargin + capacity_);
  pinned_.free.add(arena_, arena_ + capacity_);
}

DeviceMemory::~DeviceMemory() {
  munmap(view_, mapped_);
  if (host_view_ != nullptr) munmap(host_view_, mapped_);
}

void DeviceMemory::keep_released(bool keep) {
  if (keep == keep_released_) return;
  RADDLE_ASSERT(keep);
  keep_released_ = true;
  released_.clear();  // their space is free already
  release_order_.clear();
  // The gaps take room, too; nothing may reach past an allocation, so the margin is free for it.
  device_.free.add(kMargin + capacity_, 2 * kMargin + capacity_);
  pinned_.free.add(mapped_ - kMargin, mapped_);
}

std::optional<FreeRanges::Place> DeviceMemory::find_place(const FreeRanges& free,
                                                          std::uint64_t bytes,
                                                          std::uint64_t alignment) {
  const std::uint64_t lead = keep_released_ ? kCheckedGap : 0;
  for (;;) {
    const auto place = free.find({.bytes = bytes, .alignment = alignment, .lead = lead});
    if (place || !keep_released_ || released_.empty()) return place;
    forget_oldest_released();
  }
}

std::optional<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, AllocationKind kind,
                                                    std::uint64_t alignment, std::string name) {
  if (host_may_touch(kind)) {
    if (host_view_ == nullptr) return std::nullopt;
    alignment = std::max(alignment, kPage);
  }
  if (bytes > capacity_) return std::nullopt;
  const std::uint64_t reserved =
      round_up(std::max<std::uint64_t>(bytes, 1), host_may_touch(kind) ? kPage : 1);
  Region& region = region_of(kind);
  if (reserved > capacity_ - region.allocated) return std::nullopt;
  const std::optional<FreeRanges::Place> place = find_place(region.free, reserved, alignment);
  if (!place) return std::nullopt;
  const std::uint64_t begin = keep_released_ ? place->range : place->start;
  const std::uint64_t end = place->start + reserved;
  const std::uint64_t address = kGlobalBase + place->start;
  region.free.remove(begin, end);
  live_.emplace(
      address,
      Block{{address, bytes, kind, std::move(name), next_serial_++, here(kind)}, begin, end});
  region.allocated += reserved;
  arena_ = std::max(arena_, std::min(end + kMargin, mapped_));
  if (host_may_touch(kind)) protect_host_view(address, reserved, true);
  return address;
}

bool DeviceMemory::release(std::uint64_t address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  Block block = std::move(found->second);
  block.allocation.freed_at = here(block.allocation.kind);
  live_.erase(found);
  const std::uint64_t reserved = kGlobalBase + block.end - address;
  if (host_may_touch(block.allocation.kind)) protect_host_view(address, reserved, false);
  if (written_ != nullptr) written_->clear(address - kGlobalBase, reserved);
  Region& region = region_of(block.allocation.kind);
  region.allocated -= reserved;
  if (keep_released_) {
    drop_pages(address - kGlobalBase, block.end);
  } else {
    region.free.add(block.begin, block.end);
  }
  remember_released(std::move(block));
  return true;
}

// What kernels and the program's image allocate, no line of the host's does.
std::uint32_t DeviceMemory::here(AllocationKind kind) const {
  const bool by_host = kind != AllocationKind::kHeap && kind != AllocationKind::kVariable;
  return sites_ != nullptr && by_host ? sites_->here() : 0;
}

void DeviceMemory::remember_released(Block block) {
  const std::uint64_t address = block.allocation.address;
  const auto [place, is_new] = released_.insert_or_assign(address, std::move(block));
  if (!is_new) return;
  release_order_.push_back(address);
  if (released_.size() > kRememberedReleases) forget_oldest_released();
}

void DeviceMemory::forget_oldest_released() {
  const auto oldest = released_.find(release_order_.front());
  release_order_.pop_front();
  if (keep_released_) {
    const Block& block = oldest->second;
    region_of(block.allocation.kind).free.add(block.begin, block.end);
  }
  released_.erase(oldest);
}

// Gives whole pages of [begin, end) back to the host; they read as zero afterwards.
void DeviceMemory::drop_pages(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = round_up(begin, kPage);
  const std::uint64_t last = end / kPage * kPage;
  if (first < last) madvise(view_ + first, last - first, MADV_REMOVE);
}

const Allocation* DeviceMemory::holder(const Blocks& blocks, std::uint64_t address) {
  const auto after = blocks.upper_bound(address);
  if (after == blocks.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second.allocation;
  return address - candidate.address < candidate.bytes ? &candidate : nullptr;
}

const Allocation* DeviceMemory::find(std::uint64_t address) const { return holder(live_, address); }

const Allocation* DeviceMemory::find_released(std::uint64_t address) const {
  return holder(released_, address);
}

std::vector<const Allocation*> DeviceMemory::live() const {
  std::vector<const Allocation*> all;
  for (const auto& [address, block] : live_) all.push_back(&block.allocation);
  return all;
}

void DeviceMemory::watch_writes() {
  if (written_ == nullptr) written_ = std::make_unique<WrittenBytes>(mapped_);
}

// What is not marked may be memory that counts as written; it is marked for the next time.
std::optional<std::uint64_t> DeviceMemory::find_unwritten(std::uint64_t address,
                                                          std::uint64_t bytes) {
  const std::optional<std::uint64_t> missing =
      written_->first_missing(address - kGlobalBase, bytes);
  if (!missing) return std::nullopt;
  const Allocation* holder = find(kGlobalBase + *missing);
  const bool must_be_written = holder != nullptr && (holder->kind == AllocationKind::kDevice ||
                                                     holder->kind == AllocationKind::kHeap);
  if (must_be_written) return kGlobalBase + *missing;
  mark_written(address, bytes);
  return std::nullopt;
}

const Allocation* DeviceMemory::nearest_below(std::uint64_t address) const {
  const auto after = live_.upper_bound(address);
  return after == live_.begin() ? nullptr : &std::prev(after)->second.allocation;
}

void DeviceMemory::protect_host_view(std::uint64_t address, std::uint64_t bytes, bool accessible) {
  const std::uint64_t first = address / kPage * kPage;
  mprotect(host_view_ + (first - kGlobalBase), round_up(address + bytes, kPage) - first,
           accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

}  // namespace raddle::kernel
