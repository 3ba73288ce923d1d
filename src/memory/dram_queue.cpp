#include "memory/dram_queue.h"

#include <bit>

#include "base/error.h"

namespace raddle::memory {

DramQueue::DramQueue(std::size_t entries, std::uint32_t banks)
    : slots_(entries), banks_(banks), first_free_(entries == 0 ? kNone : 0) {
  for (std::size_t i = 0; i + 1 < entries; ++i) slots_[i].next = static_cast<std::int32_t>(i) + 1;
}

std::int32_t DramQueue::push(DramRequest request) {
  RADDLE_ASSERT(!full());
  const std::int32_t slot = first_free_;
  DramRequest& place = (*this)[slot];
  first_free_ = place.next;
  place = request;
  place.number = pushed_++;
  place.next = kNone;
  Bank& bank = banks_[request.bank];
  if (bank.first == kNone) {
    bank.first = slot;
    waiting_banks_ |= std::uint64_t{1} << request.bank;
  } else {
    (*this)[bank.last].next = slot;
  }
  bank.last = slot;
  if (oldest_ == kNone) oldest_ = slot;
  ++size_;
  return slot;
}

void DramQueue::remove(std::int32_t slot) {
  DramRequest& request = (*this)[slot];
  Bank& bank = banks_[request.bank];
  if (bank.first == slot) {
    bank.first = request.next;
    if (bank.first == kNone) {
      bank.last = kNone;
      waiting_banks_ &= ~(std::uint64_t{1} << request.bank);
    }
  } else {
    std::int32_t before = bank.first;
    while ((*this)[before].next != slot) before = (*this)[before].next;
    (*this)[before].next = request.next;
    if (bank.last == slot) bank.last = before;
  }
  request.next = first_free_;
  first_free_ = slot;
  --size_;
  ++removed_;
  if (oldest_ == slot) oldest_ = find_oldest();
}

std::int32_t DramQueue::find_oldest() const {
  std::int32_t found = kNone;
  for (std::uint64_t banks = waiting_banks_; banks != 0; banks &= banks - 1) {
    const std::int32_t slot = banks_[static_cast<std::size_t>(std::countr_zero(banks))].first;
    if (found == kNone || (*this)[slot].number < (*this)[found].number) found = slot;
  }
  return found;
}

void DramQueue::find_hits(std::uint32_t number, std::uint32_t open_row) {
  Bank& bank = banks_[number];
  bank.read_hit = bank.write_hit = kNone;
  for (std::int32_t slot = bank.first; slot != kNone; slot = (*this)[slot].next) {
    const DramRequest& request = (*this)[slot];
    if (request.row != open_row) continue;
    std::int32_t& hit = request.wants_read() ? bank.read_hit : bank.write_hit;
    if (hit == kNone) hit = slot;
    if (bank.read_hit != kNone && bank.write_hit != kNone) return;
  }
}

void DramQueue::add_hit(std::int32_t slot) {
  std::int32_t& hit = hit_of((*this)[slot]);
  if (hit == kNone) hit = slot;
}

void DramQueue::drop_hit(std::int32_t slot) {
  const DramRequest& request = (*this)[slot];
  std::int32_t& hit = hit_of(request);
  if (hit != slot) return;
  // Older requests of its bank hit in the other direction, or not at all.
  std::int32_t next = request.next;
  while (next != kNone &&
         ((*this)[next].row != request.row || (*this)[next].wants_read() != request.wants_read()))
    next = (*this)[next].next;
  hit = next;
}

}  // namespace raddle::memory
