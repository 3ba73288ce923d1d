#include "memory/dram_scheduler.h"

#include <algorithm>
#include <bit>

namespace raddle::memory {

using enum DramCommand;

namespace {

// Orders by time and, within a cycle, column commands before others.
std::uint64_t time_and_class(Cycle at, DramCommand command) {
  return at.count() * 2 + static_cast<std::uint64_t>(!is_column(command));
}

}  // namespace

DramScheduler::DramScheduler(DramScheduling scheduling, std::uint32_t starvation_cap,
                             const DramDevice& device, const DramQueue& queue)
    : scheduling_(scheduling),
      starvation_cap_(starvation_cap),
      device_(device),
      queue_(queue),
      options_(std::size_t{2} * device.timing().banks) {}

DramScheduler::Option DramScheduler::option(DramCommand command, std::int32_t request) const {
  if (request == DramQueue::kNone) return {};
  const DramRequest& of = queue_[request];
  const auto group = static_cast<std::uint16_t>(device_.group_place(command, of.bank));
  return {device_.bank_bound(command, of.bank), of.number, request, group, command};
}

void DramScheduler::update(std::uint32_t bank) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  banks_with_second_ &= ~bit;
  if (!device_.is_open(bank)) {
    options_[bank] = option(kActivate, queue_.oldest(bank));
  } else if (!queue_.has_hit(bank)) {
    options_[bank] = option(kPrecharge, queue_.oldest(bank));
  } else if (queue_.read_hit(bank) == DramQueue::kNone) {
    options_[bank] = option(kWrite, queue_.write_hit(bank));
  } else {
    options_[bank] = option(kRead, queue_.read_hit(bank));
    if (queue_.write_hit(bank) == DramQueue::kNone) return;
    options_[options_.size() / 2 + bank] = option(kWrite, queue_.write_hit(bank));
    banks_with_second_ |= bit;
  }
}

bool DramScheduler::serves_oldest_alone() const {
  if (scheduling_ == DramScheduling::kFcfs) return true;
  return starvation_cap_ > 0 && queue_.overtakers_of_oldest() >= starvation_cap_;
}

DramChoice DramScheduler::to_choice(const Best& best) const {
  if (best.option == kNoOption) return {};
  const Option& option = options_[best.option];
  return {Cycle(best.time_and_class / 2), option.command, option.request};
}

DramChoice DramScheduler::next(Cycle from, bool answers_full) const {
  if (queue_.empty()) return {};
  if (serves_oldest_alone()) return for_oldest(from, answers_full);
  return to_choice(best_of(queue_.waiting_banks(), from, answers_full, {}));
}

DramChoice DramScheduler::next_with_arrival(DramChoice chosen, std::uint32_t bank, Cycle from,
                                            bool answers_full) const {
  const bool can_add = chosen.request != DramQueue::kNone && queue_[chosen.request].bank != bank;
  if (!can_add || serves_oldest_alone()) return next(from, answers_full);
  const Best best = best_of(
      std::uint64_t{1} << bank, from, answers_full,
      {time_and_class(chosen.at, chosen.command), queue_[chosen.request].number, kNoOption});
  return best.option == kNoOption ? chosen : to_choice(best);
}

DramChoice DramScheduler::for_oldest(Cycle from, bool answers_full) const {
  const std::int32_t slot = queue_.oldest();
  const DramRequest& request = queue_[slot];
  DramCommand command = kActivate;
  if (device_.is_open(request.bank)) {
    command = kPrecharge;
    if (device_.open_row(request.bank) == request.row)
      command = request.wants_read() ? kRead : kWrite;
  }
  if (is_column(command) && answers_full && request.needs_answer()) return {};
  return {std::max(device_.earliest(command, request.bank), from), command, slot};
}

DramScheduler::SharedBounds DramScheduler::shared_bounds(Cycle from) const {
  SharedBounds bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    bounds[i] = std::max(device_.shared_bound(static_cast<DramCommand>(i)), from);
  return bounds;
}

// The hottest lines of a DRAM: no branch depends on what is compared.
[[gnu::always_inline]] inline void DramScheduler::consider(std::size_t number,
                                                           const SharedBounds& shared,
                                                           Best& best) const {
  const Option& option = options_[number];
  const Cycle at = std::max({option.bound, shared[static_cast<std::size_t>(option.command)],
                             device_.group_bound(option.group_place)});
  const std::uint64_t key = time_and_class(at, option.command);
  const bool sooner = key < best.time_and_class;
  const bool older = key == best.time_and_class && option.number < best.number;
  const bool better = sooner | older;
  best.time_and_class = better ? key : best.time_and_class;
  best.number = better ? option.number : best.number;
  best.option = better ? number : best.option;
}

DramScheduler::Best DramScheduler::best_of(std::uint64_t banks, Cycle from, bool answers_full,
                                           Best best) const {
  const SharedBounds shared = shared_bounds(from);
  const std::size_t second = options_.size() / 2;
  for (std::uint64_t rest = banks; rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<std::size_t>(std::countr_zero(rest));
    if (!answers_full || !may_not_be_answered(bank)) consider(bank, shared, best);
  }
  for (std::uint64_t rest = banks & banks_with_second_; rest != 0; rest &= rest - 1) {
    const std::size_t option = second + static_cast<std::size_t>(std::countr_zero(rest));
    if (!answers_full || !may_not_be_answered(option)) consider(option, shared, best);
  }
  return best;
}

bool DramScheduler::may_not_be_answered(std::size_t option) const {
  return is_column(options_[option].command) && queue_[options_[option].request].needs_answer();
}

}  // namespace raddle::memory
