#include "memory/cache_component.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "memory/bits.h"

namespace raddle::memory {
namespace {

CacheComponentParameters checked(const CacheComponentParameters& parameters) {
  parameters.check();
  return parameters;
}

// A miss may have to write back a victim when its line comes. The room for that is kept free, else
// a fill could wait for the level below while that waits for the fill to be taken.
std::size_t reserved_requests(const CacheParameters& parameters, std::size_t misses) {
  return parameters.allocation == Allocation::kOnFill ? misses : 0;
}

CacheStall stall_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kMergeListFull: return CacheStall::kMergeListFull;
    case Refusal::kSetReserved: return CacheStall::kSetReserved;
    case Refusal::kNoMshr:
    case Refusal::kNone: break;
  }
  return CacheStall::kNoMshr;
}

constexpr std::array kStallCounts{
    &CacheComponentStats::stalled_bank_busy,       &CacheComponentStats::stalled_no_mshr,
    &CacheComponentStats::stalled_merge_list_full, &CacheComponentStats::stalled_set_reserved,
    &CacheComponentStats::stalled_no_forward,      &CacheComponentStats::stalled_down_full,
    &CacheComponentStats::stalled_up_full};

}  // namespace

void CacheComponentParameters::check() const {
  cache.check();
  if (banks < 1 || banks > 64)
    throw Error(fmt::format("a cache of {} banks", banks), {}, "take 1 to 64");
  if (forwards < 1) {
    throw Error("a cache that lets 0 stores await their answer", {}, "take at least 1");
  }
}

CacheComponent::CacheComponent(std::string name, const CacheComponentParameters& parameters,
                               CachePorts ports)
    : Component(std::move(name)),
      parameters_(checked(parameters)),
      ports_(ports),
      cache_(parameters.cache),
      hits_(parameters.banks, sim::Pipeline<Access>(parameters.cache.hit_latency)),
      answers_(parameters.cache.accesses_per_mshr + parameters.banks),
      requests_(2 * Cache::kMaxDown * parameters.banks +
                reserved_requests(parameters.cache, parameters.cache.mshrs)),
      forwards_(parameters.forwards),
      free_forwards_(parameters.forwards) {
  if (parameters_.bank_bytes == 0) parameters_.bank_bytes = parameters_.cache.line_bytes;
  std::iota(free_forwards_.rbegin(), free_forwards_.rend(), 0U);
}

Cycle CacheComponent::tick(Cycle now) {
  progress_ = false;
  take_from_below(now);
  send_up(now);
  take_from_above(now);
  send_down(now);
  // After a cycle in which nothing moved, only an arrival or room in a channel can change that; the
  // channels wake us for both.
  if (progress_ && has_work(now)) return now + Cycle(1);
  return next_arrival(now);
}

void CacheComponent::take_from_below(Cycle now) {
  for (std::uint32_t i = 0; i < parameters_.banks && ports_.from_below.ready(now); ++i) {
    if (answers_.room() < parameters_.cache.accesses_per_mshr) return;
    const Access from_below = ports_.from_below.pop(now);
    progress_ = true;
    if (from_below.kind != AccessKind::kLoad) {
      if (!awaits_answer(from_below.kind)) continue;
      const auto slot = static_cast<std::uint32_t>(from_below.token);
      answers_.push(forwards_[slot]);
      free_forwards_.push_back(slot);
      continue;
    }
    const Fill fill = cache_.fill(from_below.address);
    refused_ = false;
    for (const Access& waiting : fill.waiting) answers_.push(waiting);
    for (Access write_back : fill.down) {
      write_back.source = parameters_.port;
      requests_.push(write_back);
    }
  }
}

// Fills first: they free what misses wait for.
void CacheComponent::send_up(Cycle now) {
  for (std::uint32_t i = 0; i < parameters_.banks; ++i) {
    sim::Pipeline<Access>* hit = answers_.empty() ? oldest_ready_hit(now) : nullptr;
    if (answers_.empty() && hit == nullptr) return;
    if (!ports_.to_above.try_send(hit != nullptr ? hit->front() : answers_.front(), now)) return;
    if (hit != nullptr) {
      hit->pop();
    } else {
      answers_.pop();
    }
    ++stats_.answered;
    progress_ = true;
  }
}

sim::Pipeline<Access>* CacheComponent::oldest_ready_hit(Cycle now) {
  sim::Pipeline<Access>* oldest = nullptr;
  for (sim::Pipeline<Access>& pipe : hits_) {
    if (!pipe.ready(now)) continue;
    if (oldest == nullptr || pipe.next_ready() < oldest->next_ready()) oldest = &pipe;
  }
  return oldest;
}

void CacheComponent::take_from_above(Cycle now) {
  if (stalled_) {
    stats_.*kStallCounts[static_cast<std::size_t>(stall_)] += (now - stalled_at_).count();
    stalled_ = false;
  }
  busy_banks_ = 0;
  for (std::uint32_t i = 0; i < parameters_.banks && ports_.from_above.ready(now); ++i) {
    if (!take(ports_.from_above.front(), now)) {
      stalled_ = true;
      stalled_at_ = now;
      return;
    }
    ports_.from_above.pop(now);
    ++stats_.taken;
    progress_ = true;
  }
}

bool CacheComponent::stall(CacheStall cause) {
  stall_ = cause;
  return false;
}

bool CacheComponent::take(const Access& access, Cycle now) {
  if (refused_) return false;
  const std::uint64_t banks = banks_of(access);
  if ((busy_banks_ & banks) != 0) return stall(CacheStall::kBankBusy);
  const std::size_t pipe = accepting_pipe(now);
  if (pipe == kNoPipe) return stall(CacheStall::kUpFull);
  if (!request_room()) return stall(CacheStall::kDownFull);
  if (free_forwards_.empty() && awaits_answer(access.kind) && cache_.may_forward(access.kind))
    return stall(CacheStall::kNoForward);
  const Outcome outcome = cache_.access(access, now);
  if (outcome.verdict == Verdict::kRefused) {
    refused_ = true;
    return stall(stall_of(outcome.refusal));
  }
  busy_banks_ |= banks;
  queue_requests(outcome);
  const bool is_answered_here =
      outcome.verdict == Verdict::kHit || outcome.verdict == Verdict::kValidated ||
      (outcome.verdict == Verdict::kForwarded && !awaits_answer(access.kind));
  if (is_answered_here && access.kind != AccessKind::kWriteBack) hits_[pipe].push(access, now);
  return true;
}

bool CacheComponent::awaits_answer(AccessKind forwarded) const {
  switch (forwarded) {
    case AccessKind::kLoad:
    case AccessKind::kAtomic: return true;
    case AccessKind::kStore: return parameters_.store_answer == StoreAnswer::kFromBelow;
    case AccessKind::kWriteBack: break;
  }
  return false;
}

void CacheComponent::queue_requests(const Outcome& outcome) {
  for (Access request : outcome.down) {
    if (request.kind != AccessKind::kLoad && awaits_answer(request.kind)) {
      const std::uint32_t slot = free_forwards_.back();
      free_forwards_.pop_back();
      forwards_[slot] = request;
      request.token = slot;
    }
    request.source = parameters_.port;
    requests_.push(request);
  }
}

void CacheComponent::send_down(Cycle now) {
  for (std::uint32_t i = 0; i < parameters_.banks && !requests_.empty(); ++i) {
    if (!ports_.to_below.try_send(requests_.front(), now)) return;
    requests_.pop();
    progress_ = true;
  }
}

std::size_t CacheComponent::accepting_pipe(Cycle now) const {
  for (std::size_t i = 0; i < hits_.size(); ++i) {
    if (hits_[i].accepts(now)) return i;
  }
  return kNoPipe;
}

std::uint64_t CacheComponent::banks_of(const Access& access) const {
  const std::uint32_t banks = parameters_.banks;
  if (banks == 1) return 1;
  const std::uint64_t first = access.address / parameters_.bank_bytes;
  const std::uint64_t count =
      (access.address + access.bytes - 1) / parameters_.bank_bytes - first + 1;
  if (count >= banks) return low_bits(banks);
  const std::uint64_t mask = low_bits(count) << first % banks;
  const std::uint64_t beyond = first % banks + count > banks ? first % banks + count - banks : 0;
  return (mask & low_bits(banks)) | low_bits(beyond);
}

bool CacheComponent::request_room() const {
  return requests_.room() >=
         Cache::kMaxDown + reserved_requests(parameters_.cache, cache_.mshrs().size() + 1);
}

bool CacheComponent::has_work(Cycle now) {
  return !answers_.empty() || !requests_.empty() || oldest_ready_hit(now) != nullptr ||
         ports_.from_above.ready(now) || ports_.from_below.ready(now);
}

Cycle CacheComponent::next_arrival(Cycle now) const {
  Cycle next = sim::kNever;
  const auto consider = [&](Cycle at) {
    if (at > now) next = std::min(next, at);
  };
  for (const sim::Pipeline<Access>& pipe : hits_) consider(pipe.next_ready());
  consider(ports_.from_above.next_ready());
  consider(ports_.from_below.next_ready());
  return next;
}

bool CacheComponent::idle() const {
  const auto is_empty = [](const sim::Pipeline<Access>& pipe) { return pipe.empty(); };
  return std::all_of(hits_.begin(), hits_.end(), is_empty) && answers_.empty() &&
         requests_.empty() && free_forwards_.size() == forwards_.size() &&
         cache_.mshrs().size() == 0 && ports_.from_above.empty();
}

}  // namespace raddle::memory
