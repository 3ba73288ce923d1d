#include "machine/simt/execution_pipeline.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::simt {

ExecutionPipeline::ExecutionPipeline(const CoreParameters& parameters)
    : parameters_(parameters),
      bank_mask_(parameters.register_banks - 1),
      all_sp_units_((1u << parameters.sp_units) - 1),
      slot_mask_(std::bit_ceil(parameters.booked_ahead().count() + 1) - 1),
      slots_(slot_mask_ + 1),
      sp_collectors_(parameters.sp_collectors),
      sfu_collectors_(parameters.sfu_collectors),
      lent_sp_collectors_(std::max(1u, parameters.lent.sp_collectors)),
      lent_sfu_collectors_(std::max(1u, parameters.lent.sfu_collectors)),
      sfu_free_(parameters.sfu_units) {}

ExecutionPipeline::Collectors::Collectors(std::uint32_t count)
    : count_(count), mask_(std::bit_ceil(count) - 1), ring_(mask_ + 1) {
  for (std::uint32_t i = 0; i < count; ++i) ring_[i].number = i;
}

// Most get free after all others, so that none has to move.
[[gnu::always_inline]] inline void ExecutionPipeline::Collectors::take_until(Cycle cycle,
                                                                             bool waits_for_unit) {
  const Collector taken{cycle, ring_[first_].number, waits_for_unit};
  Collector* const ring = ring_.data();
  const std::uint32_t mask = mask_;
  const std::uint32_t first = first_ + 1;
  std::uint32_t place = first_ + count_;
  const auto before = [&](const Collector& other) {
    return cycle < other.free || (cycle == other.free && taken.number < other.number);
  };
  for (; place > first && before(ring[(place - 1) & mask]); --place)
    ring[place & mask] = ring[(place - 1) & mask];
  // Among those that are free first, the one that was taken last is taken again.
  if (place > first && ring[first & mask].free == cycle) {
    for (; place > first; --place) ring[place & mask] = ring[(place - 1) & mask];
  }
  ring[place & mask] = taken;
  first_ = first & mask;
}

bool ExecutionPipeline::unit_is_behind(Unit unit, Cycle now) const {
  const Cycle undisturbed = now + parameters_.issue_to_read + parameters_.read_to_execute;
  if (unit == Unit::kSfu)
    return *std::min_element(sfu_free_.begin(), sfu_free_.end()) > undisturbed;
  return sp_collectors_.next_waits_for_unit();
}

// These are parts of issue(), and as such quicker than as calls.
template <class Banks>
[[gnu::always_inline]] inline Cycle ExecutionPipeline::read_operands(const IssueInfo& info,
                                                                     const Banks& place,
                                                                     Cycle from) {
  Cycle last = from;
  const std::uint32_t count = info.read_count;
  const std::uint32_t per_cycle = parameters_.reads_per_collector;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t bank = place.bank(info.read_registers[i]);
    if (per_cycle != 0 && i != 0 && i % per_cycle == 0) last = std::max(last, ++from);
    std::uint64_t& banks = slot(from).banks;
    if ((banks & bank) == 0) {
      banks |= bank;
      continue;
    }
    Cycle cycle = from + Cycle(1);
    while ((slot(cycle).banks & bank) != 0) ++cycle;
    slot(cycle).banks |= bank;
    bank_conflicts_ += cycle - from;
    last = std::max(last, cycle);
  }
  return last;
}

[[gnu::always_inline]] inline Cycle ExecutionPipeline::reserve_sp(const IssueInfo& info,
                                                                  Cycle from) {
  const Cycle interval = info.interval;
  sp_busy_ += interval;
  for (Cycle start = from;; ++start) {
    Slot& first = slot(start);
    Slot& result = slot(start + info.latency);
    std::uint32_t taken = first.sp_units;
    for (Cycle i(1); i < interval; ++i) taken |= slot(start + i).sp_units;
    if (parameters_.reserves_results)
      taken |= result.results < parameters_.writebacks ? result.sp_results : all_sp_units_;
    const std::uint32_t free = all_sp_units_ & ~taken;
    if (free == 0) continue;
    const auto unit = static_cast<std::uint16_t>(free & (~free + 1));  // the lowest
    first.sp_units |= unit;
    for (Cycle i(1); i < interval; ++i) slot(start + i).sp_units |= unit;
    result.sp_results |= unit;
    return start;
  }
}

Cycle ExecutionPipeline::reserve_sfu(const IssueInfo& info, Cycle from) {
  Cycle& free = *std::min_element(sfu_free_.begin(), sfu_free_.end());
  Cycle start = std::max(from, free);
  if (parameters_.reserves_results) {
    while (slot(start + info.latency).results >= parameters_.writebacks) ++start;
  }
  free = start + info.interval;
  sfu_busy_ += info.interval;
  return start;
}

template <class Banks>
[[gnu::always_inline]] inline Cycle ExecutionPipeline::write_to(const IssueInfo& info,
                                                                const Banks& banks, Cycle at) {
  while (slot(at).results >= parameters_.writebacks) ++at;
  Slot& place = slot(at);
  ++place.results;
  for (std::uint32_t i = 0; i < info.write_bank_count; ++i)
    place.banks |= banks.bank(info.write_registers[i]);
  return at + Cycle(1);
}

template <class Banks>
[[gnu::always_inline]] inline Cycle ExecutionPipeline::write_loaded(const IssueInfo& info,
                                                                    const Banks& banks, Cycle at) {
  while (slot(at).memory_results >= parameters_.memory_writebacks) ++at;
  Slot& place = slot(at);
  ++place.memory_results;
  for (std::uint32_t i = 0; i < info.write_bank_count; ++i)
    place.banks |= banks.bank(info.write_registers[i]);
  return at + Cycle(1);
}

template <class Banks>
[[gnu::always_inline]] inline Cycle ExecutionPipeline::issue_to(const IssueInfo& info,
                                                                const Banks& banks, Collectors& sp,
                                                                Collectors& sfu_collectors,
                                                                Cycle now) {
  come_to(now);
  const Cycle read = read_operands(info, banks, now + parameters_.issue_to_read);
  const Cycle earliest = read + parameters_.read_to_execute;
  const bool sfu = info.unit == Unit::kSfu;
  const Cycle start = sfu ? reserve_sfu(info, earliest) : reserve_sp(info, earliest);
  // Its operands leave the collector for the unit one cycle after the last was read.
  (sfu ? sfu_collectors : sp)
      .take_until(start - parameters_.read_to_execute + Cycle(1), start > earliest);
  if (info.write_count == 0) {
    ++slot(start + info.latency).results;  // it passes the port all the same
    return now + Cycle(1);
  }
  return write_to(info, banks, start + info.latency);
}

Cycle ExecutionPipeline::issue(const IssueInfo& info, std::uint32_t warp, Cycle now) {
  return issue_to(info, own_banks(warp), sp_collectors_, sfu_collectors_, now);
}

Cycle ExecutionPipeline::issue_lent(const IssueInfo& info, std::uint32_t warp, Cycle now) {
  return issue_to(info, lent_banks(warp), lent_sp_collectors_, lent_sfu_collectors_, now);
}

Cycle ExecutionPipeline::collect(const IssueInfo& info, std::uint32_t warp, Cycle now) {
  come_to(now);
  return read_operands(info, own_banks(warp), now + parameters_.issue_to_read) +
         parameters_.read_to_execute;
}

Cycle ExecutionPipeline::collect_lent(const IssueInfo& info, std::uint32_t warp, Cycle now) {
  come_to(now);
  return read_operands(info, lent_banks(warp), now + parameters_.issue_to_read) +
         parameters_.read_to_execute;
}

Cycle ExecutionPipeline::write_back(const IssueInfo& info, std::uint32_t warp, Cycle at) {
  return write_loaded(info, own_banks(warp), at);
}

Cycle ExecutionPipeline::write_back_lent(const IssueInfo& info, std::uint32_t warp, Cycle at) {
  return write_loaded(info, lent_banks(warp), at);
}

}  // namespace raddle::machine::simt
