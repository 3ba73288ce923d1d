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
// Before the first and behind the last allocation, so that a halo read off either end finds memory,
// as on a card.
constexpr std::uint64_t kMargin = 1u << 20;
// Between allocations when released ones are kept for checking: one step too far must not land in a
// neighbour.
constexpr std::uint64_t kCheckedGap = 256;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool host_may_touch(AllocationKind kind) {
  return kind == AllocationKind::kManaged || kind == AllocationKind::kPinnedHost;
}

const Allocation* holder(const std::map<std::uint64_t, Allocation>& allocations,
                         std::uint64_t address) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second;
  return address - candidate.address < candidate.bytes ? &candidate : nullptr;
}

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity)
    : capacity_(round_up(capacity, kPage)), arena_(capacity_ + 2 * kMargin), high_water_(kMargin) {
  const int file = memfd_create("raddle-device-memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(arena_)) != 0) {
    if (file >= 0) close(file);
    throw Error(fmt::format("cannot reserve {} bytes of device memory", capacity_), {},
                "choose a smaller memory with --set memory_bytes=…");
  }
  void* view = mmap(nullptr, arena_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (view == MAP_FAILED) {
    close(file);
    throw Error(fmt::format("cannot map {} bytes of device memory", capacity_), {},
                "choose a smaller memory with --set memory_bytes=…");
  }
  view_ = static_cast<std::byte*>(view);
  // The program's own view starts out of its reach; managed and pinned pages are opened one by one.
  void* wanted = reinterpret_cast<void*>(kGlobalBase);
  void* host =
      mmap(wanted, arena_, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
  if (host == wanted) {
    host_view_ = static_cast<std::byte*>(host);
  } else if (host != MAP_FAILED) {
    munmap(host, arena_);
  }
  close(file);
}

DeviceMemory::~DeviceMemory() {
  munmap(view_, arena_);
  if (host_view_ != nullptr) munmap(host_view_, arena_);
}

std::optional<std::uint64_t> DeviceMemory::find_gap(std::uint64_t bytes,
                                                    std::uint64_t alignment) const {
  if (keep_released_) {
    const std::uint64_t start = round_up(high_water_ + kCheckedGap, alignment);
    if (start > arena_ - kMargin || bytes > arena_ - kMargin - start) return std::nullopt;
    return start;
  }
  std::uint64_t start = kMargin;
  for (const auto& [address, allocation] : live_) {
    const std::uint64_t offset = address - kGlobalBase;
    if (start + bytes <= offset) return start;
    const bool whole_pages = host_may_touch(allocation.kind);
    start = round_up(offset + std::max<std::uint64_t>(allocation.bytes, 1),
                     std::max(alignment, whole_pages ? kPage : 1));
  }
  if (start > arena_ - kMargin || bytes > arena_ - kMargin - start) return std::nullopt;
  return start;
}

std::optional<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, AllocationKind kind,
                                                    std::uint64_t alignment, std::string name) {
  if (host_may_touch(kind)) {
    if (host_view_ == nullptr) return std::nullopt;
    alignment = std::max(alignment, kPage);
  }
  const std::uint64_t reserved =
      round_up(std::max<std::uint64_t>(bytes, 1), host_may_touch(kind) ? kPage : 1);
  if (bytes > capacity_ || reserved > capacity_ - allocated_) return std::nullopt;
  const std::optional<std::uint64_t> offset = find_gap(reserved, alignment);
  if (!offset) return std::nullopt;
  const std::uint64_t address = kGlobalBase + *offset;
  live_[address] = Allocation{address, bytes, kind, std::move(name), next_serial_++};
  allocated_ += reserved;
  high_water_ = std::max(high_water_, *offset + reserved);
  if (host_may_touch(kind)) protect_host_view(address, reserved, true);
  return address;
}

bool DeviceMemory::release(std::uint64_t address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  const Allocation& allocation = found->second;
  const bool host = host_may_touch(allocation.kind);
  const std::uint64_t reserved =
      round_up(std::max<std::uint64_t>(allocation.bytes, 1), host ? kPage : 1);
  if (host) protect_host_view(address, reserved, false);
  allocated_ -= reserved;
  released_[address] = allocation;
  live_.erase(found);
  return true;
}

const Allocation* DeviceMemory::find(std::uint64_t address) const { return holder(live_, address); }

const Allocation* DeviceMemory::find_released(std::uint64_t address) const {
  return holder(released_, address);
}

const Allocation* DeviceMemory::nearest_below(std::uint64_t address) const {
  auto after = live_.upper_bound(address);
  return after == live_.begin() ? nullptr : &std::prev(after)->second;
}

void DeviceMemory::protect_host_view(std::uint64_t address, std::uint64_t bytes, bool accessible) {
  const std::uint64_t first = address / kPage * kPage;
  mprotect(reinterpret_cast<void*>(first), round_up(address + bytes, kPage) - first,
           accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

}  // namespace raddle::kernel
