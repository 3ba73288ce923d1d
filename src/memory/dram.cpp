#include "memory/dram.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"

namespace raddle::memory {

DramChannel::DramChannel(std::string name, const DramSpec& spec, std::uint32_t index,
                         sim::Channel<Access>& requests, sim::Channel<Access>& answers)
    : Component(std::move(name)),
      spec_(spec),
      mapping_(spec.mapping),
      index_(index),
      device_(spec.timing),
      queue_(spec.queue_entries, spec.timing.banks),
      scheduler_(spec.scheduling, spec.starvation_cap, device_, queue_),
      requests_(requests),
      answers_(answers),
      answers_under_way_(std::max<std::size_t>(1, spec.answer_entries)),
      read_bytes_(mapping_.burst()),
      reads_sectors_(spec.read_sector > Bytes(0) && spec.read_sector < mapping_.burst()),
      row_stretch_(mapping_.row_stretch()) {
  RADDLE_ASSERT(index < mapping_.channels());
  if (mapping_.banks() != spec.timing.banks)
    throw Error(fmt::format("the address mapping has {} banks, the DRAM {}", mapping_.banks(),
                            spec.timing.banks),
                {}, "give the mapping as many bank bits as the DRAM has");
  if (mapping_.burst() != spec.timing.burst_bytes())
    throw Error(fmt::format("the address mapping has bursts of {} bytes, the DRAM of {}",
                            mapping_.burst().count(), spec.timing.burst_bytes().count()),
                {}, "a burst is burst length × bus bytes");
  if (spec.most_access > mapping_.row_stretch())
    throw Error(
        fmt::format("accesses of {} bytes do not lie within one row of a DRAM that keeps {} "
                    "bytes together",
                    spec.most_access.count(), mapping_.row_stretch().count()),
        {}, "give its address mapping a larger chunk or more low column bits");
  if (spec.queue_entries == 0 || spec.answer_entries == 0)
    throw Error("a DRAM channel needs places for requests and answers", {},
                "give each of its queues at least one entry");
  if (spec.read_sector > Bytes(0)) read_bytes_ = std::min(read_bytes_, spec.read_sector);
  if (spec.timing.t_refi > Cycle(0)) next_refresh_ = spec.timing.t_refi;
}

Cycle DramChannel::tick(Cycle now) {
  count_time(now);
  refresh_while_idle(now);
  const bool answers_flow = send_answer(now);
  take_request(now);
  if (plan_.at <= now) {
    issue(now);
    plan(now + Cycle(1));
  }
  Cycle next = plan_.at;
  if (answers_flow && !answers_under_way_.empty())
    next = std::min(next, answers_under_way_.front().at);
  if (!requests_.empty() && has_room_for(requests_.front()))
    next = std::min(next, requests_.next_ready());
  return next;  // if that has passed, the next cycle
}

void DramChannel::settle(Cycle now) {
  count_time(now);
  refresh_while_idle(now);
}

void DramChannel::count_time(Cycle now) {
  const std::uint64_t elapsed = (now - counted_until_).count();
  counted_until_ = now;
  if (queue_.empty()) return;
  stats_.waiting_cycles += elapsed;
  stats_.occupancy_sum += elapsed * queue_.size();
}

// With nothing to do the channel sleeps through its refreshes; what they did is caught up with when
// it wakes.
void DramChannel::refresh_while_idle(Cycle now) {
  if (!queue_.empty() || next_refresh_ >= now) return;
  if (device_.open_banks() > 0) {
    const Cycle at = std::max(next_refresh_, device_.earliest(DramCommand::kPrechargeAll));
    if (at >= now) return;  // still to come: the plan sees to it
    stats_.precharges += device_.open_banks();
    device_.precharge_all(at);
  }
  const Cycle first = std::max(next_refresh_, device_.earliest(DramCommand::kRefresh));
  device_.refresh(first);
  ++stats_.refreshes;
  next_refresh_ += spec_.timing.t_refi;
  if (next_refresh_ >= now) return;
  const std::uint64_t more = (now - Cycle(1) - next_refresh_) / spec_.timing.t_refi + 1;
  device_.refresh(next_refresh_ + spec_.timing.t_refi * (more - 1));
  stats_.refreshes += more;
  next_refresh_ += spec_.timing.t_refi * more;
}

bool DramChannel::send_answer(Cycle now) {
  if (answers_under_way_.empty() || answers_under_way_.front().at > now) return true;
  if (!answers_.try_send(answers_under_way_.front().access, now)) return false;
  const bool was_full = answers_full();
  answers_under_way_.pop();
  if (was_full) plan(now);  // reads and stores may go on
  return true;
}

std::uint32_t DramChannel::entries_of(const Access& access) const {
  if (!reads_sectors_ || !is_read(access.kind)) return 1;
  return static_cast<std::uint32_t>(units_touched(access.address, access.bytes, read_bytes_));
}

void DramChannel::take_request(Cycle now) {
  if (!requests_.ready(now) || !has_room_for(requests_.front())) return;
  const Access access = requests_.pop(now);
  RADDLE_ASSERT(access.bytes > ShortBytes(0));
  entries_ += entries_of(access);
  const auto pieces = [&](Bytes unit) {
    return static_cast<std::uint32_t>(units_touched(access.address, access.bytes, unit));
  };
  const std::uint32_t bursts = pieces(mapping_.burst());
  const std::uint32_t reads = pieces(read_bytes_);
  const DramLocation location = mapping_.locate(access.address);
  RADDLE_ASSERT(location.channel == index_);
  if (pieces(row_stretch_) > 1) {
    const DramLocation end = mapping_.locate(access.address + access.bytes - Bytes(1));
    RADDLE_ASSERT(end.channel == index_ && end.bank == location.bank && end.row == location.row);
  }
  const std::uint32_t bank = location.bank;
  const std::int32_t slot = queue_.push({.access = access,
                                         .bank = bank,
                                         .row = location.row,
                                         .reads_left = is_read(access.kind) ? reads : 0,
                                         .writes_left = is_write(access.kind) ? bursts : 0});
  if (device_.is_open(bank) && device_.open_row(bank) == location.row) queue_.add_hit(slot);
  scheduler_.update(bank);
  plan_ = scheduler_.next_with_arrival(plan_, bank, now, answers_full());
  put_refresh_before_plan(now);
}

void DramChannel::plan(Cycle from) {
  plan_ = scheduler_.next(from, answers_full());
  put_refresh_before_plan(from);
}

// A refresh that is due comes before all that could not be issued until then.
void DramChannel::put_refresh_before_plan(Cycle from) {
  if (plan_.at < next_refresh_ || next_refresh_ == sim::kNever || queue_.empty()) return;
  const DramCommand command =
      device_.open_banks() > 0 ? DramCommand::kPrechargeAll : DramCommand::kRefresh;
  plan_ = {std::max({next_refresh_, from, device_.earliest(command)}), command, DramQueue::kNone};
}

void DramChannel::issue(Cycle now) {
  switch (plan_.command) {
    case DramCommand::kActivate: return open_row(queue_[plan_.request], now);
    case DramCommand::kPrecharge: return close_row(queue_[plan_.request], now);
    case DramCommand::kRead:
    case DramCommand::kWrite: return serve_burst(queue_[plan_.request], now);
    case DramCommand::kPrechargeAll: return close_all_rows(now);
    case DramCommand::kRefresh:
      device_.refresh(now);
      ++stats_.refreshes;
      next_refresh_ += spec_.timing.t_refi;
      for (std::uint32_t bank = 0; bank < spec_.timing.banks; ++bank) scheduler_.update(bank);
      return;
  }
}

void DramChannel::open_row(DramRequest& request, Cycle now) {
  device_.activate(request.bank, request.row, now);
  if (request.outcome == RowOutcome::kHit) request.outcome = RowOutcome::kMiss;
  ++stats_.activates;
  queue_.find_hits(request.bank, request.row);
  scheduler_.update(request.bank);
}

void DramChannel::close_row(DramRequest& request, Cycle now) {
  device_.precharge(request.bank, now);
  request.outcome = RowOutcome::kConflict;
  ++stats_.precharges;
  scheduler_.update(request.bank);
}

void DramChannel::close_all_rows(Cycle now) {
  stats_.precharges += device_.open_banks();
  device_.precharge_all(now);
  for (std::uint32_t bank = 0; bank < spec_.timing.banks; ++bank) scheduler_.update(bank);
}

void DramChannel::serve_burst(DramRequest& request, Cycle now) {
  const std::uint32_t bank = request.bank;
  const bool reads = request.wants_read();
  const bool answered = request.needs_answer();
  const Cycle data_end = reads ? device_.read(bank, now) : device_.write(bank, now);
  ++(reads ? stats_.read_bursts : stats_.write_bursts);
  stats_.bus_busy_cycles += spec_.timing.burst_cycles();
  std::uint32_t& left = reads ? request.reads_left : request.writes_left;
  if (reads && reads_sectors_ && left > 1) --entries_;
  if (left == 1) {
    queue_.drop_hit(plan_.request);
    if (answered) answers_under_way_.push({request.access, data_end});
  }
  --left;
  if (request.reads_left + request.writes_left == 0) {
    finish(plan_.request);
  } else if (left == 0) {
    queue_.find_hits(bank, request.row);  // an atomic, which writes from now on
  }
  if (spec_.page_policy == PagePolicy::kClosed && !queue_.has_hit(bank)) {
    device_.precharge_when_possible(bank);
    ++stats_.precharges;
  }
  scheduler_.update(bank);
}

void DramChannel::finish(std::int32_t slot) {
  const DramRequest& request = queue_[slot];
  const bool reads = is_read(request.access.kind);
  const bool writes = is_write(request.access.kind);
  stats_.reads += reads ? 1 : 0;
  stats_.writes += writes ? 1 : 0;
  stats_.bytes += std::uint64_t{request.access.bytes.count()} * (reads && writes ? 2 : 1);
  switch (request.outcome) {
    case RowOutcome::kHit: ++stats_.row_hits; break;
    case RowOutcome::kMiss: ++stats_.row_misses; break;
    case RowOutcome::kConflict: ++stats_.row_conflicts; break;
  }
  --entries_;
  queue_.remove(slot);
}

}  // namespace raddle::memory
