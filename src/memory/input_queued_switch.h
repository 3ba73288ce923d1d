// An input-queued switch: every input has one queue, first in, first out, and a packet that waits
// for its output blocks those after it (head-of-line blocking). Outputs choose among the first
// packets of the inputs in turns that move on with each grant: iSLIP with one iteration (McKeown,
// IEEE/ACM Transactions on Networking 7(2), 1999), which with one queue an input needs no accept
// step. A packet holds its input and its output until its last flit has passed.
//
// Time within the switch is counted in steps, `speedup` of them a cycle: allocation takes a step
// and each flit another. What entered the queues in a quantum is arbitrated at its end, on one
// thread, step by step, so that the result does not depend on the number of host threads; it
// arrives a latency after its grant, which lies behind that end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/bit_set.h"
#include "memory/crossbar_ends.h"
#include "sim/post.h"

namespace raddle::memory {

template <class T>
class InputQueuedSwitch : public sim::Exchange {
 public:
  // What is granted goes out through `flights`, room that is free again through `credits`.
  InputQueuedSwitch(const CrossbarSpec& spec, sim::PostOffice<CrossbarFlight<T>>& flights,
                    sim::PostOffice<CrossbarCredit>& credits)
      : spec_(&spec),
        flights_(&flights),
        credits_(&credits),
        outputs_(spec.outputs),
        silent_(spec.inputs),
        asked_(spec.outputs) {
    for (std::uint32_t i = 0; i < spec.inputs; ++i) inputs_.emplace_back(spec.input_flits);
    for (Output& output : outputs_) {
      output.room = spec.output_flits;
      output.wanted_by.resize((spec.inputs + 63) / 64);
    }
  }

  // The component of an output, which is woken as long as packets wait in the switch.
  void attach(std::uint32_t output, sim::Component& component) {
    outputs_[output].component = &component;
  }

  // By the input's thread alone: a packet that is at the switch in the cycle of its head.
  void enter(std::uint32_t output, const CrossbarFlight<T>& flight) {
    Input& input = inputs_[flight.input];
    input.queue.push({flight, output, flight.packets});
  }
  // By the output's thread alone: so many flits have left its buffer.
  void make_room(std::uint32_t output, std::uint32_t flits, Cycle now) {
    outputs_[output].freed.push_back({now, flits});
  }

  void hand_over(sim::Instant end) override {
    const sim::Clock& clock = outputs_.front().component->clock();
    const std::uint64_t last = clock.first_from(end).count() * spec_->speedup;
    std::uint64_t step = std::max(first_step(), next_step_);
    while (step < last) {
      const std::uint64_t next = arbitrate(step, clock);
      step = std::max(next, step + 1);
    }
    next_step_ = last;
    for (Output& output : outputs_) take_room(output, last);
    for (const Input& input : inputs_) {
      if (input.queue.empty()) continue;
      const Output& wanted = outputs_[input.queue.front().output];
      if (wanted.room >= flits_of_one(input.queue.front()))
        wanted.component->wake(clock.first_from(end));
    }
  }

 private:
  static constexpr std::uint64_t kNoStep = ~std::uint64_t{0};

  struct Waiting {
    CrossbarFlight<T> flight;
    std::uint32_t output = 0;
    std::uint32_t packets = 1;  // of it that are still here
  };
  struct Input {
    explicit Input(std::uint32_t flits) : queue(flits) {}
    Ring<Waiting> queue;
    std::uint64_t free_from = 0;  // step
    bool asks = false;            // its output knows of its first packet
  };
  struct Freed {
    Cycle at;
    std::uint32_t flits;
  };
  struct Output {
    sim::Component* component = nullptr;
    std::uint32_t room = 0;  // flits of its buffer that are free
    std::vector<Freed> freed;
    std::uint64_t free_from = 0;           // step
    std::uint32_t turn = 0;                // the input that comes first
    std::uint32_t asked = 0;               // inputs that want it
    std::vector<std::uint64_t> wanted_by;  // a bit for each input
  };

  static std::uint32_t flits_of_one(const Waiting& waiting) {
    return waiting.flight.flits / waiting.flight.packets;
  }

  // The first step in which a packet may be granted.
  std::uint64_t first_step() {
    std::uint64_t first = kNoStep;
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].queue.empty()) continue;
      first = std::min(first, earliest(inputs_[i]));
      if (!inputs_[i].asks) silent_.insert(i);
    }
    return first;
  }
  std::uint64_t earliest(const Input& input) const {
    return std::max(input.free_from, input.queue.front().flight.head.count() * spec_->speedup);
  }

  void take_room(Output& output, std::uint64_t step) {
    if (output.freed.empty()) return;
    std::size_t taken = 0;
    while (taken < output.freed.size() && output.freed[taken].at.count() * spec_->speedup < step)
      output.room += output.freed[taken++].flits;
    output.freed.erase(output.freed.begin(),
                       output.freed.begin() + static_cast<std::ptrdiff_t>(taken));
  }

  // One step. Returns the next one in which something may change.
  std::uint64_t arbitrate(std::uint64_t step, const sim::Clock& clock) {
    std::uint64_t next = kNoStep;
    silent_.for_each([&](std::uint32_t i) {
      Input& input = inputs_[i];
      if (const std::uint64_t from = earliest(input); from > step) {
        next = std::min(next, from);
        return;
      }
      const std::uint32_t o = input.queue.front().output;
      outputs_[o].wanted_by[i / 64] |= std::uint64_t{1} << i % 64;
      ++outputs_[o].asked;
      asked_.insert(o);
      input.asks = true;
      silent_.erase(i);
    });
    asked_.for_each([&](std::uint32_t o) {
      Output& output = outputs_[o];
      if (output.free_from > step) {
        next = std::min(next, output.free_from);
        return;
      }
      take_room(output, step);
      const std::uint32_t chosen = next_in_turn(output);
      Input& input = inputs_[chosen];
      if (output.room < flits_of_one(input.queue.front())) {
        if (!output.freed.empty())
          next = std::min(next, output.freed.front().at.count() * spec_->speedup + 1);
        return;
      }
      grant(o, chosen, step, clock);
      if (output.asked > 0) next = std::min(next, output.free_from);
      if (!input.queue.empty()) next = std::min(next, earliest(input));
    });
    return next;
  }

  std::uint32_t next_in_turn(const Output& output) const {
    const auto find = [&](std::uint32_t from, std::uint32_t end) {
      for (std::uint32_t word = from / 64; word * 64 < end; ++word) {
        std::uint64_t bits = output.wanted_by[word];
        if (word == from / 64) bits &= ~std::uint64_t{0} << from % 64;
        if (bits != 0)
          return std::min(end, word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
      return end;
    };
    const auto inputs = static_cast<std::uint32_t>(inputs_.size());
    const std::uint32_t chosen = find(output.turn, inputs);
    return chosen < inputs ? chosen : find(0, inputs);
  }

  void grant(std::uint32_t o, std::uint32_t i, std::uint64_t step, const sim::Clock& clock) {
    Input& input = inputs_[i];
    Output& output = outputs_[o];
    Waiting& waiting = input.queue.front();
    const std::uint32_t flits = flits_of_one(waiting);
    // The last flit follows at the rate at which it came to the switch.
    const std::uint64_t last_flit = (waiting.flight.head.count() + flits - 1) * spec_->speedup + 1;
    input.free_from = output.free_from = std::max(step + flits, last_flit) + 1;
    input.asks = false;
    output.wanted_by[i / 64] &= ~(std::uint64_t{1} << i % 64);
    if (--output.asked == 0) asked_.erase(o);
    output.room -= flits;
    output.turn = i + 1 == inputs_.size() ? 0 : i + 1;
    if (--waiting.packets == 0) send(o, i, Cycle(step / spec_->speedup), clock);
    if (!input.queue.empty()) silent_.insert(i);
  }

  // The first packet of the input, the last flit of which has been granted.
  void send(std::uint32_t o, std::uint32_t i, Cycle granted, const sim::Clock& clock) {
    Input& input = inputs_[i];
    CrossbarFlight<T>& flight = input.queue.front().flight;
    flight.head = granted + spec_->latency;
    flight.tail = flight.head + Cycle(flits_of_one(input.queue.front()) - 1);
    credits_->send(o, i, clock.time_of(granted + spec_->credit_latency), {0, flight.flits});
    flights_->send(i, o, clock.time_of(flight.head), flight);
    input.queue.pop();
  }

  const CrossbarSpec* spec_;
  sim::PostOffice<CrossbarFlight<T>>* flights_;
  sim::PostOffice<CrossbarCredit>* credits_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  BitSet silent_;                // inputs with packets that have not asked yet
  BitSet asked_;                 // outputs that somebody wants
  std::uint64_t next_step_ = 0;  // all before it have been arbitrated
};

}  // namespace raddle::memory
