#include "memory/dram_device.h"

#include "base/error.h"

namespace raddle::memory {

namespace {

using enum DramCommand;

void raise(Cycle& time, Cycle to) { time = std::max(time, to); }

// a − b, not below zero.
Cycle minus(Cycle a, Cycle b) { return a > b ? a - b : Cycle(0); }

// The bound of a command.
template <class Bounds>
auto& at(Bounds& bounds, DramCommand command) {
  return bounds[static_cast<std::size_t>(command)];
}

}  // namespace

DramDevice::DramDevice(const DramTiming& timing) : timing_(timing) {
  check(timing);
  banks_.resize(timing.banks);
  group_bounds_.resize(timing.bank_groups + 1);
}

Cycle DramDevice::earliest(DramCommand command, std::uint32_t bank) const {
  Cycle time{};
  switch (command) {
    case kPrechargeAll:
      for (const Bank& each : banks_)
        if (each.open) raise(time, at(each.bounds, kPrecharge));
      return time;
    case kRefresh:
      for (const Bank& each : banks_) raise(time, at(each.bounds, kActivate));
      return time;
    default:
      return std::max({bank_bound(command, bank), group_bound(group_place(command, bank)),
                       shared_bound(command)});
  }
}

void DramDevice::activate(std::uint32_t number, std::uint32_t row, Cycle now) {
  Bank& bank = banks_[number];
  RADDLE_ASSERT(!bank.open && earliest(kActivate, number) <= now);
  bank.open = true;
  bank.row = row;
  ++open_banks_;
  raise(at(bank.bounds, kRead), now + timing_.t_rcd);
  raise(at(bank.bounds, kWrite), now + timing_.t_rcd_write);
  raise(at(bank.bounds, kPrecharge), now + timing_.t_ras);
  raise(at(bank.bounds, kActivate), now + timing_.t_rc);
  raise(at(bounds_, kActivate), now + timing_.t_rrd);
  // The next activate is the fifth, counted from the one that is oldest once this one is noted.
  last_activates_[oldest_activate_] = now + Cycle(1);
  oldest_activate_ = (oldest_activate_ + 1) % last_activates_.size();
  const Cycle first = last_activates_[oldest_activate_];
  if (first > Cycle(0)) raise(at(bounds_, kActivate), first - Cycle(1) + timing_.t_faw);
}

Cycle DramDevice::read(std::uint32_t number, Cycle now) {
  Bank& bank = banks_[number];
  RADDLE_ASSERT(bank.open && earliest(kRead, number) <= now);
  const Cycle burst = timing_.burst_cycles();
  const Cycle data_end = now + timing_.t_cl + burst;
  raise(at(bank.bounds, kPrecharge), now + timing_.t_rtp);
  raise(group_bounds_[group_place(kRead, number)], now + timing_.t_ccdl);
  raise(at(bounds_, kRead), now + std::max(timing_.t_ccd, burst));
  raise(at(bounds_, kWrite), now + std::max(timing_.t_ccd, timing_.t_rtw));
  raise(at(bounds_, kWrite), minus(data_end, timing_.t_wl));
  return data_end;
}

Cycle DramDevice::write(std::uint32_t number, Cycle now) {
  Bank& bank = banks_[number];
  RADDLE_ASSERT(bank.open && earliest(kWrite, number) <= now);
  const Cycle burst = timing_.burst_cycles();
  const Cycle data_end = now + timing_.t_wl + burst;
  raise(at(bank.bounds, kPrecharge), data_end + timing_.t_wr);
  raise(group_bounds_[group_place(kWrite, number)], now + timing_.t_ccdl);
  raise(at(bounds_, kWrite), now + std::max(timing_.t_ccd, burst));
  raise(at(bounds_, kRead), std::max(now + timing_.t_ccd, data_end + timing_.t_wtr));
  return data_end;
}

void DramDevice::close(Bank& bank, Cycle now) {
  bank.open = false;
  --open_banks_;
  raise(at(bank.bounds, kActivate), now + timing_.t_rp);
}

void DramDevice::precharge(std::uint32_t number, Cycle now) {
  Bank& bank = banks_[number];
  RADDLE_ASSERT(bank.open && at(bank.bounds, kPrecharge) <= now);
  close(bank, now);
}

void DramDevice::precharge_all(Cycle now) {
  for (Bank& bank : banks_) {
    if (!bank.open) continue;
    RADDLE_ASSERT(at(bank.bounds, kPrecharge) <= now);
    close(bank, now);
  }
}

void DramDevice::refresh(Cycle now) {
  RADDLE_ASSERT(open_banks_ == 0 && earliest(kRefresh) <= now);
  for (Bank& bank : banks_) raise(at(bank.bounds, kActivate), now + timing_.t_rfc);
}

void DramDevice::precharge_when_possible(std::uint32_t number) {
  Bank& bank = banks_[number];
  RADDLE_ASSERT(bank.open);
  close(bank, at(bank.bounds, kPrecharge));
}

}  // namespace raddle::memory
