// The requests that wait at a DRAM channel, in the order of their arrival, bank by bank. For every
// bank it knows the oldest request, and the oldest read and write that hit the open row: all that a
// first-ready scheduler looks at, without a walk over the whole queue.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/access.h"

namespace raddle::memory {

// What a request had to do to its bank before it was served.
enum class RowOutcome : std::uint8_t { kHit, kMiss, kConflict };

struct DramRequest {
  Access access;
  std::uint64_t number = 0;  // of arrival, counted from 0
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t reads_left = 0;   // bursts; an atomic reads first, then writes
  std::uint32_t writes_left = 0;  // bursts
  RowOutcome outcome = RowOutcome::kHit;
  std::int32_t next = -1;  // in its bank

  bool wants_read() const { return reads_left > 0; }
  // Whether it is answered when its present bursts, reads or writes, are through.
  bool needs_answer() const {
    if (access.kind == AccessKind::kWriteBack) return false;
    return wants_read() || !is_read(access.kind);
  }
};

class DramQueue {
 public:
  static constexpr std::int32_t kNone = -1;

  DramQueue(std::size_t entries, std::uint32_t banks);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return first_free_ == kNone; }

  // Requests are named by their slot.
  std::int32_t push(DramRequest request);
  void remove(std::int32_t slot);
  DramRequest& operator[](std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
  const DramRequest& operator[](std::int32_t slot) const {
    return slots_[static_cast<std::size_t>(slot)];
  }

  // A bit for every bank that somebody waits for.
  std::uint64_t waiting_banks() const { return waiting_banks_; }
  std::int32_t oldest(std::uint32_t bank) const { return banks_[bank].first; }
  // Of all banks; kNone if the queue is empty.
  std::int32_t oldest() const { return oldest_; }

  // The oldest request of the bank that wants to read, or write, its open row; kNone: there is
  // none.
  std::int32_t read_hit(std::uint32_t bank) const { return banks_[bank].read_hit; }
  std::int32_t write_hit(std::uint32_t bank) const { return banks_[bank].write_hit; }
  bool has_hit(std::uint32_t bank) const {
    return banks_[bank].read_hit != kNone || banks_[bank].write_hit != kNone;
  }
  // To be called when the bank's row was opened; until it is closed the hits are known.
  void find_hits(std::uint32_t bank, std::uint32_t open_row);
  // To be called when a request came whose row is open, and before one that hits leaves.
  void add_hit(std::int32_t slot);
  void drop_hit(std::int32_t slot);

  // How many younger requests have been served before the oldest one: all that came before it have
  // been served, and so has whoever overtook it.
  std::uint64_t overtakers_of_oldest() const {
    return oldest_ == kNone ? 0 : removed_ - (*this)[oldest_].number;
  }

 private:
  struct Bank {
    std::int32_t first = kNone, last = kNone;
    std::int32_t read_hit = kNone, write_hit = kNone;
  };

  std::int32_t& hit_of(const DramRequest& request) {
    Bank& bank = banks_[request.bank];
    return request.wants_read() ? bank.read_hit : bank.write_hit;
  }
  std::int32_t find_oldest() const;

  std::vector<DramRequest> slots_;
  std::vector<Bank> banks_;
  std::int32_t first_free_;
  std::int32_t oldest_ = kNone;
  std::size_t size_ = 0;
  std::uint64_t waiting_banks_ = 0;
  std::uint64_t pushed_ = 0;
  std::uint64_t removed_ = 0;
};

}  // namespace raddle::memory
