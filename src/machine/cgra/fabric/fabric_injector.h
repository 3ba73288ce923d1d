// Where threads enter a replica. An injector holds several groups of threads and takes turns with
// them, so that the threads that wait in a unit's token buffer belong to different groups: their
// accesses go to different lines, and as many lines are on their way as the buffer has entries.
// Where threads communicate, one group follows the other, in the order of its threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "machine/cgra/fabric/fabric_feed.h"
#include "machine/cgra/fabric/fabric_records.h"

namespace raddle::machine::cgra {

// The uniform values of a configuration that scalar units have computed, for groups of the same
// block at other injectors.
class SharedValues {
 public:
  // When they were or will be there; null: nobody has computed them lately.
  const Cycle* ready(std::uint64_t values) const {
    for (const Entry& entry : entries_) {
      if (entry.values == values) return &entry.ready;
    }
    return nullptr;
  }
  void add(std::uint64_t values, Cycle ready) {
    entries_[next_] = {values, ready};
    next_ = (next_ + 1) % entries_.size();
  }

 private:
  struct Entry {
    std::uint64_t values = ~std::uint64_t{0};
    Cycle ready;
  };
  std::array<Entry, 64> entries_;  // more than blocks that are entering
  std::size_t next_ = 0;
};

class FabricInjector {
 public:
  // `scalar_cycles`: that the scalar unit takes for what all threads of a group share. It begins
  // when the group before it has been taken, and the group's threads enter when it is done.
  explicit FabricInjector(std::uint32_t groups, Cycle scalar_cycles = Cycle(0),
                          SharedValues* shared = nullptr)
      : places_(groups), scalar_cycles_(scalar_cycles), shared_(shared) {}

  // Appends the thread whose turn it is to the records. False: there is none for now.
  bool append_next(ThreadFeed& feed, std::uint32_t replica, FabricRecords& records, Cycle now);
  // A group's threads wait for the scalar unit.
  bool waits_for_scalar_unit() const { return open_ > 0; }
  // Groups that the scalar unit computed for.
  std::uint64_t groups() const { return groups_; }
  // The feed may have a group where it had none.
  void ask_again() { may_ask_ = !has_ended_; }
  // It waits for a group that the feed does not have yet.
  bool is_waiting() const { return !may_ask_ && !has_ended_ && open_ == 0; }
  // No more threads come.
  bool is_done() const { return has_ended_ && open_ == 0; }

 private:
  struct Place {
    ThreadGroup group;
    std::uint32_t number = 0;  // in the records
    std::uint32_t next = 0;    // thread of the group
    std::uint32_t left = 0;    // threads to come
    Cycle ready;               // when the scalar unit is done
  };

  void compute_shared_values(Place& place, Cycle known);
  void open(std::uint32_t index, ThreadFeed& feed, std::uint32_t replica, FabricRecords& records,
            Cycle now);

  std::vector<Place> places_;
  Cycle scalar_cycles_;
  SharedValues* shared_;
  Cycle scalar_free_;
  Cycle known_since_;  // the group that is taken next, if there was one
  bool had_none_ = true;
  std::uint64_t groups_ = 0;
  std::uint32_t open_ = 0;  // places with threads to come
  std::uint32_t turn_ = 0;  // of which place
  bool may_ask_ = true;
  bool has_ended_ = false;  // the feed has no more groups
};

}  // namespace raddle::machine::cgra
