// An input-queued switch: every input has one queue, first in, first out, and a packet that waits
// for its output blocks those after it (head-of-line blocking). Outputs choose among the first
// packets of the inputs in turns that move on with each grant: iSLIP with one iteration (McKeown,
// IEEE/ACM Transactions on Networking 7(2), 1999), which with one queue an input needs no accept
// step. A packet holds its input and its output until its last flit has passed.
//
// Time within the switch is counted in steps, `speedup` of them a cycle: allocation takes a step
// and each flit another. What entered the queues in a quantum is arbitrated at its end, on one
// thread, step by step, so that the result does not depend on the number of host threads; it
// arrives a latency after its grant, which lies after that end. An output grants one packet after
// the other, so that what goes to a port is in order and needs no post office.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "memory/arrivals.h"
#include "memory/crossbar_ends.h"
#include "sim/post.h"

namespace raddle::memory {

template <class T>
class InputQueuedSwitch : public sim::Exchange {
 public:
  explicit InputQueuedSwitch(const CrossbarSpec& spec)
      : spec_(&spec), outputs_(spec.outputs), due_inputs_(spec.inputs), due_outputs_(spec.outputs) {
    for (std::uint32_t i = 0; i < spec.inputs; ++i) inputs_.emplace_back(spec.input_flits);
    for (Output& output : outputs_) {
      output.room = spec.output_flits;
      output.wanted_by.resize((spec.inputs + 63) / 64);
    }
  }

  // The components of the ports. An output's is woken as long as packets wait in the switch.
  void attach_input(std::uint32_t input, sim::Component& component) {
    inputs_[input].component = &component;
  }
  void attach_output(std::uint32_t output, sim::Component& component) {
    outputs_[output].component = &component;
  }
  // What was granted to an output, and the room of an input's queue that is free again, in flits:
  // by the port's thread alone.
  Arrivals<CrossbarFlight<T>>& flights(std::uint32_t output) { return outputs_[output].granted; }
  Arrivals<std::uint32_t>& credits(std::uint32_t input) { return inputs_[input].credits; }
  // Whether credits wake the input.
  void wake_for_credits(std::uint32_t input, bool on) { inputs_[input].wakes = on; }

  // By the input's thread alone: a packet that is at the switch in the cycle of its head.
  void enter(std::uint32_t output, const CrossbarFlight<T>& flight) {
    Input& input = inputs_[flight.input];
    input.queue.push({flight, output, flight.packets, flight.flits / flight.packets});
  }
  // By the output's thread alone: so many flits have left its buffer.
  void make_room(std::uint32_t output, std::uint32_t flits, Cycle now) {
    outputs_[output].freed.push_back({now, flits});
  }

  void hand_over(sim::Instant end) override {
    const sim::Clock& clock = outputs_.front().component->clock();
    const std::uint64_t last = clock.first_from(end).count() * spec_->speedup;
    occupied_.clear();
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      inputs_[i].credits.forget_taken();
      if (!inputs_[i].queue.empty()) occupied_.push_back(i);
    }
    for (Output& output : outputs_) output.granted.forget_taken();
    if (const std::uint64_t first = std::max(first_step(), next_step_); first < last) {
      due_inputs_.begin(first, last);
      due_outputs_.begin(first, last);
      for (const std::uint32_t i : occupied_) {
        const Input& input = inputs_[i];
        const std::uint32_t o = input.queue.front().output;
        if (input.asks) {
          due_outputs_.add(o, std::max(outputs_[o].free_from, first));
        } else {
          due_inputs_.add(i, std::max(earliest(input), first));
        }
      }
      for (std::uint64_t step = first; step < last; ++step) arbitrate(step);
    }
    next_step_ = last;
    for (Output& output : outputs_) {
      take_room(output, last);
      if (!output.granted.empty()) output.component->wake(output.granted.next());
    }
    for (const Input& input : inputs_) {
      if (input.wakes && !input.credits.empty()) input.component->wake(input.credits.next());
    }
    for (const std::uint32_t i : occupied_) {
      const Input& input = inputs_[i];
      if (input.queue.empty()) continue;
      const Output& wanted = outputs_[input.queue.front().output];
      if (wanted.room < input.queue.front().packet_flits) continue;
      // So that the next quantum is simulated: one of them will do.
      wanted.component->wake(clock.first_from(end));
      break;
    }
  }

 private:
  static constexpr std::uint64_t kNoStep = ~std::uint64_t{0};

  struct Waiting {
    CrossbarFlight<T> flight;
    std::uint32_t output = 0;
    std::uint32_t packets = 1;       // of it that are still here
    std::uint32_t packet_flits = 1;  // of each
  };
  struct Input {
    explicit Input(std::uint32_t flits) : queue(flits) {}
    Ring<Waiting> queue;
    Arrivals<std::uint32_t> credits;
    sim::Component* component = nullptr;
    bool wakes = true;            // when credits come
    std::uint64_t free_from = 0;  // step
    bool asks = false;            // its output knows of its first packet
  };
  struct Freed {
    Cycle at;
    std::uint32_t flits;
  };
  struct Output {
    Arrivals<CrossbarFlight<T>> granted;
    sim::Component* component = nullptr;
    std::uint32_t room = 0;  // flits of its buffer that are free
    std::vector<Freed> freed;
    std::uint64_t free_from = 0;           // step
    std::uint32_t turn = 0;                // the input that comes first
    std::uint32_t asked = 0;               // inputs that want it
    std::vector<std::uint64_t> wanted_by;  // a bit for each input
  };

  // Which ports to look at in each step of a quantum: nothing changes for the others.
  class Calendar {
   public:
    explicit Calendar(std::size_t ports) : words_((ports + 63) / 64) {}

    void begin(std::uint64_t first, std::uint64_t last) {
      first_ = first;
      last_ = last;
      // Steps that were visited are empty, and no others were filled.
      if (const std::size_t size = (last - first) * words_; bits_.size() < size) bits_.resize(size);
    }
    // Steps after the last one come up again in the next quantum.
    void add(std::uint32_t port, std::uint64_t step) {
      if (step < last_)
        bits_[(step - first_) * words_ + port / 64] |= std::uint64_t{1} << port % 64;
    }
    // In increasing order. The visitor adds ports to later steps alone.
    template <class Visitor>
    void visit(std::uint64_t step, Visitor&& visitor) {
      for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t bits = std::exchange(bits_[(step - first_) * words_ + word], 0);
        for (; bits != 0; bits &= bits - 1)
          visitor(static_cast<std::uint32_t>(word * 64) +
                  static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }

   private:
    std::size_t words_;
    std::uint64_t first_ = 0, last_ = 0;
    std::vector<std::uint64_t> bits_;  // by step and port
  };

  // The first step in which a packet may be granted.
  std::uint64_t first_step() const {
    std::uint64_t first = kNoStep;
    for (const std::uint32_t i : occupied_) first = std::min(first, earliest(inputs_[i]));
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

  void arbitrate(std::uint64_t step) {
    due_inputs_.visit(step, [&](std::uint32_t i) {
      Input& input = inputs_[i];
      const std::uint32_t o = input.queue.front().output;
      outputs_[o].wanted_by[i / 64] |= std::uint64_t{1} << i % 64;
      ++outputs_[o].asked;
      input.asks = true;
      due_outputs_.add(o, step);
    });
    due_outputs_.visit(step, [&](std::uint32_t o) {
      Output& output = outputs_[o];
      if (output.asked == 0) return;
      if (output.free_from > step) return due_outputs_.add(o, output.free_from);
      take_room(output, step);
      const std::uint32_t chosen = next_in_turn(output);
      if (output.room >= inputs_[chosen].queue.front().packet_flits) return grant(o, chosen, step);
      if (!output.freed.empty())
        due_outputs_.add(o, output.freed.front().at.count() * spec_->speedup + 1);
    });
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

  void grant(std::uint32_t o, std::uint32_t i, std::uint64_t step) {
    Input& input = inputs_[i];
    Output& output = outputs_[o];
    Waiting& waiting = input.queue.front();
    const std::uint32_t flits = waiting.packet_flits;
    // The last flit follows at the rate at which it came to the switch.
    const std::uint64_t last_flit = (waiting.flight.head.count() + flits - 1) * spec_->speedup + 1;
    input.free_from = output.free_from = std::max(step + flits, last_flit) + 1;
    output.room -= flits;
    output.turn = i + 1 == inputs_.size() ? 0 : i + 1;
    // With packets of it left, the input asks again in the very step in which both are free.
    if (--waiting.packets > 0) return due_outputs_.add(o, output.free_from);
    input.asks = false;
    output.wanted_by[i / 64] &= ~(std::uint64_t{1} << i % 64);
    if (--output.asked > 0) due_outputs_.add(o, output.free_from);
    send(output, input, Cycle(step / spec_->speedup));
    if (!input.queue.empty()) due_inputs_.add(i, earliest(input));
  }

  // The first packet of the input, the last flit of which has been granted.
  void send(Output& output, Input& input, Cycle granted) {
    CrossbarFlight<T>& flight = input.queue.front().flight;
    flight.head = granted + spec_->latency;
    flight.tail = flight.head + Cycle(input.queue.front().packet_flits - 1);
    input.credits.add(granted + spec_->credit_latency, flight.flits);
    output.granted.add(flight.head, flight);
    input.queue.pop();
  }

  const CrossbarSpec* spec_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::uint32_t> occupied_;  // inputs with packets when the quantum ended
  Calendar due_inputs_;                  // whose first packet begins to ask
  Calendar due_outputs_;                 // that may grant
  std::uint64_t next_step_ = 0;          // all before it have been arbitrated
};

}  // namespace raddle::memory
