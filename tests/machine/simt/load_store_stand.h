// A load/store unit of fermi with a channel to the network below it, and sentences to try it:
// push an instruction, run to a cycle, see what was asked of memory, answer it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/simt/fermi.h"
#include "machine/simt/load_store_unit.h"
#include "sim/engine.h"

namespace raddle::machine::simt {

inline IssueInfo load_of(MemoryPath path) {
  IssueInfo info;
  info.unit = Unit::kMemory;
  info.path = path;
  info.write_count = 1;
  return info;
}
inline IssueInfo store_of(MemoryPath path) {
  IssueInfo info = load_of(path);
  info.write_count = 0;
  info.is_store = true;
  return info;
}
inline IssueInfo atomic_of(MemoryPath path) {
  IssueInfo info = load_of(path);
  info.is_atomic = true;
  info.past_l1 = path == MemoryPath::kData;
  return info;
}

// An access of all lanes, lane i where the function says.
inline kernel::exec::MemoryAccess lanes_at(
    const std::function<std::uint64_t(std::uint64_t)>& address,
    kernel::Space space = kernel::Space::kGlobal, std::uint32_t bytes = 4) {
  kernel::exec::MemoryAccess access;
  access.space = space;
  access.mask = kernel::exec::kAllLanes;
  access.bytes = bytes;
  for (std::uint64_t i = 0; i < kernel::exec::kLanes; ++i) access.address[i] = address(i);
  return access;
}
inline kernel::exec::MemoryAccess words_from(std::uint64_t start, std::uint64_t stride = 4,
                                             kernel::Space space = kernel::Space::kGlobal) {
  return lanes_at([=](std::uint64_t lane) { return start + lane * stride; }, space);
}

class LoadStoreStand {
 public:
  explicit LoadStoreStand(const std::vector<std::string>& settings = {})
      : parameters(fermi(settings)), unit(parameters, 3, {}, channel_) {
    sim::ClockDomain& domain = engine_.add_clock(clock_);
    engine_.add(sender_, domain);
    engine_.add(receiver_, domain);
    channel_.connect(sender_, receiver_);
  }

  // An instruction of warp 5 that has its operands in that cycle.
  void push(const IssueInfo& info, const kernel::exec::MemoryAccess& access,
            Cycle ready = Cycle(0)) {
    unit.push(info, 5, lanes_of(access), ready, ready);
  }
  // Everything up to and including that cycle.
  void run_to(Cycle cycle) {
    for (; now <= cycle; ++now) {
      if (takes_requests && channel_.ready(now))
        sent.emplace_back(now - Cycle(1), channel_.pop(now).payload);
      unit.tick(now, results, stores);
      unit.send(now);
    }
  }
  // The level below answers the number-th request, in the cycle that comes next.
  void answer(std::size_t number) { unit.answer(sent.at(number).second, now, results); }
  // When the data of the only result are there.
  std::optional<Cycle> result_at() const {
    EXPECT_LE(results.size(), 1U);
    return results.empty() ? std::nullopt : std::optional(results[0].at);
  }
  std::vector<std::uint64_t> addresses() const {
    std::vector<std::uint64_t> all;
    for (const auto& request : sent) all.push_back(request.second.address.value());
    return all;
  }
  std::vector<std::uint32_t> sizes() const {
    std::vector<std::uint32_t> all;
    for (const auto& request : sent) all.push_back(request.second.bytes.count());
    return all;
  }

  GpuParameters parameters;
  bool takes_requests = true;
  Cycle now;
  std::vector<MemoryResult> results;
  std::vector<std::uint32_t> stores;                   // warps of stores that went out
  std::vector<std::pair<Cycle, memory::Access>> sent;  // when it left, what

 private:
  struct Idle : sim::Component {
    using Component::Component;
    Cycle tick(Cycle) override { return sim::kNever; }
  };
  LoadStoreUnit::RequestChannel channel_{2};
  sim::Clock clock_{"core", Hertz(700e6)};
  sim::Engine engine_;
  Idle sender_{"sender"}, receiver_{"receiver"};

 public:
  LoadStoreUnit unit;
};

}  // namespace raddle::machine::simt
