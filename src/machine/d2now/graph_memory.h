// Which code blocks are resident in a node's TSU. An inlet thread loads the templates of its block,
// the outlet removes them (DDM §2.2); a block that finds no room waits for one to go. Ready counts
// of threads that some but not all producers have reached lie in the synchronization memory; those
// that do not fit there lie in memory and cost more.
#pragma once

#include <cstdint>
#include <vector>

namespace raddle::machine::d2now {

class GraphMemory {
 public:
  GraphMemory(std::uint32_t templates, std::uint32_t blocks)
      : capacity_(templates), resident_(blocks) {}

  bool is_resident(std::uint32_t block) const { return resident_[block] != 0; }
  // False: no room now.
  [[nodiscard]] bool try_load(std::uint32_t block, std::uint32_t templates) {
    if (templates > capacity_ - used_) return false;
    used_ += templates;
    resident_[block] = 1;
    if (used_ > most_used_) most_used_ = used_;
    return true;
  }
  void remove(std::uint32_t block, std::uint32_t templates) {
    resident_[block] = 0;
    used_ -= templates;
  }
  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t used() const { return used_; }
  std::uint32_t most_used() const { return most_used_; }

 private:
  std::uint32_t capacity_;
  std::uint32_t used_ = 0;
  std::uint32_t most_used_ = 0;
  std::vector<std::uint8_t> resident_;  // by block
};

class SynchronizationMemory {
 public:
  explicit SynchronizationMemory(std::uint32_t counts) : capacity_(counts) {}

  void count_begins() { ++live_; }
  void count_ends() { --live_; }
  // Whether a count has to be looked for in memory.
  bool is_full() const { return live_ > capacity_; }

 private:
  std::uint64_t capacity_;
  std::uint64_t live_ = 0;
};

}  // namespace raddle::machine::d2now
