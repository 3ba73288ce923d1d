#include "host/host_races.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace raddle::host {
namespace {

using kernel::AllocationKind;

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMaxGuards = 1024;
constexpr std::size_t kMaxFound = 64;
// More is not compared: a program with so much of it would run for too long.
constexpr std::uint64_t kMaxPictured = std::uint64_t{256} << 20;

// Pages of the host's that are closed. Read by a signal handler, in the thread that may have been
// anywhere: so without allocation and locks, and never moved while it can be read.
struct Guard {
  std::uint64_t begin = 0;  // whole pages
  std::uint64_t end = 0;
  std::uint64_t address = 0;          // what of them changed lies from here
  const std::byte* before = nullptr;  // null: all of it changed
  const std::byte* now = nullptr;
  std::uint64_t bytes = 0;
  std::uint32_t site = 0;
  bool by_kernel = false;
};
std::array<Guard, kMaxGuards> guards;
std::atomic<std::size_t> guard_count{0};
std::array<HostRaces::Found, kMaxFound> found;
std::atomic<std::size_t> found_count{0};

void protect(std::uint64_t begin, std::uint64_t end, int rights) {
  mprotect(reinterpret_cast<void*>(begin), end - begin, rights);
}

// Whether the device changed what lies at the address.
bool changed_at(const Guard& guard, std::uint64_t address) {
  if (guard.before == nullptr)
    return address >= guard.address && address - guard.address < guard.bytes;
  // An access is of at most 32 bytes, aligned; mostly of 8.
  constexpr std::uint64_t kAccess = 8;
  const std::uint64_t first = address / kAccess * kAccess;
  if (first < guard.address || first - guard.address >= guard.bytes) return false;
  const std::uint64_t offset = first - guard.address;
  return std::memcmp(guard.before + offset, guard.now + offset,
                     std::min(kAccess, guard.bytes - offset)) != 0;
}

void add_guard(const Guard& guard, int rights) {
  const std::size_t count = guard_count;
  if (count == kMaxGuards) return;
  guards[count] = guard;
  guard_count = count + 1;
  protect(guard.begin, guard.end, rights);
}

}  // namespace

bool note_host_race(const HostAccess& access) {
  const std::size_t count = guard_count;
  for (std::size_t i = 0; i < count; ++i) {
    Guard& guard = guards[i];
    if (access.address < guard.begin || access.address >= guard.end) continue;
    const bool races = changed_at(guard, access.address);
    const std::uint64_t page = access.address / kPage * kPage;
    // One report for each stretch; what is no race opens its page alone.
    protect(races ? guard.begin : page, races ? guard.end : page + kPage, PROT_READ | PROT_WRITE);
    const std::size_t number = races ? found_count.fetch_add(1) : kMaxFound;
    if (number < kMaxFound) found[number] = {access, guard.site, guard.by_kernel};
    return true;
  }
  return false;
}

void HostRaces::before_kernels(const kernel::DeviceMemory& memory) {
  latest_ = pictures_.size();
  for (const kernel::Allocation* allocation : memory.live()) {
    // Of pinned memory the host may watch single words while a kernel runs.
    if (allocation->kind != AllocationKind::kManaged) continue;
    pictured_ += allocation->bytes;
    if (pictured_ > kMaxPictured) return;
    const std::byte* now = memory.view(allocation->address);
    pictures_.push_back({allocation->address, now, {now, now + allocation->bytes}});
  }
}

void HostRaces::after_kernels(std::uint32_t site) {
  for (std::size_t i = latest_; i < pictures_.size(); ++i) {
    const Picture& picture = pictures_[i];
    const std::uint64_t bytes = picture.before.size();
    for (std::uint64_t page = 0; page < bytes; page += kPage) {
      const auto changed = [&](std::uint64_t at) {
        return at < bytes && std::memcmp(picture.before.data() + at, picture.now + at,
                                         std::min(kPage, bytes - at)) != 0;
      };
      if (!changed(page)) continue;
      const std::uint64_t first = page;
      while (changed(page + kPage)) page += kPage;
      add_guard({.begin = picture.address + first,
                 .end = picture.address + page + kPage,
                 .address = picture.address,
                 .before = picture.before.data(),
                 .now = picture.now,
                 .bytes = bytes,
                 .site = site,
                 .by_kernel = true},
                PROT_NONE);
    }
  }
}

void HostRaces::after_copy(std::uint64_t address, std::uint64_t bytes, bool into,
                           std::uint32_t site) {
  add_guard({.begin = address / kPage * kPage,
             .end = (address + bytes + kPage - 1) / kPage * kPage,
             .address = address,
             .bytes = bytes,
             .site = site},
            into ? PROT_NONE : PROT_READ);
}

void HostRaces::synchronised() {
  const std::size_t count = guard_count.exchange(0);
  for (std::size_t i = 0; i < count; ++i)
    protect(guards[i].begin, guards[i].end, PROT_READ | PROT_WRITE);
  pictures_.clear();
  pictured_ = 0;
}

std::vector<HostRaces::Found> HostRaces::take() {
  const std::size_t count = std::min(found_count.exchange(0), kMaxFound);
  return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace raddle::host
