// Stores to global memory that others do not see yet. A machine whose multiprocessors run side by
// side in host threads gives each a log: its own loads see what it stored at once, everybody else
// once the machine commits the logs, in an order of its own. So what a racing load sees does not
// depend on host threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace raddle::kernel::exec {

class StoreLog {
 public:
  bool empty() const { return entries_.empty(); }

  void add(std::byte* place, const std::byte* data, std::uint32_t bytes) {
    entries_.push_back({place, static_cast<std::uint32_t>(data_.size()), bytes});
    data_.insert(data_.end(), data, data + bytes);
    const std::uintptr_t first = line_of(place);
    const std::uintptr_t last = line_of(place + bytes - 1);
    for (std::uintptr_t line = first; line <= last; ++line) mark(line);
  }

  // False: nothing in the log touches these bytes. True: something may.
  bool may_touch(const std::byte* place, std::uint32_t bytes) const {
    const std::uintptr_t last = line_of(place + bytes - 1);
    for (std::uintptr_t line = line_of(place); line < last; ++line) {
      if (marked(line)) return true;
    }
    return marked(last);
  }
  // Puts what the log holds of the bytes at `place` into `row`, a copy of them.
  void patch(const std::byte* place, std::byte* row, std::uint32_t bytes) const;

  // Writes everything to memory, in the order of the stores. True: something changed.
  bool commit();

 private:
  struct Entry {
    std::byte* place;
    std::uint32_t data;  // where its bytes start in data_
    std::uint32_t bytes;
  };
  static constexpr std::size_t kFilterWords = 8;

  static std::uintptr_t line_of(const std::byte* place) {
    return reinterpret_cast<std::uintptr_t>(place) >> 7;
  }
  void mark(std::uintptr_t line) {
    filter_[line / 64 % kFilterWords] |= std::uint64_t{1} << line % 64;
  }
  bool marked(std::uintptr_t line) const {
    return (filter_[line / 64 % kFilterWords] >> line % 64 & 1) != 0;
  }

  std::vector<Entry> entries_;
  std::vector<std::byte> data_;
  std::array<std::uint64_t, kFilterWords> filter_{};  // lines that entries touch, by hash
};

}  // namespace raddle::kernel::exec
