// Simulated addresses in place of the host's, which differ from run to run: pages are numbered in
// the order in which threads first touch them, and offsets within a page stay.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace raddle::ddm {

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kStackAddress = std::uint64_t{0xe0}
                                               << 29;  // lines from 0xe0000000 on
inline constexpr std::uint64_t kCodeAddress = std::uint64_t{0xf0} << 29;

class AddressSpace {
 public:
  AddressSpace() : recent_(kRecent) {}

  // The number of the page of a host address.
  std::uint32_t page_of(std::uint64_t host) {
    const std::uint64_t page = host / kPageBytes;
    Entry& entry = recent_[page % kRecent];
    if (entry.host != page) entry = {page, number_of(page)};
    return entry.number;
  }
  std::uint64_t simulated(std::uint64_t host) {
    return page_of(host) * kPageBytes + host % kPageBytes;
  }
  std::size_t pages() const { return numbers_.size(); }

 private:
  static constexpr std::size_t kRecent = 4096;
  struct Entry {
    std::uint64_t host = ~std::uint64_t{0};
    std::uint32_t number = 0;
  };

  std::uint32_t number_of(std::uint64_t page) {
    return numbers_.try_emplace(page, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

  std::vector<Entry> recent_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

// The host's stack, which begins at another place in every run. Below the frame that was running
// when a thread began lies what the thread needs for itself; above it are variables of functions
// that still run, such as main, which are counted from the frame of the first thread's caller.
class Stack {
 public:
  static constexpr std::uint64_t kMaxBytes = 8 << 20;

  void thread_begins(std::uint64_t top) {
    top_ = top;
    if (reference_ == 0) reference_ = top;
  }
  bool is_own(std::uint64_t host) const { return host < top_ && top_ - host <= kMaxBytes; }
  std::uint64_t simulated(std::uint64_t host) const { return kStackAddress - (top_ - host); }
  // An address that is the same in every run, for all that is not the thread's own.
  std::uint64_t steady(std::uint64_t host) const {
    const bool in_stack = host + kMaxBytes >= reference_ && host <= reference_ + kMaxBytes;
    return in_stack ? host - reference_ + kSteadyAddress : host;
  }

 private:
  static constexpr std::uint64_t kSteadyAddress = std::uint64_t{1} << 50;  // no host address
  std::uint64_t top_ = 0;
  std::uint64_t reference_ = 0;
};

}  // namespace raddle::ddm
