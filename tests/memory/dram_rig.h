// One DRAM channel with a sender before it and a taker after it, at one clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "memory/dram.h"
#include "memory/traffic.h"
#include "sim/engine.h"

namespace raddle::memory {

class TickedDram : public DramChannel {
 public:
  using DramChannel::DramChannel;
  Cycle tick(Cycle now) override {
    ticks.push_back(now.count());
    return DramChannel::tick(now);
  }
  std::vector<std::uint64_t> ticks;
};

class DramRig {
 public:
  // Times of answers, by token: those at which the DRAM sent them.
  using Answers = std::map<std::uint64_t, std::uint64_t>;

  explicit DramRig(const DramSpec& spec, Cycle taker_interval = Cycle(0), std::size_t places = 1024)
      : mapping(spec.mapping),
        requests_(places),
        answers_(places == 1024 ? 1024 : 2),
        sender_(requests_),
        dram("dram", spec, 0, requests_, answers_),
        taker_(answers_, taker_interval),
        clock_("clock", Hertz(1e9)) {
    sim::ClockDomain& domain = engine_.add_clock(clock_);
    engine_.add(sender_, domain);
    engine_.add(dram, domain);
    engine_.add(taker_, domain);
    requests_.connect(sender_, dram);
    answers_.connect(dram, taker_);
  }

  Address place(std::uint32_t bank, std::uint32_t row, std::uint32_t column = 0) const {
    return mapping.address_of({0, bank, row, column});
  }
  // The DRAM sees the access in this cycle; tokens count from 0.
  void see(std::uint64_t cycle, AccessKind kind, Address address, std::uint32_t bytes) {
    sender_.at(Cycle(cycle - 1), {address, ShortBytes(bytes), kind, 0, tokens_++});
  }
  void see_load(std::uint64_t cycle, Address address, std::uint32_t bytes = 16) {
    see(cycle, AccessKind::kLoad, address, bytes);
  }
  void see_store(std::uint64_t cycle, Address address, std::uint32_t bytes = 16) {
    see(cycle, AccessKind::kStore, address, bytes);
  }

  Answers run() { return run_until(sim::kNever); }
  Answers run_until(Cycle end) {
    sender_.wake(sender_.first());
    engine_.run_until(clock_.time_of(end));
    Answers times;
    for (const auto& [cycle, access] : taker_.taken) times[access.token] = cycle - 1;
    return times;
  }
  // Tokens in the order of their answers.
  std::vector<std::uint64_t> order() const {
    std::vector<std::uint64_t> tokens;
    for (const auto& [cycle, access] : taker_.taken) tokens.push_back(access.token);
    return tokens;
  }
  const auto& taken() const { return taker_.taken; }
  std::size_t sent() const { return sender_.sent(); }

  AddressMapping mapping;

 private:
  sim::Channel<Access> requests_;
  sim::Channel<Access> answers_;
  Sender<Access> sender_;

 public:
  TickedDram dram;

 private:
  Taker<Access> taker_;
  sim::Clock clock_;
  sim::Engine engine_;
  std::uint64_t tokens_ = 0;
};

// A part with bursts of two cycles whose every parameter is another number: 4 banks, 64-byte
// bursts, 16 columns.
inline DramSpec small_part() {
  DramSpec spec;
  spec.timing = {.t_rcd = Cycle(11),
                 .t_rcd_write = Cycle(7),
                 .t_ras = Cycle(29),
                 .t_rp = Cycle(13),
                 .t_rc = Cycle(43),
                 .t_rtp = Cycle(3),
                 .t_wr = Cycle(17),
                 .t_rrd = Cycle(5),
                 .t_ccd = Cycle(2),
                 .t_wtr = Cycle(6),
                 .t_rtw = Cycle(14),
                 .t_cl = Cycle(10),
                 .t_wl = Cycle(4),
                 .burst_length = 4,
                 .beats_per_cycle = 2,
                 .bus_bytes = 16,
                 .banks = 4};
  spec.mapping = {.channels = 1,
                  .chunk = Bytes(256),
                  .burst = Bytes(64),
                  .slices = {{AddressField::kColumn, 4}, {AddressField::kBank, 2}},
                  .hash_banks = false};
  spec.most_access = Bytes(256);
  return spec;
}

}  // namespace raddle::memory
