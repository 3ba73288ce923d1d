// A crossbar: any input reaches any output in a fixed number of cycles; each input injects and each
// output ejects so many flits a cycle; buffers are bounded and guarded by credits. Packets of one
// input to one output stay in order; inputs that want the same output take turns.
//
// Its parts may run in different host threads: every input and every output is a component of its
// own partition, and flits and credits cross as messages of a sim::PostOffice. All ports tick at
// the crossbar's frequency. A quantum no longer than `quantum()` keeps the promise that nothing
// arrives in the quantum in which it was sent, so that timing does not depend on the threads.
//
// Without contention a packet of f flits that its input sees in cycle n is handed over in cycle
// n + latency + f/rate − 1, rounded up, where rate is the slower of injection and ejection.
//
// An input-queued switch may lie between the ends, in which packets that go to different outputs
// wait for each other: see input_queued_switch.h.
#pragma once

#include <optional>
#include <string>

#include "memory/crossbar_ends.h"
#include "memory/input_queued_switch.h"
#include "sim/component.h"
#include "sim/parallel_run.h"
#include "sim/post.h"

namespace raddle::memory {

// The wires. Outlives the ports.
template <class T>
class CrossbarWires {
 public:
  // Throws Error when no crossbar can have these parameters.
  explicit CrossbarWires(const CrossbarSpec& spec)
      : spec_(spec), flights_(spec.inputs, spec.outputs), credits_(spec.outputs, spec.inputs) {
    check(spec);
    if (spec.input_queued()) switch_.emplace(spec_);
  }
  CrossbarWires(const CrossbarWires&) = delete;
  CrossbarWires& operator=(const CrossbarWires&) = delete;

  const CrossbarSpec& spec() const { return spec_; }
  void add_to(sim::ParallelRun& run) {
    if (switch_) return run.add(*switch_);
    run.add(flights_);
    run.add(credits_);
  }
  // Without a switch between the ends: from inputs to outputs, and from outputs to inputs.
  sim::PostOffice<CrossbarFlight<T>>& flights() { return flights_; }
  sim::PostOffice<CrossbarCredit>& credits() { return credits_; }
  // Between the two ends, or null.
  InputQueuedSwitch<T>* input_queued_switch() { return switch_ ? &*switch_ : nullptr; }
  // The longest quantum that these wires allow.
  sim::Instant quantum(const sim::Clock& clock) const {
    return clock.span(std::min(spec_.latency, spec_.credit_latency));
  }

 private:
  CrossbarSpec spec_;
  sim::PostOffice<CrossbarFlight<T>> flights_;
  sim::PostOffice<CrossbarCredit> credits_;
  std::optional<InputQueuedSwitch<T>> switch_;
};

template <class T>
class CrossbarInputPort : public sim::Component {
 public:
  CrossbarInputPort(std::string name, CrossbarWires<T>& wires, std::uint32_t index,
                    sim::Channel<CrossbarPacket<T>>& packets)
      : Component(std::move(name)),
        wires_(wires),
        index_(index),
        input_(wires.spec(), index, packets) {
    wires.credits().attach(index, *this);
    if (wires.input_queued_switch() != nullptr)
      wires.input_queued_switch()->attach_input(index, *this);
  }

  Cycle tick(Cycle now) override {
    InputQueuedSwitch<T>* const between = wires_.input_queued_switch();
    return between != nullptr ? tick_into(*between, now) : tick_onto_wires(now);
  }

  // What happens at inputs: stalls for credits.
  const CrossbarStats& stats() const { return stats_; }

 private:
  // Credits that nobody waits for are counted when the next packet comes.
  Cycle tick_into(InputQueuedSwitch<T>& between, Cycle now) {
    Arrivals<std::uint32_t>& credits = between.credits(index_);
    for (; credits.ready(now); credits.drop()) input_.add_credits(0, credits.front());
    const Cycle next = input_.tick(now, stats_, [&](std::uint32_t output, auto&& flight) {
      flight.head = now;
      between.enter(output, flight);
    });
    const bool waits = input_.waits_for_credit();
    between.wake_for_credits(index_, waits);
    return waits ? std::min(next, credits.next()) : next;
  }
  Cycle tick_onto_wires(Cycle now) {
    while (wires_.credits().ready(index_, now)) {
      const CrossbarCredit credit = wires_.credits().pop(index_);
      input_.add_credits(credit.output, credit.flits);
    }
    const Cycle next = input_.tick(now, stats_, [this](std::uint32_t output, auto&& flight) {
      const sim::Instant arrival = clock().time_of(flight.head);
      wires_.flights().send(index_, output, arrival, std::forward<decltype(flight)>(flight));
    });
    const bool waits = input_.waits_for_credit();
    wires_.credits().wake_for_arrivals(index_, waits);
    return waits ? std::min(next, wires_.credits().next_ready(index_)) : next;
  }

  CrossbarWires<T>& wires_;
  std::uint32_t index_;
  CrossbarInput<T> input_;
  CrossbarStats stats_;
};

template <class T>
class CrossbarOutputPort : public sim::Component {
 public:
  CrossbarOutputPort(std::string name, CrossbarWires<T>& wires, std::uint32_t index,
                     sim::Channel<T>& delivered)
      : Component(std::move(name)), wires_(wires), index_(index), output_(wires.spec(), delivered) {
    wires.flights().attach(index, *this);
    if (wires.input_queued_switch() != nullptr)
      wires.input_queued_switch()->attach_output(index, *this);
  }

  Cycle tick(Cycle now) override {
    InputQueuedSwitch<T>* const between = wires_.input_queued_switch();
    return between != nullptr ? tick_after(*between, now) : tick_after_wires(now);
  }

  // What happens at outputs: deliveries and stalls for the receiver.
  const CrossbarStats& stats() const { return stats_; }

 private:
  Cycle tick_after(InputQueuedSwitch<T>& between, Cycle now) {
    Arrivals<CrossbarFlight<T>>& flights = between.flights(index_);
    for (; flights.ready(now); flights.drop()) output_.arrive(flights.front());
    const Cycle next = output_.tick(now, stats_, [&](std::uint32_t /*input*/, std::uint32_t flits) {
      between.make_room(index_, flits, now);
    });
    return std::min(next, flights.next());
  }
  Cycle tick_after_wires(Cycle now) {
    while (wires_.flights().ready(index_, now)) {
      output_.arrive(wires_.flights().front(index_));
      wires_.flights().drop(index_);
    }
    const Cycle next =
        output_.tick(now, stats_, [this, now](std::uint32_t input, std::uint32_t flits) {
          const sim::Instant arrival = clock().time_of(now + wires_.spec().credit_latency);
          wires_.credits().send(index_, input, arrival, {index_, flits});
        });
    return std::min(next, wires_.flights().next_ready(index_));
  }

  CrossbarWires<T>& wires_;
  std::uint32_t index_;
  CrossbarOutput<T> output_;
  CrossbarStats stats_;
};

}  // namespace raddle::memory
