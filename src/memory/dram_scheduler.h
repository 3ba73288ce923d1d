// Which command a DRAM channel issues next, and when: that of the oldest request alone (FCFS), or
// the earliest that anybody's request allows, row hits first and then the oldest (FR-FCFS, "first
// ready, first come first served", Rixner et al., ISCA 2000). For every bank it keeps what may be
// done there, so that a choice looks once at each bank and not at each request.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "memory/dram_device.h"
#include "memory/dram_queue.h"
#include "sim/clock.h"

namespace raddle::memory {

enum class DramScheduling : std::uint8_t {
  kFrFcfs,  // a command of a row hit if one can be issued, else that of the oldest request
  kFcfs     // the oldest request alone
};

struct DramChoice {
  Cycle at = sim::kNever;
  DramCommand command = DramCommand::kActivate;
  std::int32_t request = DramQueue::kNone;  // on whose behalf
};

class DramScheduler {
 public:
  // Once `starvation_cap` younger requests have been served before the oldest one, that is served
  // alone; 0: never.
  DramScheduler(DramScheduling scheduling, std::uint32_t starvation_cap, const DramDevice& device,
                const DramQueue& queue);

  // To be called whenever a bank's row or its waiting requests have changed, or a command was
  // issued to it.
  void update(std::uint32_t bank);

  // The next command, not before `from`. While `answers_full`, nobody is served who needs an
  // answer.
  DramChoice next(Cycle from, bool answers_full) const;
  // The same when all that has changed since `chosen` is a request that came for this bank.
  DramChoice next_with_arrival(DramChoice chosen, std::uint32_t bank, Cycle from,
                               bool answers_full) const;

 private:
  // What may be done at a bank; bound: the earliest time as far as the bank itself is concerned.
  struct Option {
    Cycle bound{};
    std::uint64_t number = 0;  // of the request
    std::int32_t request = DramQueue::kNone;
    std::uint16_t group_place = 0;
    DramCommand command = DramCommand::kActivate;
  };
  static constexpr std::size_t kNoOption = ~std::size_t{0};
  // What is compared: the cycle, row hits before others, then the age of the request.
  struct Best {
    std::uint64_t time_and_class = sim::kNever.count();
    std::uint64_t number = 0;
    std::size_t option = kNoOption;
  };
  // By command: the earliest time as far as all banks are concerned.
  using SharedBounds = std::array<Cycle, 4>;

  DramChoice to_choice(const Best& best) const;
  bool serves_oldest_alone() const;
  DramChoice for_oldest(Cycle from, bool answers_full) const;
  SharedBounds shared_bounds(Cycle from) const;
  // Of these banks.
  Best best_of(std::uint64_t banks, Cycle from, bool answers_full, Best best) const;
  void consider(std::size_t option, const SharedBounds& shared, Best& best) const;
  bool may_not_be_answered(std::size_t option) const;
  Option option(DramCommand command, std::int32_t request) const;

  DramScheduling scheduling_;
  std::uint32_t starvation_cap_;
  const DramDevice& device_;
  const DramQueue& queue_;
  // By bank: what may be done there; where its open row can be both read and written, the write
  // stands in the second half of the list.
  std::vector<Option> options_;
  std::uint64_t banks_with_second_ = 0;
};

}  // namespace raddle::memory
