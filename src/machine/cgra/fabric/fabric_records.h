// What the fabric must know of the threads that are inside a replica: addresses, receives and how
// much of them is still to do. Kept in a ring by sequence number, which grows to what is in flight
// and no further.
#pragma once

#include <cstdint>
#include <vector>

#include "base/address.h"
#include "base/error.h"
#include "machine/cgra/fabric/fabric_feed.h"

namespace raddle::machine::cgra {

// The address of an access that does not take place.
inline constexpr Address kInactive{~std::uint64_t{0}};

// What a thread has to do with others at a receive.
struct ThreadLinks {
  bool has_producer = false;
  bool is_consumed = false;
};

class FabricRecords {
 public:
  // A thread has left when as many uses of it were reported.
  FabricRecords(std::uint32_t accesses, std::uint32_t receives, std::uint32_t uses);

  // Threads of a group are appended one by one, with the number that this gives it.
  std::uint32_t begin_group(const ThreadGroup& group);
  void append(const ThreadGroup& group, std::uint32_t thread, std::uint32_t number);

  std::uint32_t end() const { return end_; }  // sequence number of the next thread
  Address address(std::uint32_t access, std::uint32_t sequence) const {
    return addresses_[row_start(access) + (sequence & mask_)];
  }
  bool has_producer(std::uint32_t receive, std::uint32_t sequence) const {
    return (receives_[row_start(receive) + (sequence & mask_)] & kHasProducer) != 0;
  }
  bool is_consumed(std::uint32_t receive, std::uint32_t sequence) const {
    return (receives_[row_start(receive) + (sequence & mask_)] & kIsConsumed) != 0;
  }
  // Both in one.
  ThreadLinks links(std::uint32_t receive, std::uint32_t sequence) const {
    const std::uint8_t links = receives_[row_start(receive) + (sequence & mask_)];
    return {(links & kHasProducer) != 0, (links & kIsConsumed) != 0};
  }
  // Where the thread's live values are.
  std::uint32_t live_slot(std::uint32_t sequence) const {
    return threads_[sequence & mask_].live_slot;
  }

  // Which one it is of all threads that came to the piece.
  std::uint32_t position(std::uint32_t sequence) const {
    return threads_[sequence & mask_].position;
  }

  void use(std::uint32_t sequence) {
    Thread& thread = threads_[sequence & mask_];
    RADDLE_ASSERT(thread.uses > 0);
    if (--thread.uses == 0) leave(sequence);
  }
  // All threads that were ever appended have left.
  bool is_empty() const { return first_ == end_; }
  // Groups whose threads have all left since this was last cleared.
  std::vector<std::uint32_t>& left() { return left_; }
  std::size_t capacity() const { return threads_.size(); }

 private:
  static constexpr std::uint8_t kHasProducer = 1;
  static constexpr std::uint8_t kIsConsumed = 2;

  struct Thread {
    std::uint32_t uses = 0;  // to come
    std::uint32_t live_slot = 0;
    std::uint32_t position = 0;
    std::uint32_t group = 0;
  };
  struct Group {
    std::uint32_t id = 0;
    std::uint32_t threads = 0;  // that have not left
  };

  std::size_t row_start(std::uint32_t row) const { return std::size_t{row} << shift_; }
  void leave(std::uint32_t sequence);
  void resize(std::uint32_t capacity);

  std::uint32_t accesses_;
  std::uint32_t receive_count_;
  std::uint32_t uses_;
  std::uint32_t mask_ = 0;
  std::uint32_t shift_ = 0;
  std::uint32_t first_ = 0;  // the oldest thread that has not left
  std::uint32_t end_ = 0;
  std::vector<Thread> threads_;
  std::vector<Address> addresses_;      // by access, then by thread
  std::vector<std::uint8_t> receives_;  // by receive, then by thread
  std::vector<Group> groups_;
  std::vector<std::uint32_t> free_groups_;
  std::vector<std::uint32_t> left_;
};

}  // namespace raddle::machine::cgra
