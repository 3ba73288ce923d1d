#include "machine/cgra/fabric/fabric_records.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::cgra {

namespace {

constexpr std::uint32_t kFirstCapacity = 64;

}  // namespace

FabricRecords::FabricRecords(std::uint32_t accesses, std::uint32_t receives, std::uint32_t uses)
    : accesses_(accesses), receive_count_(receives), uses_(uses) {
  RADDLE_ASSERT(uses >= 1);
  resize(kFirstCapacity);
}

std::uint32_t FabricRecords::begin_group(const ThreadGroup& group) {
  const std::size_t accesses = std::size_t{accesses_} * group.threads;
  const std::size_t receives = std::size_t{receive_count_} * group.threads;
  RADDLE_ASSERT(group.threads >= 1 && group.addresses.size() >= accesses &&
                group.active.size() >= accesses && group.has_producer.size() >= receives &&
                group.is_consumed.size() >= receives);
  auto number = static_cast<std::uint32_t>(groups_.size());
  if (free_groups_.empty()) {
    groups_.emplace_back();
  } else {
    number = free_groups_.back();
    free_groups_.pop_back();
  }
  groups_[number] = {group.id, group.threads};
  return number;
}

void FabricRecords::append(const ThreadGroup& group, std::uint32_t thread, std::uint32_t number) {
  if (end_ - first_ == capacity()) resize(2 * (end_ - first_));
  const std::uint32_t place = end_ & mask_;
  threads_[place] = {uses_, group.first_slot + thread, group.position + thread, number};
  for (std::uint32_t a = 0; a < accesses_; ++a) {
    const std::size_t from = std::size_t{a} * group.threads + thread;
    addresses_[row_start(a) + place] =
        group.active[from] != 0 ? Address(group.addresses[from]) : kInactive;
  }
  for (std::uint32_t r = 0; r < receive_count_; ++r) {
    const std::size_t from = std::size_t{r} * group.threads + thread;
    receives_[row_start(r) + place] =
        static_cast<std::uint8_t>((group.has_producer[from] != 0 ? kHasProducer : 0) |
                                  (group.is_consumed[from] != 0 ? kIsConsumed : 0));
  }
  ++end_;
}

void FabricRecords::leave(std::uint32_t sequence) {
  const std::uint32_t number = threads_[sequence & mask_].group;
  if (--groups_[number].threads == 0) {
    left_.push_back(groups_[number].id);
    free_groups_.push_back(number);
  }
  if (sequence != first_) return;
  while (first_ != end_ && threads_[first_ & mask_].uses == 0) ++first_;
}

void FabricRecords::resize(std::uint32_t capacity) {
  const std::vector<Thread> threads = std::move(threads_);
  const std::vector<Address> addresses = std::move(addresses_);
  const std::vector<std::uint8_t> receives = std::move(receives_);
  const std::uint32_t old_mask = mask_;
  const std::uint32_t old_shift = shift_;
  mask_ = capacity - 1;
  shift_ = static_cast<std::uint32_t>(std::countr_zero(capacity));
  threads_.assign(capacity, {});
  addresses_.assign(row_start(accesses_), Address(0));
  receives_.assign(row_start(receive_count_), 0);
  for (std::uint32_t i = first_; i != end_; ++i) {
    threads_[i & mask_] = threads[i & old_mask];
    for (std::uint32_t a = 0; a < accesses_; ++a)
      addresses_[row_start(a) + (i & mask_)] =
          addresses[(std::size_t{a} << old_shift) + (i & old_mask)];
    for (std::uint32_t r = 0; r < receive_count_; ++r)
      receives_[row_start(r) + (i & mask_)] =
          receives[(std::size_t{r} << old_shift) + (i & old_mask)];
  }
}

}  // namespace raddle::machine::cgra
