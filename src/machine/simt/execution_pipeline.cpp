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

void ExecutionPipeline::Collectors::take_until(Cycle cycle, bool waits_for_unit) {
  collectors_[next_] = {cycle, waits_for_unit};
  // Without branches, which nobody could foretell.
  std::size_t first = next_;
  Cycle free = cycle;
  const Collector* const collectors = collectors_.data();
  const std::size_t count = collectors_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool sooner = collectors[i].free < free;
    first = sooner ? i : first;
    free = sooner ? collectors[i].free : free;
  }
  next_ = first;
  next_free_ = free;
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
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t bank = place.bank(info.read_registers[i]);
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

[[gnu::always_inline]] inline Cycle ExecutionPipeline::reserve_sp(Cycle from, Cycle interval) {
  sp_busy_ += interval;
  if (interval == Cycle(1)) {
    Cycle start = from;
    while (slot(start).sp_units == all_sp_units_) ++start;
    // The lowest that is free.
    slot(start).sp_units |= (slot(start).sp_units + 1) & ~slot(start).sp_units;
    return start;
  }
  for (Cycle start = from;; ++start) {
    std::uint32_t taken = 0;
    for (Cycle i; i < interval; ++i) taken |= slot(start + i).sp_units;
    const std::uint32_t free = all_sp_units_ & ~taken;
    if (free == 0) continue;
    const std::uint32_t unit = free & (~free + 1);
    for (Cycle i; i < interval; ++i) slot(start + i).sp_units |= unit;
    return start;
  }
}

Cycle ExecutionPipeline::reserve_sfu(Cycle from, Cycle interval) {
  Cycle& free = *std::min_element(sfu_free_.begin(), sfu_free_.end());
  const Cycle start = std::max(from, free);
  free = start + interval;
  sfu_busy_ += interval;
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
[[gnu::always_inline]] inline Cycle ExecutionPipeline::issue_to(const IssueInfo& info,
                                                                const Banks& banks, Collectors& sp,
                                                                Collectors& sfu_collectors,
                                                                Cycle now) {
  come_to(now);
  const Cycle read = read_operands(info, banks, now + parameters_.issue_to_read);
  const Cycle earliest = read + parameters_.read_to_execute;
  const bool sfu = info.unit == Unit::kSfu;
  const Cycle start =
      sfu ? reserve_sfu(earliest, info.interval) : reserve_sp(earliest, info.interval);
  // Its operands leave the collector for the unit one cycle after the last was read.
  (sfu ? sfu_collectors : sp)
      .take_until(start - parameters_.read_to_execute + Cycle(1), start > earliest);
  if (info.write_count == 0) return now + Cycle(1);
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
  return write_to(info, own_banks(warp), at);
}

Cycle ExecutionPipeline::write_back_lent(const IssueInfo& info, std::uint32_t warp, Cycle at) {
  return write_to(info, lent_banks(warp), at);
}

}  // namespace raddle::machine::simt
