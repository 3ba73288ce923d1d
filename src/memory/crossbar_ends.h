// The two ends of a crossbar's wires: an input, which puts packets onto them flit by flit as long
// as it has credits, and an output, which keeps what arrives in a buffer for each input and takes
// from these in turn. The crossbar of crossbar_port.h is made of these. Where an input-queued
// switch lies between them, the input has one pool of credits and the output one buffer.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "memory/flit_port.h"
#include "memory/ring.h"
#include "sim/channel.h"
#include "sim/stats.h"

namespace raddle::memory {

// Where packets wait for each other.
enum class SwitchKind : std::uint8_t {
  kCrosspointQueued,  // at the outputs, in a buffer for each pair of ends: nobody blocks others
  kInputQueued,       // at the inputs, in one queue each: see input_queued_switch.h
};

struct CrossbarSpec {
  std::uint32_t inputs = 1;
  std::uint32_t outputs = 1;
  Cycle latency{8};         // of a flit, from input to output
  Cycle credit_latency{8};  // of a credit, from output to input
  ShortBytes flit_bytes{32};
  std::uint32_t inject_flits = 1;       // a cycle, at each input
  std::uint32_t eject_flits = 1;        // a cycle, at each output
  std::uint32_t most_packet_flits = 5;  // of the largest packet
  // For each pair of input and output. A pair passes a flit every cycle if this covers the way of
  // a packet and back: latency + credit_latency + the flits of a packet.
  std::uint32_t buffer_flits = 32;
  SwitchKind kind = SwitchKind::kCrosspointQueued;
  // Of an input-queued switch:
  std::uint32_t input_flits = 64;   // of each input's queue
  std::uint32_t output_flits = 64;  // of each output's buffer
  std::uint32_t speedup = 2;        // steps a cycle

  bool input_queued() const { return kind == SwitchKind::kInputQueued; }
};

// Throws Error when no crossbar can have these parameters.
void check(const CrossbarSpec& spec);

template <class T>
struct CrossbarPacket {
  std::uint32_t output = 0;
  ShortBytes bytes;
  T payload{};
  // More than one: it travels as so many packets of that many bytes, in a row, and is there when
  // the last one is.
  std::uint32_t packets = 1;
};

struct CrossbarCredit {
  std::uint32_t output = 0;
  std::uint32_t flits = 0;
};

struct CrossbarStats {
  std::uint64_t packets = 0;
  std::uint64_t flits = 0;
  std::uint64_t latency_sum = 0;
  std::uint64_t credit_stalls = 0;
  std::uint64_t output_stalls = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<CrossbarStats>>({
      {"packets", "packets", "packets delivered", &CrossbarStats::packets},
      {"flits", "flits", "flits delivered", &CrossbarStats::flits},
      {"latency_sum", "cycles", "cycles from input to delivery, summed over all packets",
       &CrossbarStats::latency_sum},
      {"credit_stalls", "cycles", "cycles in which an input waited for space at an output",
       &CrossbarStats::credit_stalls},
      {"output_stalls", "cycles", "cycles in which an output waited for its receiver",
       &CrossbarStats::output_stalls},
  });

  double average_latency() const {
    return packets == 0 ? 0 : static_cast<double>(latency_sum) / static_cast<double>(packets);
  }
};

// A packet on the wires.
template <class T>
struct CrossbarFlight {
  T payload{};
  Cycle born{};  // when the input saw it
  Cycle head{};  // when its first flit is at the output
  Cycle tail{};  // when its last flit is there, at the earliest
  std::uint32_t input = 0;
  std::uint32_t flits = 1;  // of all its packets
  std::uint32_t packets = 1;
};

template <class T>
class CrossbarInput {
 public:
  CrossbarInput(const CrossbarSpec& spec, std::uint32_t index,
                sim::Channel<CrossbarPacket<T>>& packets)
      : spec_(&spec),
        index_(index),
        packets_(&packets),
        credits_(spec.input_queued() ? 1 : spec.outputs,
                 spec.input_queued() ? spec.input_flits : spec.buffer_flits),
        port_(spec.inject_flits) {}

  void add_credits(std::uint32_t output, std::uint32_t flits) { credits_[output] += flits; }
  bool waits_for_credit() const { return stalled_since_.has_value(); }

  // Puts what it can onto the wires, each as send(output, flight). Returns the next cycle in which
  // it can do more, kNever if it needs a packet or a credit for that.
  template <class Send>
  Cycle tick(Cycle now, CrossbarStats& stats, Send&& send) {
    while (packets_->ready(now)) {
      if (!port_.free(now)) return port_.next_free();
      const CrossbarPacket<T>& packet = packets_->front();
      const std::uint32_t output = packet.output;
      const std::uint32_t flits = flits_of(packet.bytes, spec_->flit_bytes) * packet.packets;
      RADDLE_ASSERT(output < spec_->outputs && flits <= spec_->most_packet_flits);
      std::uint32_t& credits = credits_[spec_->input_queued() ? 0 : output];
      if (credits < flits) {
        if (!stalled_since_) stalled_since_ = now;
        return sim::kNever;
      }
      if (stalled_since_) stats.credit_stalls += (now - *stalled_since_).count();
      stalled_since_.reset();
      credits -= flits;
      const Cycle last = port_.pass(flits, now);
      send(output, CrossbarFlight<T>{packet.payload, packets_->next_ready(), now + spec_->latency,
                                     last + spec_->latency, index_, flits, packet.packets});
      packets_->drop(now);
    }
    return packets_->next_ready();
  }

 private:
  const CrossbarSpec* spec_;
  std::uint32_t index_;
  sim::Channel<CrossbarPacket<T>>* packets_;
  std::vector<std::uint32_t> credits_;  // by output, or of the switch; in flits
  FlitPort port_;
  std::optional<Cycle> stalled_since_;
};

template <class T>
class CrossbarOutput {
 public:
  CrossbarOutput(const CrossbarSpec& spec, sim::Channel<T>& delivered)
      : delivered_(&delivered),
        port_(spec.eject_flits),
        input_queued_(spec.input_queued()),
        buffers_(
            spec.input_queued() ? 1 : spec.inputs,
            Ring<CrossbarFlight<T>>(spec.input_queued() ? spec.output_flits : spec.buffer_flits)) {}

  // May be told long before the flight's head is there.
  void arrive(const CrossbarFlight<T>& flight) {
    const std::uint32_t buffer = input_queued_ ? 0 : flight.input;
    if (buffer < kFewInputs) occupied_ |= std::uint64_t{1} << buffer;
    buffers_[buffer].push(flight);
    ++waiting_;
  }

  // Takes packets from the buffers in turn and hands each over once its last flit has passed; then
  // its room is free: give_credit(input, flits). Returns the next cycle with something to do,
  // kNever if it waits for a packet or for its receiver.
  template <class GiveCredit>
  Cycle tick(Cycle now, CrossbarStats& stats, GiveCredit&& give_credit) {
    for (;;) {
      if (passing_) {
        if (tail_ > now) return tail_;
        Ring<CrossbarFlight<T>>& buffer = buffers_[from_];
        const CrossbarFlight<T>& flight = buffer.front();
        if (!delivered_->try_send(flight.payload, now)) return sim::kNever;
        stats.output_stalls += (now - tail_).count();
        stats.latency_sum += (now - flight.born).count();
        stats.flits += flight.flits;
        ++stats.packets;
        give_credit(flight.input, flight.flits);
        buffer.pop();
        if (buffer.empty() && from_ < kFewInputs) occupied_ &= ~(std::uint64_t{1} << from_);
        passing_ = false;
      }
      if (waiting_ == 0) return sim::kNever;
      if (!port_.free(now)) return port_.next_free();
      const Cycle next = grant(now);
      if (!passing_) return next;
    }
  }

 private:
  // Round-robin: the input after the one that was granted last comes first. Returns when the next
  // head arrives if none is there.
  Cycle grant(Cycle now) {
    const auto inputs = static_cast<std::uint32_t>(buffers_.size());
    Cycle next = sim::kNever;
    if (inputs <= kFewInputs) {
      // Those from `turn_` on, then the others; empty ones are not looked at.
      const std::uint64_t before = (std::uint64_t{1} << turn_) - 1;
      for (const std::uint64_t part : {occupied_ & ~before, occupied_ & before}) {
        for (std::uint64_t left = part; left != 0; left &= left - 1) {
          if (try_grant(static_cast<std::uint32_t>(std::countr_zero(left)), now, next)) return now;
        }
      }
      return next;
    }
    for (std::uint32_t i = 0, input = turn_; i < inputs; ++i, ++input) {
      if (input == inputs) input = 0;
      if (!buffers_[input].empty() && try_grant(input, now, next)) return now;
    }
    return next;
  }

  // The first packet of the input, if its head is there; else `next` learns when it will be.
  bool try_grant(std::uint32_t input, Cycle now, Cycle& next) {
    const Ring<CrossbarFlight<T>>& buffer = buffers_[input];
    if (const Cycle head = buffer.front().head; head > now) {
      next = std::min(next, head);
      return false;
    }
    passing_ = true;
    from_ = input;
    // Among several packets through an input-queued switch, only the last is still to go.
    const CrossbarFlight<T>& flight = buffer.front();
    const std::uint32_t flits = input_queued_ ? flight.flits / flight.packets : flight.flits;
    tail_ = port_.pass(flits, now, flight.tail);
    --waiting_;
    turn_ = input + 1 == buffers_.size() ? 0 : input + 1;
    return true;
  }

  static constexpr std::uint32_t kFewInputs = 64;

  sim::Channel<T>* delivered_;
  FlitPort port_;
  bool input_queued_;
  std::vector<Ring<CrossbarFlight<T>>> buffers_;  // by input, or one for all
  std::uint64_t occupied_ = 0;                    // of the first 64 inputs: a bit if not empty
  bool passing_ = false;  // the first packet of the buffer of input from_, until cycle tail_
  std::uint32_t from_ = 0;
  Cycle tail_{};
  std::uint32_t waiting_ = 0;
  std::uint32_t turn_ = 0;
};

}  // namespace raddle::memory
