// The ends of crossbar_ends.h in one engine, without host threads: what the ends promise is tested
// on it, and the crossbar between host threads has to hand over in the same cycles. Any input
// reaches any output in a fixed number of cycles; each input injects and each output ejects so many
// flits a cycle; buffers are bounded and guarded by credits. Packets of one input to one output
// stay in order; inputs that want the same output take turns.
//
// Without contention a packet of f flits that its input sees in cycle n is handed over in cycle
// n + latency + f/rate − 1, rounded up, where rate is the slower of injection and ejection.
#pragma once

#include <span>
#include <string>

#include "memory/crossbar_ends.h"
#include "memory/ring.h"
#include "sim/component.h"

namespace raddle::memory {

template <class T>
class Crossbar : public sim::Component {
 public:
  // One channel for each input and output; the owner connects their other ends. Throws Error when
  // no crossbar can have these parameters.
  Crossbar(std::string name, const CrossbarSpec& spec,
           std::span<sim::Channel<CrossbarPacket<T>>* const> inputs,
           std::span<sim::Channel<T>* const> outputs)
      : Component(std::move(name)), spec_(spec), credits_(most_credits(spec)) {
    check(spec);
    RADDLE_ASSERT(inputs.size() == spec.inputs && outputs.size() == spec.outputs);
    for (std::uint32_t i = 0; i < spec.inputs; ++i) inputs_.emplace_back(spec_, i, *inputs[i]);
    for (sim::Channel<T>* output : outputs) outputs_.emplace_back(spec_, *output);
  }

  Cycle tick(Cycle now) override {
    while (!credits_.empty() && credits_.front().at <= now) {
      const Credit& credit = credits_.front();
      inputs_[credit.input].add_credits(credit.output, credit.flits);
      credits_.pop();
    }
    Cycle next = sim::kNever;
    for (CrossbarInput<T>& input : inputs_) {
      const Cycle at = input.tick(now, stats_, [this](std::uint32_t output, auto&& flight) {
        outputs_[output].arrive(std::forward<decltype(flight)>(flight));
      });
      next = std::min(next, at);
    }
    for (std::uint32_t output = 0; output < spec_.outputs; ++output) {
      const Cycle at = outputs_[output].tick(
          now, stats_, [this, output, now](std::uint32_t input, std::uint32_t flits) {
            credits_.push({now + spec_.credit_latency, input, output, flits});
          });
      next = std::min(next, at);
    }
    return credits_.empty() ? next : std::min(next, credits_.front().at);
  }

  const CrossbarSpec& spec() const { return spec_; }
  const CrossbarStats& stats() const { return stats_; }

 private:
  struct Credit {
    Cycle at{};
    std::uint32_t input = 0, output = 0, flits = 0;
  };

  // As many as are given while the first is on its way: in every cycle what an output ejects, and
  // once the packet that a receiver had held up.
  static std::size_t most_credits(const CrossbarSpec& spec) {
    return ((spec.credit_latency.count() + 1) * spec.eject_flits + 1) * spec.outputs + 1;
  }

  CrossbarSpec spec_;
  std::vector<CrossbarInput<T>> inputs_;
  std::vector<CrossbarOutput<T>> outputs_;
  Ring<Credit> credits_;  // on their way back
  CrossbarStats stats_;
};

}  // namespace raddle::memory
